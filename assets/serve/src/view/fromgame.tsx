// A root out of a game: pasted or from a file, the position chosen on the board.
import { useLayoutEffect, useState } from 'preact/hooks';
import { Numbering } from '../../../shared/numbering';
import { play, positionOf } from '../../../shared/rules';
import { ApiError, send } from '../api/client';
import type { PgnGame } from '../api/types';
import type { Chosen } from './newroot';
import { IconButton, useCurrentInSight } from './parts';
import { PickBoard } from './pickboard';

export function FromGame({ choose }: { choose: (chosen: Chosen) => void }) {
  const [pgn, setPgn] = useState('');
  const [games, setGames] = useState<PgnGame[]>([]);
  const [error, setError] = useState('');
  const read = async (text: string) => {
    setPgn(text);
    try {
      const found = (await send<{ games: PgnGame[] }>('POST', 'pgn', { pgn: text })).games;
      setGames(found);
      setError(found.length ? '' : 'There is no game in this text.');
    } catch (wrong) {
      setError(wrong instanceof ApiError ? wrong.message : String(wrong));
    }
  };
  if (games.length) return <PickPosition pgn={pgn} games={games} choose={choose} back={() => setGames([])} />;
  return (
    <div class="paste">
      <label>PGN <textarea rows={9} value={pgn} spellcheck={false} placeholder={'[White "Carlsen"]\n[Black "Anand"]\n\n1. e4 e5 2. Nf3 …'} onInput={event => setPgn(event.currentTarget.value)} /></label>
      <p class="form-row">
        <label class="file">or a file <input type="file" accept=".pgn,text/plain" onChange={event => void event.currentTarget.files?.[0]?.text().then(read)} /></label>
        <button type="button" class="primary" aria-disabled={pgn.trim() ? undefined : 'true'} onClick={() => pgn.trim() && void read(pgn)}>Choose the position</button>
      </p>
      {error && <p class="wrong" role="alert">{error}</p>}
    </div>
  );
}

interface PickProps {
  pgn: string;
  games: PgnGame[];
  choose: (chosen: Chosen) => void;
  back: () => void;
}

function PickPosition({ pgn, games, choose, back }: PickProps) {
  const [number, setNumber] = useState(games[0]!.number);
  const game = games.find(one => one.number === number) ?? games[0]!;
  const [ply, setPly] = useState(game.moves.length);
  useLayoutEffect(() => choose(game.error ? { root: null, words: game.error } : { root: { pgn, game: game.number, ply }, words: '' }), [number, ply]);
  const box = useCurrentInSight(`${number} ${ply}`);
  const start = positionOf(game.start);
  const played = game.moves.slice(0, ply);
  const numbering = new Numbering(start.turn, start.fullmoves);
  const position = played.reduce((at, move) => play(at, move.uci), start);
  const to = (at: number) => setPly(Math.max(0, Math.min(game.moves.length, at)));
  const turnTo = (next: number) => {
    setNumber(next);
    setPly(games.find(one => one.number === next)?.moves.length ?? 0);
  };
  return (
    <div class="pick">
      <div>
        <PickBoard position={position} last={played[played.length - 1]?.uci} />
        <div class="controls" role="group" aria-label="Walk through the game">
          <IconButton icon="first" label="To the start of the game" onClick={() => to(0)} />
          <IconButton icon="back" label="Move back" onClick={() => to(ply - 1)} />
          <IconButton icon="forward" label="Move on" onClick={() => to(ply + 1)} />
          <IconButton icon="last" label="To the end of the game" onClick={() => to(game.moves.length)} />
        </div>
      </div>
      <div class="pick-side">
        <label>Game <select value={number} onChange={event => turnTo(Number(event.currentTarget.value))}>{games.map(one => <option key={one.number} value={one.number}>{one.number}. {one.heading}</option>)}</select></label>
        <div ref={box} class="moves-line game-moves" role="group" aria-label="Moves of the game">
          <button type="button" class="move start" aria-current={ply === 0 ? 'step' : undefined} onClick={() => to(0)}>Start</button>
          {game.moves.map((move, i) => (
            <button type="button" key={i} class={i >= ply ? 'move ahead' : 'move'} aria-current={ply === i + 1 ? 'step' : undefined} onClick={() => to(i + 1)}>{numbering.number(i, i === 0) + move.san}</button>
          ))}
        </div>
        <button type="button" onClick={back}>Another text</button>
      </div>
    </div>
  );
}
