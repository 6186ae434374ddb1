"""Reads PGN on standard input with python-chess: every variation legal, every move's [%eval] there.

Prints the number of moves. Needs `pip install chess`.
"""

import sys

import chess.pgn

game = chess.pgn.read_game(sys.stdin)
assert game is not None, "no game"
assert not game.errors, game.errors
moves, stack = 0, [game]
while stack:
    node = stack.pop()
    stack.extend(node.variations)
    if node.parent is not None:
        moves += 1
        assert node.move in node.parent.board().legal_moves, node.move
        if "alpha" in node.comment:
            assert node.eval() is not None, node.comment
print(moves)
