#!/usr/bin/env python3
"""Counts how many best-move positions of an EPD suite an engine solves.

suite.py SUITE NODES ENGINE [ARGS...]; needs python-chess. With `c0` point lists (STS) it also
adds up the points.
"""

import re
import sys

import chess
import chess.engine


def main():
    suite, nodes, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    engine = chess.engine.SimpleEngine.popen_uci(command)
    solved = total = points = 0
    for line in open(suite, encoding="utf-8"):
        board, operations = chess.Board.from_epd(line.strip())
        # A new game for each position: the answer must not depend on the order.
        played = engine.play(board, chess.engine.Limit(nodes=nodes), game=object()).move
        best = operations.get("bm", [])
        avoid = operations.get("am", [])
        total += 1
        solved += played in best if best else played not in avoid
        listed = re.findall(r"(\S+?)=(\d+)", operations.get("c0", ""))
        points += sum(int(n) for san, n in listed if board.san(played) == san)
    print(f"{solved} of {total}" + (f", {points} points" if points else ""))
    engine.quit()


main()
