// Generated, as openapi.json is: DEEPANALYZE_WRITE_CONTRACT=1 cargo test -p deepanalyze-serve contract

/** The accuracy of both sides: the mean of their moves', 0 to 100; null for a side without known moves. */
export interface Accuracy {
  black: number | null;
  /** Source of the expected points. */
  from: "wdl" | "score" | "both";
  white: number | null;
}

/** An address of the page for other devices. */
export interface Address {
  /** Its QR code: rows of 0 and 1, where 1 is dark. */
  code: string[];
  url: string;
}

/** The page's addresses for other devices. */
export interface Addresses {
  addresses: Address[];
}

/** All analyses, and the step of the events that they are of. */
export interface Analyses {
  analyses: Root[];
  instance: string;
  step: number;
}

/** A game in JSON, and on its page. Scores are the mover's. */
export interface AnnotatedGame {
  /** Of each side, 0 to 100, and its source; null if no move is judged. */
  accuracy: Accuracy | null;
  /** Centipawns, where both sides have the same plain one. */
  distance?: number;
  /** Centipawns for White. */
  draw_value?: number;
  /** Null if no position is analysed. */
  engine: Engine | null;
  format: number;
  positions: PositionOfGame[];
  result: string;
  root_moves?: number;
  /** FEN of the initial position. */
  start: string;
  tags: Record<string, string>;
  /** Only of Chess960. */
  variant?: "chess960";
  widths?: Widths;
}

/** A report with the number of its format in front. */
export interface Audit {
  /** The audit against people; only if games are counted. */
  against_people?: GamesAudit;
  analysis: number;
  /** Centipawns, where both sides have the same plain one. */
  distance?: number;
  /** Centipawns for White. */
  draw_value?: number;
  ends: number;
  engine: Engine;
  findings: Finding[];
  /** The number of the format. */
  format: number;
  games?: GamesOfTree;
  history: string[];
  /** Positions where a line ends, and the replies there: findings without a cost. */
  line_ends: LineEnds;
  /** Own moves that lose more are findings. */
  most_lost: number;
  own_moves: OwnMoves;
  /** The tree was grown with other directives. */
  pending?: boolean;
  positions: number;
  replies: Replies;
  /** FEN. */
  root: string;
  root_moves: number;
  /** A side, in one word. */
  side: "white" | "black";
  unreached: number;
  /** Only if the history began as only Chess960 can; castling is then the king's move onto its rook. */
  variant?: "chess960";
  widths: Widths;
}

/** A move of a position, in UCI notation and in SAN. */
export interface Avoiding {
  alpha: Score;
  /** In centipawns; null where the move is mated. */
  cost: number | null;
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
}

/** The changes of a root. */
export interface Change {
  /** Moves it to the archive, or out of it. */
  archived?: boolean | null;
  /** The analysis to place it before; null: at the end. */
  before?: number | null;
  depth?: number | null;
  name?: string | null;
  /** Milliseconds since 1970, UTC. */
  pause_at?: number | null;
  until_stable?: number | null;
  weight?: number | null;
}

/** A chosen move, or the verdict's. */
export interface Chosen {
  /** The move, and its expected line. */
  line: Move[];
  /** In SAN. */
  san: string;
  /** Its score for its mover. */
  score: Score;
  /** The move. */
  uci: string;
  /** Wins, draws and losses in a thousand games, for the mover; null if unknown. */
  wdl: Wdl | null;
}

/** The source of a choice. */
export type ChosenBy = "closing" | "tree";

/** A closing search as JSON: the choices of the engines, and after how much. */
export interface Closing {
  /** True if all engines have finished, or the clock has ended it. */
  complete: boolean;
  /** The engine depth of the iteration that chose it, in plies. */
  depth: number;
  /** Number of engines. */
  engines: number;
  /** The limit of each engine's search; null if the clock ends it. */
  limit: Limit | null;
  /** The engine's principal variation, as far as it can be played; that move first. */
  line: string[];
  /** Of all engines. */
  nodes: number;
  /** The other moves that an engine chose, the best first. */
  others: ClosingMove[];
  /** Passes of the tree then. */
  passes: number;
  /** In SAN. */
  san: string;
  /** Its score for its mover. */
  score: Score;
  tree_limit: Limit;
  /** The move. */
  uci: string;
  /** How games end by its engine's word, for its mover; none where it has not said it. */
  wdl?: Wdl;
}

/** A root move chosen by an engine, of all or of its share. */
export interface ClosingMove {
  /** The engine depth of the iteration that chose it, in plies. */
  depth: number;
  /** The engine's principal variation, as far as it can be played; that move first. */
  line: string[];
  /** In SAN. */
  san: string;
  /** Its score for its mover. */
  score: Score;
  /** The move. */
  uci: string;
  /** How games end by its engine's word, for its mover; none where it has not said it. */
  wdl?: Wdl;
}

export interface Compared {
  best: Score;
  /** Centipawns. */
  cost: number;
  played: Score;
}

/** A position where tree and engine differ. */
export interface Contradiction {
  /** In expected score, 0 to 1, to three digits. */
  difference: number;
  /** The engine's move. */
  engine: ScoredMove;
  /** The position. */
  epd: string;
  /** The moves from the root. */
  line: string[];
  /** Distance from the root. */
  ply: number;
  /** The tree's move. */
  tree: ScoredMove;
}

/** This many directives were copied from the game this many plies before. */
export interface Copied {
  /** Directives. */
  count: number;
  /** Plies. */
  plies: number;
}

