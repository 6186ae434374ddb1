// The board: as large as there is room, with its arrows; the wheel walks along the line.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Board, type Arrow } from '../../../shared/board';
import { describe } from '../../../shared/rules';
import type { Color, Pov } from '../../../shared/score';
import { wheelSteps } from '../../../shared/wheel';
import { valueOf } from '../api/words';
import type { OpenTree, ShownPlace } from '../state/opentree';
import { Controls } from './controls';
import { goEnd, goForward, isAtEnd } from './keys';
import { standingOf } from './verdict';

/** What a board and its keys need of the page around them. */
export interface Reader {
  pov: Pov;
  open: OpenTree | null;
  /** Turns the board. */
  flip: () => void;
  /** Whose side of the board is below. */
  orientation: () => Color;
}

interface BoardPaneProps {
  app: Reader;
  open: OpenTree;
  /** Plays a move from the position on the board. */
  play: (uci: string) => void;
  /** Whether other moves than the game's can be played before the start. */
  branches: boolean;
  threat?: Arrow | undefined;
  /** Beside the ways along the line. */
  children?: ComponentChildren;
}

export function BoardPane({ app, open, play, branches, threat, children }: BoardPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const board = useRef<Board | null>(null);
  const { walk } = open;
  useLayoutEffect(() => {
    // The board's elements are its own: they stay while roots change.
    board.current = new Board({ box: box.current!, bar: bar.current!, above: [document.body], orientation: 'white', onMove: play });
    app.flip = () => board.current?.flip();
    app.orientation = () => board.current?.orientation() ?? 'white';
    const still = wheelSteps(box.current!, by => (by < 0 ? app.open?.walk.back() : app.open && goForward(app.open)));
    return () => {
      still();
      board.current?.end();
    };
  }, []);
  useLayoutEffect(() => board.current?.turnTo(walk.position(0).turn), [open]);
  useLayoutEffect(() => board.current!.show({ position: walk.position(), lastMove: walk.lastMove()?.uci, playable: branches || !walk.isBefore(), candidates: candidates(open.place()), turn: walk.sign(app.pov), value: standingOf(open) ?? undefined, threat }));
  const atStart = walk.at === -walk.before.length;
  const atEnd = isAtEnd(open);
  return (
    <section class="play" aria-label="Board">
      <div class="board-row">
        <div class="eval-bar" ref={bar} aria-hidden="true" />
        <div class="board-box"><div ref={box} id="board" class="board" aria-hidden="true" /></div>
      </div>
      <div class="board-tools">
        <Controls label="Walk along the line" back={[atStart, () => walk.home(), () => walk.back()]} forward={[atEnd, () => goForward(open), () => goEnd(open)]} flip={() => app.flip()} />
        {children}
      </div>
      <p class="sr" id="pieces">{describe(walk.position())}</p>
    </section>
  );
}

/** What is told as the best, then what else the tree follows. */
function candidates(place: ShownPlace | undefined): Arrow[] {
  const best = place?.best;
  const others = (place?.moves ?? []).filter(move => move.candidate && move.alpha && move.uci !== best?.uci);
  return best ? [{ uci: best.uci, alpha: valueOf(best.score) }, ...others.map(move => ({ uci: move.uci, alpha: valueOf(move.alpha!) }))] : [];
}
