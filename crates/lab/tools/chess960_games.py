"""Games of Chess960 that python-chess has played, for the tests of core: tests/suites/chess960_games.txt.

    python3 -m pip install chess
    python3 crates/lab/tools/chess960_games.py > tests/suites/chess960_games.txt

A line is a game: its first position, its moves in UCI notation, the same in SAN, its last position. The first half
begins with a starting position, of which every fourth has another one's first rank for Black. Castling is played
as often as not where it is legal. Positions with castling rights that chess has, too, are written as in chess
(`KQkq`, e1g1), all others as in Chess960 (`HAha`, f1h1).
"""

import random

import chess

GAMES = 160
LONGEST = 60


def written(board):
    return board.fen(shredder=board.has_chess960_castling_rights(), en_passant="legal")


def start(number, chance):
    board = chess.Board.from_chess960_pos(chance.randrange(960))
    if number % 4 == 3:
        other = chess.Board.from_chess960_pos(chance.randrange(960))
        for square in chess.SquareSet(chess.BB_RANK_8):
            board.set_piece_at(square, other.piece_at(square))
        rights = board.rooks & (chess.BB_RANK_1 | chess.BB_RANK_8)
        board.castling_rights = rights
    if number >= GAMES // 2:
        # Few men between kings and rooks: most games castle.
        for square in chess.SquareSet(chess.BB_RANK_1 | chess.BB_RANK_8):
            if board.piece_type_at(square) not in (chess.KING, chess.ROOK) and chance.random() < 0.8:
                board.remove_piece_at(square)
        for square in chess.SquareSet(chess.BB_RANK_2 | chess.BB_RANK_7):
            if chance.random() < 0.3:
                board.remove_piece_at(square)
    return board


def main():
    chance = random.Random(960)
    for number in range(GAMES):
        board = start(number, chance)
        while not board.is_valid():
            board = start(number, chance)
        first, uci, san = written(board), [], []
        while len(uci) < LONGEST and (moves := list(board.legal_moves)):
            castling = [move for move in moves if board.is_castling(move)]
            move = chance.choice(castling if castling and chance.random() < 0.5 else moves)
            uci.append(board.uci(move, chess960=board.has_chess960_castling_rights()))
            san.append(board.san(move))
            board.push(move)
        print(first, " ".join(uci), " ".join(san), written(board), sep=";")


main()
