// What is said of a root. Of the one on the board it is taken from the place that table, arrows and bar show, so that
// all of them always tell of the same tree: the present one under the user's directives.
import type { Value } from '../../../shared/score';
import { valueOf, type Root, type San } from '../api/types';
import type { App } from '../state/app';

export interface Verdict {
  /** For the root's side to move. */
  value: Value | null;
  line: San[];
  /** How many moves of the line are the tree's. */
  inTree: number;
  end: string | null;
}

export function verdictOf(app: App, root: Root): Verdict {
  const place = app.open?.id === root.id ? app.open.places.place([]) : undefined;
  if (!place || (place.alpha === null && !root.pending)) {
    return { value: root.value && valueOf(root.value), line: root.best, inTree: root.best.length, end: null };
  }
  const best = place.moves.find(move => move.alpha !== null);
  return { value: place.alpha && valueOf(place.alpha), line: best?.line ?? [], inTree: best?.in_tree ?? 0, end: best?.line_end ?? null };
}
