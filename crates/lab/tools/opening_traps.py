#!/usr/bin/env python3
"""Does `traps` find the known opening traps, and are the traps that it tells some?

    crates/lab/tools/opening_traps.py grow OUT --net maia-1500.pb.gz [--minutes 3] [--binary deepanalyze] [--engine stockfish]
    crates/lab/tools/opening_traps.py found OUT [--sound 30]
    crates/lab/tools/opening_traps.py judge OUT OPENING... [--nodes 2000000] [--top 50]

opening_traps.tsv has the known traps by opening. `grow` grows a tree of each opening with two or more from the moves that they
have in common, with what people play; `found` looks for each known trap's position and losing move in what `traps` tells, and says
why it is not there; `judge` lets the engine search the first traps of an opening: one whose losing move loses less than a
pawn against the engine's best is none. Needs python-chess.
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess

import chess
import chess.engine

HERE = pathlib.Path(__file__).parent


def known():
    by_opening = collections.defaultdict(list)
    with open(HERE / "opening_traps.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            row["moves"] = row["line"].split()
            by_opening[row["opening"]].append(row)
    return {opening: traps for opening, traps in by_opening.items() if len(traps) > 1}


def common(traps):
    """The moves that three in four traps of an opening begin with, four plies before the first of their errors at the latest."""
    begun = []
    while True:
        longer = [tuple(trap["moves"][: len(begun) + 1]) for trap in traps if len(trap["moves"]) > len(begun) + 4]
        shared = collections.Counter(longer).most_common(1)
        if not shared or 4 * shared[0][1] < 3 * len(traps):
            return begun
        begun = list(shared[0][0])


def played(moves):
    board = chess.Board()
    for san in moves:
        board.push_san(san)
    return board


def grow(args):
    args.out.mkdir(exist_ok=True)
    for opening, traps in known().items():
        place = args.out / f"{opening}.db"
        if place.exists():
            continue
        run = [args.binary, "grow", "--db", place, "--moves", " ".join(common(traps)), "--engine", args.engine]
        run += ["--engines", "1", "--human", args.net, "--played", "10%", "--engine-nodes", "20000", "--no-closing"]
        subprocess.run([*map(str, run), "--for", f"{args.minutes}m", "--quiet"], check=True)


def told(args, opening, *more):
    run = [args.binary, "traps", "--db", args.out / f"{opening}.db", "--format", "json", "--top", "5000", *more]
    shown = json.loads(subprocess.run(list(map(str, run)), check=True, capture_output=True).stdout)
    root = chess.Board(shown["root"])
    for trap in shown["traps"]:
        board = root.copy()
        for move in trap["line"]:
            board.push_uci(move["uci"])
        yield board, trap


def found(args):
    all_known, all_found = 0, 0
    for opening, traps in known().items():
        if not (args.out / f"{opening}.db").exists():
            continue
        here = {(board.epd(), trap["error"]["uci"]) for board, trap in told(args, opening, "--sound", str(args.sound))}
        likely = {(board.epd(), trap["error"]["uci"]) for board, trap in told(args, opening, "--sound", "30000", "--min", "0.001")}
        for trap in traps:
            board = played(trap["moves"])
            key = (board.epd(), board.parse_san(trap["error"]).uci())
            why = "found" if key in here else "not likely, or the way to it loses more" if key in likely else "not in the tree"
            all_known, all_found = all_known + 1, all_found + (why == "found")
            print(f"{opening:<12} {trap['name']:<44} {why}")
    print(f"{all_found} of {all_known} found")


def judge(args):
    with chess.engine.SimpleEngine.popen_uci(args.engine) as engine:
        for opening in args.openings:
            none, seen = [], 0
            for board, trap in list(told(args, opening))[: args.top]:
                limit = chess.engine.Limit(nodes=args.nodes)
                error = chess.Move.from_uci(trap["error"]["uci"])
                best = engine.analyse(board, limit, game=object())["score"].relative.score(mate_score=10000)
                moved = engine.analyse(board, limit, game=object(), root_moves=[error])["score"].relative.score(mate_score=10000)
                seen += 1
                if best - moved < 100:
                    none.append(f"{board.fen()} {trap['error']['san']} {best} {moved}")
            print(f"{opening}: {len(none)} of {seen} are none", *none, sep="\n    ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["grow", "found", "judge"])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("openings", nargs="*")
    parser.add_argument("--net")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--sound", type=int, default=30)
    parser.add_argument("--nodes", type=int, default=2_000_000)
    parser.add_argument("--top", type=int, default=50)
    parser.add_argument("--binary", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    args = parser.parse_args()
    {"grow": grow, "found": found, "judge": judge}[args.what](args)


main()