/** The course of the verdict. */
export interface Course {
  changes: VerdictChange[];
  stages: StageCourse[];
}

export interface CoursePoint {
  alpha: Score;
  at: number;
  best: Move;
}

/** Progress of a tree, and its target. */
export interface Depth {
  /** The deepest complete depth, in plies. */
  settled: number | null;
  target: number;
}

export interface DepthSettled {
  at: number;
  depth: number;
}

/** The result of a change. */
export interface Directed {
  /** The number of this change, for undoing it; null if nothing was new. */
  change: number | null;
  revision: number;
  words: string;
}

/** A directive on a position. */
export interface Directive {
  /** Milliseconds since 1970, UTC. */
  at: number;
  epd: string;
  kind: "exclude" | "include" | "value" | "stop" | "note";
  /** The moves to the position, in SAN. The words end with the move if it is about one. */
  line: string[] | null;
  san?: string;
  text?: string;
  uci?: string;
  value?: GivenValue;
  words: string;
}

/** The directives of a root. */
export interface Directives {
  directives: Directive[];
  /** All of them, as PUT takes them. */
  file: DirectivesFile;
  /** True if the tree was grown with others. */
  pending: boolean;
  /** Number of their changes. */
  revision: number;
  /** The change that undo would reverse. */
  undo: string | null;
}

/** A set as a file has it: directives by the EPD of their position, moves in UCI notation. */
export interface DirectivesFile {
  /** Moves that are not searched. */
  exclude?: Record<string, string[]>;
  /** Moves that are searched, whatever they score. */
  include?: Record<string, string[]>;
  /** Notes. */
  note?: Record<string, string>;
  /** Positions behind which nothing is searched. */
  stop?: string[];
  /** Values of positions. */
  value?: Record<string, GivenValue>;
}

/** A draw that is the best there is, as programs read it. Scores are the mover's. */
export interface Drawn {
  /** The best move that avoids it; null if none does. */
  avoiding: Avoiding | null;
  /** The end that makes it one. */
  by: EndOfLine;
  /** The moves up to it. */
  line: string[];
}

/** Reason why a tree ends there. */
export type EndOfLine = "checkmate" | "stalemate" | "insufficient material" | "tables" | "value" | "repetition";

/** An engine, with its limit or without. */
export interface Engine {
  limit?: Limit;
  name: string;
  options: Record<string, string>;
}

export interface EngineMessage {
  /** Milliseconds since 1970, UTC. */
  at: number;
  text: string;
}

export interface EngineSearch {
  /** This many moves are left out: they were answered before. */
  excluded: number;
  fen: string;
  /** Its analysis on the agenda. */
  id: number;
  /** Null if the clock ends it: a closing search. */
  limit: Limit | null;
  /** Milliseconds since 1970, UTC. */
  since: number;
}

export interface EngineState {
  number: number;
  /** Null if it is idle. */
  searching: EngineSearch | null;
}

/** The state of the engines. */
export interface EngineStates {
  engines: EngineState[];
  faults: number;
  /** The newest first; not in the stream of events. */
  messages?: EngineMessage[];
  nodes: number;
  nodes_per_second: number;
  searches: number;
  /** Engines that work or could be started. */
  up: number;
}

/** The refusal of a request. */
export interface Error {
  /** The error. */
  error: string;
  /** A hint for the user. */
  hint?: string;
}

/** A move of a position, in UCI notation and in SAN. */
export interface ExpectedMove {
  expected: number;
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
}

/** Size of a database on the disk. */
export interface FileTaken {
  /** Bytes of the file. */
  bytes: number;
  /** Bytes of the log beside it. */
  log_bytes: number;
  /** Size of each table. */
  tables: TableShare[];
}

/** A move of a position, in UCI notation and in SAN. */
export interface Finding {
  against?: MoveFound;
  answer?: MoveFound;
  cost?: number;
  epd: string;
  /** The kind of a finding. */
  kind: "loss" | "unprepared" | "unreached";
  /** From the root. */
  line: string[];
  /** How often games meet the reply; absent if never. */
  met?: Met;
  /** In SAN. */
  san?: string;
  /** The move. */
  uci?: string;
  /** The mover's. */
  value?: Score;
}

/** A move of a position, in UCI notation and in SAN. */
export interface Flip {
  change: number;
  leaves: LeafMoved[];
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
}

/** Words with scores for White, and for the side to move. */
export interface ForBoth {
  mover: string;
  white: string;
}

/** The way to a position of a tree. */
export interface FoundLine {
  line: Move[];
  /** The line with move numbers: 12. Nf3 d5. */
  words: string;
}

/** A game with the data of its page. */
export interface GamePage {
  /** The analyses of its positions, the first position first. */
  analyses: PositionAnalysed[];
  /** Milliseconds since 1970, UTC. */
  created_at: number;
  event: string;
  id: number;
  /** Data of the game's page; `game` is as `export json --every` has it. */
  page: GamePageData;
  plies: number;
  result: string;
  /** The players, or the event. */
  title: string;
}

/** Data for the page's script; `web/game/src/data.ts` is the other end. */
export interface GamePageData {
  /** The accuracy of each side, in words. */
  accuracy: string | null;
  engine: string;
  event: string;
  /** As in JSON. */
  game: AnnotatedGame;
  /** The side for which scores are written. */
  pov: "mover" | "white";
  /** The players, or the event. */
  title: string;
}

export interface GameReviewed {
  black: string | null;
  /** True if it reached the repertoire. */
  came: boolean;
  date: string | null;
  /** Null if it did not leave. */
  left: Left | null;
  /** In the file, from 1. */
  number: number;
  result: string | null;
  white: string | null;
}

