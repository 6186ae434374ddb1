// The tree as the program wrote it into the page, and as the rest of the page sees it.

import type { PageData, PageMove, Wdl } from '../../shared/contract';
import type { Value } from '../../shared/score';

export type Data = PageData & { places: PageMove[][] };

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
  /** From this bit on, a place in the tables' words, from 1. */
  Known = 2048,
}

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
  /** What tablebases say of the position behind it, for the side that plays it, or ''. */
  known: string;
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
        known: data.table_words[Math.floor(m[6] / Flag.Known) - 1] ?? '',
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
  return move.known;
}
