// Where the user is in a played game, and beside it.
import type { Place } from './data';
import { MARKS } from './data';

export class GameWalk {
  /** Moves that are on the board beside the game: of the best line, or tried. */
  aside: string[] = [];

  /** `at` is the ply on the board. */
  constructor(public places: Place[], public at: number, private readonly changed: () => void) {}

  go(ply: number): void {
    this.at = Math.max(0, Math.min(this.last(), ply));
    this.leave([]);
  }

  /** The position of the game that is on the board, or beside which moves are tried. */
  place(): Place {
    return this.places[this.at]!;
  }

  last(): number {
    return this.places.length - 1;
  }

  /** Beside the game, along these moves. */
  leave(line: string[]): void {
    this.aside = line;
    this.changed();
  }

  /** Plays a move of the game, or another one beside it. */
  play(uci: string): void {
    if (!this.aside.length && uci === this.place().played?.uci) this.go(this.at + 1);
    else this.leave([...this.aside, uci]);
  }

  /** How the best line goes on behind what is on the board; nothing where something else was tried. */
  onwards(): string | undefined {
    return this.isBest() ? this.place().best[this.aside.length]?.uci : undefined;
  }

  /** True if all moves tried on the board are those of the best line. */
  isBest(): boolean {
    return this.aside.every((uci, i) => uci === this.place().best[i]?.uci);
  }

  forward(): void {
    const next = this.onwards();
    if (!this.aside.length) this.go(this.at + 1);
    else if (next) this.leave([...this.aside, next]);
  }

  back(): void {
    if (this.aside.length) this.leave(this.aside.slice(0, -1));
    else this.go(this.at - 1);
  }

  playBest(): void {
    const next = this.onwards();
    if (next) this.leave([...this.aside, next]);
  }

  /** The ply to begin with: before the first mistake, else before the first dubious move, else the start. */
  opening(): number {
    const [dubious, ...mistakes] = MARKS;
    const first = (glyphs: string[]) => this.places.findIndex(place => glyphs.includes(place.played?.glyph ?? ''));
    const mistake = first(mistakes);
    return Math.max(mistake < 0 ? first([dubious!]) : mistake, 0);
  }

  hasMistakes(): boolean {
    return this.places.some(place => place.played?.glyph);
  }

  /** Before the next move with a mark, from the start again behind the last one. */
  nextMistake(): void {
    const marked = this.places.flatMap((place, ply) => (place.played?.glyph ? ply : []));
    const next = marked.find(ply => ply > this.at) ?? marked[0];
    if (next !== undefined) this.go(next);
  }
}