/** An action on all positions of a game. */
export interface GameSteering {
  /** The action on the analyses of all its positions. */
  action: "start" | "pause";
}

/** Games of a file. */
export interface Games {
  games: PgnGame[];
  /** Number of games found. */
  total: number;
}

/** A repertoire against people. Shares, chances and expected scores are from 0 to 1. */
export interface GamesAudit {
  /** Chance that a game stays in the tree while it is walked: the last of `coverage_by_ply`. */
  coverage: number | null;
  /** Behind each move of the other side, before the tree ends, as in text. */
  coverage_by_move: MoveCoverage[];
  coverage_by_ply: number[];
  /** Coverage before the tree ends. */
  coverage_inside: number;
  expected: number | null;
  gap_count: number;
  gaps: Gap[];
  loss_count: number;
  losses: Loss[];
  sound: number;
}

/** The games that a tree knows, and from which share and number of games on a played move is followed. */
export interface GamesOfTree {
  black: string | null;
  digest: string;
  filter?: string;
  games: number;
  /** The nets that predict moves of people. */
  human?: HumanNets;
  set: string;
  white: string | null;
}

/** A move of a position, in UCI notation and in SAN. */
export interface Gap {
  /** Null if unknown. */
  cost: number | null;
  epd: string;
  games: number | null;
  /** Chance that a game leaves the tree here. */
  leaves: number;
  /** From the root, by the moves of most games. */
  line: string[];
  /** In SAN. */
  san: string;
  share: number;
  /** The move. */
  uci: string;
}

/** A position's value given by the user: in a file a number, or the word `"draw"`. */
export type GivenValue = number | "draw";

/** The first event of a stream. */
export interface HelloEvent {
  /** Another one at each start of the server. */
  instance: string;
  step: number;
}

/** Nets of human play: the one for each side by its name, and the number of games that their probabilities stand for beside counted ones. */
export interface HumanNets {
  black: string | null;
  weight: number;
  white: string | null;
}

/** A set of games that a tree knows, and the rules by which it follows played moves. */
export interface KnownGames {
  /** The selection of its counted games, in words; empty for all. */
  filter: string;
  games: number;
  /** The nets that predict moves of people. */
  human?: HumanNets;
  played: PlayedRules;
  set: string;
  /** All of them in words: `club, 1,234 games; people like maia-1500`. */
  words: string;
}

/** Positions that lead back to themselves. */
export interface LargeCircle {
  /** The position. */
  epd: string;
  /** The moves from the root. */
  line: string[];
  /** Distance from the root. */
  ply: number;
  /** Size. */
  positions: number;
}

export interface LeafMoved {
  from: Score;
  line: string[];
  to: Score;
}

export interface Left {
  /** The cause of leaving. */
  by: "player" | "opponent" | "end";
  engine: Compared | null;
  epd: string;
  /** The first of them, and the tree's line behind it. */
  line_of_right: string[];
  played: Move;
  /** Moves of the game played before. */
  ply: number;
  right: RightMove[];
  tree: Compared | null;
}

/** The limit of one search. */
export type Limit = {
  depth: number;
} | {
  nodes: number;
};

/** Ends of lines. */
export interface LineEnds {
  /** Positions behind which no reply is prepared. */
  positions: number;
  /** Replies within the distance there. */
  replies: number;
}

/** A move of a position, in UCI notation and in SAN. */
export interface Loss {
  better: ExpectedMove;
  epd: string;
  expected: number;
  /** From the root, by the moves of most games. */
  line: string[];
  /** Chance that a game plays it. */
  reach: number;
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
}

/** A database that was merged, or is being. */
export type Merge = {
  /** Its number, by which it is cancelled. */
  id: number;
  name: string;
} & ({
  state: "running";
} | {
  /** Lines about the result. */
  lines: string[];
  state: "done";
} | {
  /** Why it has failed; `cancelled` if it was. */
  error: string;
  hint: string | null;
  state: "failed";
});

/** Databases sent to be merged. */
export interface Merges {
  /** The last one first. */
  merges: Merge[];
}

/** A message for one delivery. */
export interface MessageEvent {
  /** Milliseconds since 1970, UTC. */
  at: number;
  /** Its root. */
  id: number | null;
  /** Its kind. */
  kind: "settled" | "verdict" | "fault" | "directed" | "stage" | "ended" | "merge";
  /** Its text. */
  text: string;
}

export interface Met {
  games: number | null;
  likely: number;
  share: number;
}

/** A move of a position, in UCI notation and in SAN. */
export interface Move {
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
}

/** A move of a position. */
export interface MoveAsked {
  /** Moves from the root, in SAN or UCI notation, with blanks between them. */
  line?: string;
  /** The move played there. */
  move: string;
}

/** The chance that a game is still in the tree behind the other side's move of a number. */
export interface MoveCoverage {
  /** The move's number. */
  move: number;
  /** 0 to 1. */
  stays: number;
}

/** A move of a position, in UCI notation and in SAN. */
export interface MoveFound {
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
  /** The mover's. */
  value?: Score;
}

