// The tree: rows unfold as they are asked for, and walk with the board.
import { useEffect, useRef } from 'preact/hooks';
import { scoreCell } from '../../../shared/cells';
import { h } from '../../../shared/dom';
import { TreeBox, type TreeModel } from '../../../shared/treebox';
import type { Pov } from '../../../shared/score';
import { closingWords, valueOf } from '../api/words';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import type { Row } from '../state/unfolded';
import { marksOf } from './directing';
import { short } from './parts';

export function TreePane({ app, open }: { app: App; open: OpenRoot }) {
  const box = useRef<HTMLDivElement>(null);
  const pane = useRef<Pane | null>(null);
  useEffect(() => {
    box.current!.replaceChildren();
    pane.current = new Pane(app, open, box.current!);
    open.places.ask();
  }, [open]);
  useEffect(() => pane.current?.follow());
  return (
    <div class="tree-pane">
      <div class="columns">
        <div class="what">
          <span aria-hidden="true">Move</span>
          <button type="button" class="quiet" onClick={() => pane.current?.fold()}>Fold all</button>
        </div>
        <span class="score alpha" aria-hidden="true">Score</span>
        <span class="score behind-count" aria-hidden="true">Positions</span>
      </div>
      <div id="tree" ref={box} key={open.id} role="tree" tabIndex={0} aria-label="Tree" />
    </div>
  );
}

/** To this depth rows are indented in full, and to that one a little. */
const STRAIGHT = 8;
const DEEPEST = 32;

class Pane {
  private readonly box: TreeBox<Row>;
  private leading = false;
  private drawn: { rows: readonly Row[]; line: string; pov: Pov } | null = null;

  constructor(private readonly app: App, private readonly open: OpenRoot, element: HTMLElement) {
    open.unfolded.layOut();
    this.box = new TreeBox(element, this.model());
  }

  fold(): void {
    this.box.change(() => this.open.unfolded.foldAll());
  }

  /** Draws what has changed, and shows where the board is. */
  follow(): void {
    const { unfolded } = this.open;
    const line = this.open.line();
    const now = { rows: unfolded.visible, line: line.join(' '), pov: this.app.pov };
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
      visible: () => unfolded.visible,
      indexOf: row => unfolded.indexOf(row),
      canOpen: row => unfolded.canOpen(row),
      isOpen: row => unfolded.isOpen(row),
      toggle: (row, open) => unfolded.toggle(row, open),
      parent: row => unfolded.parent(row),
      firstChild: row => unfolded.firstChild(row),
      siblings: row => unfolded.siblings(row),
      id: row => `row-${row.line.join('-')}`,
      element: (row, open, selected) => this.element(row, open, selected),
      chosen: row => {
        this.leading = true;
        walk.go(row.line);
      },
      entered: () => {},
    };
  }

  private element(row: Row, open: boolean | undefined, selected: boolean): HTMLElement {
    const { walk } = this.open;
    const { move, line } = row;
    const depth = line.length - 1;
    const turn = walk.sign(this.app.pov, depth);
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
      h('span', { class: 'what' }, h('span', { class: 'twisty', 'aria-hidden': 'true' }, arrow), h('a', { class: 'name', href: hashOf(this.open.id, line), tabindex: -1, draggable: 'false' }, walk.number(depth) + move.san), ...this.remarks(row)),
      scoreCell('alpha', move.alpha && valueOf(move.alpha), turn, 'score '),
      h('span', { class: 'behind-count' }, move.positions ? h('span', { class: 'sr' }, 'positions behind ') : null, move.positions ? short(move.positions) : ''),
    );
    // Deep lines are indented less, or nothing of them would be seen.
    element.style.setProperty('--depth', String(Math.min(depth, STRAIGHT) + Math.max(0, Math.min(depth, DEEPEST) - STRAIGHT) / 4));
    return element;
  }

  private remarks({ move }: Row): Node[] {
    const { walk } = this.open;
    const words = move.value !== null ? [...marksOf(move), 'your value'] : marksOf(move);
    if (move.closing) words.unshift(closingWords(move.closing, walk.sign(this.app.pov, 0)));
    const found: Node[] = words.map(mark => h('span', { class: 'mark' }, mark));
    if (move.note) found.push(h('span', { class: 'users-note', title: move.note }, move.note));
    if (move.end && move.end !== 'value') found.push(h('span', { class: 'note' }, move.known ?? move.end));
    else if (move.repetition) found.push(h('span', { class: 'note' }, 'repetition'));
    return found;
  }
}
