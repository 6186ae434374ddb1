// A board to set up: spare pieces, side to move, castling; its FEN beside it, for who types.
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Key, Piece } from '@lichess-org/chessground/types';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { INITIAL, isChess960 } from '../../../shared/rules';
import { readFen, rightsIn } from './fen';
import type { Chosen } from './newroot';

const ROLES = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
const COLORS = ['white', 'black'] as const;
type Tool = Piece | 'hand' | 'bin';
const RIGHTS = [['K', 'White O-O'], ['Q', 'White O-O-O'], ['k', 'Black O-O'], ['q', 'Black O-O-O']] as const;
const EMPTY = '8/8/8/8/8/8/8/8 w - - 0 1';

const part = (fen: string, at: number, otherwise: string): string => fen.split(' ')[at] ?? otherwise;

interface Props {
  choose: (chosen: Chosen) => void;
  fen: string;
  setFen: (fen: string) => void;
}

export function SetUp({ choose, fen, setFen }: Props) {
  const [tool, setTool] = useState<Tool>('hand');
  const { position, error } = readFen(fen);
  const note = position && isChess960(position) ? 'This is Chess960: a king or rook that may castle is not at home' : '';
  useLayoutEffect(() => choose(error ? { root: null, words: error } : { root: { fen }, words: note }), [fen]);
  const withField = (at: number, text: string) => {
    const fields = [0, 1, 2, 3, 4, 5].map(i => part(fen, i, ['8/8/8/8/8/8/8/8', 'w', '-', '-', '0', '1'][i]!));
    fields[at] = text;
    if (at < 3) fields[3] = '-';
    setFen(fields.join(' '));
  };
  const rights = rightsIn(fen);
  const toggle = (right: string) => {
    const next = RIGHTS.map(([one]) => one).filter(one => (one === right) !== rights.includes(one)).join('');
    withField(2, next || '-');
  };
  return (
    <div class="pick">
      <Board fen={fen} tool={tool} onPieces={pieces => withField(0, pieces)} />
      <div class="pick-side">
        <Spares tool={tool} setTool={setTool} />
        <div class="segments" role="group" aria-label="Side to move">
          {[['w', 'White to move'], ['b', 'Black to move']].map(([side, label]) => <button type="button" key={side} aria-pressed={part(fen, 1, 'w') === side} onClick={() => withField(1, side!)}>{label}</button>)}
        </div>
        <fieldset class="rights">
          <legend>Castling</legend>
          {RIGHTS.map(([right, label]) => <label key={right} class="choice"><input type="checkbox" checked={rights.includes(right)} onChange={() => toggle(right)} /> {label}</label>)}
        </fieldset>
        <label>FEN <input value={fen} spellcheck={false} onInput={event => setFen(event.currentTarget.value)} /></label>
        <p class="form-row">
          <button type="button" onClick={() => setFen(EMPTY)}>Clear</button>
          <button type="button" onClick={() => setFen(INITIAL)}>Start position</button>
        </p>
      </div>
    </div>
  );
}

const same = (a: Tool, b: Tool): boolean => (typeof a === 'string' || typeof b === 'string' ? a === b : a.role === b.role && a.color === b.color);

/** The tool for clicks on the board: moves pieces, puts one there, or removes it. */
function Spares({ tool, setTool }: { tool: Tool; setTool: (tool: Tool) => void }) {
  const one = (it: Tool, label: string, inner: preact.ComponentChildren) => (
    <button type="button" key={label} class="spare" aria-label={label} title={label} aria-pressed={same(tool, it)} onClick={() => setTool(it)}>{inner}</button>
  );
  return (
    <div class="spares cg-wrap" role="group" aria-label="Pieces to put on the board">
      {COLORS.map(color => ROLES.map(role => one({ color, role }, `${color} ${role}`, <piece class={`${color} ${role}`} />)))}
      {one('hand', 'Move pieces', 'Move')}
      {one('bin', 'Remove pieces', 'Remove')}
    </div>
  );
}

function Board({ fen, tool, onPieces }: { fen: string; tool: Tool; onPieces: (pieces: string) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const now = useRef({ tool, onPieces });
  now.current = { tool, onPieces };
  useEffect(() => {
    const told = () => now.current.onPieces(ground.current!.getFen());
    const put = (key: Key) => {
      const { tool } = now.current;
      if (tool === 'hand') return;
      ground.current!.setPieces(new Map([[key, tool === 'bin' ? undefined : tool]]));
      ground.current!.selectSquare(null);
      told();
    };
    ground.current = Chessground(box.current!, {
      fen: part(fen, 0, ''),
      animation: { enabled: false },
      movable: { free: true, color: 'both' },
      draggable: { deleteOnDropOff: true },
      premovable: { enabled: false },
      drawable: { enabled: false },
      events: { select: put, change: told },
    });
  }, []);
  useEffect(() => {
    ground.current!.set({ draggable: { enabled: tool === 'hand' }, selectable: { enabled: true }, movable: { free: tool === 'hand', color: tool === 'hand' ? 'both' : undefined } });
  }, [tool]);
  useEffect(() => {
    if (ground.current!.getFen() !== part(fen, 0, '')) ground.current!.set({ fen: part(fen, 0, '') });
  }, [fen]);
  return <div class="board-box pick-board"><div ref={box} aria-hidden="true" /></div>;
}