/** Options of a new root. */
export interface NewAnalysis {
  depth?: number | null;
  distance?: string | number | null;
  distance_black?: string | number | null;
  distance_white?: string | number | null;
  /** The value of a draw, in centipawns for White. */
  draw_value?: number | null;
  /** One analysis; without it and engine_nodes, stages. */
  engine_depth?: number | null;
  engine_nodes?: number | null;
  /** A FEN, startpos, or a starting position of Chess960 by its number (960:0 to 960:959). */
  fen?: string | null;
  /** The game's number in the PGN. */
  game?: number | null;
  /** True if its tree knows the games of the server; the default if the server has games. */
  games?: boolean | null;
  /** Moves from there, in SAN or UCI notation. */
  moves?: string | null;
  /** Its name. */
  name?: string | null;
  /** It is paused then, in milliseconds since 1970. */
  pause_at?: number | null;
  /** In place of both: the position is one of a game, and begins with the directives of the nearest earlier position of that game that has any. */
  pgn?: string | null;
  /** Rules by which it follows played moves, in place of the server's. */
  played?: PlayedAsked | null;
  /** The position after this many plies of it. */
  ply?: number | null;
  root_moves?: number | null;
  /** True if it is to grow at once; the default. */
  start?: boolean | null;
  /** It is done when the best move is this likely to stay, in per cent. Known only of trees that grow in stages from engine depth 10. */
  until_stable?: number | null;
  weight?: number | null;
}

/** A game to be analysed. */
export interface NewGame {
  /** Settings of each position: those of a new analysis, but for `fen`, `moves`, `pgn`, `game`, `ply`, `name`. */
  each?: NewAnalysis;
  from_ply?: number;
  /** Its number in the text, from 1. */
  game?: number;
  pgn: string;
  /** Only positions where this side is to move. */
  side?: "white" | "black" | null;
  /** To its end by default. */
  to_ply?: number | null;
}

/** The next position of a game. */
export interface Next {
  /** The moves played, in SAN or UCI notation. */
  moves: string;
  /** True if this analysis is paused. */
  pause_this?: boolean;
}

/** A named position. */
export interface Opening {
  /** Its code in the Encyclopaedia of Chess Openings: `B90`. */
  eco: string;
  /** Its name in English: `Sicilian Defense: Najdorf Variation`. */
  name: string;
}

/** Origin of the admitted answers of one analysis, as far as known. */
export interface Origin {
  /** Admitted answers. */
  admitted: number;
  /** Answers also admitted by another analysis of the same engine and limit: one of the two got them from the memo. */
  shared: number;
  /** Answers stored before the analysis began: they came from the memo. */
  stored_before: number;
}

/** Another draw value for a root's tree. */
export interface OtherDraw {
  /** The value of a draw, in centipawns for White. */
  draw_value: number;
  /** True if this analysis is paused. */
  pause_this?: boolean;
}

/** The answers by storage time, without gaps. */
export interface OverTime {
  /** The answers of each. */
  stretches: Stretch[];
  /** The unit in milliseconds. */
  unit_ms: number;
}

export interface OwnMoves {
  all: number;
  losing: number;
  positions_with_several: number;
  with_value: number;
}

/** The move that is told as the best. */
export interface PageBest {
  /** It, and what is expected to follow, in UCI. */
  line: string;
  score: number;
  /** The chooser (tree or closing search), in words. */
  whose: [string, string];
}

/** A move that an engine of the closing search has chosen. */
export interface PageClosingMove {
  /** It, and what its engine expects to follow. */
  line: string;
  /** In SAN. */
  san: string;
  score: number;
  /** The move. */
  uci: string;
}

/** Values are [`Value::get`]'s integers, for the mover. */
export interface PageData {
  before: string;
  /** The closing search of the root, in the same way. */
  closing: [string, string] | null;
  /** The moves that its engines have chosen, the best first, where printing begins with the root. */
  closing_moves: PageClosingMove[];
  /** Beginning of a command about this root. */
  command: string;
  /** The moves to where printing begins, as a command takes them. */
  command_line: string;
  /** How many directives the tree was grown with, and whether the root has others by now, in words. */
  directed: string | null;
  distance: string;
  /** Reason why a draw is the best result where the page begins, in words: with scores for White, and for the side to move. */
  drawn: [string, string] | null;
  ending: string | null;
  engine: string;
  /** The position where the game begins, and the moves from there to where printing begins. */
  game: string;
  /** By which rules moves are followed since they are played, in words; none where games are not counted. */
  games: string | null;
  /** How far the best move of the root holds, in the same way. */
  holds: [string, string] | null;
  /** The result by the tables for the side to move, in words. */
  known: string | null;
  line: string;
  lines: PageLine[];
  /** The note on the position where printing begins. */
  note: string | null;
  opening: number | null;
  openings: [string, string][];
  passes: number;
  /** For whom expected scores are, and what is to be said of them, in words; none where they are not asked for. */
  people: PagePeople | null;
  ply: number;
  positions: number;
  /** The side for which scores are written. */
  pov: "mover" | "white";
  root: string;
  searches: number;
  settled: number | null;
  stages: PageStage[];
  start: string;
  /** How sure the verdict is, in words. */
  stays: string | null;
  /** Its moves, the best first, where it is a root that tables know. */
  table_moves: TableMove[];
  /** Results by the tables, in words, as the moves' flags name them. */
  table_words: [string, string, string, string, string, string, string];
  target: number;
  /** The verdict of the root, where printing begins with it and a closing search has had its say. */
  told: PageBest | null;
  value: number | null;
  verdicts: PageVerdict[];
  /** True if win, draw and loss are computed from the score. */
  wdl_computed: boolean;
}

/** The tree behind a move. */
export interface PageLine {
  /** Why the line ends, where that is not seen. */
  end: string | null;
  /** The tree's best line, the move first, and how the engine goes on behind it, in UCI. */
  moves: string;
  own: string;
  /** Both in SAN. */
  sans: string;
}

