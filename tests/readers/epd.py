"""Reads out.epd with python-chess and holds it against tree.json and the database named first."""

import sqlite3
import sys
import zlib

import chess
import tree as whole

NODES = """SELECT sum(nodes) FROM search JOIN position ON position.id = search.position
WHERE hash = ? AND epd = ? AND rank < ?"""


def hash_of(epd):
    """By which a database finds a position (docs/formats.md)."""
    return int.from_bytes(zlib.crc32(epd.encode()).to_bytes(4, "big"), "big", signed=True)


class Board960(chess.Board):
    """The moves of EPD operations are read on a board that python-chess makes itself."""

    def __init__(self, fen=chess.STARTING_FEN, *, chess960=True):
        super().__init__(fen, chess960=chess960)


database = sqlite3.connect(sys.argv[1])
tree = whole.load()
places = {whole.key(place.board): place for place in whole.places(tree)}
count = 0
with open("out.epd", encoding="ascii") as file:
    for line in file:
        board = Board960() if "variant" in tree else chess.Board()
        operations = board.set_epd(line)
        place = places.pop(whole.key(board))
        best = [m for m in place.moves if m["alpha"] == place.moves[0]["alpha"]]
        assert sorted(whole.uci(board, m) for m in operations["bm"]) == sorted(m["uci"] for m in best), line
        score = best[0]["alpha"]
        if "cp" in score:
            assert operations["ce"] == score["cp"] and "dm" not in operations, line
        elif score["mate"] > 0:
            assert operations["ce"] == 32767 - (2 * score["mate"] - 1), line
            assert operations["dm"] == score["mate"], line
        else:
            assert operations["ce"] == -(32767 + 2 * score["mate"]) and "dm" not in operations, line
        assert operations["acd"] == tree["engine"]["limit"]["depth"], line
        nodes = database.execute(NODES, (hash_of(whole.key(board)), whole.key(board), len(place.moves))).fetchone()[0]
        assert operations["acn"] == nodes, line
        assert whole.uci(board, operations["pv"][0]) == best[0]["uci"], line
        check = board.copy()
        for move in operations["pv"]:
            assert move in check.legal_moves, line
            check.push(move)
        line_to = [word for word in operations["id"].split() if not word.endswith(".")]
        assert line_to == ([m["san"] for m in place.path] or ["root"]), line
        count += 1
assert not places, "positions are missing"
print(count)
