// Pasted or dropped text: moves, a FEN, or games.
import { readLine } from '../../../shared/gameline';
import { INITIAL } from '../../../shared/rules';
import { readFen } from '../view/fen';

export type Pasted = { kind: 'moves'; fen: string | null; line: string[]; error: string | null } | { kind: 'games' };

/** Pieces, and as much of the rest as there is. */
const FEN = /^((?:[pnbrqkPNBRQK1-8~]{1,8}\/){7}[pnbrqkPNBRQK1-8~]{1,8})(?:\s+([wb])(?:\s+([KQkqA-Ha-h]{1,4}|-)(?:\s+([a-h][36]|-)(?:\s+(\d+)\s+(\d+))?)?)?)?(?=\s|$)/;
/** Tags, comments, variations, glyphs, results: what only games have. */
const GAME = /^\s*\[\s*\w+\s+"|[{};$]|\(|(?:^|\s)(?:1-0|0-1|1\/2-1\/2|\u00bd-\u00bd|\*)(?:\s|$)/m;
/** How EPD goes on: "bm e5; id \"a\";". */
const OPCODES = /^\s*[a-z]\w*\s[^]*;\s*$/;

const FIGURINES: Record<string, string> = { '\u2654': 'K', '\u2655': 'Q', '\u2656': 'R', '\u2657': 'B', '\u2658': 'N', '\u265a': 'K', '\u265b': 'Q', '\u265c': 'R', '\u265d': 'B', '\u265e': 'N' };
/** Signs of books for the position after a move: plus minus, unclear and so on. */
const SIGNS = /\+[-\u2212]|[-\u2212]\+|[\u00b1\u2213\u2a72\u2a71\u221e]/g;

const plain = (text: string): string => text.replace(/[\u2654-\u265e]/g, sign => FIGURINES[sign] ?? '').replace(SIGNS, ' ');

const movesFrom = (fen: string | null, text: string): Pasted => {
  const start = readFen(fen ?? INITIAL);
  if (!start.position) return { kind: 'moves', fen, line: [], error: start.error ?? null };
  const { line, error } = readLine(start.position, plain(text));
  return { kind: 'moves', fen, line, error: error ?? null };
};

/** Parses a pasted text. */
export function pasted(text: string): Pasted {
  // As UCI has it, too: "position fen ... moves ..." and "position startpos moves ...".
  const said = text.trim().replace(/^position\s+/, '').replace(/^(?:fen|startpos)(?:\s+|$)/, '');
  const found = FEN.exec(said);
  if (found) {
    const [all, pieces, turn = 'w', rights = '-', passant = '-', half = '0', full = '1'] = found;
    const rest = said.slice(all.length);
    return movesFrom([pieces, turn, rights, passant, half, full].join(' '), OPCODES.test(rest) ? '' : rest.replace(/^\s*moves\s/, ''));
  }
  return GAME.test(said) ? { kind: 'games' } : movesFrom(null, said.replace(/^moves\s/, ''));
}
