#!/usr/bin/env python3
"""Draws balanced positions from EPD files for `lab duel`: one list to tune on, another to report.

    crates/lab/tools/duel_positions.py --each 50 --bound 60 --seed 1 --tune tune.epd --report report.epd FILE...

From each file the positions are drawn in an order that the seed fixes. One is taken where Stockfish,
with an empty hash, puts it within the bound after so many nodes; the first goes to the list to report,
the second to the one to tune on, and so on, until both have --each of this file. The lists have one
position of each file in turn, so that their beginnings are as mixed as they are; with a smaller --each
each file gives the beginning of what it gives with a greater one, where no two files share a position.
Every position gets the id FILE.LINE. Needs python-chess and Stockfish.
"""

import argparse
import itertools
import pathlib
import random

import chess
import chess.engine


def positions(path):
    """The legal, unfinished positions of an EPD file with their line numbers."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fields = line.split()[:4]
        if len(fields) < 4 or fields[0].startswith("#"):
            continue
        board = chess.Board(" ".join(fields) + " 0 1")
        if board.is_valid() and not board.is_game_over():
            yield number, board


def is_balanced(engine, board, nodes, bound):
    """Whether Stockfish sees neither side ahead by more than the bound, in centipawns."""
    info = engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())
    score = info["score"].relative.score(mate_score=100_000)
    return abs(score) <= bound


def drawn(engine, path, args, seen):
    """As many balanced positions of a file as both lists need, as EPD lines."""
    candidates = list(positions(path))
    random.Random(f"{args.seed} {path.name}").shuffle(candidates)
    lines = []
    for number, board in candidates:
        if len(lines) == 2 * args.each:
            break
        epd = board.epd()
        if epd not in seen and is_balanced(engine, board, args.nodes, args.bound):
            seen.add(epd)
            lines.append(f'{epd} id "{path.stem}.{number}";')
    return lines


def in_turn(files):
    """One line of each file, then the next ones, as long as any has one."""
    rows = itertools.zip_longest(*files)
    return "".join(line + "\n" for row in rows for line in row if line)


def main():
    """Writes the two lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=50, help="positions per file and list")
    parser.add_argument("--bound", type=int, default=60, help="centipawns")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tune", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=pathlib.Path, required=True)
    args = parser.parse_args()
    files, seen = [], set()
    with chess.engine.SimpleEngine.popen_uci("stockfish") as engine:
        engine.configure({"Threads": 1, "Hash": 16})
        for path in args.files:
            found = drawn(engine, path, args, seen)
            print(f"{path}: {len(found)} positions")
            files.append(found)
    args.report.write_text(in_turn([found[0::2] for found in files]))
    args.tune.write_text(in_turn([found[1::2] for found in files]))


if __name__ == "__main__":
    main()
