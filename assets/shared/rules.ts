// The rules of chess, by chessops.
import { Chess } from 'chessops/chess';
import { chessgroundDests, chessgroundMove } from 'chessops/compat';
import { makeBoardFen, makeFen, parseFen } from 'chessops/fen';
import { makeSan, parseSan } from 'chessops/san';
import type { Setup } from 'chessops/setup';
import type { Move, NormalMove } from 'chessops/types';
import { isNormal } from 'chessops/types';
import type { Color } from './score';
import { kingCastlesTo, makeSquare, makeUci, parseUci } from 'chessops/util';

export type Position = Chess;

export const INITIAL = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export { chessgroundDests as dests, makeBoardFen };

/** The program has checked the position; what chessops finds unlikely in it does not count. */
export function positionOf(fen: string): Position {
  const position = Chess.default();
  (position as unknown as { setupUnchecked(setup: Setup): void }).setupUnchecked(parseFen(fen).unwrap());
  return position;
}

export const fenOf = (position: Position): string => makeFen(position.toSetup());

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

/** The squares of a move, the king's two steps where it castles. */
export const squares = (uci: string): string[] => chessgroundMove(parseUci(uci) as Move) as string[];

/** Castling as e1g1; chessops has the rook's square. */
function plainUci(position: Position, move: NormalMove): string {
  const king = position.board.kingOf(position.turn);
  if (move.from === king && position.board[position.turn].has(move.to)) {
    const side = move.to > move.from ? 'h' : 'a';
    return makeSquare(move.from) + makeSquare(kingCastlesTo(position.turn, side));
  }
  return makeUci(move);
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
export function moveNumber(position: Position, always = true): string {
  if (position.turn === 'white') return `${position.fullmoves}. `;
  return always ? `${position.fullmoves}... ` : '';
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
