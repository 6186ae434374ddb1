// Formats the server's values in the page's words and numbers.
import type { GivenValue, Limit, MessageEvent, PlacedMove, Score, Wdl } from '../../../shared/contract';
import { format, type Value } from '../../../shared/score';
import { grouped } from '../../../shared/words';

/** A value that says who wins, in centipawns. */
const DECIDED = 30000;

/** What the server tells once, or the page itself. */
export type Message = Omit<MessageEvent, 'kind'> & { kind: MessageEvent['kind'] | 'page' };

/** What the engine has said of how games end behind a move; null where it has not, or tables know the position. */
export const saidOf = ({ wdl }: Pick<PlacedMove, 'wdl'>): Wdl | null => (typeof wdl === 'number' ? null : wdl);

/** A score as the shared parts have it: one ordered integer. */
export function valueOf(score: Score): Value {
  if ('cp' in score) return score.cp;
  return score.mate > 0 ? 32000 - (2 * score.mate - 1) : -(32000 + 2 * score.mate);
}

export const limitWords = (limit: Limit): string =>
  'nodes' in limit ? `${grouped(limit.nodes)} nodes` : `engine depth ${limit.depth}`;

/** What the closing search says of a move, in words. */
export const closingWords = (score: Score, turn: 1 | -1): string => `closing search ${format(valueOf(score), turn)}`;

/** What the user says a position is worth, in words; a file has them. */
export function worthWords(value: GivenValue | string): string {
  if (typeof value === 'string' && value !== 'draw') return value;
  if (value === 'draw') return 'a draw';
  if (Math.abs(value) >= DECIDED) return value > 0 ? 'White wins' : 'Black wins';
  return `${format(value)} for White`;
}
