// What is said of a root. Of the one on the board it is taken from the place that table, arrows and bar show, so that
// all of them always tell of the same tree: the present one under the user's directives.
import { overWords as rulesOver } from '../../../shared/rules';
import type { Value } from '../../../shared/score';
import type { Chosen, ForBoth, Move, Place, Root, VerdictTrust } from '../../../shared/contract';
import { saidOf, valueOf } from '../api/words';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';

export interface Verdict {
  /** For the root's side to move. */
  value: Value | null;
  /** The move that is told as the best. */
  best: Move | null;
  /** Whose choice it is; null where there is no closing search. */
  words: ForBoth | null;
  /** Whether tree and closing search have chosen the same. */
  agree: boolean;
  /** How far it is to be trusted: of the same tree, or not said. */
  trust: VerdictTrust | null;
}

/** The move that is told as the best of a position: of the root its verdict, elsewhere the tree's. */
export function bestOf(place: Place | undefined): Chosen | undefined {
  if (place?.verdict?.by === 'closing') return place.verdict;
  const best = place?.moves.find(move => move.alpha);
  return best && { uci: best.uci, san: best.san, score: best.alpha!, wdl: saidOf(best), line: best.line.slice(0, Math.max(1, best.in_tree)) };
}

/** What the closing search of a root has chosen. */
export function closingOf(place: Place): Chosen | null {
  return place.verdict?.by === 'closing' ? place.verdict : (place.verdict?.other ?? null);
}

export function verdictOf(app: App, root: Root): Verdict {
  const place = app.open?.id === root.id ? app.open.places.place([]) : undefined;
  if (!place || (place.alpha === null && !root.pending)) {
    return { value: root.value && valueOf(root.value), best: root.best[0] ?? null, words: root.verdict?.words ?? null, agree: root.verdict?.agree ?? true, trust: null };
  }
  const words = place.verdict?.words ?? null;
  const best = bestOf(place) ?? null;
  const value = place.verdict?.by === 'closing' ? place.verdict.score : place.alpha;
  return { value: value && valueOf(value), best, words, agree: place.verdict?.agree ?? true, trust: place.trust };
}

/** How the game is over on the board, or why its line counts as one: "Checkmate, White wins". */
export function overWords(open: OpenRoot): string {
  const { walk } = open;
  const over = rulesOver(walk.position());
  if (over || walk.isBefore()) return over;
  return open.place()?.end === 'repetition' || open.lastMove()?.repetition ? 'Repetition, a draw' : '';
}

/** How the position on the board stands, for who moves there: by its best move, by the move that led there, or since the game is over. */
export function standingOf(open: OpenRoot): Value | null {
  if (open.walk.isBefore()) return null;
  const best = bestOf(open.place());
  if (best) return valueOf(best.score);
  const led = open.lastMove()?.alpha;
  if (led) return -valueOf(led);
  const outcome = open.walk.position().outcome();
  return outcome ? (outcome.winner ? valueOf({ mate: 0 }) : 0) : null;
}
