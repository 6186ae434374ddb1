// The board: as large as there is room, with its arrows; the wheel walks along the line.
import { useEffect, useRef } from 'preact/hooks';
import { Board, type Arrow } from '../../../shared/board';
import { describe } from '../../../shared/rules';
import type { Place } from '../../../shared/contract';
import { valueOf } from '../api/words';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { BoardTools } from './boardtools';
import { playHere, wheelWalks } from './keys';
import { standingOf } from './verdict';

export function BoardPane({ app, open }: { app: App; open: OpenRoot }) {
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const board = useRef<Board | null>(null);
  const { walk } = open;
  useEffect(() => {
    // The board's elements are its own: they stay while roots change.
    board.current = new Board({ box: box.current!, bar: bar.current!, above: [document.body], orientation: 'white', onMove: uci => playHere(app, [uci]) });
    app.flip = () => board.current?.flip();
    app.orientation = () => board.current?.orientation() ?? 'white';
    const still = wheelWalks(app, box.current!);
    return () => {
      still();
      board.current?.end();
    };
  }, []);
  useEffect(() => board.current?.turnTo(open.walk.position(0).turn), [open]);
  useEffect(() => draw(app, open, board.current!));
  return (
    <section class="play" aria-label="Board">
      <div class="board-row">
        <div class="eval-bar" ref={bar} aria-hidden="true" />
        <div class="board-box"><div ref={box} class="board" aria-hidden="true" /></div>
      </div>
      <BoardTools app={app} open={open} />
      <p class="sr">{describe(walk.position())}</p>
    </section>
  );
}

function draw(app: App, open: OpenRoot, board: Board): void {
  const { walk } = open;
  const place = open.place();
  board.show({ position: walk.position(), lastMove: walk.lastMove()?.uci, playable: true, candidates: candidates(place), turn: walk.sign(app.pov), value: standingOf(open) ?? undefined, threat: threatOf(app, open) });
}

function threatOf(app: App, { walk }: OpenRoot): Arrow | undefined {
  const threat = app.threats.of(walk.fen());
  return threat ? { uci: threat.uci, alpha: valueOf(threat.score) } : undefined;
}

/** What is told as the best, then what else the tree follows. */
function candidates(place: Place | undefined): Arrow[] {
  const best = place?.best;
  const others = (place?.moves ?? []).filter(move => move.candidate && move.alpha && move.uci !== best?.uci);
  return best ? [{ uci: best.uci, alpha: valueOf(best.score) }, ...others.map(move => ({ uci: move.uci, alpha: valueOf(move.alpha!) }))] : [];
}
