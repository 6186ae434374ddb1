// A tree of rows of which only those in view are elements, with the keys of the ARIA practices.
import { h } from './dom';

/** Rows above and below the view that are elements already. */
const MARGIN = 12;

/** Rows of a tree. A row stays the same object while it is there. */
export interface TreeRows<Row> {
  /** The unfolded rows from top to bottom. */
  readonly visible: readonly Row[];
  indexOf(row: Row): number;
  canOpen(row: Row): boolean;
  isOpen(row: Row): boolean;
  toggle(row: Row, open?: boolean): void;
  parent(row: Row): Row | null;
  firstChild(row: Row): Row | undefined;
  siblings(row: Row | null): readonly Row[];
}

/** Look and actions of the rows. */
export interface TreeModel<Row> {
  rows: TreeRows<Row>;
  id(row: Row): string;
  /** `open` is undefined where nothing is below. */
  element(row: Row, open: boolean | undefined, selected: boolean): HTMLElement;
  /** The user has chosen a row. */
  chosen(row: Row): void;
  /** Enter on a row that cannot be unfolded. */
  entered(row: Row): void;
}

export class TreeBox<Row> {
  selected: Row | null = null;
  private readonly space = h('div', { class: 'space', role: 'presentation' });
  /** The rows that are elements; scrolling keeps them. */
  private elements = new Map<Row, HTMLElement>();
  /** True if the selected row is in sight. */
  private sees = false;
  /** Scroll position and sizes, in pixels: kept here, for each read would lay out the page. */
  private top = 0;
  private height = 0;
  private rowHeight = 28;

  constructor(private readonly box: HTMLElement, private readonly model: TreeModel<Row>) {
    this.box.replaceChildren(this.space);
    this.box.addEventListener('scroll', () => this.scrolled(), { passive: true });
    this.box.addEventListener('keydown', event => this.key(event));
    this.box.addEventListener('focus', () => this.focused());
    this.box.addEventListener('click', event => this.click(event));
    this.measure();
    new ResizeObserver(() => this.resized()).observe(this.box);
  }

  /** Selects a row that is visible, or none, without telling the model. */
  mark(row: Row | null): void {
    this.selected = row;
    this.draw();
    this.scrollTo(row ? this.model.rows.indexOf(row) : 0, row ? 3 : 0);
  }

  /** All rows anew: something about them has changed. What looks as before stays. */
  draw(): void {
    this.space.style.height = `${this.fullHeight()}px`;
    // The browser scrolls by itself where there is less to scroll.
    this.top = this.within(this.top);
    this.fillView(true);
  }

  /** Draws anew after rows came or went without the user; the rows in sight stay at their place. */
  update(selected: Row | null): void {
    const anchor = this.anchor();
    this.selected = selected;
    this.draw();
    const index = anchor ? this.model.rows.indexOf(anchor.row) : -1;
    if (anchor && index >= 0) this.scroll(index * this.rowHeight - anchor.top);
  }

  /** The selected row where it is in sight, else the first one that is, and how far below the box's top it stands. */
  private anchor(): { row: Row; top: number } | null {
    const placed = [...this.elements].map(([row, element]) => ({ row, top: Number(element.dataset['row']) * this.rowHeight - this.top }));
    if (this.sees) return placed.find(({ row }) => row === this.selected) ?? null;
    // A view of the best moves stays there.
    if (this.top === 0) return null;
    return placed.find(({ row, top }) => top >= 0 && this.model.rows.indexOf(row) >= 0) ?? null;
  }

  private measure(): void {
    this.top = this.box.scrollTop;
    this.height = this.box.clientHeight;
    this.rowHeight = parseFloat(getComputedStyle(this.box).getPropertyValue('--row')) || 28;
  }

  private scrolled(): void {
    this.top = this.box.scrollTop;
    this.fillView(false);
  }

  private resized(): void {
    const saw = this.sees;
    this.measure();
    this.draw();
    if (saw && this.selected) this.scrollTo(this.model.rows.indexOf(this.selected));
  }

  /** Folds or unfolds; what is folded away cannot stay selected: the nearest row above does. */
  change(action: () => void): void {
    action();
    while (this.selected && this.model.rows.indexOf(this.selected) < 0) this.selected = this.model.rows.parent(this.selected);
    this.draw();
    if (this.selected) this.scrollTo(this.model.rows.indexOf(this.selected));
  }

  focus(): void {
    this.box.focus({ preventScroll: true });
  }

