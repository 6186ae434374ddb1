// What all parts of the page share: the walk, and how scores are shown.
import type { Move, Tree } from './data';
import { Flag, ending } from './data';
import { format, sign, speak, type Color, type Pov } from './score';
import { moveNumber, type Position } from './rules';
import type { Walk } from './walk';

export class View {
  pov: Pov;
  private readonly listeners: (() => void)[] = [];
  private readonly firstColor: Color;
  private readonly firstNumber: number;

  constructor(readonly tree: Tree, readonly walk: Walk) {
    this.pov = tree.data.pov;
    const start = walk.position(0);
    this.firstColor = start.turn;
    this.firstNumber = start.fullmoves;
  }

  onPov(listener: () => void): void {
    this.listeners.push(listener);
  }

  setPov(pov: Pov): void {
    this.pov = pov;
    for (const listener of this.listeners) listener();
  }

  /** Who plays the moves so many plies from the start. */
  mover(depth: number): Color {
    const first = this.firstColor === 'white';
    return (depth % 2 === 0) === first ? 'white' : 'black';
  }

  sign(depth: number): 1 | -1 {
    return sign(this.mover(depth), this.pov);
  }

  show(value: number, depth: number): string {
    return format(value, this.sign(depth));
  }

  /** "3. " or "3... " so many plies from the start. */
  number(depth: number, always = true): string {
    const offset = depth + (this.firstColor === 'black' ? 1 : 0);
    const number = this.firstNumber + Math.floor(offset / 2);
    if (this.mover(depth) === 'white') return `${number}. `;
    return always ? `${number}... ` : '';
  }

  /** Moves in SAN with numbers, the first so many plies from the start. */
  numbered(moves: { san: string }[], depth = 0): string {
    return moves.map((move, i) => this.number(depth + i, i === 0) + move.san).join(' ');
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

  /** What the user has said of a move and of the position after it, notes apart. */
  marks(move: Move): string[] {
    const marks: string[] = [];
    const stopped = (move.flags & Flag.Stopped) !== 0;
    if (move.flags & Flag.Excluded) marks.push('excluded');
    if (move.flags & Flag.Included) marks.push(move.alpha === null && !stopped ? 'included, not analysed yet' : 'included');
    if (move.value) marks.push(`your value: ${move.value}`);
    if (stopped) marks.push('stopped here');
    return marks;
  }

  /** A move for screen readers. */
  speak(move: Move, depth: number): string {
    const turn = this.sign(depth);
    const named: [string, number | null][] = [['alpha', move.alpha], ['idea', move.idea], ['eval', move.eval]];
    const scores = named.flatMap(([name, value]) => (value === null ? [] : [`${name} ${speak(value, turn)}`]));
    const candidate = move.flags & Flag.Candidate ? ['candidate'] : [];
    const note = move.note ? [`note: ${move.note}`] : [];
    return [this.number(depth) + move.san, ...scores, ...candidate, ...this.marks(move), ...this.notes(move), ...note].join(', ');
  }
}

/** Where each piece stands, for who cannot see the board. */
export function describe(position: Position): string {
  const names = { king: 'K', queen: 'Q', rook: 'R', bishop: 'B', knight: 'N', pawn: '' } as const;
  const side = (color: Color): string => {
    const roles = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
    const at = (square: number): string => 'abcdefgh'.charAt(square & 7) + String((square >> 3) + 1);
    return roles.flatMap(role => Array.from(position.board.pieces(color, role), square => names[role] + at(square))).join(' ');
  };
  return `White: ${side('white')}. Black: ${side('black')}.`;
}

export { moveNumber };
