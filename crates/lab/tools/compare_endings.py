#!/usr/bin/env python3
"""Grows endings with endgame tables and without, each from nothing, and prints what they cost and what came out,
as a table for docs/measurements/2026-11-performance.md.

compare_endings.py TABLES [--program deepanalyze] [--engine stockfish] [--depth 6] [--engine-depth 8]
"""

import argparse
import json
import os
import subprocess
import tempfile

ENDINGS = [
    ("8/8/8/3pk3/4P3/4K3/5P2/8 w - - 0 1", "two pawns against one"),
    ("8/2p5/8/1P1k4/8/3K4/2P5/8 w - - 0 1", "two pawns against one"),
    ("8/5k2/8/5PK1/r5P1/8/8/4R3 w - - 0 1", "rook and two pawns against a rook"),
    ("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", "rook and pawn against a rook"),
    ("4k3/R7/8/4PK2/8/1r6/8/8 b - - 0 1", "rook and pawn against a rook"),
    ("8/8/2k5/8/1p6/1P1K4/8/7R w - - 0 1", "rook and pawn against a pawn"),
    ("8/8/8/8/1k6/1p4p1/8/R3K3 w - - 0 1", "rook against two pawns"),
    ("8/8/8/8/5k2/5p2/8/R3K3 w - - 0 1", "rook against a pawn"),
    ("8/8/3p4/3k4/8/3K4/3P4/8 w - - 0 1", "pawn against a pawn"),
    ("4k3/8/3B4/8/7n/8/1K4B1/8 w - - 0 1", "two bishops against a knight"),
]
WORDS = {2: "won", 1: "won, but for the fifty-move rule", 0: "drawn", -1: "lost, but for the fifty-move rule", -2: "lost"}


def grown(args, root, tables):
    """A tree as JSON, in a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DEEPANALYZE_DB": os.path.join(folder, "tree.db")}
        command = [args.program, "grow", "--root", root, "--engine", args.engine, "--engines", "1", "--quiet"]
        command += ["--distance", "20", "--depth", str(args.depth), "--engine-depth", str(args.engine_depth)]
        command += ["--tables", args.tables] if tables else ["--no-tables"]
        subprocess.run(command, env=environment, check=True)
        show = [args.program, "show", "--root", root, "--format", "json"]
        return json.loads(subprocess.run(show, env=environment, check=True, capture_output=True, text=True).stdout)


def verdict(tree):
    """The result where tables know it, else the value for White with the best move."""
    if "wdl" in tree:
        # Where the table itself is missing, a capture that wins has said it.
        moves = [move["san"] for move in tree.get("table_moves", [])]
        return ", ".join([WORDS[tree["wdl"]], *moves[:1]])
    best, value = tree["moves"][0]["san"], tree["value"]
    sign = 1 if " w " in tree["root"] else -1
    if "mate" in value:
        return f"#{sign * value['mate']}, {best}"
    cp = sign * value["cp"]
    known = {30000: "White wins", 0: "drawn", -30000: "Black wins"}
    return f"{known.get(cp) or f'{cp / 100:+.2f}'}, {best}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables")
    parser.add_argument("--program", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--engine-depth", type=int, default=8)
    args = parser.parse_args()
    print("| ending | searches without | with | value without | with |\n|---|---|---|---|---|")
    for root, name in ENDINGS:
        without, known = (grown(args, root, tables) for tables in (False, True))
        searches = f"{without['searches']} | {known['searches']}"
        print(f"| {name}, `{root[:-8]}` | {searches} | {verdict(without)} | {verdict(known)} |", flush=True)


if __name__ == "__main__":
    main()
