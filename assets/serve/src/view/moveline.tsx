// Moves in a row, each a button that leads to its position.
import type { San } from '../api/types';
import type { OpenRoot } from '../state/openroot';

export const OWN = 'How the engine\u2019s own search goes on where the tree ends';

interface Props {
  open: OpenRoot;
  moves: San[];
  /** How many of them are the tree's. */
  inTree: number;
  end: string | null;
  /** How many plies from the root the first is played. */
  depth: number;
  label: string;
  /** The line from the root to the first. */
  before?: string[];
  most?: number;
}

export function MoveLine({ open, moves, inTree, end, depth, label, before = [], most = 16 }: Props) {
  const ucis = moves.map(move => move.uci);
  const here = open.line();
  const on = (count: number) => here.length === before.length + count && [...before, ...ucis.slice(0, count)].every((uci, i) => uci === here[i]);
  return (
    <div class="moves-line" role="group" aria-label={label}>
      {moves.slice(0, most).map((move, i) => (
        <>
          {i === inTree && end ? <span class="whose line-end">({end})</span> : null}
          <button
            type="button"
            key={i}
            class={i < inTree ? 'move' : 'move own'}
            title={i < inTree ? undefined : OWN}
            aria-current={on(i + 1) ? 'step' : undefined}
            onClick={() => open.walk.leap([...before, ...ucis.slice(0, i + 1)])}
          >
            {open.walk.number(depth + i, i === 0) + move.san}
          </button>
        </>
      ))}
      {inTree >= Math.min(moves.length, most) && end ? <span class="whose line-end">({end})</span> : null}
    </div>
  );
}
