// The tree beside the board: only the rows in view are elements.
import type { Move } from './data';
import { byId, h } from './dom';
import { row, rowId as id } from './row';
import { Rows } from './rows';
import type { View } from './view';

/** Rows above and below the view that are elements already. */
const MARGIN = 12;
/** How many plies of the main line are unfolded at first. */
const UNFOLDED = 3;

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
      this.scrollTo(this.rows.indexOf(this.selected), 3);
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
    const inTree = walk.played().filter(step => step.move);
    return inTree[inTree.length - 1]?.move ?? null;
  }

  private row(move: Move, index: number, height: number): HTMLElement {
    const open = this.rows.canOpen(move) ? this.rows.isOpen(move) : undefined;
    const element = row(this.view, move, open, move === this.selected, line => this.jump(line));
    element.dataset['row'] = String(index);
    element.style.transform = `translateY(${index * height}px)`;
    return element;
  }

  /** Goes to where the moves of a transposition are printed. */
  private jump(line: Move[]): void {
    this.view.walk.leap(line.map(move => move.uci));
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

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const action = this.keys()[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Those of the tree pattern of the ARIA practices. */
  private keys(): Record<string, () => void> {
    const { rows, selected } = this;
    const index = selected ? rows.indexOf(selected) : -1;
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight()) - 1);
    const to = (i: number) => this.selectMaybe(rows.visible[Math.max(0, Math.min(i, rows.visible.length - 1))]);
    return {
      ArrowDown: () => to(index + 1),
      ArrowUp: () => to(index - 1),
      PageDown: () => to(index + page),
      PageUp: () => to(index - page),
      Home: () => to(0),
      End: () => to(rows.visible.length - 1),
      ArrowRight: () => (selected ? this.inwards(selected) : to(0)),
      ArrowLeft: () => selected && this.outwards(selected),
      Enter: () => selected && this.enter(selected),
      ' ': () => selected && this.enter(selected),
      '*': () => this.change(() => this.siblings().forEach(move => rows.toggle(move, true))),
    };
  }

  private selectMaybe(move: Move | null | undefined): void {
    if (move) this.select(move);
  }

  private inwards(move: Move): void {
    if (this.rows.canOpen(move) && !this.rows.isOpen(move)) this.change(() => this.rows.toggle(move));
    else this.selectMaybe(this.view.tree.child(move)?.moves[0]);
  }

  private outwards(move: Move): void {
    if (this.rows.isOpen(move)) this.change(() => this.rows.toggle(move));
    else this.selectMaybe(this.rows.parent(move));
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

  /** Scrolls as little as needed to see a row and so many around it. */
  private scrollTo(index: number, around = 0): void {
    const height = this.rowHeight();
    this.space.style.height = `${this.rows.visible.length * height}px`;
    const top = (index - around) * height;
    const bottom = (index + 1 + around) * height;
    if (top < this.box.scrollTop) this.box.scrollTop = Math.max(0, top);
    else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
  }
}
