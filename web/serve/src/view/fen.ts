// A position out of a FEN that somebody has typed, or what is wrong with it.
import { Chess } from 'chessops/chess';
import { makeFen, parseFen } from 'chessops/fen';
import type { Position } from '../../../shared/rules';

const WRONG: Record<string, string> = {
  ERR_TURN: 'Whose move it is must be w or b',
  ERR_CASTLING: 'The castling rights are written like KQkq, or -',
  ERR_EP_SQUARE: 'The en-passant square is none',
  ERR_HALFMOVES: 'The halfmove clock is no number',
  ERR_FULLMOVES: 'The move number is none',
  ERR_EMPTY: 'The board is empty',
  ERR_KINGS: 'Each side needs one king',
  ERR_OPPOSITE_CHECK: 'The side that is not to move is in check',
  ERR_PAWNS_ON_BACKRANK: 'A pawn stands on the first or the last rank',
  ERR_IMPOSSIBLE_CHECK: 'No game leads to such a check',
};

/** The castling rights of a FEN as KQkq, those by files (HAha), too. */
export function rightsIn(text: string): string {
  const rights = text.split(' ')[2] ?? '-';
  const setup = parseFen(text.trim());
  return setup.isOk && /[a-h]/i.test(rights) ? makeFen(setup.value).split(' ')[2]! : rights;
}

export function readFen(text: string): { position?: Position; error?: string } {
  const setup = parseFen(text.trim());
  if (setup.isErr) return { error: WRONG[setup.error.message] ?? 'This is not a FEN' };
  const position = Chess.fromSetup(setup.value);
  if (position.isErr) return { error: WRONG[position.error.message] ?? 'No game can reach this position' };
  return { position: position.value };
}
