// What the server speaks of, as /api/openapi.json of a running server has it.
import { format, type Value } from '../../../shared/score';
import type { Wdl } from '../../../shared/wdl';
import { grouped } from '../../../shared/words';

/** What the user says a position is worth: centipawns for White, or as much as a draw. */
export type GivenValue = number | 'draw';

/** A value that says who wins, in centipawns. */
const DECIDED = 30000;

/** Of the side to move, or of the side that plays the move. */
export type Score = { cp: number } | { mate: number };

export interface San {
  uci: string;
  san: string;
}

export interface Limit {
  depth?: number;
  nodes?: number;
}

/** A set of games that a tree knows, and which of what is played it follows: shares as `5%/10`. */
export interface KnownGames {
  set: string;
  games: number;
  filter: string;
  played: { white: string | null; black: string | null };
}

export interface Depth {
  settled: number | null;
  target: number;
}

export interface Run {
  state: 'growing' | 'paused' | 'idle' | 'done' | 'failed' | 'elsewhere';
  weight: number;
  place: number | null;
  stages: boolean;
  limit: Limit | null;
  depth: number | null;
  target: number;
  waiting: number;
  busy: number;
  searches: number;
  nodes: number;
  elapsed_ms: number;
  searches_per_second: number;
  message: string | null;
  /** When it is paused, in milliseconds since 1970. */
  pause_at: number | null;
  /** The chance in per cent that the best move stays at which it is done. */
  until_stable: number | null;
  /** Whether a closing search is being made. */
  closing: boolean;
  /** How many scores a recheck has asked again that is being made, of those that can be. */
  rechecking: { asked: number; leaves: number } | null;
}

/** With scores for White, and for the side to move. */
export interface ForBoth {
  white: string;
  mover: string;
}

/** A move of a root that somebody has chosen, with what is expected to follow. */
export interface Chosen extends San {
  score: Score;
  /** Of a thousand games, for the mover; null where nobody has said it. */
  wdl: Wdl | null;
  line: San[];
}

/** The move that is told as the best one of a root. */
export interface ToldVerdict extends Chosen {
  by: 'closing' | 'tree';
  agree: boolean;
  /** What the other one has chosen; null, as the words are, where there is no closing search. */
  other: Chosen | null;
  words: ForBoth | null;
}

export interface Root {
  id: number;
  analysis: number;
  name: string | null;
  label: string;
  root: string;
  history: string[];
  start?: string;
  variant?: 'chess960';
  engine: { name: string; options: Record<string, string> };
  distance?: string;
  widths: { white: string; black: string };
  root_moves: number;
  /** Centipawns for White; not there where a draw is worth nothing to either side. */
  draw_value?: number;
  depth: Depth;
  value: Score | null;
  best: San[];
  verdict: ToldVerdict | null;
  positions: number;
  searches: number;
  passes: number;
  engine_time_ms: number;
  changed_at: number;
  stages: { analysis: number; limit: Limit; depth: Depth; value: Score | null }[];
  directives: number;
  pending: boolean;
  own_engine: boolean;
  /** Whether its engine computes win, draw and loss from the score alone. */
  computes_wdl: boolean;
  games: KnownGames | null;
  /** Whether the server has the games that the tree knows, if it knows any. */
  own_games: boolean;
  archived: boolean;
  /** The whole game of which it is a position. */
  whole_game: number | null;
  run: Run;
}

/** A game that is analysed as a whole. */
export interface WholeGame {
  id: number;
  title: string;
  event: string;
  result: string;
  plies: number;
  created_at: number;
  /** The first position first. */
  analyses: { ply: number; id: number; made: boolean }[];
}

/** A player's games beside a repertoire. */
export interface Review {
  player: string | null;
  counts: { games: number; elsewhere: number; stayed: number; player: number; opponent: number; end: number };
  places: { games: number; line: string[]; by: 'player' | 'opponent' | 'end'; ply: number; epd: string; played: San; right: (San & { value: Score | null })[]; line_of_right: string[]; tree: { cost: number } | null; engine: { cost: number } | null }[];
  root: string;
}

export interface PlaceMove extends San {
  rank: number | null;
  eval: Score | null;
  idea: Score | null;
  alpha: Score | null;
  /** What the closing search of the root says, where one of its engines has chosen the move. */
  closing: Score | null;
  candidate: boolean;
  included: boolean;
  excluded: boolean;
  repetition: boolean;
  analysed: boolean;
  end: string | null;
  /** What tablebases say: from -2 to 2 for the side to move behind it, and in words for the mover. */
  /** By tables, for the side to move behind it; or of a thousand games at the end of the best line, for the mover, as told by the engine. */
  wdl: number | Wdl | null;
  known: string | null;
  value: GivenValue | null;
  stopped: boolean;
  note: string | null;
  positions: number;
  plies: number;
  /** Begins with the move; the first `in_tree` are the tree's. */
  line: San[];
  in_tree: number;
  line_end: string | null;
  /** In how many games it was played, and their share of the position's, 0 to 1, where that is known. */
  games: number | null;
  share: number | null;
  /** Whether it is followed since it is played. */
  played: boolean;
  /** The expected score of the side that was asked for, 0 to 1. */
  expected: number | null;
}

/** What the engine has said of how games end behind a move; null where it has not, or tables know the position. */
export const saidOf = ({ wdl }: PlaceMove): Wdl | null => (typeof wdl === 'number' ? null : wdl);

