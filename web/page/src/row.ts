// One row of the tree.
import { Flag, type Move } from './data';
import { scoreCell } from '../../shared/cells';
import { button, h } from '../../shared/dom';
import type { View } from './view';

/** How many plies of the best continuation stand beside a folded move. */
const PREVIEW = 8;

export const rowId = (move: Move): string => `move-${move.place}-${move.index}`;

/** `open` is undefined where nothing is printed below; `jump` goes to a line printed elsewhere. */
export function row(view: View, move: Move, open: boolean | undefined, selected: boolean, jump: (line: Move[]) => void): HTMLElement {
  const { depth, moves } = view.tree.places[move.place]!;
  const turn = view.sign(depth);
  const arrow = open === undefined ? '' : open ? '\u25be' : '\u25b8';
  const candidate = move.flags & Flag.Candidate ? ' candidate' : '';
  const element = h(
    'div',
    {
      id: rowId(move),
      role: 'treeitem',
      class: `row${candidate}${selected ? ' selected' : ''}`,
      'aria-level': depth + 1,
      'aria-posinset': move.index + 1,
      'aria-setsize': moves.length,
      'aria-expanded': open === undefined ? undefined : String(open),
      'aria-selected': String(selected),
    },
    h(
      'span',
      { class: 'what' },
      h('span', { class: 'twisty', 'aria-hidden': 'true' }, arrow),
      h('span', { class: 'name' }, view.number(depth) + move.san),
      candidate ? h('span', { class: 'sr' }, 'candidate') : null,
      ...remarks(view, move, depth, open, jump),
    ),
    scoreCell('alpha', move.alpha, turn, 'score '),
    scoreCell('idea', move.idea, turn, 'tree '),
    scoreCell('eval', move.eval, turn, 'engine '),
  );
  // Deep lines are indented less, or nothing of them would be seen.
  element.style.setProperty('--depth', String(Math.min(depth, 12) + Math.max(0, depth - 12) / 4));
  return element;
}

/** A link where the moves stand elsewhere, or the opening and how the line goes on. */
function remarks(view: View, move: Move, depth: number, open: boolean | undefined, jump: (line: Move[]) => void): Node[] {
  const notes = view.notes(move);
  const found: Node[] = view.marks(move).map(mark => h('span', { class: 'mark' }, mark));
  if (move.note) found.push(h('span', { class: 'users-note', title: move.note }, move.note));
  if (notes.length && move.target >= 0) return [...found, link(view, move, notes[0]!, jump)];
  found.push(...notes.map(note => h('span', { class: 'note' }, note)));
  if (move.opening >= 0) found.push(h('span', { class: 'opening' }, view.tree.opening(move.opening)));
  if (open === false) {
    const preview = view.tree.bestLine(move.target, PREVIEW);
    found.push(h('span', { class: 'preview', 'aria-hidden': 'true' }, view.numbered(preview, depth + 1)));
  }
  return found;
}

function link(view: View, move: Move, note: string, jump: (line: Move[]) => void): HTMLElement {
  const line = view.tree.lineTo(move.target);
  const where = line.length ? view.numbered(line) : 'the start';
  return button(`${note} \u2192 ${where}`, () => jump(line), { class: 'link jump', tabindex: -1, title: `Go to ${where}` });
}
