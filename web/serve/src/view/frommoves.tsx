// One box for moves, a FEN, or games, typed, pasted, dropped or played on the board: it knows which it is.
import { useLayoutEffect } from 'preact/hooks';
import { INITIAL, numbered, play } from '../../../shared/rules';
import { pasted, type Pasted } from '../state/pasted';
import { readFen } from './fen';
import { FromGames } from './fromgame';
import type { Chosen } from './newroot';
import { PickBoard } from './pickboard';

/** A file that is larger has games, which go to the server as they are. */
const READ_HERE = 100_000;

const HINT = 'e4 e5 Nf3, or played on the board; a FEN; games as PGN, or a file of them dropped anywhere';

interface Props {
  choose: (chosen: Chosen) => void;
  /** The file dropped on the page. */
  dropped: File | null;
  text: string;
  setText: (text: string) => void;
  file: File | null;
  setFile: (file: File | null) => void;
}

export function FromMoves({ choose, dropped, text, setText, file, setFile }: Props) {
  const take = async (next: File) => {
    const inside = next.size <= READ_HERE ? await next.text() : null;
    const isLine = inside !== null && pasted(inside).kind === 'moves';
    setFile(isLine ? null : next);
    if (isLine) setText(inside.trim());
  };
  useLayoutEffect(() => {
    // Once: it is here still when somebody comes back from the board.
    if (dropped && !file && !text) void take(dropped);
  }, [dropped]);
  if (file) return <FromGames games={file} choose={choose} back={() => setFile(null)} />;
  const what = pasted(text);
  return (
    <div class="paste">
      <label>Moves, FEN or PGN <textarea id="paste" rows={3} autofocus value={text} spellcheck={false} autocapitalize="off" placeholder={HINT} onInput={event => setText(event.currentTarget.value)} /></label>
      {what.kind === 'games' ? <FromGames games={text} choose={choose} /> : <Moves choose={choose} text={text} setText={setText} what={what} take={file => void take(file)} />}
    </div>
  );
}

interface MovesProps {
  choose: (chosen: Chosen) => void;
  text: string;
  setText: (text: string) => void;
  what: Extract<Pasted, { kind: 'moves' }>;
  take: (file: File) => void;
}

function Moves({ choose, text, setText, what: { fen, line, error }, take }: MovesProps) {
  const start = readFen(fen ?? INITIAL).position;
  // At once: a fast typist must not start the text of a frame ago.
  useLayoutEffect(() => {
    const root = { ...(fen ? { fen } : {}), ...(line.length ? { moves: line.join(' ') } : {}) };
    choose(error ? { root: null, words: error } : { root, words: '' });
  }, [text]);
  const position = start && line.reduce(play, start);
  const show = (moves: string[]) => start && setText([fen, numbered(start, moves).join(' ')].filter(Boolean).join('\n'));
  return (
    <div class="pick">
      {position && <PickBoard position={position} last={line[line.length - 1]} onMove={uci => show([...line, uci])} />}
      <div class="pick-side">
        <button type="button" onClick={() => show(line.slice(0, -1))} aria-disabled={line.length ? undefined : 'true'}>Take back a move</button>
        <label class="file">A file of games <input type="file" accept=".pgn,.epd,.fen,text/plain" onChange={event => event.currentTarget.files?.[0] && take(event.currentTarget.files[0])} /></label>
      </div>
    </div>
  );
}