export type PageMove = [string, string, number | null, number | null, number | null, number | null, number, number, number | null, [string | null, string | null] | null, [number | null, number | null, number | null, string | null] | null, Wdl | null];

/** Facts about people's moves. */
export interface PagePeople {
  /** Advice where printing begins. */
  advice: string | null;
  side: "White" | "Black";
  /** For whom, and how much of the games the tree answers. */
  words: string;
}

/** A stage of the root; times are in milliseconds since 1970, UTC. */
export interface PageStage {
  analysis: number;
  limit: string;
  /** When, the best move from then on, and its alpha for the mover. */
  points: [number, string, number][];
  /** Depth and when. */
  settled: [number, number][];
  /** From when on it speaks for the root. */
  speaks: number | null;
}

export interface PageVerdict {
  depth: number;
  moves: PageVerdictMove[];
  positions: number;
  searches: number;
  /** Milliseconds since 1970, UTC. */
  time: number;
  value: number | null;
}

export interface PageVerdictMove {
  alpha: number;
  line: string;
  san: string;
  uci: string;
}

/** A file as JSON. */
export interface Pgn {
  pgn: string;
}

export interface PgnGame {
  /** The error in it. */
  error?: string;
  /** Players, place and year. */
  heading: string;
  moves: Move[];
  /** Its number in the file. */
  number: number;
  /** The game alone with all of its annotations, as POST /api/analyses and /api/games take it; absent if there is an error. */
  pgn?: string;
  /** FEN. */
  start: string;
}

/** A position at the end of a line. */
export interface Place {
  /** The position's value by the tree: by its moves, else as an end, or by the engine's word of the move that led there; null where nothing is known. */
  alpha: Score | null;
  /** True if it has moves that count. */
  analysed: boolean;
  analysis: number;
  /** The move that is told as the best: of the root its verdict, elsewhere the tree's; null where no move counts. */
  best: Chosen | null;
  /** Reason why the tree ends. */
  end: EndOfLine | null;
  /** The position, with the clocks of the game. */
  fen: string;
  id: number;
  /** The result in words. */
  known: string | null;
  line: Move[];
  /** The moves that count by alpha, best first, ties by rank; then included ones that wait, and excluded ones. The API tells the move of a root's verdict first. */
  moves: PlacedMove[];
  /** The user's note. */
  note: string | null;
  opening: Opening | null;
  passes: number;
  /** True if the user stops the tree here. */
  stopped: boolean;
  /** The moves of a root that tablebases know, the best first. */
  table_moves: TableMove[];
  /** Of the root alone: how far that verdict is to be trusted. */
  trust: VerdictTrust | null;
  /** The user's value for it. */
  value: GivenValue | null;
  /** Of the root, under the directives that it has now; null elsewhere. */
  verdict: Verdict | null;
  /** From -2 to 2 for the side to move, where tablebases know the position. */
  wdl: number | null;
}

export interface PlaceLeft {
  /** The cause of leaving. */
  by: "player" | "opponent" | "end";
  engine: Compared | null;
  epd: string;
  games: number;
  /** From the start of the game. */
  line: string[];
  /** The first of them, and the tree's line behind it. */
  line_of_right: string[];
  played: Move;
  /** Moves of the game played before. */
  ply: number;
  right: RightMove[];
  tree: Compared | null;
}

/** A move of a position, listed by the engine or included by the user. */
export interface PlacedMove {
  /** Its value after this line, for the mover; null where it does not count. */
  alpha: Score | null;
  /** True if the position behind it has moves that count. */
  analysed: boolean;
  /** True if it is the first or within the distance of the first. */
  candidate: boolean;
  /** The score of a closing search of the root, if one of its engines has chosen it. */
  closing: Score | null;
  /** Reason for the end behind it. */
  end: EndOfLine | null;
  /** The engine's score, for the mover; null where the engine has not listed it. */
  eval: Score | null;
  /** True if the user has excluded it. */
  excluded: boolean;
  /** The expected score of the requested side, 0 to 1. */
  expected: number | null;
  /** Number of games with it; null where games are not counted. */
  games: number | null;
  /** Its value whatever the line, for the mover; null where it does not count. */
  idea: Score | null;
  /** This many moves of the line are the tree's; those behind are the engine's own. */
  in_tree: number;
  /** True if the user has included it. */
  included: boolean;
  /** The tablebases' result in words, for its mover. */
  known: string | null;
  /** Begins with the move. */
  line: Move[];
  /** The reason for the line's end, in words, if not plain. */
  line_end: string | null;
  /** The user's note on the position behind it. */
  note: string | null;
  /** True if it is followed because it is played. */
  played: boolean;
  /** Plies of the tree behind it. */
  plies: number;
  /** Analysed positions behind it. */
  positions: number;
  /** Its rank in the engine's list; null where it is not there. */
  rank: number | null;
  /** True if it returns to a position of the line or of the game. */
  repetition: boolean;
  /** In SAN. */
  san: string;
  /** Their share of the games that came to the position, 0 to 1. */
  share: number | null;
  /** True if the user stops the tree behind it. */
  stopped: boolean;
  /** The likeliest trap that it sets, in words. */
  trap: string | null;
  /** The move. */
  uci: string;
  /** The user's value for the position behind it. */
  value: GivenValue | null;
  /** Where tablebases know the position behind it, their result from -2 to 2 for the side to move there; else wins, draws and losses in a thousand games at the end of the best line by the engine's word, for the side that plays the move; null where it has not said it. */
  wdl: number | Wdl | null;
}

