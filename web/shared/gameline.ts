// A line of moves from a start, and where on it the user is; the game before the start lies at negative places.
import { moveNumber, play, positionOf, readMove, sanOf, type Position } from './rules';

export interface Played {
  uci: string;
  san: string;
  /** The position after it. */
  position: Position;
}

/** What is known of a step beside its move is up to `resolve`. */
export abstract class GameLine<Step extends Played> {
  steps: Step[] = [];
  /** How many of the steps are played on the board; the rest can be walked forward again. */
  at = 0;
  /** Whether the last change leapt elsewhere in the tree: the browser's Back undoes that. */
  leapt = false;
  /** The moves of the game before the start; negative places on the walk are among them. */
  readonly before: Played[] = [];
  protected readonly start: Position;
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

  protected abstract resolve(at: number, uci: string): Step;

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  position(at = this.at): Position {
    if (at === 0) return this.start;
    if (at > 0) return this.steps[at - 1]!.position;
    return this.before[this.before.length + at - 1]?.position ?? this.gameStart;
  }

  last(at = this.at): Step | undefined {
    return this.steps[at - 1];
  }

  /** The steps on the board. */
  played(): Step[] {
    return this.steps.slice(0, Math.max(0, this.at));
  }

  line(): string[] {
    return this.played().map(step => step.uci);
  }

  /** The move that led to the position on the board, in the game before the start, too. */
  lastMove(): { uci: string; san: string } | undefined {
    return this.at > 0 ? this.last() : this.before[this.before.length + this.at - 1];
  }

  /** Whether the position stands before the start. */
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

  protected tell(): void {
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