/** A move of a root that tablebases know: from -2 to 2 and in words for its mover, and plies to a capture, pawn move or mate. */
export interface TableMove extends San {
  wdl: number;
  dtz: number | null;
  known: string;
}

/** How far a verdict is to be trusted: of the very tree whose verdict it is. */
export interface VerdictTrust {
  /** The chance in per cent that its move stays, and that in words: "87 % likely to stay". */
  stays: number | null;
  likely: string | null;
  /** What would make another move the best, as a sentence. */
  holds: ForBoth | null;
  /** The change that has led to this verdict, where it is known. */
  change: Change | null;
}

export interface Place {
  id: number;
  analysis: number;
  passes: number;
  fen: string;
  line: San[];
  alpha: Score | null;
  /** Of the root alone. */
  verdict: ToldVerdict | null;
  trust: VerdictTrust | null;
  analysed: boolean;
  end: string | null;
  wdl: number | null;
  known: string | null;
  note: string | null;
  value: GivenValue | null;
  stopped: boolean;
  opening: { eco: string; name: string } | null;
  moves: PlaceMove[];
  /** The best first. */
  table_moves: TableMove[];
}

export interface Change {
  at: number;
  from: { san: string; value: Score } | null;
  to: { san: string; value: Score };
  because: string | null;
}

export interface Course {
  stages: { analysis: number; limit: Limit; points: { at: number; best: San; alpha: Score }[]; settled: { depth: number; at: number }[]; speaks_from: number | null }[];
  changes: Change[];
}

/** What the command line tells of it, in its words. */
export interface Trust {
  words: { verdict: ForBoth | null; stays: string | null; draw: ForBoth | null;
    stability: ForBoth | null; closing: ForBoth | null; rechecks: ForBoth[] };
}

export interface Directive {
  line: string[] | null;
  words: string;
  epd: string;
  kind: 'exclude' | 'include' | 'value' | 'stop' | 'note';
  uci?: string;
  san?: string;
  value?: GivenValue;
  text?: string;
  at: number;
}

export interface Directives {
  revision: number;
  pending: boolean;
  undo: string | null;
  directives: Directive[];
}

export interface Finding {
  kind: 'loss' | 'unprepared' | 'unreached';
  line: string[];
  uci?: string;
  san?: string;
  value?: Score;
  against?: { uci: string; san: string; value: Score };
  cost?: number;
  answer?: San;
}

export interface Audit {
  side: 'white' | 'black';
  positions: number;
  own_moves: { all: number; losing: number };
  replies: { all: number; unprepared: number };
  unreached: number;
  findings: Finding[];
  /** Only where games are counted. */
  against_people?: GamesAudit;
}

/** A repertoire against people: shares, chances and expected scores are from 0 to 1. */
export interface GamesAudit {
  expected: number | null;
  /** How likely a game is still in the tree behind each move of the other side. */
  coverage_by_move: { move: number; stays: number }[];
  gap_count: number;
  gaps: { line: string[]; uci: string; san: string; games: number; share: number; leaves: number; cost: number | null }[];
  loss_count: number;
  losses: { line: string[]; uci: string; san: string; expected: number; better: { san: string; expected: number }; reach: number }[];
}

/** The way to a position of a tree. */
export interface FoundLine {
  line: { uci: string; san: string }[];
  words: string;
}

export interface Engines {
  engines: { number: number; searching: { id: number; fen: string; limit: Limit | null; since: number } | null }[];
  up: number;
  searches: number;
  nodes: number;
  nodes_per_second: number;
  faults: number;
  messages: { at: number; text: string }[];
}

export interface Server {
  program: string;
  instance: string;
  engine: { name: string; options: Record<string, string> };
  engines: number;
  distance: string;
  distance_white: string;
  distance_black: string;
  /** Centipawns for White. */
  draw_value: number;
  depth: number;
  first_engine_depth: number | null;
  /** Of the first searches of a new root; with `stages` more follow. */
  limit: Limit;
  stages: boolean;
  database: string;
  /** Which new analyses know. */
  games: KnownGames | null;
}

export interface Message {
  id: number | null;
  at: number;
  kind: 'settled' | 'verdict' | 'fault' | 'directed' | 'stage' | 'ended' | 'merge' | 'page';
  text: string;
}

export interface PgnGame {
  number: number;
  heading: string;
  start: string;
  moves: San[];
  /** The game alone. */
  pgn?: string;
  error?: string;
}

/** A database that was taken over, or is being. */
export type Merge = { id: number; name: string } & ({ state: 'running' } | { state: 'done'; lines: string[] } | { state: 'failed'; error: string; hint: string | null });

/** Some of the games of a file that are found, and how many there are. */
export interface PgnGames {
  games: PgnGame[];
  total: number;
}

/** A score as the shared parts have it: one ordered integer. */
export function valueOf(score: Score): Value {
  if ('cp' in score) return score.cp;
  return score.mate > 0 ? 32000 - (2 * score.mate - 1) : -(32000 + 2 * score.mate);
}

export const limitWords = (limit: Limit): string =>
  limit.nodes ? `${grouped(limit.nodes)} nodes` : `engine depth ${limit.depth ?? '?'}`;

/** What the closing search says of a move, in words. */
export const closingWords = (score: Score, turn: 1 | -1): string => `closing search ${format(valueOf(score), turn)}`;

/** What the user says a position is worth, in words. */
export function worthWords(value: GivenValue): string {
  if (value === 'draw') return 'a draw';
  if (Math.abs(value) >= DECIDED) return value > 0 ? 'White wins' : 'Black wins';
  return `${format(value)} for White`;
}
