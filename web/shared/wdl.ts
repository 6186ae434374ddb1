// How games end as told by the engine.
import type { Wdl } from './contract';

/** For whom scores are shown: the mover, or turned the other side. */
const shownFor = ([win, draw, loss]: Wdl, turn: 1 | -1): Wdl => (turn < 0 ? [loss, draw, win] : [win, draw, loss]);

/** Whole per cent with a sum of 100, as the program rounds them. */
function percents(wdl: Wdl): number[] {
  const shown = wdl.map(n => Math.floor(n / 10));
  const order = [0, 1, 2].sort((a, b) => wdl[b]! % 10 - wdl[a]! % 10 || wdl[b]! - wdl[a]!);
  const missing = Math.max(0, 100 - shown.reduce((sum, n) => sum + n, 0));
  for (let i = 0; i < missing; i++) shown[order[i % 3]!]! += 1;
  return shown;
}

/** Its parts, and what it says: "won 12%, drawn 81%, lost 7%"; and whether that is computed from the score alone. */
export function wdlParts(wdl: Wdl, turn: 1 | -1, computed: boolean): { words: string; parts: { kind: string; share: number }[] } {
  const shown = shownFor(wdl, turn);
  const [win, draw, loss] = percents(shown);
  const kinds = ['won', 'drawn', 'lost'];
  const from = computed ? ', computed from the score' : '';
  return { words: `won ${win}%, drawn ${draw}%, lost ${loss}%${from}`, parts: kinds.map((kind, i) => ({ kind, share: shown[i]! })) };
}
