// The places of the tree that the program wrote into the page: made of its lists when they are asked for.
import type { Move, PageClosingMove, PageData, PageMove, Score } from '../../shared/contract';
import { keyOf, play, positionOf, sansOf, type Position } from '../../shared/rules';
import type { Value } from '../../shared/score';
import type { PlaceSource, ShownMove, ShownPlace } from '../../serve/src/state/opentree';

export type Data = PageData & { places: PageMove[][] };

const CANDIDATE = 1;
const REPETITION = 2;
const TRANSPOSITION = 4;
const ENDS = [[8, 'checkmate'], [16, 'stalemate'], [32, 'insufficient material']] as const;
/** Analysed, but cut off by --plies. */
const CUT = 64;
const INCLUDED = 128;
const EXCLUDED = 256;
const STOPPED = 1024;
/** From this bit on, a place in the tables' words, from 1. */
const KNOWN = 2048;

/** A move of a place; nothing is made of its list before it is asked for. */
export class FileMove implements ShownMove {
  readonly positions = 0;
  readonly plies = 0;
  private made: Behind | undefined;

  constructor(private readonly tree: FilePlaces, private readonly place: number, private readonly index: number, private readonly raw: PageMove) {}

  get uci() { return this.raw[0]; }
  get san() { return this.raw[1]; }
  get rank() { return this.raw[2]; }
  get eval() { return scoreOf(this.raw[3]); }
  get idea() { return scoreOf(this.raw[4]); }
  get alpha() { return scoreOf(this.raw[5]); }
  get candidate() { return this.is(CANDIDATE); }
  get repetition() { return this.is(REPETITION); }
  get included() { return this.is(INCLUDED); }
  get excluded() { return this.is(EXCLUDED); }
  get stopped() { return this.is(STOPPED); }
  get cut() { return this.is(CUT); }
  get known() { return this.tree.known(this.raw); }
  get end() { return ENDS.find(([flag]) => this.is(flag))?.[1] ?? (this.known ? 'tables' : null); }
  get analysed() { return hasBelow(this.raw); }
  get opening() { return this.tree.data.openings[this.raw[8] ?? -1]?.join(' ') ?? ''; }
  get value() { return this.raw[9]?.[0] ?? null; }
  get note() { return this.raw[9]?.[1] ?? null; }
  get games() { return this.raw[10]?.[0] ?? null; }
  get share() { return this.raw[10]?.[1] ?? null; }
  get expected() { return this.raw[10]?.[2] ?? null; }
  get trap() { return this.raw[10]?.[3] ?? null; }
  get wdl() { return this.raw[11] ?? null; }
  get closing() { return scoreOf(this.tree.closing(this.place, this.uci)?.score ?? null); }
  get line() { return this.behind().line; }
  get in_tree() { return this.behind().in_tree; }
  get line_end() { return this.behind().line_end; }

  /** The line under which the moves behind it are printed, where that is another one. */
  get printed() { return this.raw[7] >= 0 && this.is(REPETITION | TRANSPOSITION) ? this.tree.lineTo(this.raw[7]) : null; }

  private is(flag: number): boolean {
    return (this.raw[6] & flag) !== 0;
  }

  private behind(): Behind {
    return (this.made ??= this.tree.behind(this.place, this.raw, this.index));
  }
}

type Behind = Pick<ShownMove, 'line' | 'in_tree' | 'line_end'>;

export interface FilePlace extends ShownPlace {
  moves: FileMove[];
}

/** Most moves of a line that is shown after a move. */
const SHOWN = 16;

export const words = (text: string): string[] => text.split(' ').filter(Boolean);

/** As crates/core/src/chess/score.rs orders scores: mates in plies from 32000. */
function scoreOf(value: Value | null): Score | null {
  if (value === null) return null;
  if (Math.abs(value) <= 31000) return { cp: value };
  return { mate: value > 0 ? (32001 - value) / 2 : (-32000 - value) / 2 };
}

/** True if the moves after a move are printed below it. */
const hasBelow = ([, , , , , alpha, flags, target]: PageMove): boolean => !(flags & (REPETITION | TRANSPOSITION)) && target >= 0 && alpha !== null;

export class FilePlaces implements PlaceSource<FilePlace> {
  /** By place, the move that leads to it in the printed tree. */
  private readonly parents: { place: number; move: PageMove }[] = [];
  private readonly made: FilePlace[] = [];
  private readonly start: Position;
  private readonly lines: { moves: Move[]; inTree: number; end: string | null }[];
  private keys: Map<string, number> | undefined;

  constructor(readonly data: Data) {
    this.start = positionOf(data.start);
    this.lines = data.lines.map(({ moves, own, sans, end }) => {
      const names = words(sans);
      return { moves: [...words(moves), ...words(own)].map((uci, i) => ({ uci, san: names[i] ?? uci })), inTree: words(moves).length, end };
    });
    data.places.forEach((moves, place) => {
      for (const move of moves) if (hasBelow(move)) this.parents[move[7]] = { place, move };
    });
  }

