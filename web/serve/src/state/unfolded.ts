// The tree's rows: which are unfolded, and which of them are here. What is unfolded is asked for when it is in view.
import type { PlaceSource, ShownMove } from './opentree';

/** A move in the tree; the same object as long as the page shows the root. */
export class Row {
  constructor(readonly key: string, public move: ShownMove, public index: number, public count: number) {}

  get line(): string[] {
    return this.key.split(' ');
  }
}

const FIRST_UNFOLDED = 1;

export const keyOf = (line: readonly string[]): string => line.join(' ');

export class Unfolded {
  visible: Row[] = [];
  private readonly rows = new Map<string, Row>();
  /** The rows of places, as long as they have the same moves. */
  private readonly below = new Map<string, { moves: ShownMove[]; rows: Row[] }>();
  private readonly open = new Set<string>(['']);
  private at = new Map<Row, number>();
  private untouched = true;

  constructor(private readonly places: PlaceSource) {}

  /** Keys of the places whose moves are rows, the root's first. */
  shown(): string[] {
    return [...this.open].filter(key => this.reachable(key));
  }

  indexOf(row: Row): number {
    return this.at.get(row) ?? -1;
  }

  row(line: readonly string[]): Row | undefined {
    return this.rows.get(keyOf(line));
  }

  canOpen(row: Row): boolean {
    return row.move.analysed && !row.move.repetition && !row.move.end;
  }

  isOpen(row: Row): boolean {
    return this.open.has(row.key);
  }

  parent(row: Row): Row | null {
    return this.rows.get(keyOf(row.line.slice(0, -1))) ?? null;
  }

  siblings(row: Row | null): Row[] {
    const above = row ? row.line.slice(0, -1) : [];
    return this.movesAt(above);
  }

  firstChild(row: Row): Row | undefined {
    return this.movesAt(row.line)[0];
  }

  toggle(row: Row, open = !this.isOpen(row)): void {
    if (!this.canOpen(row) || open === this.isOpen(row)) return;
    this.untouched = false;
    if (open) this.open.add(row.key);
    else this.open.delete(row.key);
    this.places.ask();
    this.layOut();
  }

  /** Unfolds what is above the end of a line. */
  reveal(line: readonly string[]): void {
    const before = this.open.size;
    for (let plies = 1; plies < line.length; plies++) this.open.add(keyOf(line.slice(0, plies)));
    if (this.open.size === before) return;
    this.places.ask();
    this.layOut();
  }

  foldAll(): void {
    this.untouched = false;
    this.open.clear();
    this.open.add('');
    this.layOut();
  }

  openAll(): void {
    const rows = [...this.movesAt([])];
    // The rows below a row follow it, also in the order of requests.
    for (const row of rows) {
      if (!this.canOpen(row)) continue;
      this.open.add(row.key);
      rows.push(...this.movesAt(row.line, row.key));
    }
    this.layOut();
  }

  layOut(): void {
    this.unfoldFirst();
    this.visible = [];
    const levels = [{ rows: this.movesAt([]), next: 0 }];
    while (levels.length) {
      const level = levels[levels.length - 1]!;
      const row = level.rows[level.next++];
      if (!row) {
        levels.pop();
        continue;
      }
      this.visible.push(row);
      if (this.open.has(row.key) && this.canOpen(row)) levels.push({ rows: this.movesAt(row.line, row.key), next: 0 });
    }
    this.at = new Map(this.visible.map((row, i) => [row, i]));
  }

  /** The best line is unfolded at first. */
  private unfoldFirst(): void {
    const first = this.movesAt([])[0];
    if (!this.untouched || !first || this.open.size > FIRST_UNFOLDED) return;
    this.open.add(first.key);
    this.places.ask();
  }

  private movesAt(line: readonly string[], key = keyOf(line)): Row[] {
    const moves = this.places.place(line)?.moves ?? [];
    const known = this.below.get(key);
    if (known?.moves === moves) return known.rows;
    const rows = moves.map((move, index) => this.keep(key ? `${key} ${move.uci}` : move.uci, move, index, moves.length));
    this.below.set(key, { moves, rows });
    return rows;
  }

  private keep(key: string, move: ShownMove, index: number, count: number): Row {
    let row = this.rows.get(key);
    if (!row) this.rows.set(key, (row = new Row(key, move, index, count)));
    row.move = move;
    row.index = index;
    row.count = count;
    return row;
  }

  /** True if all rows above it are unfolded, too. */
  private reachable(key: string): boolean {
    const line = key.split(' ');
    return line.every((_, i) => i === 0 || this.open.has(keyOf(line.slice(0, i))));
  }
}
