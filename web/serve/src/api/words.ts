// Formats the server's values in the page's words and numbers.
import type { GivenValue, Limit, MessageEvent, PlacedMove, Score, Wdl } from '../../../shared/contract';
import { format, type Value } from '../../../shared/score';
import { grouped } from '../../../shared/words';

/** A value that says who wins, in centipawns. */
const DECIDED = 30000;

/** A message of the server, sent once, or of the page itself. */
export type Message = Omit<MessageEvent, 'kind'> & { kind: MessageEvent['kind'] | 'page' };

/** The engine's chances of how games end after a move; null without any, or if tables know the position. */
export const saidOf = ({ wdl }: Pick<PlacedMove, 'wdl'>): Wdl | null => (typeof wdl === 'number' ? null : wdl);

/** A score as the shared parts have it: one ordered integer. */
export function valueOf(score: Score): Value {
  if ('cp' in score) return score.cp;
  return score.mate > 0 ? 32000 - (2 * score.mate - 1) : -(32000 + 2 * score.mate);
}

export const limitWords = (limit: Limit): string =>
  'nodes' in limit ? `${grouped(limit.nodes)} nodes` : `engine depth ${limit.depth}`;

/** The closing search's score of a move, in words. */
export const closingWords = (score: Score, turn: 1 | -1): string => `closing search ${format(valueOf(score), turn)}`;

/** The user's value of a position, in words; a file has them. */
export function worthWords(value: GivenValue | string): string {
  if (typeof value === 'string' && value !== 'draw') return value;
  if (value === 'draw') return 'a draw';
  if (Math.abs(value) >= DECIDED) return value > 0 ? 'White wins' : 'Black wins';
  return `${format(value)} for White`;
}
