// The verdict of a root. For the one on the board it is that of the place that table, arrows and bar show, so that all
// of them always show the same tree: the present one under the user's directives.
import { overWords as rulesOver } from '../../../shared/rules';
import type { Value } from '../../../shared/score';
import type { Chosen, ForBoth, Move, Root, VerdictTrust } from '../../../shared/contract';
import { valueOf } from '../api/words';
import type { App } from '../state/app';
import type { OpenTree, ShownPlace } from '../state/opentree';

export interface Verdict {
  /** For the root's side to move. */
  value: Value | null;
  /** The move that is told as the best. */
  best: Move | null;
  /** The chooser, in words; null without a closing search. */
  words: ForBoth | null;
  /** True if tree and closing search have chosen the same. */
  agree: boolean;
  /** How far it is to be trusted: of the same tree, or not said. */
  trust: VerdictTrust | null;
}

/** The choice of a root's closing search. */
export function closingOf(place: ShownPlace): Chosen | null {
  return place.verdict?.by === 'closing' ? place.verdict : (place.verdict?.other ?? null);
}

export function verdictOf(app: App, root: Root): Verdict {
  const place = app.open?.id === root.id ? app.open.places.place([]) : undefined;
  const { best, verdict, trust } = place ?? { best: root.best[0] ?? null, verdict: root.verdict, trust: null };
  return { value: place ? scoreOf(place) : root.value && valueOf(root.value), best, words: verdict?.words ?? null, agree: verdict?.agree ?? true, trust };
}

/** The score of a position: its best move's, or its own without one. */
function scoreOf({ best, alpha }: ShownPlace): Value | null {
  const score = best?.score ?? alpha;
  return score && valueOf(score);
}

/** How the game is over on the board, or why its line counts as one: "Checkmate, White wins". */
export function overWords(open: OpenTree): string {
  const { walk } = open;
  const over = rulesOver(walk.position());
  if (over || walk.isBefore()) return over;
  return open.place()?.end === 'repetition' || open.lastMove()?.repetition ? 'Repetition, a draw' : '';
}

/** How the position on the board stands, for who moves there; where the tree does not have it, by the rules alone. */
export function standingOf(open: OpenTree): Value | null {
  if (open.walk.isBefore()) return null;
  const place = open.place();
  const known = place ? scoreOf(place) : null;
  if (known !== null) return known;
  const outcome = open.walk.position().outcome();
  return outcome ? (outcome.winner ? valueOf({ mate: 0 }) : 0) : null;
}
