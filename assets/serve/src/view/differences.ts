// In what several analyses of one position differ: of each, only what is not the same for all.
import { limitWords, type Root } from '../api/types';
import type { App } from '../state/app';

type Trait = (root: Root) => string;

/** A FEN without its clocks, and the game before it. */
const positionOf = (root: Root): string => [...root.root.split(' ').slice(0, 4), ...root.history].join(' ');

const distance: Trait = ({ widths: { white, black } }) => (white === black ? `distance ${white}` : `distance ${white} for White, ${black} for Black`);

const rootMoves: Trait = root => (root.root_moves === 1 ? 'any number of first moves' : `at least ${root.root_moves} first moves`);

const schedule: Trait = ({ run, stages }) => {
  const limit = stages[0]?.limit ?? run.limit;
  return run.stages ? 'deeper and deeper' : limit ? limitWords(limit) : '';
};

const engine: Trait = root => root.engine.name;

const option = (name: string): Trait => root => `${name} ${root.engine.options[name] ?? 'as it is'}`;

/** Nothing where there is no other analysis of the same position. */
export function differences(app: App, root: Root): string {
  const position = positionOf(root);
  const all = [...app.roots.values()].filter(other => positionOf(other) === position);
  if (all.length < 2) return '';
  const options = new Set(all.flatMap(one => Object.keys(one.engine.options)));
  const traits = [distance, rootMoves, schedule, engine, ...[...options].map(option)];
  const told = traits.filter(words => new Set(all.map(words)).size > 1);
  // Endgame tables, say, of which the page knows nothing.
  return told.length ? told.map(words => words(root)).join(' \u00b7 ') : `analysis ${root.id}`;
}
