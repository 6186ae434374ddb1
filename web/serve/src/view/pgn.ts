// The game on the board as PGN.
import { fenOf, INITIAL } from '../../../shared/rules';
import type { OpenRoot } from '../state/openroot';

/** From where the game begins to the position on the board. */
export function pgnOf(open: OpenRoot, name = ''): string {
  const { walk } = open;
  const count = walk.before.length;
  const moves = [...walk.before, ...walk.played()].slice(0, count + walk.at);
  const start = fenOf(walk.position(-count));
  const tags = [`[Event "${name.replace(/["\\]/g, '\\$&')}"]`, ...(start === INITIAL ? [] : ['[SetUp "1"]', `[FEN "${start}"]`])];
  return `${tags.join('\n')}\n\n${[walk.numbered(moves, -count), '*'].filter(Boolean).join(' ')}\n`;
}