  /** All is here. */
  ask(): void {}

  place(line: readonly string[]): FilePlace {
    let at = this.data.places.length ? 0 : -1;
    let led: PageMove | undefined;
    line.forEach((uci, i) => {
      led = this.data.places[at]?.find(move => move[0] === uci);
      at = led ? led[7] : this.find(line.slice(0, i + 1));
    });
    if (at >= 0) return (this.made[at] ??= this.make(at));
    const { ending, known, note, table_moves } = this.data;
    const alpha = led?.[5] ?? null;
    const more = line.length ? { known: led ? this.known(led) : null } : { end: ending as ShownPlace['end'], known, note, table_moves };
    return { ...this.make(-1), alpha: scoreOf(alpha === null ? null : -alpha), ...more };
  }

  /** The tables' words about a move. */
  known(move: PageMove): string | null {
    return this.data.table_words[Math.floor(move[6] / KNOWN) - 1] ?? null;
  }

  /** The line under which the moves of a place are printed; null where it is this one, or none are. */
  printedElsewhere(line: readonly string[]): Move[] | null {
    const at = this.made.indexOf(this.place(line));
    const printed = at < 0 ? null : this.lineTo(at);
    return printed && printed.map(move => move.uci).join() !== line.join() ? printed : null;
  }

  /** The tree's best moves behind a line. */
  bestLine(line: readonly string[]): Move[] {
    return this.bestFrom(this.made.indexOf(this.place(line)));
  }

  /** The best moves from a place on; ends before it would go in a circle. */
  private bestFrom(place: number, most = 80): Move[] {
    const seen = new Set<number>();
    const line: Move[] = [];
    while (place >= 0 && !seen.has(place) && line.length < most) {
      seen.add(place);
      const move = this.data.places[place]?.[0];
      if (!move || move[5] === null) break;
      line.push({ uci: move[0], san: move[1] });
      if (move[6] & REPETITION) break;
      place = move[7];
    }
    return line;
  }

  /** The moves from the start to a place, as they are printed. */
  lineTo(place: number): Move[] {
    const moves: Move[] = [];
    for (let at = this.parents[place]; at; at = this.parents[at.place]) moves.push({ uci: at.move[0], san: at.move[1] });
    return moves.reverse();
  }

  private make(at: number): FilePlace {
    const { data } = this;
    const moves = (data.places[at] ?? []).map((raw, i) => new FileMove(this, at, i, raw));
    const line = this.bestFrom(at);
    const [first] = moves;
    const told = at === 0 && data.told ? this.named(data.told.line) : null;
    const best = told ? { score: scoreOf(data.told!.score)!, line: told } : first?.alpha ? { score: first.alpha, line } : null;
    const closing = this.closing(at);
    const chosen = closing && { uci: closing.uci, san: closing.san, score: scoreOf(closing.score)!, line: this.named(closing.line), wdl: null };
    return {
      moves,
      analysed: moves.length > 0,
      alpha: first?.alpha ?? null,
      best: best && { ...best, ...best.line[0]! },
      // The tree's scores stay where they are, and the closing search's stand beside them.
      verdict: chosen ? { ...chosen, by: 'tree', other: chosen, second: null } : null,
      table_moves: at === 0 ? data.table_moves : [],
      end: null,
      known: null,
      note: at === 0 ? data.note : null,
      opening: null,
      stopped: false,
      value: null,
    };
  }

  /** The closing search's answer for a move, or for its best one. */
  closing(place: number, uci?: string): PageClosingMove | undefined {
    return place === 0 ? this.data.closing_moves.find(one => one.uci === (uci ?? one.uci)) : undefined;
  }

  /** The best line that begins with a move: along one of the first moves' lines what the engine said behind the tree, too. */
  behind(place: number, [uci, san, , , , alpha, flags, target]: PageMove, index: number): Behind {
    const above = this.lineTo(place).map(move => move.uci);
    const played = [...above, uci];
    const known = place === 0 ? this.lines[index] : this.lines.find(one => played.every((move, i) => one.moves[i]?.uci === move));
    if (known) return { line: known.moves.slice(above.length), in_tree: Math.max(0, known.inTree - above.length), line_end: known.end };
    const line = [{ uci, san }, ...(flags & REPETITION || alpha === null ? [] : this.bestFrom(target, SHOWN))];
    return { line, in_tree: line.length, line_end: null };
  }

  /** Moves in UCI from the start, with their names. */
  private named(line: string): Move[] {
    return sansOf(this.start, words(line));
  }

  /** The place of a position that was reached outside of the tree. */
  private find(line: readonly string[]): number {
    this.keys ??= this.index();
    return this.keys.get(keyOf(line.reduce(play, this.start))) ?? -1;
  }

  private index(): Map<string, number> {
    const positions: Position[] = [];
    return new Map(this.data.places.map((_, i) => {
      const above = this.parents[i];
      positions.push(above ? play(positions[above.place]!, above.move[0]) : this.start);
      return [keyOf(positions[i]!), i];
    }));
  }
}
