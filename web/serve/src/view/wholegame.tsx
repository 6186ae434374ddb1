// Fields to analyse all positions of a game in place of one.
import { positionOf } from '../../../shared/rules';
import type { NewGame } from '../state/actions';
import { NumberField } from './parts';

/** Values of the form. */
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

/** The plies that the form chooses, in a game that began in this position. */
export function partOf({ side, from, to }: WholeChosen, start: string): Partial<NewGame> {
  const { turn, fullmoves } = positionOf(start);
  const before = 2 * (fullmoves - 1) + (turn === 'black' ? 1 : 0);
  return {
    ...(side ? { side } : {}),
    from_ply: Math.max(0, 2 * (from - 1) - before),
    ...(to === null || Number.isNaN(to) ? {} : { to_ply: Math.max(0, 2 * to - before) }),
  };
}

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
