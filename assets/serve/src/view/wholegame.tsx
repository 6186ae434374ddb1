// Whether a position of a game is to be analysed, or all of them.
import type { NewGame } from '../state/actions';
import { NumberField } from './parts';

/** What a form says of it. */
export interface WholeChosen {
  is: boolean;
  side: '' | 'white' | 'black';
  /** Moves, from 1. */
  from: number;
  /** To the end, where it is nothing. */
  to: number | null;
  depth: number;
}

/** A few plies of tree for each position: a game has many. */
export const WHOLE: WholeChosen = { is: false, side: '', from: 1, to: null, depth: 3 };

/** Which plies that are. */
export const partOf = ({ side, from, to }: WholeChosen): Partial<NewGame> => ({
  ...(side ? { side } : {}),
  ...(from > 1 ? { from_ply: 2 * (from - 1) } : {}),
  ...(to === null || Number.isNaN(to) ? {} : { to_ply: 2 * to }),
});

const SIDES = [['', 'both sides'], ['white', 'White'], ['black', 'Black']] as const;

export function WholeGameFields({ value, onValue }: { value: WholeChosen; onValue: (value: WholeChosen) => void }) {
  const set = (part: Partial<WholeChosen>) => onValue({ ...value, ...part });
  return (
    <div class="form-row whole-fields">
      <div class="segments" role="group" aria-label="What is analysed">
        <button type="button" aria-pressed={!value.is} onClick={() => set({ is: false })}>This position</button>
        <button type="button" id="whole-game" aria-pressed={value.is} onClick={() => set({ is: true })}>The whole game</button>
      </div>
      {value.is && (
        <>
          <label>Moves of <select value={value.side} onChange={event => set({ side: event.currentTarget.value as WholeChosen['side'] })}>{SIDES.map(([side, label]) => <option key={side} value={side}>{label}</option>)}</select></label>
          <NumberField label="From move" max={500} value={value.from} onValue={from => set({ from })} />
          <label>To move <input type="number" min={1} max={500} value={value.to ?? ''} placeholder="last" onInput={event => set({ to: event.currentTarget.value === '' ? null : event.currentTarget.valueAsNumber })} /></label>
        </>
      )}
    </div>
  );
}
