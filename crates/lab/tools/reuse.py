#!/usr/bin/env python3
"""How much of a tree serves after the reply: the share of answers of the next tree that the last one had.

    crates/lab/tools/reuse.py target/release/deepanalyze [DEPTH]

Grows a tree to each engine depth, plays its best move and a reply (the one that the tree expects, then the next best one),
and grows the position after them to the same depths. Needs Stockfish.
"""

import json
import re
import subprocess
import sys
import tempfile

OPENINGS = {
    "Ruy Lopez": "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    "Najdorf": "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "Queen's Gambit": "d4 d5 c4 e6 Nc3 Nf6",
}
ENGINE_DEPTHS = (10, 12, 14)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True)


def main():
    program, depth = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10"
    print(f"tree depth {depth}, Stockfish; answers of the next tree that were there already\n")
    print("opening         engine depth  reply     move   answers  there before")
    for name, moves in OPENINGS.items():
        for engine_depth in ENGINE_DEPTHS:
            with tempfile.TemporaryDirectory() as folder:
                one(program, name, moves, engine_depth, depth, folder + "/tree.db")


def one(program, name, moves, engine_depth, depth, db):
    def grow(moves):
        told = run(program, "grow", "--db", db, "--moves", moves, "--engine", "stockfish", "--engine-depth",
                   str(engine_depth), "--depth", depth, "--no-look-ahead").stderr
        tree = json.loads(run(program, "show", "--db", db, "--moves", moves, "--format", "json").stdout)
        return int(re.search(r"this run +([\d,]+) search", told)[1].replace(",", "")), tree

    best = next(move for move in grow(moves)[1]["moves"] if move.get("moves"))
    for kind, reply in zip(("expected", "next best"), best["moves"]):
        made, tree = grow(f"{moves} {best['san']} {reply['san']}")
        all_answers = tree["searches"]
        share = 100 * (all_answers - made) / all_answers
        print(f"{name:14}  {engine_depth:12}  {kind:9} {reply['san']:6} {all_answers:7}  {share:11.0f} %", flush=True)


main()
