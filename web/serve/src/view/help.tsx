// Meaning of the numbers, and the keys.
import type { App } from '../state/app';
import { Modal } from './parts';

const KEYS: [string, string][] = [
  ['\u2190 \u2192', 'along the line'],
  ['\u2191 \u2193', 'the next better or worse move in its place'],
  ['Home, End', 'to the start (again: of the game), to the end of the best line'],
  ['space', 'plays the best move'],
  ['x', 'shows what the other side threatens, by the built-in engine; again: hides it'],
  ['m', 'goes to the field for a move: Nf3, g1f3, or a line'],
  ['f', 'turns the board'],
  ['wheel', 'on the board: along the line'],
  ['right button', 'on the board: arrows and circles'],
  ['mouse on a line', 'shows the position behind a move, a click goes there'],
  ['Ctrl+Z', 'takes back what was said last'],
  ['Alt+\u2191 Alt+\u2193', 'moves an analysis in the list'],
  ['in the tree', 'arrows walk and unfold, * unfolds all moves of a position'],
  ['?', 'this help'],
];

export const Help = ({ app }: { app: App }) => (
  <Modal title="How to read this" onClose={() => app.set({ dialog: null })}>
    <div class="help">
      <p><b>Score</b> is what a move is worth with the whole tree behind it, in pawns; #3 is a mate in three. <b>Engine</b> is what the engine said of the move at first. The large number is that of the position on the board; below it stands the analysed position’s, once you walk away from it. Bold moves are candidates: the tree follows them.</p>
      <p><b>Positions</b> counts the analysed ones behind a move. What is slanted is how the engine’s own search goes on where the tree ends.</p>
      <p>Play any move on the board. If the tree does not have it, <b>follow</b> it, and the tree grows there, too. You can also <b>exclude</b> a move, give a position a <b>value</b> that you know, or <b>stop</b> the tree there. The tree becomes what it would have been had you said so from the start.</p>
      <dl class="keys">
        {KEYS.map(([key, words]) => <div key={key}><dt>{key}</dt><dd>{words}</dd></div>)}
      </dl>
      <p class="whose">{app.server?.program ?? 'deepanalyze'} · GPL-3.0-or-later, with chessground, chessops, preact · pieces by Colin M.L. Burnett (GPL-2.0-or-later)</p>
    </div>
  </Modal>
);
