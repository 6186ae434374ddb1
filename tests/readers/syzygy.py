"""Random positions of every class in a folder of Syzygy tables, each with what python-chess finds there.

    syzygy.py FOLDER MEN COUNT     prints FEN|WDL|DTZ, COUNT positions of each class of MEN men
"""

import os
import random
import sys

import chess
import chess.syzygy


def random_position(white, black, chance):
    """A legal position of these men; now and then with an en passant capture."""
    while True:
        board = chess.Board(None)
        squares = chance.sample(range(64), len(white) + len(black))
        for square, letter in zip(squares, white + black.lower()):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chance.choice([chess.WHITE, chess.BLACK])
        if "P" in white and "P" in black:
            for square in chance.sample(range(64), 64):
                board.ep_square = square
                if board.is_valid() and board.has_legal_en_passant():
                    break
                board.ep_square = None
        if board.is_valid() and any(board.legal_moves):
            return board


def main(folder, men, count):
    tables = chess.syzygy.open_tablebase(folder)
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".rtbw"))
    for name in names:
        white, black = name.split("v")
        if len(white + black) != men:
            continue
        chance = random.Random(name)
        for number in range(count):
            sides = (white, black) if number % 2 else (black, white)
            board = random_position(*sides, chance)
            print(f"{board.fen()}|{tables.probe_wdl(board)}|{tables.probe_dtz(board)}")


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
