// A root out of a game: pasted or from a file, the position chosen on the board.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { GameLine } from '../../../shared/gameline';
import { play, positionOf } from '../../../shared/rules';
import { grouped } from '../../../shared/words';
import { sendFile } from '../api/client';
import type { Games, PgnGame } from '../../../shared/contract';
import { refusalWords } from '../state/actions';
import type { Chosen } from './newroot';
import { IconButton, useCurrentInSight } from './parts';
import { PickBoard } from './pickboard';

/** Games that are listed at once. */
const PAGE = 100;

/** The shown games of a file. */
interface Shown extends Games {
  file: Blob;
  skip: number;
  find: string;
}

interface GamesProps {
  /** A text, or a file, which goes to the server as it is. */
  games: string | Blob;
  choose: (chosen: Chosen) => void;
  /** To something else than this file. */
  back?: () => void;
}

/** Games that were pasted, or those of a file. */
export function FromGames({ games, choose, back }: GamesProps) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [reading, setReading] = useState(true);
  const [error, setError] = useState('');
  const newest = useRef(0);
  const read = async (file: Blob, skip = 0, find = '') => {
    const number = ++newest.current;
    setReading(true);
    setError('');
    try {
      const query = new URLSearchParams({ skip: String(skip), count: String(PAGE), find });
      const found = await sendFile<Games>(`pgn?${query}`, file, 'application/x-chess-pgn');
      // An answer to an earlier text is dropped.
      if (number === newest.current) setShown({ ...found, file, skip, find });
    } catch (wrong) {
      if (number === newest.current) setError(refusalWords(wrong));
    }
    if (number === newest.current) setReading(false);
  };
  useLayoutEffect(() => {
    choose({ root: null, words: '' });
    void read(typeof games === 'string' ? new Blob([games]) : games);
  }, [games]);
  return (
    <>
      {shown && <Finder shown={shown} reading={reading} show={(skip, find) => void read(shown.file, skip, find)} />}
      {reading && !shown && <p role="status">The games are being read …</p>}
      {error && <p class="wrong" role="alert">{error}</p>}
      {shown && (shown.games.length ? <PickPosition key={`${shown.skip} ${shown.find}`} games={shown.games} choose={choose} /> : <NoGame choose={choose} />)}
      {back && <p><button type="button" onClick={back}>Something else</button></p>}
    </>
  );
}

function NoGame({ choose }: { choose: (chosen: Chosen) => void }) {
  useLayoutEffect(() => choose({ root: null, words: '' }), []);
  return <p class="empty">No games found.</p>;
}

/** The ways to the other games of a file that has more than are listed at once. */
function Finder({ shown, reading, show }: { shown: Shown; reading: boolean; show: (skip: number, find: string) => void }) {
  const { skip, find, total } = shown;
  const [words, setWords] = useState(find);
  if (total <= PAGE && !find && !words) return null;
  const last = Math.min(total, skip + PAGE);
  const look = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    show(0, words.trim());
  };
  return (
    <div class="form-row finder">
      <label class="grow">Find a game <input type="search" value={words} placeholder="player, event, year or number, then Enter" onInput={event => setWords(event.currentTarget.value)} onKeyDown={look} /></label>
      <button type="button" onClick={() => show(0, words.trim())}>Find</button>
      <IconButton icon="back" label="Games before" off={skip === 0} onClick={() => show(Math.max(0, skip - PAGE), find)} />
      <span class="whose" role="status">{reading ? 'reading …' : total === 0 ? 'no game' : `games ${grouped(skip + 1)} to ${grouped(last)} of ${grouped(total)}`}</span>
      <IconButton icon="forward" label="Games behind" off={last >= total} onClick={() => show(skip + PAGE, find)} />
    </div>
  );
}

interface PickProps {
  games: PgnGame[];
  choose: (chosen: Chosen) => void;
}

function PickPosition({ games, choose }: PickProps) {
  const [number, setNumber] = useState(games[0]!.number);
  const game = games.find(one => one.number === number) ?? games[0]!;
  const [ply, setPly] = useState(game.moves.length);
  useLayoutEffect(() => choose(game.pgn === undefined ? { root: null, words: game.error ?? '' } : { root: { pgn: game.pgn, ply }, words: '', start: game.start }), [number, ply]);
  const box = useCurrentInSight(`${number} ${ply}`);
  const start = positionOf(game.start);
  const played = game.moves.slice(0, ply);
  const numbering = new GameLine(game.start, game.start, []);
  const position = played.reduce((at, move) => play(at, move.uci), start);
  const to = (at: number) => setPly(Math.max(0, Math.min(game.moves.length, at)));
  const turnTo = (next: number) => {
    setNumber(next);
    setPly(games.find(one => one.number === next)?.moves.length ?? 0);
  };
  const key = (event: KeyboardEvent) => {
    const next = { ArrowLeft: ply - 1, ArrowRight: ply + 1 }[event.key];
    if (next === undefined || (event.target as Element).matches('input, select, textarea')) return;
    event.preventDefault();
    to(next);
  };
  return (
    <div class="pick" onKeyDown={key}>
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
      </div>
    </div>
  );
}
