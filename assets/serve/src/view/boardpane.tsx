// The board with its keys, and the line that is on it.
import { useEffect, useRef } from 'preact/hooks';
import { Board, type Arrow } from '../../../shared/board';
import { describe } from '../../../shared/rules';
import { valueOf, type Place } from '../api/types';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { CompactCourse } from './coursepane';
import { goEnd, goForward } from './keys';
import { Here } from './here';
import { IconButton } from './parts';
import { bestOf } from './verdict';

export function BoardPane({ app, open }: { app: App; open: OpenRoot }) {
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const board = useRef<Board | null>(null);
  const { walk } = open;
  useEffect(() => {
    // The board's elements are its own: they stay while roots change.
    board.current = new Board({ box: box.current!, bar: bar.current!, above: [document.body], orientation: 'white', onMove: uci => app.open?.walk.step(uci) });
    app.flip = () => board.current?.flip();
  }, []);
  useEffect(() => board.current?.turnTo(open.walk.position(0).turn), [open]);
  useEffect(() => draw(app, open, board.current!));
  const atStart = walk.at === -walk.before.length;
  const place = open.place();
  const atEnd = walk.at === walk.steps.length && !walk.isBefore() && !place?.moves.some(move => move.alpha);
  return (
    <section class="play" aria-label="Board">
      <div class="board-row">
        <div class="eval-bar" ref={bar} aria-hidden="true" />
        <div class="board-box"><div ref={box} class="board" aria-hidden="true" /></div>
      </div>
      <div class="controls" role="group" aria-label="Walk along the line">
        <IconButton icon="first" label="To the start" title="Start (Home)" off={atStart} onClick={() => walk.home()} />
        <IconButton icon="back" label="Back" title="Back (←)" off={atStart} onClick={() => walk.back()} />
        <IconButton icon="forward" label="Forward" title="Forward (→)" off={atEnd} onClick={() => goForward(open)} />
        <IconButton icon="last" label="To the end of the line" title="End of the line (End)" off={atEnd} onClick={() => goEnd(open)} />
        <IconButton icon="flip" label="Turn the board" title="Turn the board (f)" onClick={() => board.current?.flip()} />
      </div>
      <Here app={app} open={open} />
      <CompactCourse app={app} open={open} />
      <p class="sr">{describe(walk.position())}</p>
    </section>
  );
}

function draw(app: App, open: OpenRoot, board: Board): void {
  const { walk } = open;
  const place = open.place();
  const value = standing(place, open);
  board.show({ position: walk.position(), lastMove: walk.lastMove()?.uci, playable: !walk.isBefore(), candidates: candidates(place), turn: walk.sign(app.pov), value });
}

/** What is told as the best, then what else the tree follows. */
function candidates(place: Place | undefined): Arrow[] {
  const best = bestOf(place);
  const others = (place?.moves ?? []).filter(move => move.candidate && move.alpha && move.uci !== best?.uci);
  return best ? [{ uci: best.uci, alpha: valueOf(best.score) }, ...others.map(move => ({ uci: move.uci, alpha: valueOf(move.alpha!) }))] : [];
}

/** For who moves on the board: the best move's, or of the move that led here. */
function standing(place: Place | undefined, open: OpenRoot): number | undefined {
  const best = bestOf(place);
  if (best) return valueOf(best.score);
  const led = open.lastMove()?.alpha;
  return led ? -valueOf(led) : undefined;
}