  /** Makes the rows in view elements; those that are, too, where something about them may have changed. */
  private fillView(anew: boolean): void {
    const { top, height, rowHeight } = this;
    const visible = this.model.rows.visible;
    const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
    const last = Math.min(visible.length, Math.ceil((top + height) / rowHeight) + MARGIN);
    const wanted = new Map(visible.slice(first, last).map((row, i) => [row, first + i]));
    // The active row stays an element, or screen readers lose it.
    const active = this.selected ? this.model.rows.indexOf(this.selected) : -1;
    if (this.selected && active >= 0) wanted.set(this.selected, active);
    for (const [row, element] of this.elements) {
      if (wanted.has(row)) continue;
      element.remove();
      this.elements.delete(row);
    }
    // In the order of the tree, which is how screen readers browse.
    let next = this.space.firstChild;
    for (const [row, index] of wanted) {
      const before = this.elements.get(row);
      const element = before && !anew ? before : this.row(row, index, before);
      if (before && before !== element) {
        if (before === next) next = before.nextSibling;
        before.remove();
      }
      this.elements.set(row, element);
      if (element === next) next = element.nextSibling;
      else this.space.insertBefore(element, next);
    }
    this.sees = active >= 0 && active * rowHeight < top + height && (active + 1) * rowHeight > top;
    if (active >= 0) this.box.setAttribute('aria-activedescendant', this.model.id(this.selected!));
    else this.box.removeAttribute('aria-activedescendant');
  }

  /** The element of a row: the one before where it would look the same. */
  private row(row: Row, index: number, before: HTMLElement | undefined): HTMLElement {
    const open = this.model.rows.canOpen(row) ? this.model.rows.isOpen(row) : undefined;
    const element = this.model.element(row, open, row === this.selected);
    element.dataset['row'] = String(index);
    element.style.transform = `translateY(${index * this.rowHeight}px)`;
    return before?.isEqualNode(element) ? before : element;
  }

  private select(row: Row): void {
    this.model.chosen(row);
    this.selected = row;
    this.draw();
    this.scrollTo(this.model.rows.indexOf(row));
  }

  private click(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    if (target.closest('.jump')) return;
    // A link is for other tabs and windows; here a click on it is one on its row.
    if (target.closest('a') && (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) return;
    event.preventDefault();
    const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? -1);
    const row = this.model.rows.visible[index];
    if (!row) return;
    if (target.closest('.twisty') && this.model.rows.canOpen(row)) this.change(() => this.model.rows.toggle(row));
    else if (row === this.selected) this.change(() => this.model.rows.toggle(row));
    else {
      this.model.rows.toggle(row, true);
      this.select(row);
    }
  }

  private focused(): void {
    const first = this.model.rows.visible[0];
    if (!this.selected && first) this.box.setAttribute('aria-activedescendant', this.model.id(first));
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const action = this.keys()[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Keys of the tree pattern of the ARIA practices. */
  private keys(): Record<string, () => void> {
    const { model, selected } = this;
    const rows = model.rows.visible;
    const index = selected ? model.rows.indexOf(selected) : -1;
    const page = Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
    const to = (i: number) => this.selectMaybe(rows[Math.max(0, Math.min(i, rows.length - 1))]);
    return {
      ArrowDown: () => to(index + 1),
      ArrowUp: () => to(index - 1),
      PageDown: () => to(index + page),
      PageUp: () => to(index - page),
      Home: () => to(0),
      End: () => to(rows.length - 1),
      ArrowRight: () => (selected ? this.inwards(selected) : to(0)),
      ArrowLeft: () => selected && this.outwards(selected),
      Enter: () => selected && this.enter(selected),
      ' ': () => selected && this.enter(selected),
      '*': () => this.change(() => model.rows.siblings(selected).forEach(row => model.rows.toggle(row, true))),
    };
  }

  private selectMaybe(row: Row | null | undefined): void {
    if (row) this.select(row);
  }

  private inwards(row: Row): void {
    if (this.model.rows.canOpen(row) && !this.model.rows.isOpen(row)) this.change(() => this.model.rows.toggle(row));
    else this.selectMaybe(this.model.rows.firstChild(row));
  }

  private outwards(row: Row): void {
    if (this.model.rows.isOpen(row)) this.change(() => this.model.rows.toggle(row));
    else this.selectMaybe(this.model.rows.parent(row));
  }

  private enter(row: Row): void {
    if (this.model.rows.canOpen(row)) this.change(() => this.model.rows.toggle(row));
    else this.model.entered(row);
  }

  private fullHeight(): number {
    return this.model.rows.visible.length * this.rowHeight;
  }

  /** As far as it can be scrolled. */
  private within(top: number): number {
    return Math.max(0, Math.min(top, this.fullHeight() - this.height));
  }

  /** Scrolls as little as needed to see a row and `around` more on each side. */
  private scrollTo(index: number, around = 0): void {
    const top = (index - around) * this.rowHeight;
    const bottom = (index + 1 + around) * this.rowHeight;
    if (top < this.top) this.scroll(top);
    else if (bottom > this.top + this.height) this.scroll(bottom - this.height);
  }

  private scroll(top: number): void {
    const to = this.within(top);
    if (to === this.top) return;
    this.top = to;
    this.box.scrollTop = to;
    this.fillView(false);
  }
}
