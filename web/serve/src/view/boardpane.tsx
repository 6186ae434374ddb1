// The board: as large as there is room, with its arrows; the wheel walks along the line.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Board, type Arrow, type Shown } from '../../../shared/board';
import { describe } from '../../../shared/rules';
import type { Color, Pov } from '../../../shared/score';
import { wheelSteps } from '../../../shared/wheel';
import { valueOf } from '../api/words';
import type { OpenTree, ShownPlace } from '../state/opentree';
import { Controls } from './controls';
import { goEnd, goForward, isAtEnd } from './keys';
import { standingOf } from './verdict';

/** Turns a board and tells how it is turned. */
export interface Turned {
  flip: () => void;
  /** Color whose side is below. */
  orientation: () => Color;
}

/** The parts of the page that a board and its keys use. */
export interface Reader extends Turned {
  pov: Pov;
  open: OpenTree | null;
}

interface BoardBoxProps {
  app: Turned;
  shown: Shown;
  /** Color whose side is below, until it is turned. */
  side: Color;
  /** Identity of the shown thing: the board begins anew with its side when it changes. */
  of: unknown;
  onMove: (uci: string) => void;
  step: (by: 1 | -1) => void;
}

/** A board with its bar; its elements are its own. The wheel on it walks. */
export function BoardBox({ app, shown, side, of, onMove, step }: BoardBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const board = useRef<Board | null>(null);
  useLayoutEffect(() => {
    board.current = new Board({ box: box.current!, bar: bar.current!, onMove });
    app.flip = () => board.current?.flip();
    app.orientation = () => board.current?.orientation() ?? 'white';
    const still = wheelSteps(box.current!, step);
    return () => {
      still();
      board.current?.end();
    };
  }, []);
  useLayoutEffect(() => board.current?.turnTo(side), [of]);
  useLayoutEffect(() => board.current!.show(shown));
  return (
    <>
      <div class="board-row">
        <div class="eval-bar" ref={bar} aria-hidden="true" />
        <div class="board-box"><div ref={box} id="board" class="board" aria-hidden="true" /></div>
      </div>
      <p class="sr" id="pieces">{describe(shown.position)}</p>
    </>
  );
}

interface BoardPaneProps {
  app: Reader;
  open: OpenTree;
  /** Plays a move from the position on the board. */
  play: (uci: string) => void;
  /** True if moves other than the game's can be played before the start. */
  branches: boolean;
  threat?: Arrow | undefined;
  /** Beside the ways along the line. */
  children?: ComponentChildren;
}

export function BoardPane({ app, open, play, branches, threat, children }: BoardPaneProps) {
  const { walk } = open;
  const step = (by: 1 | -1) => (by < 0 ? app.open?.walk.back() : app.open && goForward(app.open));
  const shown: Shown = { position: walk.position(), lastMove: walk.lastMove()?.uci, playable: branches || !walk.isBefore(), candidates: candidates(open.place()), turn: walk.sign(app.pov), value: standingOf(open) ?? undefined, threat, second: secondOf(open.place()) };
  const atStart = walk.at === -walk.before.length;
  return (
    <section class="play" aria-label="Board">
      <BoardBox app={app} shown={shown} side={walk.position(0).turn} of={open} onMove={play} step={step} />
      <div class="board-tools">
        <Controls label="Walk along the line" back={[atStart, () => walk.home(), () => walk.back()]} forward={[isAtEnd(open), () => goForward(open), () => goEnd(open)]} flip={() => app.flip()} />
        {children}
      </div>
    </section>
  );
}

/** The second engine's move at the root, where it differs from the verdict. */
function secondOf(place: ShownPlace | undefined): Arrow | undefined {
  const second = place?.verdict?.second;
  return second && !second.agree ? { uci: second.uci, alpha: valueOf(second.score) } : undefined;
}

/** The best move, then the others that the tree follows. */
function candidates(place: ShownPlace | undefined): Arrow[] {
  const best = place?.best;
  const others = (place?.moves ?? []).filter(move => move.candidate && move.alpha && move.uci !== best?.uci);
  return best ? [{ uci: best.uci, alpha: valueOf(best.score) }, ...others.map(move => ({ uci: move.uci, alpha: valueOf(move.alpha!) }))] : [];
}
