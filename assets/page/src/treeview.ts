// The tree beside the board: only the rows in view are elements.
import { Flag, type Move } from './data';
import { scoreCell } from './cells';
import { button, byId, h } from './dom';
import { Rows } from './rows';
import type { View } from './view';

/** Rows above and below the view that are elements already. */
const MARGIN = 12;
/** How many plies of the main line are unfolded at first. */
const UNFOLDED = 3;
const PREVIEW = 8;

export class TreeView {
  private readonly rows: Rows;
  private readonly box = byId('tree');
  private readonly space = h('div', { class: 'space', role: 'presentation' });
  private selected: Move | null = null;
  /** The rows that are elements; scrolling keeps them. */
  private elements = new Map<Move, HTMLElement>();
  /** While the tree itself moves the walk. */
  private leading = false;

  constructor(private readonly view: View) {
    this.rows = new Rows(view.tree);
    for (const move of view.tree.bestLine(0, UNFOLDED)) this.rows.toggle(move, true);
    this.box.replaceChildren(this.space);
    this.box.addEventListener('scroll', () => this.fillView(), { passive: true });
    this.box.addEventListener('keydown', event => this.key(event));
    this.box.addEventListener('focus', () => this.focused());
    this.box.addEventListener('click', event => this.click(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    byId('open-all').addEventListener('click', () => this.change(() => this.rows.openAll()));
    byId('close-all').addEventListener('click', () => this.change(() => this.rows.closeAll()));
    this.follow();
  }

  /** Shows where the walk is: the move that leads to the place under which the moves are printed. */
  follow(): void {
    if (this.leading) return;
    const { walk, tree } = this.view;
    const place = walk.place();
    this.selected = place < 0 ? this.lastInTree() : (tree.places[place]?.parent ?? null);
    if (this.selected) {
      this.rows.reveal(this.selected);
      this.scrollTo(this.rows.indexOf(this.selected));
    } else {
      this.box.scrollTop = 0;
    }
    this.draw();
  }

  /** All rows anew: something about them has changed. */
  draw(): void {
    this.elements.clear();
    this.space.replaceChildren();
    this.space.style.height = `${this.rows.visible.length * this.rowHeight()}px`;
    this.fillView();
  }

  private fillView(): void {
    const height = this.rowHeight();
    const { visible } = this.rows;
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - MARGIN);
    const last = Math.min(visible.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + MARGIN);
    const wanted = new Map(visible.slice(first, last).map((move, i) => [move, first + i]));
    // The active row stays an element, or screen readers lose it.
    const active = this.selected ? this.rows.indexOf(this.selected) : -1;
    if (this.selected && active >= 0) wanted.set(this.selected, active);
    for (const [move, element] of this.elements) {
      if (wanted.has(move)) continue;
      element.remove();
      this.elements.delete(move);
    }
    // In the order of the tree, which is how screen readers browse.
    let next = this.space.firstChild;
    for (const [move, index] of wanted) {
      const element = this.elements.get(move) ?? this.row(move, index, height);
      this.elements.set(move, element);
      if (element === next) next = element.nextSibling;
      else this.space.insertBefore(element, next);
    }
    if (active >= 0) this.box.setAttribute('aria-activedescendant', id(this.selected!));
    else this.box.removeAttribute('aria-activedescendant');
  }

  private rowHeight(): number {
    return parseFloat(getComputedStyle(this.box).getPropertyValue('--row')) || 28;
  }

  private lastInTree(): Move | null {
    const { walk } = this.view;
    const inTree = walk.steps.slice(0, walk.at).filter(step => step.move);
    return inTree[inTree.length - 1]?.move ?? null;
  }

  private row(move: Move, index: number, height: number): HTMLElement {
    const { view, rows } = this;
    const { depth, moves } = view.tree.places[move.place]!;
    const turn = view.sign(depth);
    const folds = rows.canOpen(move);
    const twisty = h('span', { class: 'twisty', 'aria-hidden': 'true' }, folds ? (rows.isOpen(move) ? '\u25be' : '\u25b8') : '');
    const name = h('span', { class: 'name' }, view.number(depth) + move.san);
    const element = h(
      'div',
      {
        id: id(move),
        role: 'treeitem',
        class: `row${move.flags & Flag.Candidate ? ' candidate' : ''}${move === this.selected ? ' selected' : ''}`,
        'aria-level': depth + 1,
        'aria-posinset': move.index + 1,
        'aria-setsize': moves.length,
        'aria-expanded': folds ? String(rows.isOpen(move)) : undefined,
        'aria-selected': String(move === this.selected),
        'aria-label': view.speak(move, depth),
        'data-row': index,
      },
      h('span', { class: 'what' }, twisty, name, ...this.remarks(move, depth)),
      scoreCell('alpha', move.alpha, turn),
      scoreCell('idea', move.idea, turn),
      scoreCell('eval', move.eval, turn),
    );
    element.style.transform = `translateY(${index * height}px)`;
    element.style.setProperty('--depth', String(Math.min(depth, 12) + Math.max(0, depth - 12) / 4));
    return element;
  }

  /** The opening, a link where the moves stand elsewhere, or how the line goes on. */
  private remarks(move: Move, depth: number): Node[] {
    const { view } = this;
    const remarks: Node[] = [];
    const target = view.tree.places[move.target];
    const notes = view.notes(move);
    if (target && notes.length) {
      const line = view.tree.lineTo(move.target);
      const where = line.length ? view.numbered(line) : 'the start';
      remarks.push(button(`${notes[0]!} \u2192 ${where}`, () => this.jump(line), { class: 'link jump', tabindex: -1, title: `Go to ${where}` }));
    } else {
      remarks.push(...notes.map(note => h('span', { class: 'note' }, note)));
      if (move.opening >= 0) remarks.push(h('span', { class: 'opening' }, view.tree.opening(move.opening)));
      if (!this.rows.isOpen(move) && target) {
        const preview = view.tree.bestLine(move.target, PREVIEW);
        remarks.push(h('span', { class: 'preview' }, view.numbered(preview, depth + 1)));
      }
    }
    return remarks;
  }

  /** Goes to where the moves of a transposition are printed. */
  private jump(line: Move[]): void {
    this.view.walk.go(line.map(move => move.uci));
    this.box.focus({ preventScroll: true });
  }

  private select(move: Move): void {
    const line = this.view.tree.lineTo(move.place);
    // To follow a transposition to its printed line would leave the row that was meant.
    this.leading = true;
    this.view.walk.go([...line, move].map(m => m.uci));
    this.leading = false;
    this.selected = move;
    this.scrollTo(this.rows.indexOf(move));
    this.draw();
  }

  private click(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    if (target.closest('.jump')) return;
    const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? -1);
    const move = this.rows.visible[index];
    if (!move) return;
    if (target.closest('.twisty') && this.rows.canOpen(move)) this.change(() => this.rows.toggle(move));
    else if (move === this.selected) this.change(() => this.rows.toggle(move));
    else {
      this.rows.toggle(move, true);
      this.select(move);
    }
  }

