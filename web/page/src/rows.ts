// Which rows of the tree are unfolded: pure, so that a large tree stays quick.
import type { Move, Tree } from './data';

export class Rows {
  /** The unfolded rows from top to bottom. */
  visible: Move[] = [];
  private readonly open = new Set<Move>();
  private at = new Map<Move, number>();

  constructor(private readonly tree: Tree) {
    this.layOut();
  }

  canOpen(move: Move): boolean {
    return this.tree.child(move) !== undefined;
  }

  isOpen(move: Move): boolean {
    return this.open.has(move);
  }

  indexOf(move: Move): number {
    return this.at.get(move) ?? -1;
  }

  parent(move: Move): Move | null {
    return this.tree.places[move.place]?.parent ?? null;
  }

  toggle(move: Move, open = !this.isOpen(move)): void {
    if (!this.canOpen(move) || open === this.isOpen(move)) return;
    if (open) this.open.add(move);
    else this.open.delete(move);
    this.layOut();
  }

  /** Unfolds what is above a move. */
  reveal(move: Move): void {
    let changed = false;
    for (let above = this.parent(move); above; above = this.parent(above)) {
      changed ||= !this.open.has(above);
      this.open.add(above);
    }
    if (changed) this.layOut();
  }

  openAll(): void {
    for (const place of this.tree.places) if (place.parent) this.open.add(place.parent);
    this.layOut();
  }

  closeAll(): void {
    this.open.clear();
    this.layOut();
  }

  private layOut(): void {
    this.visible = [];
    const levels: { moves: Move[]; next: number }[] = [{ moves: this.tree.places[0]?.moves ?? [], next: 0 }];
    while (levels.length) {
      const level = levels[levels.length - 1]!;
      const move = level.moves[level.next++];
      if (!move) {
        levels.pop();
        continue;
      }
      this.visible.push(move);
      const child = this.open.has(move) ? this.tree.child(move) : undefined;
      if (child) levels.push({ moves: child.moves, next: 0 });
    }
    this.at = new Map(this.visible.map((move, i) => [move, i]));
  }
}
