#!/usr/bin/env python3
"""Which form of a closing search finds the best move most often, at equal nodes?

    crates/lab/tools/closing_forms.py RESULTS.jsonl [--epd FILE --engines K --nodes N] [--open]
        [--without-all] [--minutes M] [--engine stockfish] [--hash 64]

With --epd, K engines of N nodes each look at every position that RESULTS has not yet with this K, in all forms:

    alone    one process, N nodes
    all      one process, K*N nodes and K times the hash (not with --without-all)
    threads  the same with K threads
    shares   K processes of N nodes: the first has all moves, the others share them out, dealt to and fro in the order
             of a quick look; with K = 2 the second has all but the first of them
    mixed    two processes of K/2 threads (K of 4 or more): one has all moves, the other all but the first

Every search has a process of its own, and so an empty hash. Of several processes the first one's answer counts, unless
another one's is better by 10 centipawns. With --open a position is left out that all forms of fewer engines solve in
RESULTS, and one engine with N nodes as well: the forms of K would most likely solve it, too. RESULTS gets a line for
each position as soon as it is searched; with --minutes no position is begun later than that. Then all that RESULTS has
is printed: + is before a move that solves the position. An EPD position has `bm` or `am`. Needs python-chess.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import time

import chess
import chess.engine

FORMS = ["alone", "all", "threads", "shares", "mixed"]
MARGIN = 10
MATE = 100_000
LOOK = chess.engine.Limit(depth=8)


def search(args, board, nodes, threads, hashes, moves=None):
    """The move that a new process chooses, as SAN, and its last exact score, in centipawns."""
    score = None
    with chess.engine.SimpleEngine.popen_uci(args.engine) as engine:
        engine.configure({"Hash": args.hash * hashes, "Threads": threads})
        with engine.analysis(board, chess.engine.Limit(nodes=nodes), root_moves=moves) as analysis:
            for info in analysis:
                if "score" in info and not {"lowerbound", "upperbound"} & info.keys():
                    score = info["score"].relative.score(mate_score=MATE)
            return board.san(analysis.wait().move), score


def in_order(args, board):
    """The legal moves, the best first, by a quick look at all of them."""
    with chess.engine.SimpleEngine.popen_uci(args.engine) as engine:
        lines = engine.analyse(board, LOOK, multipv=board.legal_moves.count())
    return [line["pv"][0] for line in lines]


def dealt(moves, hands):
    """The moves dealt to and fro; who gets none is left out."""
    if hands == 1:
        return [moves[1:]] if moves[1:] else []
    shares = [[] for _ in range(hands)]
    for index, move in enumerate(moves):
        turn, place = divmod(index, hands)
        shares[place if turn % 2 == 0 else hands - 1 - place].append(move)
    return [share for share in shares if share]


def answers(args, board):
    """What each form's processes answer. The searches with one thread run two at a time."""
    count, nodes = args.engines, args.nodes
    moves = in_order(args, board)
    shares = [None, *dealt(moves, count - 1)]
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        whole = [] if args.without_all else [two.submit(search, args, board, count * nodes, 1, count)]
        parts = [two.submit(search, args, board, nodes, 1, 1, share) for share in shares]
        found = {"shares": [part.result() for part in parts]}
        if whole:
            found["all"] = [whole[0].result()]
        found["alone"] = found["shares"][:1]
        found["threads"] = [search(args, board, count * nodes, count, count)]
        if count >= 4:
            half = [count // 2 * nodes, count // 2, count // 2]
            parts = [two.submit(search, args, board, *half, share) for share in [None, *dealt(moves, 1)]]
            found["mixed"] = [part.result() for part in parts]
    return {form: found[form] for form in FORMS if form in found}


def is_easy(args, board, row, earlier):
    """Whether fewer engines solved the position in all forms, and one with as many nodes does."""
    if not earlier or not all(solves(row, form) for row in earlier for form in row["answers"]):
        return False
    if any(row["nodes"] == args.nodes for row in earlier):
        return True
    return solves({**row, "answers": {"alone": [search(args, board, args.nodes, 1, 1)]}}, "alone")


def measure(args, path, rows):
    """Adds the positions that are not done to the results."""
    end = time.monotonic() + 60 * args.minutes
    for line in pathlib.Path(args.epd).read_text(encoding="utf-8").splitlines():
        board = chess.Board()
        wanted = board.set_epd(line)
        earlier = [row for row in rows if row["position"] == wanted["id"]]
        if any((row["engines"], row["nodes"]) == (args.engines, args.nodes) for row in earlier):
            continue
        if time.monotonic() > end:
            return
        named = {mark: [board.san(move) for move in wanted.get(mark, [])] for mark in ("bm", "am")}
        row = {"position": wanted["id"], "engines": args.engines, "nodes": args.nodes, **named}
        if args.open and is_easy(args, board, row, earlier):
            continue
        row["answers"] = answers(args, board)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def chosen(found):
    """The first answer's move, unless the best of the others is better by the margin."""
    (move, score), *others = found
    best, most = max(others, key=lambda answer: answer[1], default=(move, score))
    return best if most >= score + MARGIN else move


def solves(row, form):
    move = chosen(row["answers"][form])
    return move in row["bm"] if row["bm"] else move not in row["am"]


def chance(more, less):
    """The exact test of McNemar: how likely a difference at least as great is where both forms are as good."""
    tail = sum(math.comb(more + less, count) for count in range(min(more, less) + 1))
    return min(1, 2 * tail / 2 ** (more + less))


def interval(differences):
    """The middle 95% of the sums of positions drawn again."""
    draw = random.Random(1)
    sums = sorted(sum(draw.choices(differences, k=len(differences))) for _ in range(10_000))
    return f"{sums[250]:+} to {sums[-251]:+}"


def report(rows):
    forms = [form for form in FORMS if all(form in row["answers"] for row in rows)]
    print(f"\n{rows[0]['engines']} engines of {rows[0]['nodes']} nodes, {len(rows)} positions\n")
    print(f"{'position':<16}" + "".join(f"{form:<10}" for form in forms))
    for row in rows:
        said = ["+" * solves(row, form) + chosen(row["answers"][form]) for form in forms]
        print(f"{row['position']:<16}" + "".join(f"{move:<10}" for move in said).rstrip())
    print()
    for form in forms:
        solved = sum(solves(row, form) for row in rows)
        print(f"{form:<8} solves {solved} of {len(rows)} ({solved / len(rows):.1%})")
    print()
    for number, form in enumerate(forms):
        for other in forms[:number]:
            differences = [solves(row, form) - solves(row, other) for row in rows]
            more, less = differences.count(1), differences.count(-1)
            what = f"{form} beside {other}:"
            print(f"{what:<23} +{more} -{less} = {more - less:+} ({interval(differences)}), p = {chance(more, less):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--epd")
    parser.add_argument("--engines", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--without-all", action="store_true")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--hash", type=int, default=64)
    args = parser.parse_args()
    path = pathlib.Path(args.results)
    path.touch()

    def rows():
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    if args.epd:
        measure(args, path, rows())
    for size in sorted({(row["engines"], row["nodes"]) for row in rows()}):
        report([row for row in rows() if (row["engines"], row["nodes"]) == size])


if __name__ == "__main__":
    main()
