// What somebody has pasted or dropped: moves, a FEN, or games.
import { readLine } from '../../../shared/gameline';
import { INITIAL } from '../../../shared/rules';
import { readFen } from '../view/fen';

export type Pasted = { kind: 'moves'; fen: string | null; line: string[]; error: string | null } | { kind: 'games' };

/** Six or four fields; moves may follow, as in UCI's "position fen ... moves". */
const FEN = /^\s*(?:fen\s+)?((?:[pnbrqkPNBRQK1-8~]{1,8}\/){7}[pnbrqkPNBRQK1-8~]{1,8}(?:\s+[wb]\s+(?:[KQkqA-Ha-h]{1,4}|-)\s+(?:[a-h][36]|-)(?:\s+\d+\s+\d+)?)?)\s*(?:moves\s+)?([^]*)$/;
/** Tags, comments, variations, results, glyphs: what only games have. */
const GAME = /^\s*\[\s*\w+\s+"|[{};$]|\(|(?:^|\s)(?:1-0|0-1|1\/2-1\/2)(?:\s|$)/m;

/** Which of them it is. */
export function pasted(text: string): Pasted {
  const found = FEN.exec(text);
  if (found) {
    const fen = found[1]!.trim().replace(/\s+/g, ' ');
    const whole = fen.includes(' ') ? fen : `${fen} w - - 0 1`;
    const start = readFen(whole);
    if (!start.position) return { kind: 'moves', fen: whole, line: [], error: start.error ?? null };
    const { line, error } = readLine(start.position, found[2] ?? '');
    return { kind: 'moves', fen: whole, line, error: error ?? null };
  }
  if (GAME.test(text)) return { kind: 'games' };
  const { line, error } = readLine(readFen(INITIAL).position!, text);
  return { kind: 'moves', fen: null, line, error: error ?? null };
}
