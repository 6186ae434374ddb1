#!/usr/bin/env python3
"""Does `traps` find the known opening traps, and are the traps that it tells some?

    crates/lab/tools/opening_traps.py grow OUT --net maia-1500.pb.gz [--searches 1000] [--binary deepanalyze] [--engine stockfish]
    crates/lab/tools/opening_traps.py found OUT
    crates/lab/tools/opening_traps.py judge OUT [--nodes 2000000] [--top 50] [--for 2m]

opening_traps.tsv has the known traps; `lost_cp` is the most that a move of its side loses from the root of its tree on (Stockfish 15.1,
300,000 nodes), `share` how likely maia-1500 takes the error to be, with the game. `grow` grows a tree of the opening of each: from the
last named position (crates/core/openings) on its line that is two plies or more before the error, by the likely replies to its side.
`found` looks for the trap's position and losing move in what `traps` tells, with wider and wider limits. `judge` lets the engine search
the traps that are worth most of all trees in OUT: one whose losing move loses less than a pawn against the engine's best is none. With
`--for` the traps of each tree are searched deeper before: `found` counts those that are refuted then no more. Needs python-chess.
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
        rule = "-/5%" if trap["side"] == "w" else "5%/-"
        run += ["--human", args.net, "--played", rule, "--engine-nodes", "20000", "--closing", "no", "--quiet"]
        subprocess.run([*map(str, run), "--max-searches", str(args.searches)], check=True)


def told(args, place, *more, top=5000):
    run = [args.binary, "traps", "--db", place, "--format", "json", "--top", top, *more]
    shown = json.loads(subprocess.run(list(map(str, run)), check=True, capture_output=True).stdout)
    root = chess.Board(shown["root"])
    for trap in shown["traps"]:
        board = root.copy()
        for move in trap["line"]:
            board.push_uci(move["uci"])
        yield board, trap


# The least share of people that play the error, and the most that a move on the way loses, in centipawns.
LIMITS = [(0.2, 30), (0.05, 30), (0.05, 50), (0.05, 100)]


def found(args):
    """How many of all are found with each of the limits, and of those that are traps by them."""
    names, ends, by_limits = named(), collections.Counter(), collections.Counter()
    for number, trap in known():
        if not (args.out / f"{number}.db").exists():
            continue
        moves = trap["line"].split()
        board = played(moves)
        key = (board.epd(), board.parse_san(trap["error"]).uci())
        is_one = [limits for limits in LIMITS if float(trap["share"]) >= limits[0] and int(trap["lost_cp"]) <= limits[1]]
        by_limits.update(is_one)
        end = "no"
        for limits in LIMITS:
            more = ("--min", limits[0], "--sound", limits[1])
            if key in {(at.epd(), one["error"]["uci"]) for at, one in told(args, args.out / f"{number}.db", *more)}:
                end = f"found, {limits}"
                ends.update(("all", wider) for wider in LIMITS[LIMITS.index(limits) :])
                ends.update(("ones", wider) for wider in LIMITS[LIMITS.index(limits) :] if wider in is_one)
                break
        print(f"{trap['name']:<44} {len(moves) - len(opening(moves, names)):>2} plies  {trap['lost_cp']:>3} {trap['share']:>5}  {end}")
    for limits in LIMITS:
        print(limits, f"{ends['all', limits]} found; {ends['ones', limits]} of the {by_limits[limits]} that are traps by these limits")


def judge(args):
    all_told = {}
    deeper = ("--engine", args.engine, "--for", args.time) if args.time else ()
    for place in sorted(args.out.glob("*.db")):
        for board, trap in told(args, place, *deeper, top=args.top):
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
    parser.add_argument("--searches", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=2_000_000)
    parser.add_argument("--top", type=int, default=50)
    parser.add_argument("--for", dest="time")
    parser.add_argument("--binary", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    args = parser.parse_args()
    {"grow": grow, "found": found, "judge": judge}[args.what](args)


main()
