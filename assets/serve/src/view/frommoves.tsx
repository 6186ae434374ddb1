// One box for moves, a FEN, or games, typed, pasted, dropped or played on the board: it knows which it is.
import { useLayoutEffect, useState } from 'preact/hooks';
import { Numbering } from '../../../shared/numbering';
import { INITIAL, play, sanOf, type Position } from '../../../shared/rules';
import { pasted } from '../state/pasted';
import { readFen } from './fen';
import { FromGames } from './fromgame';
import type { Chosen } from './newroot';
import { PickBoard } from './pickboard';

interface Props {
  choose: (chosen: Chosen) => void;
  /** What was dropped on the page. */
  dropped: Blob | null;
}

export function FromMoves({ choose, dropped }: Props) {
  const [text, setText] = useState('');
  const [file, setFile] = useState<Blob | null>(dropped);
  const what = pasted(text);
  const games = file ?? (what.kind === 'games' ? text : null);
  const back = () => {
    setFile(null);
    setText('');
  };
  if (games !== null) return <FromGames key={typeof games === 'string' ? 'text' : 'file'} games={games} choose={choose} back={back} />;
  return what.kind === 'moves' && <Moves choose={choose} text={text} setText={setText} setFile={setFile} fen={what.fen} line={what.line} error={what.error} />;
}

interface MovesProps {
  choose: (chosen: Chosen) => void;
  text: string;
  setText: (text: string) => void;
  setFile: (file: Blob) => void;
  fen: string | null;
  line: string[];
  error: string | null;
}

function Moves({ choose, text, setText, setFile, fen, line, error }: MovesProps) {
  const start = readFen(fen ?? INITIAL).position;
  // At once: whoever types fast must not start what stood there a frame ago.
  useLayoutEffect(() => {
    const root = { ...(fen ? { fen } : {}), ...(line.length ? { moves: line.join(' ') } : {}) };
    choose(error ? { root: null, words: error } : { root, words: '' });
  }, [text]);
  const position = start && line.reduce(play, start);
  const show = (moves: string[]) => start && setText([fen, words(start, moves)].filter(Boolean).join('\n'));
  return (
    <div class="pick">
      {position && <PickBoard position={position} last={line[line.length - 1]} onMove={uci => show([...line, uci])} />}
      <div class="pick-side">
        <label>Moves, FEN or PGN <textarea id="paste" rows={8} value={text} spellcheck={false} autocapitalize="off" placeholder={'e4 e5 Nf3 \u2014 or play them on the board\n\nA FEN, or games as PGN: paste them here, or drop a file anywhere'} onInput={event => setText(event.currentTarget.value)} /></label>
        <p class="form-row">
          <button type="button" onClick={() => show(line.slice(0, -1))} aria-disabled={line.length ? undefined : 'true'}>Take back a move</button>
          <label class="file">A file of games <input type="file" accept=".pgn,text/plain" onChange={event => event.currentTarget.files?.[0] && setFile(event.currentTarget.files[0])} /></label>
        </p>
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
