"""The tree as `show --format json` has it, played on python-chess's own board."""

import collections
import json

import chess

# A position where it is printed: its board with all moves since the start, its path from the root,
# and its moves as JSON has them, best first.
Place = collections.namedtuple("Place", "board path moves ply")


def integer(score):
    """A score as one ordered integer: docs/algorithm.md, section 2."""
    if "cp" in score:
        return score["cp"]
    mate = score["mate"]
    return 32000 - (2 * mate - 1) if mate > 0 else -(32000 + 2 * mate)


def start(tree):
    """The board at the root, with the game before it."""
    default = chess.STARTING_FEN if tree["history"] else tree["root"]
    board = chess.Board(tree.get("start", default), chess960="variant" in tree)
    assert is_chess960(board) == ("variant" in tree), board.fen()
    for uci in tree["history"]:
        board.push_uci(uci)
    root = board.fen(shredder=is_chess960(board), en_passant="legal")
    assert root == tree["root"], root
    return board


def load(path="tree.json"):
    with open(path) as file:
        return json.load(file)


def places(tree):
    """All printed positions, depth first."""
    stack = [Place(start(tree), [], tree["moves"], 0)]
    while stack:
        place = stack.pop()
        yield place
        for move in reversed(place.moves):
            if "moves" in move:
                board = place.board.copy()
                board.push_uci(move["uci"])
                stack.append(Place(board, place.path + [move], move["moves"], place.ply + 1))


def key(board):
    return board.epd(shredder=is_chess960(board), en_passant="legal")


def is_chess960(board):
    """Whether it has castling rights that standard chess has not."""
    home = 0
    for color, king, rooks in [
        (chess.WHITE, chess.E1, chess.BB_A1 | chess.BB_H1),
        (chess.BLACK, chess.E8, chess.BB_A8 | chess.BB_H8),
    ]:
        home |= rooks if board.king(color) == king else 0
    return bool(board.clean_castling_rights() & ~home)


def uci(board, move):
    """Castling is the king's move, in a position of Chess960 that onto its rook."""
    return board.uci(move, chess960=is_chess960(board))


def candidates(place, distance):
    """The moves that are followed: docs/algorithm.md, section 4."""
    best = integer(place.moves[0]["alpha"])
    reach = distance if place.ply <= 1 else distance >> (place.ply - 1)
    reach = 0 if abs(best) > 31000 else reach
    return [
        move
        for index, move in enumerate(place.moves)
        if index == 0 or integer(move["alpha"]) > best - reach
    ]
