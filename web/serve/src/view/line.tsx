// The moves on the board in two columns, the game before the root among them.
import type { OpenTree } from '../state/opentree';
import { MoveLink } from './links';
import { useCurrentInSight } from './parts';

/** A move of the list, or the start. */
interface Step {
  at: number;
  text: string;
  kind: string;
}

/** `room` changes where there is more or less of it; `game` has a link to where the game begins. */
export function Line({ open, room = '', game }: { open: OpenTree; room?: string; game?: boolean }) {
  const { walk } = open;
  const count = walk.before.length;
  const box = useCurrentInSight(`${walk.at} ${walk.steps.length} ${room}`, open);
  const before = walk.before.map((move, i): Step => ({ at: i + 1 - count, text: move.san, kind: i + 1 === count ? 'start' : 'before' }));
  const steps = walk.steps.map((move, i): Step => ({ at: i + 1, text: move.san, kind: `${i >= walk.at ? 'ahead' : ''}${isOutside(open, i) ? ' outside' : ''}` }));
  const all = [...before, ...steps];
  const lineTo = (at: number) => walk.steps.slice(0, Math.max(0, at)).map(move => move.uci);
  const cell = (step: Step | undefined) =>
    step ? <MoveLink key={step.at} open={open} line={lineTo(step.at)} go={() => walk.goTo(step.at)} class={step.kind} label={walk.number(step.at - 1) + step.text} current={walk.at === step.at}>{step.text}</MoveLink> : <span class="gap" aria-hidden="true">{all.length ? '…' : ''}</span>;
  return (
    <div ref={box} class="moves-line" id="line" role="group" aria-label="Line on the board">
      {game && count > 0 && <MoveLink open={open} line={[]} go={() => walk.goTo(-count)} class="before" current={walk.at === -count}>Game</MoveLink>}
      {count === 0 && <MoveLink open={open} line={[]} go={() => walk.goTo(0)} class="start root-start" current={walk.at === 0}>Start</MoveLink>}
      {rowsOf(all, at => walk.mover(at - 1) === 'white').map(([white, black]) => (
        <>
          <span class="move-number" aria-hidden="true">{walk.number((white?.at ?? black!.at) - 1).trim()}</span>
          {cell(white)}
          {black ? cell(black) : null}
        </>
      ))}
    </div>
  );
}

/** White's and Black's moves side by side. */
function rowsOf(steps: Step[], isWhite: (at: number) => boolean): [Step | undefined, Step | undefined][] {
  const rows: [Step | undefined, Step | undefined][] = [];
  for (const step of steps) {
    const last = rows[rows.length - 1];
    if (isWhite(step.at)) rows.push([step, undefined]);
    else if (last && !last[1]) last[1] = step;
    else rows.push([undefined, step]);
  }
  return rows;
}

/** True if a step of the line is known not to be in the tree. */
function isOutside(open: OpenTree, step: number): boolean {
  const line = open.walk.steps.slice(0, step + 1).map(move => move.uci);
  return open.places.place(line.slice(0, -1)) !== undefined && !open.moveOf(line);
}
