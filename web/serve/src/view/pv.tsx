// Moves in a row that are pointed at: the mouse shows the position behind each, a click goes there.
import type { Move } from '../../../shared/contract';
import { hashOf } from '../state/address';
import type { OpenRoot } from '../state/openroot';

export const OWN = 'How the engine\u2019s own search goes on where the tree ends';

interface Props {
  open: OpenRoot;
  moves: Move[];
  /** How many of them are the tree's. */
  inTree: number;
  end: string | null;
  /** The line from the root to the first. */
  before: string[];
}

export function Pv({ open, moves, inTree, end, before }: Props) {
  const line = [...before];
  return (
    <span class="line">
      {moves.map((move, i) => {
        line.push(move.uci);
        const own = i >= inTree;
        return (
          <>
            {i === inTree && end ? <span class="line-end">({end}) </span> : null}
            <a key={i} class={own ? 'pv own' : 'pv'} title={own ? OWN : undefined} tabIndex={-1} draggable={false} href={hashOf(open.id, line)} data-line={line.join(' ')}>{open.walk.number(before.length + i, i === 0) + move.san}</a>{' '}
          </>
        );
      })}
      {inTree >= moves.length && end ? <span class="line-end">({end})</span> : null}
    </span>
  );
}
