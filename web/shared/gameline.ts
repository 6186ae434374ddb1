// A line of moves from a start, and where on it the user is; the game before the start lies at negative places.
import { fenOf, moveNumber, numbered, play, positionOf, readMove, sanOf, type Position } from './rules';
import { sign, type Color, type Pov } from './score';

export interface Played {
  uci: string;
  san: string;
  /** The position after it. */
  position: Position;
}

export class GameLine {
  steps: Played[] = [];
  /** How many of the steps are played on the board; the rest can be walked forward again. */
  at = 0;
  /** True if the last change leapt elsewhere in the tree: the browser's Back undoes that. */
  leapt = false;
  /** The moves of the game before the start; negative places on the walk are among them. */
  readonly before: Played[] = [];
  private readonly start: Position;
  private readonly gameStart: Position;
  private readonly listeners: (() => void)[] = [];

  /** FEN of the start, FEN where the game begins, and its moves to the start. */
  constructor(start: string, game: string, before: string[]) {
    this.start = positionOf(start);
    this.gameStart = positionOf(game);
    let position = this.gameStart;
    for (const uci of before) {
      const san = sanOf(position, uci);
      position = play(position, uci);
      this.before.push({ uci, san, position });
    }
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  position(at = this.at): Position {
    if (at === 0) return this.start;
    if (at > 0) return this.steps[at - 1]!.position;
    return this.before[this.before.length + at - 1]?.position ?? this.gameStart;
  }

  last(at = this.at): Played | undefined {
    return this.steps[at - 1];
  }

  /** The steps on the board. */
  played(): Played[] {
    return this.steps.slice(0, Math.max(0, this.at));
  }

  line(): string[] {
    return this.played().map(step => step.uci);
  }

  /** The move that led to the position on the board, in the game before the start, too. */
  lastMove(): { uci: string; san: string } | undefined {
    return this.at > 0 ? this.last() : this.before[this.before.length + this.at - 1];
  }

  /** True if the position is before the start. */
  isBefore(): boolean {
    return this.at < 0;
  }

  /** Plays a move here; keeps what was ahead if it is the same. */
  step(uci: string): void {
    const ahead = this.steps[this.at];
    if (ahead?.uci !== uci) this.steps = [...this.steps.slice(0, this.at), this.resolve(this.at, uci)];
    this.at += 1;
    this.tell();
  }

  /** Another move in the position before. */
  instead(uci: string): void {
    this.steps = [...this.steps.slice(0, this.at - 1), this.resolve(this.at - 1, uci)];
    this.tell();
  }

  /** Goes to the end of a line of legal moves. */
  go(line: readonly string[]): void {
    this.steps = [];
    this.at = 0;
    for (const uci of line) {
      this.steps.push(this.resolve(this.at, uci));
      this.at += 1;
    }
    this.tell();
  }

  leap(line: readonly string[]): void {
    this.leapt = true;
    this.go(line);
    this.leapt = false;
  }

  goTo(at: number): void {
    const next = Math.max(-this.before.length, Math.min(at, this.steps.length));
    if (next === this.at) return;
    this.at = next;
    this.tell();
  }

  back(): void {
    this.goTo(this.at - 1);
  }

  /** To the start, and from there to the beginning of the game. */
  home(): void {
    this.goTo(this.at > 0 ? 0 : -this.before.length);
  }

  /** Reads a line in SAN or UCI; the error says what cannot be played. */
  read(text: string): { line: string[]; error?: string } {
    return readLine(this.start, text);
  }

  /** Mover in the position `depth` plies from the start. */
  mover(depth = this.at): Color {
    return (depth % 2 === 0) === (this.start.turn === 'white') ? 'white' : 'black';
  }

  sign(pov: Pov, depth = this.at): 1 | -1 {
    return sign(this.mover(depth), pov);
  }

  /** "3. " or "3... " for the move `depth` plies from the start. */
  number(depth: number, always = true): string {
    const offset = depth + (this.start.turn === 'black' ? 1 : 0);
    return moveNumber({ turn: this.mover(depth), fullmoves: this.start.fullmoves + Math.floor(offset / 2) }, always);
  }

  /** Moves in SAN with numbers, the first `depth` plies from the start. */
  numbered(moves: readonly { san: string }[], depth = 0): string {
    return moves.map((move, i) => this.number(depth + i, i === 0) + move.san).join(' ');
  }

  /** Moves in UCI from the start, as numbered SAN. */
  words(line: readonly string[]): string {
    return numbered(this.start, line).join(' ');
  }

  fen(): string {
    return fenOf(this.position());
  }

  private resolve(at: number, uci: string): Played {
    const before = this.position(at);
    return { uci, san: sanOf(before, uci), position: play(before, uci) };
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Reads moves from a position in SAN or UCI, with numbers or without. */
export function readLine(start: Position, text: string): { line: string[]; error?: string } {
  const line: string[] = [];
  let position = start;
  const played: string[] = [];
  for (const word of text.split(/\s+/)) {
    const token = /^\d{1,3}$/.test(word) ? '' : word.replace(/^\d*(\.+|\u2026)/, '');
    if (!token) continue;
    const uci = readMove(position, token);
    if (!uci) {
      const bare = token.replace(/[!?+#]+$/, '');
      if (readMove(position, `${bare}=Q`) ?? readMove(position, `${bare}q`)) return { line, error: `\u201c${token}\u201d promotes: write ${bare}=Q, ${bare}=R, ${bare}=B or ${bare}=N` };
      const after = played.length ? `after ${played.join(' ')}` : 'at the start';
      return { line, error: `\u201c${token}\u201d cannot be played ${after}` };
    }
    played.push(moveNumber(position, played.length === 0) + sanOf(position, uci));
    line.push(uci);
    position = play(position, uci);
  }
  return { line };
}