/** The played moves to follow: `5%` or `5%/20`. */
export interface PlayedAsked {
  /** Where Black is to move. */
  black?: string | null;
  /** Where White is to move. */
  white?: string | null;
}

/** A move of a position, in UCI notation and in SAN. */
export interface PlayedMove {
  /** True if the best line is better by the distance or more. */
  better: boolean;
  /** Of its loss of winning chances. */
  glyph: number | null;
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
  /** Its value, for its mover. */
  value: Score | null;
}

/** The moves followed because they are played: a share of the position's games, and how many games at least (`5%/10`). */
export interface PlayedRules {
  /** Where Black is to move. */
  black: string | null;
  /** Where White is to move. */
  white: string | null;
}

export interface PlayerName {
  games: number;
  name: string;
}

/** The answers that trees admit at one ply. */
export interface PlyCount {
  /** The least ply of their position. */
  ply: number;
  /** Positions. */
  positions: number;
  /** Admitted answers. */
  searches: number;
}

export interface PositionAnalysed {
  id: number;
  /** True if it was made for a game; otherwise it was there before, and stays independent. */
  made: boolean;
  ply: number;
}

export interface PositionOfGame {
  analysis: number | null;
  best: Move[];
  /** The origin of the choice, and the ply of the position of the verdict: its own, or one behind it. */
  by: ChosenBy | null;
  depth: Depth | null;
  epd: string;
  from: number | null;
  /** Null behind the last move. */
  played: PlayedMove | null;
  ply: number;
  positions: number | null;
  searches: number | null;
  /** The value for its side to move, passed back along the game. */
  value: Score | null;
  /** The engine's win, draw and loss, for the side to move; only if given. */
  wdl?: Wdl;
}

/** Null if no game has that side. */
export interface PositionsOfSides {
  black: number | null;
  white: number | null;
}

/** Number of answers of a rank. */
export interface RankCount {
  rank: number;
  searches: number;
}

/** Number of scores a recheck has asked again, of those that can be. */
export interface Rechecking {
  asked: number;
  leaves: number;
}

export interface Replies {
  all: number;
  unprepared: number;
}

/** A report with the number of its format in front. */
export interface Review {
  /** Other names that may be the player's. */
  also?: PlayerName[];
  analysis: number;
  counts: ReviewCounts;
  /** Centipawns, where both sides have the same plain one. */
  distance?: number;
  /** Centipawns for White. */
  draw_value?: number;
  engine: Engine;
  /** The number of the format. */
  format: number;
  games?: GamesOfTree;
  history: string[];
  /** The tree was grown with other directives. */
  pending?: boolean;
  places: PlaceLeft[];
  /** Null if the games are a side's. */
  player: string | null;
  positions: PositionsOfSides;
  /** In the order of the file. */
  reviewed: GameReviewed[];
  /** FEN. */
  root: string;
  root_moves: number;
  /** Own moves that lose more centipawns are not in the repertoire. */
  sound: number;
  /** Only if the history began as only Chess960 can; castling is then the king's move onto its rook. */
  variant?: "chess960";
  widths: Widths;
}

/** A player's games beside a repertoire, and the games that cannot be read. */
export interface ReviewAnswer {
  /** Errors of games that cannot be read. */
  left_out: string[];
  review: Review;
}

export interface ReviewCounts {
  elsewhere: number;
  end: number;
  games: number;
  opponent: number;
  player: number;
  stayed: number;
}

/** A move of the repertoire. */
export interface RightMove {
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
  /** Its value for its mover, if known. */
  value: Score | null;
}

/** An analysis: a position with its trees. */
export interface Root {
  /** The stage that speaks. */
  analysis: number;
  /** True if it is in the archive. */
  archived: boolean;
  /** The line of the verdict. */
  best: Move[];
  /** Milliseconds since 1970, UTC. */
  changed_at: number;
  /** True if its engine computes win, draw and loss from the score alone, as the built-in one does. */
  computes_wdl: boolean;
  /** Directives that a new analysis began with; only in the answer that adds it. */
  copied?: Copied;
  depth: Depth;
  /** Number of directives. */
  directives: number;
  /** Centipawns, where both sides have the same plain one. */
  distance?: number;
  /** Centipawns for White. */
  draw_value?: number;
  engine: Engine;
  engine_time_ms: number;
  /** The games that its tree knows. */
  games: KnownGames | null;
  /** The moves before it, in UCI notation. */
  history: string[];
  /** The number of its first stage's analysis; that of any stage is accepted. */
  id: number;
  /** The game and where it stands, in words. */
  label: string;
  name: string | null;
  /** True if the server's engine can go on with it. */
  own_engine: boolean;
  /** True if the server can go on with it: it knows no games, or those that the server has. */
  own_games: boolean;
  passes: number;
  /** True if the tree was grown with other directives. */
  pending: boolean;
  /** Analysed positions. */
  positions: number;
  /** FEN. */
  root: string;
  root_moves: number;
  run: Run;
  searches: number;
  /** The shallowest engine depth first. */
  stages: Stage[];
  /** FEN of the position where the history began, if not the initial one. */
  start?: string;
  /** The side to move; null if the moves are illegal. */
  turn: "white" | "black" | null;
  /** The score of the verdict. */
  value: Score | null;
  /** Only if the history began as only Chess960 can; castling is then the king's move onto its rook. */
  variant?: "chess960";
  /** Null if the tree has no move yet. `value` and `best` are its score and line. */
  verdict: Verdict | null;
  /** The newest whole game for which it was made, see /api/games. */
  whole_game: number | null;
  widths: Widths;
}

