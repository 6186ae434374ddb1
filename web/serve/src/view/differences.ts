// In what several analyses of one position differ: of each, only what is not the same for all.
import type { Root } from '../../../shared/contract';
import { limitWords } from '../api/words';
import { format } from '../../../shared/score';
import { withinWords } from './card';
import { gamesWords } from './knowngames';

type Trait = (root: Root) => string;

/** A FEN without its clocks, and the game before it. */
const positionOf = (root: Root): string => [...root.root.split(' ').slice(0, 4), ...root.history].join(' ');

const rootMoves: Trait = root => (root.root_moves === 1 ? 'first moves within that' : `at least ${root.root_moves} first moves`);

const draws: Trait = ({ draw_value }) => (draw_value ? `a draw worth ${format(draw_value)} for White` : 'a draw worth nothing');

const schedule: Trait = ({ run, stages }) => {
  const limit = stages[0]?.limit ?? run.limit;
  return run.stages ? 'deeper and deeper' : limit ? limitWords(limit) : '';
};

const games: Trait = ({ games }) => (games ? gamesWords(games) : 'without games');

const engine: Trait = root => root.engine.name;

const option = (name: string): Trait => root => `${name} ${root.engine.options[name] ?? 'default'}`;

/** Words that tell each analysis from others of its position, by its number; none if it is the only one. */
export type Differences = ReadonlyMap<number, string>;

/** Of all analyses at once: their number may be large, and so may that of one position. */
export function differences(roots: Iterable<Root>): Differences {
  const groups = new Map<string, Root[]>();
  for (const root of roots) {
    const position = positionOf(root);
    const group = groups.get(position);
    if (group) group.push(root);
    else groups.set(position, [root]);
  }
  return new Map([...groups.values()].filter(group => group.length > 1).flatMap(ofGroup));
}

export function differenceOf(root: Root, roots: Iterable<Root>): string | undefined {
  const position = positionOf(root);
  return differences([...roots].filter(other => positionOf(other) === position)).get(root.id);
}

function ofGroup(group: Root[]): [number, string][] {
  const options = new Set(group.flatMap(one => Object.keys(one.engine.options)));
  const traits = [withinWords, rootMoves, draws, games, schedule, engine, ...[...options].map(option)];
  const told = traits.filter(words => new Set(group.map(words)).size > 1);
  // Tablebases, say, of which the page knows nothing.
  return group.map(root => [root.id, told.length ? told.map(words => words(root)).join(' \u00b7 ') : `analysis ${root.id}`]);
}
