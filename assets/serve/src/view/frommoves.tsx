// A root by its moves, from the start position or a FEN, typed or played on the board.
import { useLayoutEffect, useState } from 'preact/hooks';
import { readLine } from '../../../shared/gameline';
import { Numbering } from '../../../shared/numbering';
import { INITIAL, play, sanOf, type Position } from '../../../shared/rules';
import type { Chosen } from './newroot';
import { PickBoard } from './pickboard';
import { readFen } from './fen';

export function FromMoves({ choose }: { choose: (chosen: Chosen) => void }) {
  const [fen, setFen] = useState('');
  const [moves, setMoves] = useState('');
  const start = readFen(fen || INITIAL);
  const read = start.position ? readLine(start.position, moves) : { line: [] as string[] };
  const error = start.error ?? read.error;
  // At once: whoever types fast must not start what stood there a frame ago.
  useLayoutEffect(() => {
    const root = { ...(fen ? { fen } : {}), ...(read.line.length ? { moves: read.line.join(' ') } : {}) };
    choose(error ? { root: null, words: error } : { root, words: '' });
  }, [fen, moves]);
  const position = start.position && read.line.reduce(play, start.position);
  const playMove = (uci: string) => start.position && setMoves(words(start.position, [...read.line, uci]));
  return (
    <div class="pick">
      {position && <PickBoard position={position} last={read.line[read.line.length - 1]} onMove={playMove} />}
      <div class="pick-side">
        <label>Moves <textarea rows={5} value={moves} spellcheck={false} autocapitalize="off" placeholder="e4 e5 Nf3 — or play them on the board" onInput={event => setMoves(event.currentTarget.value)} /></label>
        <label>From another position (FEN) <input value={fen} spellcheck={false} placeholder="the start position" onInput={event => setFen(event.currentTarget.value.trim())} /></label>
        <button type="button" onClick={() => start.position && setMoves(words(start.position, read.line.slice(0, -1)))} aria-disabled={read.line.length ? undefined : 'true'}>Take back a move</button>
      </div>
    </div>
  );
}

function words(start: Position, line: string[]): string {
  let position = start;
  const sans = line.map(uci => {
    const san = sanOf(position, uci);
    position = play(position, uci);
    return { san };
  });
  return new Numbering(start.turn, start.fullmoves).numbered(sans);
}
