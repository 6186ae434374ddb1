// The rules of chess, by chessops.
import { castlingSide, Chess } from 'chessops/chess';
import { chessgroundDests, chessgroundMove } from 'chessops/compat';
import { makeBoardFen, makeFen, parseFen } from 'chessops/fen';
import { makeSan, parseSan } from 'chessops/san';
import type { Setup } from 'chessops/setup';
import type { Move, NormalMove } from 'chessops/types';
import { isNormal } from 'chessops/types';
import { kingCastlesTo, makeSquare, makeUci, parseUci } from 'chessops/util';
import type { Color } from './score';

export type Position = Chess;

export const INITIAL = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export { makeBoardFen };

/** The program has checked the position; what chessops finds unlikely in it does not count. */
export function positionOf(fen: string): Position {
  const position = Chess.default();
  (position as unknown as { setupUnchecked(setup: Setup): void }).setupUnchecked(parseFen(fen).unwrap());
  return position;
}

/** True if a castling right would not exist in standard chess: with a king or rook that is not at home. */
export function isChess960({ board, castles }: Position): boolean {
  const home = (color: Color, king: number): number[] => (board.kingOf(color) === king ? [king - 4, king + 3] : []);
  const rooks = [...home('white', 4), ...home('black', 60)];
  return Array.from(castles.castlingRights).some(rook => !rooks.includes(rook));
}

/** Castling rights by the rooks' files (HAha) in positions of Chess960, as the program has them. */
export function fenOf(position: Position): string {
  const fen = makeFen(position.toSetup());
  if (!isChess960(position)) return fen;
  const fields = fen.split(' ');
  const rooks = Array.from(position.castles.castlingRights).reverse();
  const letters = (isWhite: boolean) => rooks.filter(rook => rook < 8 === isWhite).map(rook => makeSquare(rook).charAt(0)).join('');
  fields[2] = letters(true).toUpperCase() + letters(false);
  return fields.join(' ');
}

/** Where each piece may go: a king that castles to its rook, in chess by two steps, too. */
export const dests = (position: Position): Map<string, string[]> => chessgroundDests(position, { chess960: isChess960(position) });

/** The four fields that make a position. */
export const keyOf = (position: Position): string => fenOf(position).split(' ').slice(0, 4).join(' ');

export function play(position: Position, uci: string): Position {
  const next = position.clone();
  const move = parseUci(uci);
  if (move) next.play(move);
  return next;
}

export const sanOf = (position: Position, uci: string): string => {
  const move = parseUci(uci);
  return move ? makeSan(position, move) : uci;
};

/** The moves of a line with their names. */
export function sansOf(start: Position, line: readonly string[]): { uci: string; san: string }[] {
  let position = start;
  return line.map(uci => {
    const san = sanOf(position, uci);
    position = play(position, uci);
    return { uci, san };
  });
}

/** The squares of a move as it is written. */
export const squares = (uci: string): string[] => chessgroundMove(parseUci(uci) as Move) as string[];

/** As the program writes it: castling as e1g1, in a position of Chess960 as the king's move onto its rook. */
function plainUci(position: Position, move: NormalMove): string {
  const side = castlingSide(position, move);
  const rook = side && position.castles.rook[position.turn][side];
  if (side === undefined || rook === undefined) return makeUci(move);
  const to = isChess960(position) ? rook : kingCastlesTo(position.turn, side);
  return makeSquare(move.from) + makeSquare(to);
}

/** A move between two squares of the board. */
export function uciOf(position: Position, from: string, to: string): string {
  const move = parseUci(from + to);
  return move && isNormal(move) ? plainUci(position, move) : from + to;
}

/** Reads one legal move in SAN or UCI notation. */
export function readMove(position: Position, token: string): string | undefined {
  const bare = token.replace(/[!?+#]+$/, '');
  const uci = parseUci(bare.toLowerCase());
  // A capital in front is SAN: B2b3.
  if (uci && isNormal(uci) && /^[a-h]/.test(bare)) {
    return position.isLegal(uci) ? plainUci(position, uci) : undefined;
  }
  const san = parseSan(position, /^[O0]-[O0]/i.test(bare) ? bare.replace(/[0o]/g, 'O') : bare);
  return san && isNormal(san) ? plainUci(position, san) : undefined;
}

/** "1. " before White's moves, "1... " before Black's where asked. */
export function moveNumber(position: Pick<Position, 'turn' | 'fullmoves'>, always = true): string {
  if (position.turn === 'white') return `${position.fullmoves}. `;
  return always ? `${position.fullmoves}... ` : '';
}

/** The names of a line's moves, with numbers. */
export function numbered(start: Position, line: readonly string[]): string[] {
  let position = start;
  return sansOf(start, line).map(({ uci, san }, i) => {
    const number = moveNumber(position, i === 0);
    position = play(position, uci);
    return number + san;
  });
}

/** How the game is over in a position: "Checkmate, White wins"; nothing where it goes on. */
export function overWords(position: Position): string {
  if (position.isCheckmate()) return `Checkmate, ${position.turn === 'white' ? 'Black' : 'White'} wins`;
  if (position.isStalemate()) return 'Stalemate, a draw';
  return position.isInsufficientMaterial() ? 'A draw: neither side can mate' : '';
}

/** Where each piece stands, for who cannot see the board. */
export function describe(position: Position): string {
  const names = { king: 'K', queen: 'Q', rook: 'R', bishop: 'B', knight: 'N', pawn: '' } as const;
  const side = (color: Color): string => {
    const roles = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
    const at = (square: number): string => 'abcdefgh'.charAt(square & 7) + String((square >> 3) + 1);
    return roles.flatMap(role => Array.from(position.board.pieces(color, role), square => names[role] + at(square))).join(' ');
  };
  return `White: ${side('white')}. Black: ${side('black')}.`;
}
