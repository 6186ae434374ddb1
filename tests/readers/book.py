"""Reads out.bin with python-chess's book reader and holds it against tree.json.

With an argument, the book has the moves that lose at most so many centipawns, else the candidates.
Prints the number of positions that have entries.
"""

import struct
import sys

import chess
import chess.polyglot
import tree as whole

tree = whole.load()
with open("out.bin", "rb") as file:
    raw = [struct.unpack(">QHHI", entry) for entry in iter(lambda: file.read(16), b"")]
keys = [(key, -weight) for key, _, weight, _ in raw]
assert keys == sorted(keys), "not in order"
assert all(learn == 0 for _, _, _, learn in raw)

seen = set()
with chess.polyglot.open_reader("out.bin") as book:
    for place in whole.places(tree):
        best = whole.integer(place.moves[0]["alpha"])
        if len(sys.argv) > 1:
            limit = int(sys.argv[1])
            moves = [m for m in place.moves if best - whole.integer(m["alpha"]) <= limit]
        else:
            limit = tree["distance"] >> max(0, place.ply - 1)
            moves = whole.candidates(place, tree["distance"])
        expected = {}
        for move in moves:
            loss = best - whole.integer(move["alpha"])
            expected[move["uci"]] = max(1, 65535 * (limit + 1 - loss) // (limit + 1))
        # The real board: with the en passant square that the last move has left.
        entries = list(book.find_all(place.board))
        found = {whole.uci(place.board, entry.move): entry.weight for entry in entries}
        assert found == expected, (place.board.fen(), found, expected)
        for entry in entries:
            if place.board.is_castling(entry.move):
                to = place.board.piece_at(entry.raw_move & 0x3F)
                assert to == chess.Piece(chess.ROOK, place.board.turn), "castling takes the rook"
        seen.add(chess.polyglot.zobrist_hash(place.board))
assert seen <= {key for key, _ in keys}
print(len(seen))
