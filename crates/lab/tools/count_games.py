#!/usr/bin/env python3
"""Counts what was played in each position with python-chess, as `deepanalyze games add` does.

python3 count_games.py FILE [GAMES]   prints games, positions and moves, and games per second
"""

import collections
import sys
import time

import chess.pgn
import chess.polyglot


def main():
    most = int(sys.argv[2]) if len(sys.argv) > 2 else None
    tallies = collections.defaultdict(lambda: [0, 0, 0, 0])
    results = {"1-0": 1, "1/2-1/2": 2, "0-1": 3}
    games, begun = 0, time.monotonic()
    with open(sys.argv[1], encoding="utf-8") as file:
        while most is None or games < most:
            game = chess.pgn.read_game(file)
            if game is None:
                break
            games += 1
            result = results.get(game.headers.get("Result"), 0)
            board, seen = game.board(), set()
            for ply, move in enumerate(game.mainline_moves()):
                if ply == 60:
                    break
                seen.add((chess.polyglot.zobrist_hash(board), move.uci()))
                board.push(move)
            for key in seen:
                tally = tallies[key]
                tally[0] += 1
                if result:
                    tally[result] += 1
    took = time.monotonic() - begun
    positions = len({key for key, _ in tallies})
    print(f"{games} games, {positions} positions, {len(tallies)} moves, {games / took:.0f} games/s")


if __name__ == "__main__":
    main()