  private focused(): void {
    if (!this.selected && this.rows.visible[0]) this.box.setAttribute('aria-activedescendant', id(this.rows.visible[0]));
  }

  /** The keys of the tree pattern of the ARIA practices. */
  private key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { rows, selected } = this;
    const index = selected ? rows.indexOf(selected) : -1;
    const to = (move: Move | null | undefined) => move && this.select(move);
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight()) - 1);
    const at = (i: number) => rows.visible[Math.max(0, Math.min(i, rows.visible.length - 1))];
    const actions: Record<string, () => void> = {
      ArrowDown: () => to(at(index + 1)),
      ArrowUp: () => to(at(index - 1)),
      PageDown: () => to(at(index + page)),
      PageUp: () => to(at(index - page)),
      Home: () => to(at(0)),
      End: () => to(at(rows.visible.length - 1)),
      ArrowRight: () => {
        if (!selected) to(at(0));
        else if (rows.canOpen(selected) && !rows.isOpen(selected)) this.change(() => rows.toggle(selected));
        else to(this.view.tree.child(selected)?.moves[0]);
      },
      ArrowLeft: () => {
        if (selected && rows.isOpen(selected)) this.change(() => rows.toggle(selected));
        else to(selected && rows.parent(selected));
      },
      Enter: () => selected && this.enter(selected),
      ' ': () => selected && this.enter(selected),
      '*': () => this.change(() => this.siblings().forEach(move => rows.toggle(move, true))),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Follows the link of a transposition or repetition, or folds. */
  private enter(move: Move): void {
    if (this.rows.canOpen(move)) this.change(() => this.rows.toggle(move));
    else if (move.target >= 0) this.jump(this.view.tree.lineTo(move.target));
  }

  private siblings(): Move[] {
    return this.view.tree.places[this.selected?.place ?? 0]?.moves ?? [];
  }

  private change(action: () => void): void {
    action();
    // What is folded away cannot stay selected: the nearest row above does.
    while (this.selected && this.rows.indexOf(this.selected) < 0) this.selected = this.rows.parent(this.selected);
    this.draw();
    if (this.selected) this.scrollTo(this.rows.indexOf(this.selected));
  }

  private scrollTo(index: number): void {
    const height = this.rowHeight();
    this.space.style.height = `${this.rows.visible.length * height}px`;
    const top = index * height;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + height > this.box.scrollTop + this.box.clientHeight) {
      this.box.scrollTop = top + height - this.box.clientHeight;
    }
  }
}

const id = (move: Move): string => `move-${move.place}-${move.index}`;
