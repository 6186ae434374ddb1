// The tree: rows unfold as they are asked for, and walk with the board.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { scoreCell } from '../../../shared/cells';
import { h } from '../../../shared/dom';
import { TreeBox, type TreeModel } from '../../../shared/treebox';
import type { Pov } from '../../../shared/score';
import { closingWords, valueOf } from '../api/words';
import type { OpenTree, ShownMove } from '../state/opentree';
import type { Row, Unfolded } from '../state/unfolded';
import { short } from './parts';
import { endOf, marksOf } from './saying';

interface TreePaneProps {
  pov: Pov;
  open: OpenTree & { unfolded: Unfolded };
  /** The tree in a file has other columns, and words of its own behind a move. */
  file?: FileRows;
}

export interface FileRows {
  remarks: (row: Row, open: boolean | undefined) => Node[];
  /** Enter on a row that cannot be unfolded. */
  entered: (row: Row) => void;
}

/** A column's kind, head and words before a score. */
const SCORES = [['alpha', 'Score', 'score '], ['idea', 'Tree', 'tree '], ['eval', 'Engine', 'engine ']] as const;

export function TreePane({ pov, open, file }: TreePaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const pane = useRef<Pane | null>(null);
  useLayoutEffect(() => {
    box.current!.replaceChildren();
    pane.current = new Pane(open, box.current!, file);
    open.places.ask();
  }, [open]);
  useLayoutEffect(() => pane.current?.follow(pov));
  return (
    <div class="tree-pane">
      <div class="columns">
        <div class="what">
          <span aria-hidden="true">Move</span>
          <button type="button" class="quiet" id="close-all" onClick={() => pane.current?.fold()}>Fold all</button>
          {file && <button type="button" class="quiet" id="open-all" onClick={() => pane.current?.unfold()}>Unfold all</button>}
        </div>
        {(file ? SCORES : SCORES.slice(0, 1)).map(([kind, head]) => <span key={kind} class={`score ${kind}`} aria-hidden="true">{head}</span>)}
        {!file && <span class="score behind-count" aria-hidden="true">Positions</span>}
      </div>
      <div id="tree" ref={box} role="tree" tabIndex={0} aria-label="Tree" />
    </div>
  );
}

/** To this depth rows are indented in full, and to that one a little. */
const STRAIGHT = 8;
const DEEPEST = 32;

class Pane {
  private readonly box: TreeBox<Row>;
  private leading = false;
  private pov: Pov = 'white';
  private drawn: { rows: readonly Row[]; line: string; pov: Pov } | null = null;

  constructor(private readonly open: TreePaneProps['open'], element: HTMLElement, private readonly file: FileRows | undefined) {
    open.unfolded.layOut();
    this.box = new TreeBox(element, this.model());
  }

  fold(): void {
    this.box.change(() => this.open.unfolded.foldAll());
  }

  unfold(): void {
    this.box.change(() => this.open.unfolded.openAll());
  }

  /** Draws what has changed, and shows where the board is. */
  follow(pov: Pov): void {
    this.pov = pov;
    const { unfolded } = this.open;
    const line = this.open.line();
    const now = { rows: unfolded.visible, line: line.join(' '), pov };
    const moved = now.line !== this.drawn?.line;
    if (!moved && now.rows === this.drawn?.rows && now.pov === this.drawn.pov) return;
    if (moved && !this.leading) unfolded.reveal(line);
    const row = unfolded.row(line);
    const selected = row && unfolded.indexOf(row) >= 0 ? row : this.nearest(line);
    // Its row may come after the move was played: what is above it is asked for first.
    if ((moved || selected !== this.box.selected) && !this.leading) this.box.mark(selected);
    else this.box.update(selected);
    this.drawn = { ...now, rows: unfolded.visible };
    this.leading = false;
  }

  private nearest(line: readonly string[]): Row | null {
    const { unfolded } = this.open;
    for (let plies = line.length - 1; plies > 0; plies--) {
      const row = unfolded.row(line.slice(0, plies));
      if (row && unfolded.indexOf(row) >= 0) return row;
    }
    return null;
  }

  private model(): TreeModel<Row> {
    const { unfolded, walk } = this.open;
    return {
      rows: unfolded,
      id: row => `row-${row.line.join('-')}`,
      element: (row, open, selected) => this.element(row, open, selected),
      chosen: row => {
        this.leading = true;
        walk.go(row.line);
      },
      entered: row => this.file?.entered(row),
    };
  }

  private element(row: Row, open: boolean | undefined, selected: boolean): HTMLElement {
    const { walk } = this.open;
    const { move, line } = row;
    const depth = line.length - 1;
    const turn = walk.sign(this.pov, depth);
    const arrow = open === undefined ? '' : open ? '\u25be' : '\u25b8';
    const element = h(
      'div',
      {
        id: `row-${line.join('-')}`,
        role: 'treeitem',
        class: `row${move.candidate ? ' candidate' : ''}${move.excluded ? ' excluded' : ''}${selected ? ' selected' : ''}`,
        'aria-level': depth + 1,
        'aria-posinset': row.index + 1,
        'aria-setsize': row.count,
        'aria-expanded': open === undefined ? undefined : String(open),
        'aria-selected': String(selected),
      },
      h('span', { class: 'what' }, h('span', { class: 'twisty', 'aria-hidden': 'true' }, arrow), h('a', { class: 'name', href: this.open.href(line), tabindex: -1, draggable: 'false' }, walk.number(depth) + move.san), move.candidate ? h('span', { class: 'sr' }, 'candidate') : null, ...this.remarks(row), ...(this.file?.remarks(row, open) ?? [])),
      ...(this.file ? SCORES : SCORES.slice(0, 1)).map(([kind, , spoken]) => scoreCell(kind, move[kind] && valueOf(move[kind]), turn, spoken)),
      this.file ? null : count(move),
    );
    // Deep lines are indented less, or nothing of them would be seen.
    element.style.setProperty('--depth', String(Math.min(depth, STRAIGHT) + Math.max(0, Math.min(depth, DEEPEST) - STRAIGHT) / 4));
    return element;
  }

  private remarks({ move }: Row): Node[] {
    const words = marksOf(move, this.file ? 'included' : 'followed');
    if (move.value !== null) words.push(typeof move.value === 'string' && move.value !== 'draw' ? `your value: ${move.value}` : 'your value');
    if (move.closing) words.unshift(closingWords(move.closing, this.open.walk.sign(this.pov, 0)));
    const found: Node[] = words.map(mark => h('span', { class: 'mark' }, mark));
    if (move.trap) found.push(h('span', { class: 'mark', title: move.trap }, 'trap', h('span', { class: 'sr' }, move.trap.replace('trap', ''))));
    if (move.note) found.push(h('span', { class: 'users-note', title: move.note }, move.note));
    const end = endOf(move);
    if (end && !this.file) found.push(h('span', { class: 'note' }, end));
    return found;
  }
}

/** How many positions are analysed behind a move. */
const count = ({ positions }: ShownMove): HTMLElement =>
  h('span', { class: 'behind-count' }, positions ? h('span', { class: 'sr' }, 'positions behind ') : null, positions ? short(positions) : '');
