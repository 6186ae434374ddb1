#!/usr/bin/env python3
"""Does `traps` find the known opening traps, and are the traps that it tells some?

    crates/lab/tools/opening_traps.py grow OUT --net maia-1500.pb.gz [--searches 200] [--binary deepanalyze] [--engine stockfish]
    crates/lab/tools/opening_traps.py found OUT [--sound 30]
    crates/lab/tools/opening_traps.py judge OUT [--nodes 2000000] [--top 150]

opening_traps.tsv has the known traps. `grow` grows a tree of the opening of each: from the last named position (crates/core/openings)
on its line that is two plies or more before the error, by what people play. `found` looks for the trap's position and losing move
in what `traps` tells, and says why it is not there. `judge` lets the engine search the traps told of all trees, those that are worth
most first: one whose losing move loses less than a pawn against the engine's best is none. Needs python-chess.
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
    with open(HERE / "opening_traps.tsv", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t")):
            yield number, row


def named():
    table = HERE.parent.parent / "core/openings/openings.tsv"
    return {line.split("\t")[0] for line in table.read_text(encoding="utf-8").splitlines()}


def played(moves):
    board = chess.Board()
    for san in moves:
        board.push_san(san)
    return board


def opening(moves, names):
    """The moves to the last named position that is two plies or more before the error."""
    plies = range(max(1, len(moves) - 2), 0, -1)
    return moves[: next((ply for ply in plies if played(moves[:ply]).epd() in names), 1)]


def grow(args):
    args.out.mkdir(exist_ok=True)
    names = named()
    for number, trap in known():
        place = args.out / f"{number}.db"
        if place.exists():
            continue
        root = " ".join(opening(trap["line"].split(), names))
        run = [args.binary, "grow", "--db", place, "--moves", root, "--engine", args.engine, "--engines", "2"]
        run += ["--human", args.net, "--played", "5%", "--engine-nodes", "20000", "--no-closing", "--quiet"]
        subprocess.run([*map(str, run), "--max-searches", str(args.searches)], check=True)


def told(args, number, *more):
    run = [args.binary, "traps", "--db", args.out / f"{number}.db", "--format", "json", "--top", "5000", *more]
    shown = json.loads(subprocess.run(list(map(str, run)), check=True, capture_output=True).stdout)
    root = chess.Board(shown["root"])
    for trap in shown["traps"]:
        board = root.copy()
        for move in trap["line"]:
            board.push_uci(move["uci"])
        yield board, trap


def found(args):
    names, ends = named(), collections.Counter()
    for number, trap in known():
        if not (args.out / f"{number}.db").exists():
            continue
        board = played(trap["line"].split())
        key = (board.epd(), board.parse_san(trap["error"]).uci())

        def is_told(*more):
            return key in {(at.epd(), one["error"]["uci"]) for at, one in told(args, number, *more)}

        end = "found" if is_told("--sound", str(args.sound)) else ""
        end = end or ("found with --min 5%" if is_told("--sound", str(args.sound), "--min", "0.05") else "")
        end = end or ("found where the way to it may lose 3 pawns" if is_told("--sound", "300", "--min", "0.05") else "")
        ends[end or "not in the tree, or less than 5 % play it"] += 1
        plies = len(trap["line"].split()) - len(opening(trap["line"].split(), names))
        print(f"{trap['opening']:<12} {trap['name']:<44} {plies:>2} plies  {end or 'no'}")
    print(*ends.items(), sep="\n")


def judge(args):
    all_told = {}
    for number, _ in known():
        if (args.out / f"{number}.db").exists():
            for board, trap in told(args, number):
                all_told.setdefault((board.epd(), trap["error"]["uci"]), (trap["gain"], board, trap))
    first = sorted(all_told.values(), key=lambda one: -one[0])[: args.top]
    none = 0
    with chess.engine.SimpleEngine.popen_uci(args.engine) as engine:
        limit = chess.engine.Limit(nodes=args.nodes)
        for seen, (_, board, trap) in enumerate(first, 1):
            error = chess.Move.from_uci(trap["error"]["uci"])
            best = engine.analyse(board, limit, game=object())["score"].relative.score(mate_score=10000)
            moved = engine.analyse(board, limit, game=object(), root_moves=[error])["score"].relative.score(mate_score=10000)
            if best - moved < 100:
                none += 1
                print(f"none: {board.fen()} {trap['error']['san']} {best} {moved}", flush=True)
            print(f"{none} of {seen} are none", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["grow", "found", "judge"])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--net")
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--sound", type=int, default=30)
    parser.add_argument("--nodes", type=int, default=2_000_000)
    parser.add_argument("--top", type=int, default=150)
    parser.add_argument("--binary", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    args = parser.parse_args()
    {"grow": grow, "found": found, "judge": judge}[args.what](args)


main()
