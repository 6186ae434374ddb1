// Move numbers and the side to move, so many plies from a start.
import type { Color } from './score';

export class Numbering {
  constructor(private readonly firstColor: Color, private readonly firstNumber: number) {}

  /** Who plays the moves so many plies from the start. */
  mover(depth: number): Color {
    const first = this.firstColor === 'white';
    return (depth % 2 === 0) === first ? 'white' : 'black';
  }

  /** "3. " or "3... " so many plies from the start. */
  number(depth: number, always = true): string {
    const offset = depth + (this.firstColor === 'black' ? 1 : 0);
    const number = this.firstNumber + Math.floor(offset / 2);
    if (this.mover(depth) === 'white') return `${number}. `;
    return always ? `${number}... ` : '';
  }

  /** Moves in SAN with numbers, the first so many plies from the start. */
  numbered(moves: readonly { san: string }[], depth = 0): string {
    return moves.map((move, i) => this.number(depth + i, i === 0) + move.san).join(' ');
  }
}
