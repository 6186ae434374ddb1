// Moves in a row that are pointed at: the mouse shows the position behind each, a click goes there.
import type { Move } from '../../../shared/contract';
import type { OpenTree } from '../state/opentree';

export const OWN = 'How the engine\u2019s own search goes on where the tree ends';

interface Props {
  open: OpenTree;
  moves: Move[];
  /** How many of them are the tree's. */
  inTree: number;
  end: string | null;
  /** The line from the root to the first. */
  before: string[];
}

export function Pv({ open, moves, inTree, end, before }: Props) {
  const link = (move: Move, i: number) => {
    const line = [...before, ...moves.slice(0, i + 1).map(one => one.uci)];
    return <a key={i} class="pv" tabIndex={-1} draggable={false} href={open.href(line)} data-line={line.join(' ')}>{open.walk.number(before.length + i, i === 0 || i === inTree) + move.san}</a>;
  };
  const links = moves.map(link).flatMap((one, i) => (i === 0 || i === inTree ? [one] : [' ', one]));
  const behind = inTree === 0 ? 0 : 2 * inTree - 1;
  return (
    <span class="line">
      {links.slice(0, behind)}
      {end ? <span class="line-end"> ({end})</span> : null}
      {inTree < moves.length && <span class="own" title={OWN}> [{links.slice(behind)}]</span>}
    </span>
  );
}
