// The tree as the program wrote it into the page, and as the rest of the page sees it.

import type { Stage } from '../../shared/courseplot';
import type { Value } from '../../shared/score';
import type { Wdl } from '../../shared/wdl';

/** What the user has said of the position after a move: its value in words, and a note. */
type RawSaid = [string | null, string | null];

/** In how many games it was played, their share of the position's, and the expected score of the side that is asked for, both 0 to 1. */
type RawGames = [number | null, number | null, number | null];

/** [uci, san, rank, eval, idea, alpha, flags, place or -1, opening or absent, said or absent, games or absent, win, draw and loss or absent] */
type RawMove = [string, string, number | null, Value | null, Value | null, Value | null, number, number, (number | null)?, (RawSaid | null)?, (RawGames | null)?, Wdl?];

export interface Verdict {
  depth: number;
  positions: number;
  searches: number;
  time: number | null;
  /** The root's alpha, for its side to move. */
  value: Value | null;
  moves: { uci: string; san: string; alpha: Value; line: string }[];
}

/** What lies behind one of the first moves: the tree's best line with it, then how the engine's own search goes on. */
export interface RawLine {
  /** UCI, and both in SAN; words. */
  moves: string;
  own: string;
  sans: string;
  /** Why the line ends, where that is not seen. */
  end: string | null;
}

/** A move of a root that tablebases know: what it comes to for its mover, and plies to a capture, pawn move or mate. */
export interface TableMove {
  uci: string;
  san: string;
  wdl: number;
  dtz: number | null;
  known: string;
}

export interface Data {
  program: string;
  title: string;
  pov: 'mover' | 'white';
  start: string;
  root: string;
  /** Where the game begins, and its moves to the start of the page. */
  game: string;
  before: string;
  line: string;
  ply: number;
  engine: string;
  distance: string;
  /** How many directives the tree was grown with, and whether the root has others by now. */
  directed: string | null;
  /** What a command about this root begins with, and the moves to the start of the page. */
  command: string;
  command_line: string;
  note: string | null;
  settled: number | null;
  target: number;
  positions: number;
  searches: number;
  passes: number;
  value: Value | null;
  ending: string | null;
  /** What tablebases say of the start for its side to move. */
  known: string | null;
  /** Its moves, the best first, where it is a root that they know. */
  table_moves: TableMove[];
  opening: number | null;
  openings: [string, string][];
  verdicts: Verdict[];
  lines: RawLine[];
  stages: Stage[];
  /** How likely it is that the best move of the root stays, in words. */
  stays: string | null;
  /** How far the best move of the root holds, and its closing search, in words: for White, and for the side to move. */
  holds: [string, string] | null;
  /** What makes a draw the best there is at the start of the page, where it is. */
  drawn: [string, string] | null;
  closing: [string, string] | null;
  /** The moves that engines of the closing search have chosen, the best first: with what they expect to follow, in UCI. */
  closing_moves: { uci: string; san: string; score: Value; line: string }[];
  /** By which rules moves are followed since they are played, in words; null where games are not counted. */
  games: string | null;
  /** For whom points are, what is advised at the start of the page, and how much of the games the tree answers. */
  people: { side: 'White' | 'Black'; advice: string | null; words: string } | null;
  /** Whether win, draw and loss are computed from the score. */
  wdl_computed: boolean;
  /** The move that is told as the best one, with what is expected to follow, in UCI; and whose choice it is, in words. */
  told: { score: Value; line: string; whose: [string, string] } | null;
  places: RawMove[][];
}

export const enum Flag {
  Candidate = 1,
  Repetition = 2,
  Transposition = 4,
  Checkmate = 8,
  Stalemate = 16,
  Insufficient = 32,
  /** Analysed, but cut off by --plies. */
  Cut = 64,
  Included = 128,
  Excluded = 256,
  Valued = 512,
  Stopped = 1024,
  /** From this bit on, a place in KNOWN. */
  Known = 2048,
}

/** What tablebases say, for the side that plays the move. */
const KNOWN = [
  '',
  'won (tables)',
  'won, drawn by the fifty-move rule',
  'won, beyond the fifty-move rule (tables)',
  'drawn (tables)',
  'lost, beyond the fifty-move rule (tables)',
  'lost, drawn by the fifty-move rule',
  'lost (tables)',
];

export interface Move {
  /** Where it is played, and its number there. */
  place: number;
  index: number;
  uci: string;
  san: string;
  /** Of the engine's list; null where it is not listed, as its eval is. */
  rank: number | null;
  eval: Value | null;
  /** Null where the move does not count: it is excluded, or included and not analysed yet. */
  idea: Value | null;
  alpha: Value | null;
  flags: number;
  /** The place with the moves of the position after it, or -1. */
  target: number;
  opening: number;
  /** What the user says the position after it is worth, and notes. */
  value: string;
  note: string;
  /** In how many games it was played, their share of the position's, and the expected score, both 0 to 1. */
  games: number | null;
  share: number | null;
  expected: number | null;
  /** How games end at the end of its best line as told by the engine. */
  wdl: Wdl | null;
}