/** Changed analyses, removed ones, and their order if that has changed. */
export interface RootsEvent {
  /** Of each only the keys that have changed. */
  changed: {
    id: number;
  }[];
  order?: number[];
  removed: number[];
}

/** The run of an analysis. */
export interface Run {
  /** Engines that search for it. */
  busy: number;
  /** True if a closing search is being made. */
  closing: boolean;
  /** The depth that is being completed. */
  depth: number | null;
  elapsed_ms: number;
  limit: Limit | null;
  /** Why it is done, has failed, or is grown elsewhere. */
  message: string | null;
  nodes: number;
  /** When it is paused, in milliseconds since 1970. */
  pause_at: number | null;
  /** Its place on the agenda, from 0. */
  place: number | null;
  /** A recheck that is being made. */
  rechecking: Rechecking | null;
  searches: number;
  searches_per_second: number;
  /** True if the engines search deeper from stage to stage. */
  stages: boolean;
  state: RunState;
  target: number;
  /** The chance in per cent that the best move stays at which it is done. */
  until_stable: number | null;
  /** Searches that wait for an engine. */
  waiting: number;
  /** Its share of the engines' time. */
  weight: number;
}

/** The state of a run. */
export type RunState = "growing" | "paused" | "idle" | "done" | "failed" | "elsewhere";

/** Request body: one directive. */
export interface Said {
  /** A change of the directives along a line of moves. In JSON only its name: a value and a text stand beside it. */
  action: "exclude" | "include" | "value" | "stop" | "note" | "undo";
  /** Moves from the root, in SAN or UCI notation; empty: the root. */
  line?: string;
  /** Pawns for White (+0.50), draw, white or black. */
  score?: string | null;
  /** The note; an empty one removes it. */
  text?: string | null;
}

/** A score as UCI writes it: centipawns, or a mate in moves; for the side that plays the scored move. */
export type Score = {
  cp: number;
} | {
  mate: number;
};

/** A move and its score. */
export interface ScoredMove {
  /** In SAN. */
  san: string;
  /** For its mover. */
  score: Score;
  /** The move. */
  uci: string;
}

/** A second engine's word on a verdict. */
export interface SecondWord {
  /** True if it would play the verdict's move. */
  agree: boolean;
  /** The depth of its search. */
  depth: number;
  /** The engine's name. */
  engine: string;
  /** The moves it expects, from the root. */
  line: string[];
  /** The nodes of its search. */
  nodes: number;
  /** In SAN. */
  san: string;
  /** The score of that, for its mover. */
  score: Score;
  /** Its score of the verdict's move, for the mover; null if it has not searched that. */
  score_of_verdict: Score | null;
  /** The move. */
  uci: string;
}

/** The server, its engine and the defaults of new analyses. */
export interface Server {
  /** The name of the file. */
  database: string;
  depth: number;
  distance: string;
  distance_black: string;
  distance_white: string;
  /** The value of a draw, in centipawns for White. */
  draw_value: number;
  engine: Engine;
  engines: number;
  first_engine_depth: number | null;
  /** The games that new analyses know (`serve --games`). */
  games: KnownGames | null;
  /** Another one at each start. */
  instance: string;
  /** Of the first searches of a new analysis; with `stages` more follow. */
  limit: Limit;
  program: string;
  root_moves: number;
  stages: boolean;
}

/** Searches that the memo has saved. */
export interface Sharing {
  /** Answers that analyses admit, each counted once for every analysis. */
  admitted: number;
  /** Stored answers that an analysis admits: the rest of `admitted` came from the memo. */
  admitted_once: number;
  /** All stored answers; those not admitted were searched ahead, or by a closing search or a duel, or their run has stopped. */
  stored: number;
}

/** The stability of the best move as JSON. Scores are the mover's. */
export interface Stability {
  /** No smaller change of the engine's scores makes another move the best, in centipawns. */
  at_least: number;
  /** The smallest one found that does. */
  flip: Flip | null;
}

/** The result of a stage. */
export interface Stage {
  analysis: number;
  depth: Depth;
  limit: Limit;
  /** The root's alpha, for its side to move; none before its first search. */
  value: Score | null;
}

export interface StageCourse {
  analysis: number;
  limit: Limit;
  points: CoursePoint[];
  settled: DepthSettled[];
  speaks_from: number | null;
}

/** A report with the number of its format in front. */
export interface Stats {
  /** Analyses in the database. */
  analyses: number;
  /** The counted one, if it is one. */
  analysis?: number;
  /** Admitted answers by ply. */
  by_ply: PlyCount[];
  /** Number of answers of each rank. */
  by_rank: RankCount[];
  /** Its largest circles. */
  circles?: LargeCircle[];
  /** The database. */
  database: string;
  /** Its greatest contradictions. */
  disagreements?: Contradiction[];
  /** Engine time in milliseconds. */
  engine_time_ms: number;
  /** The size of the file. */
  file: FileTaken;
  /** The number of the format. */
  format: number;
  /** The use of the memo. */
  memo: Origin | Sharing;
  /** Engine nodes. */
  nodes: number;
  /** The answers by storage time. */
  over_time: OverTime;
  /** Number of answers. */
  searches: number;
}

/** An action on a run. */
export interface Steering {
  /** The action on a run. */
  action: "start" | "pause" | "close" | "recheck";
  /** With `recheck`: engine depth of its searches; by default two plies deeper than the tree, or as deep as a tree of another engine. */
  engine_depth?: number | null;
  /** With `recheck`: the limit in nodes. */
  engine_nodes?: number | null;
  /** With `close`: its length; with `recheck`: its greatest length. */
  time_ms?: number | null;
}

