// What all parts of the page share: the walk, and how scores are shown.
import { Numbering } from '../../shared/numbering';
import { format, sign, speak, type Color, type Pov } from '../../shared/score';
import type { Move, Tree } from './data';
import { Flag, ending } from './data';
import type { Walk } from './walk';

export class View {
  pov: Pov;
  private readonly listeners: (() => void)[] = [];
  private readonly numbering: Numbering;

  constructor(readonly tree: Tree, readonly walk: Walk) {
    this.pov = tree.data.pov;
    const start = walk.position(0);
    this.numbering = new Numbering(start.turn, start.fullmoves);
  }

  onPov(listener: () => void): void {
    this.listeners.push(listener);
  }

  setPov(pov: Pov): void {
    this.pov = pov;
    for (const listener of this.listeners) listener();
  }

  mover(depth: number): Color {
    return this.numbering.mover(depth);
  }

  sign(depth: number): 1 | -1 {
    return sign(this.mover(depth), this.pov);
  }

  show(value: number, depth: number): string {
    return format(value, this.sign(depth));
  }

  number(depth: number, always = true): string {
    return this.numbering.number(depth, always);
  }

  numbered(moves: { san: string }[], depth = 0): string {
    return this.numbering.numbered(moves, depth);
  }

  /** For whom scores are given, in words. */
  whose(depth: number): string {
    if (this.pov === 'white') return 'for White';
    return `for ${this.mover(depth) === 'white' ? 'White' : 'Black'}, who moves`;
  }

  /** What is special about a move, in a few words. */
  notes(move: Move): string[] {
    const notes: string[] = [];
    const end = ending(move);
    if (end) notes.push(end);
    else if (move.flags & Flag.Repetition) notes.push('repetition');
    else if (move.flags & Flag.Transposition) notes.push('transposition');
    else if (move.flags & Flag.Cut) notes.push('cut off here');
    return notes;
  }

  /** What the closing search says of a move of the root, and what the user has said of any and of the position after it, notes apart. */
  marks(move: Move): string[] {
    const chosen = move.place === 0 ? this.tree.data.closing_moves.find(one => one.uci === move.uci) : undefined;
    const marks: string[] = chosen ? [this.closing(chosen.score)] : [];
    const stopped = (move.flags & Flag.Stopped) !== 0;
    if (move.flags & Flag.Excluded) marks.push('excluded');
    if (move.flags & Flag.Included) marks.push(move.alpha === null && !stopped ? 'included, not analysed yet' : 'included');
    if (move.value) marks.push(`your value: ${move.value}`);
    if (stopped) marks.push('stopped here');
    return marks;
  }

  /** A score of the closing search. */
  closing(score: number): string {
    return `closing search ${this.show(score, 0)}`;
  }

  /** A move for screen readers. */
  speak(move: Move, depth: number): string {
    const turn = this.sign(depth);
    const named: [string, number | null][] = [['score', move.alpha], ['tree', move.idea], ['engine', move.eval]];
    const scores = named.flatMap(([name, value]) => (value === null ? [] : [`${name} ${speak(value, turn)}`]));
    const candidate = move.flags & Flag.Candidate ? ['candidate'] : [];
    const note = move.note ? [`note: ${move.note}`] : [];
    return [this.number(depth) + move.san, ...scores, ...candidate, ...this.marks(move), ...this.notes(move), ...note].join(', ');
  }
}