export interface Place {
  /** The move that leads to it in the printed tree; none for the first. */
  parent: Move | null;
  /** Distance from the start of the page. */
  depth: number;
  moves: Move[];
}

/** A line as the page shows it: what the tree has of it, and behind that what the engine's own search said. */
export interface Line {
  moves: { uci: string; san: string }[];
  /** How many of the moves are the tree's. */
  inTree: number;
  end: string;
}

/** A line that is shown behind a move has at most so many moves. */
const SHOWN = 16;

export class Tree {
  readonly places: Place[];
  readonly lines: Line[];

  constructor(readonly data: Data) {
    this.lines = data.lines.map(raw => {
      const words = (text: string) => text.split(' ').filter(Boolean);
      const sans = words(raw.sans);
      const moves = [...words(raw.moves), ...words(raw.own)].map((uci, i) => ({ uci, san: sans[i] ?? uci }));
      return { moves, inTree: words(raw.moves).length, end: raw.end ?? '' };
    });
    this.places = data.places.map((raw, place) => ({
      parent: null,
      depth: 0,
      moves: raw.map((m, index) => ({
        place,
        index,
        uci: m[0],
        san: m[1],
        rank: m[2],
        eval: m[3],
        idea: m[4],
        alpha: m[5],
        flags: m[6],
        target: m[7],
        opening: m[8] ?? -1,
        value: m[9]?.[0] ?? '',
        note: m[9]?.[1] ?? '',
        games: m[10]?.[0] ?? null,
        share: m[10]?.[1] ?? null,
        expected: m[10]?.[2] ?? null,
        wdl: m[11] ?? null,
      })),
    }));
    // Breadth first: a parent stands before its children.
    for (const place of this.places) {
      for (const move of place.moves) {
        const child = this.child(move);
        if (child) {
          child.parent = move;
          child.depth = place.depth + 1;
        }
      }
    }
  }

  /** The place whose moves are printed below this move. */
  child(move: Move): Place | undefined {
    const elsewhere = move.flags & (Flag.Repetition | Flag.Transposition);
    return elsewhere || move.target < 0 || move.alpha === null ? undefined : this.places[move.target];
  }

  /** The moves from the start to a place, as they are printed. */
  lineTo(place: number): Move[] {
    const moves: Move[] = [];
    for (let at = this.places[place]?.parent; at; at = this.places[at.place]?.parent) moves.push(at);
    return moves.reverse();
  }

  /** The best moves onwards from a place; ends before it would go in a circle. */
  bestLine(place: number, most = 80): Move[] {
    const seen = new Set<number>();
    const line: Move[] = [];
    while (place >= 0 && !seen.has(place) && line.length < most) {
      seen.add(place);
      const move = this.places[place]?.moves[0];
      if (!move || move.alpha === null) break;
      line.push(move);
      if (move.flags & Flag.Repetition) break;
      place = move.target;
    }
    return line;
  }

  /** What follows a line from the start, along one of the first moves' lines; undefined where none goes there. */
  behind(played: string[]): Line | undefined {
    const line = played.length ? this.lines.find(one => played.every((uci, i) => one.moves[i]?.uci === uci)) : this.lines[0];
    return line && { ...line, moves: line.moves.slice(played.length), inTree: Math.max(0, line.inTree - played.length) };
  }

  /** The best line behind a move that is played after others. */
  after(played: string[], move: Move): Line {
    const known = this.behind([...played, move.uci]);
    if (known) return known;
    const moves = move.flags & Flag.Repetition || move.alpha === null ? [] : this.bestLine(move.target, SHOWN);
    return { moves, inTree: moves.length, end: '' };
  }

  opening(index: number): string {
    const found = this.data.openings[index];
    return found ? `${found[0]} ${found[1]}` : '';
  }
}

export function readTree(): Tree {
  const text = document.getElementById('tree-data')?.textContent ?? '';
  return new Tree(JSON.parse(text) as Data);
}

/** How the game ends with a move, or ''. */
export function ending(move: Move): string {
  if (move.flags & Flag.Checkmate) return 'checkmate';
  if (move.flags & Flag.Stalemate) return 'stalemate';
  if (move.flags & Flag.Insufficient) return 'insufficient material';
  return known(move);
}

/** What tablebases say of the position behind a move, for the side that plays it, or ''. */
export function known(move: Move): string {
  return KNOWN[Math.floor(move.flags / Flag.Known) % KNOWN.length] ?? '';
}