/** The cost of some answers. */
export interface Stretch {
  /** Engine time in milliseconds. */
  engine_time_ms: number;
  /** RFC 3339, UTC. */
  from: string;
  /** Engine nodes. */
  nodes: number;
  /** Number of answers. */
  searches: number;
}

/** How sure a verdict is, in a word. */
export type Sureness = "sure" | "open" | "engines_differ";

/** A table move, with its result in words. */
export interface TableMove {
  /** Plies to the next capture, pawn move or mate; null if the tablebases do not say. */
  dtz: number | null;
  /** The result for its mover, in words. */
  known: string;
  /** In SAN. */
  san: string;
  /** The move. */
  uci: string;
  /** From -2 to 2, for its mover. */
  wdl: number;
}

/** Size of a table in the file, with its indices. */
export interface TableShare {
  /** Bytes of its pages. */
  bytes: number;
  /** Its name. */
  table: string;
}

/** The move of the side that is not to move, by the built-in engine. */
export interface Threat {
  /** Null if the side to move is in check, or the other one could not move. */
  threat: ThreatFound | null;
}

/** A move of a position, in UCI notation and in SAN. */
export interface ThreatFound {
  line: Move[];
  /** In SAN. */
  san: string;
  /** For the threatening side. */
  score: Score;
  /** The move. */
  uci: string;
}

/** Progress of a root's tree. */
export interface TreeEvent {
  analysis: number;
  /** Another text if another closing search counts, of a tree in view. */
  closing: string | null;
  id: number;
  /** Another number if more is known of the root by tablebases. */
  known: number;
  passes: number;
  /** Number of regrowths from the start. */
  regrown: number;
  /** Number of changes of the root's directives. */
  revision: number;
}

/** The trust in the best move. */
export interface Trust {
  /** The stage that speaks. */
  analysis: number;
  /** The closing search of the most nodes; null if none was made. */
  closing: Closing | null;
  /** The end that makes a draw the best there is; null if it is not. */
  draw: Drawn | null;
  id: number;
  passes: number;
  /** The stability of the best move; null if the root has no second move that counts. */
  stability: Stability | null;
  /** The chance in per cent that the verdict's move stays, if known: a closing search's choice, with four times the time for all; the tree's, in the next stage. */
  stays: number | null;
  /** How sure the verdict is; null if unknown. */
  sure: Sureness | null;
  words: TrustWords;
}

/** The trust in the command line's words. */
export interface TrustWords {
  closing: ForBoth | null;
  draw: ForBoth | null;
  /** Results of rechecks, the last one first. */
  rechecks: ForBoth[];
  stability: ForBoth | null;
  stays: string | null;
  /** The source of the best move; null without a closing search. */
  verdict: ForBoth | null;
}

/** The change to undo. */
export interface Undo {
  /** The number of a change; by default the newest one made through this server. */
  change?: number | null;
}

export interface ValuedMove {
  san: string;
  value: Score;
}

/** The best move of a root. */
export interface Verdict {
  /** True if no other move was chosen. */
  agree: boolean;
  /** The source of the choice. */
  by: ChosenBy;
  /** The move, and its expected line. */
  line: Move[];
  /** The other choice, of tree or closing search; null without a closing search. */
  other: Chosen | null;
  /** In SAN. */
  san: string;
  /** Its score for its mover. */
  score: Score;
  /** A second engine's word; null if none was asked. */
  second: SecondWord | null;
  /** The move. */
  uci: string;
  /** Wins, draws and losses in a thousand games, for the mover; null if unknown. */
  wdl: Wdl | null;
  /** The source in the command line's words; null without a closing search. */
  words: ForBoth | null;
}

/** A changed verdict, and why. */
export interface VerdictChange {
  at: number;
  because: string | null;
  from: ValuedMove | null;
  to: ValuedMove;
}

/** How far a verdict is to be trusted: of the very tree whose verdict it is. */
export interface VerdictTrust {
  /** The change that has led to this verdict; null where that is not noted yet. */
  change: VerdictChange | null;
  /** The scores that would make another move the best, as a sentence; null if the root has no second move that counts. */
  holds: ForBoth | null;
  /** How sure it is, in a few words: 80 % likely to stay. */
  likely: string | null;
  /** The chance in per cent that its move stays. */
  stays: number | null;
}

/** Wins, draws and losses of one side among a thousand games from a position, as an engine gives them with a score. Written as `[win, draw, loss]`. */
export type Wdl = [number, number, number];

/** A game that is analysed as a whole. */
export interface WholeGame {
  /** The analyses of its positions, the first position first. */
  analyses: PositionAnalysed[];
  /** Milliseconds since 1970, UTC. */
  created_at: number;
  event: string;
  id: number;
  plies: number;
  result: string;
  /** The players, or the event. */
  title: string;
}

/** Games that are analysed as a whole. */
export interface WholeGames {
  /** The newest first. */
  games: WholeGame[];
}

/** The answer, in sentences. */
export interface WhyNot {
  /** True if a search can say more: `POST` makes it. */
  can_be_searched: boolean;
  /** How the move stands. */
  headline: ForBoth;
  /** The rest of the analysis' knowledge of it. */
  known: ForBoth[];
  /** A search of the position behind it. */
  searched: ForBoth[];
}

export interface Widths {
  black: string;
  white: string;
}
