#!/usr/bin/env python3
"""What does the verdict of `grow --for` solve, beside one plain engine with as many threads in the same time?

    crates/lab/tools/verdicts_at_work.py RESULTS.jsonl --epd FILE [--binary deepanalyze] [--engine stockfish] [--engines 2]
        [--seconds 15] [--from 1] [--every 1]

Each position is grown in a database of its own, and then searched by one process with as many threads as there are
engines and as many times their hash of 16. RESULTS gets a line for each as soon as it is done; what it has already is
left out. At the end the solved are counted. A position has `bm` or `am`. Needs python-chess; nothing else should run.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import chess
import chess.engine

WHO = ["tree", "closing", "verdict", "plain"]


def grown(args, board):
    """What the tree, the closing search and the verdict have chosen, and how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        place = ["--db", str(pathlib.Path(folder) / "tree.db")]
        run = ["grow", *place, "--root", board.fen(), "--engine", args.engine, "--engines", str(args.engines)]
        began = time.time()
        subprocess.run([args.binary, *run, "--for", f"{args.seconds}s", "--quiet"], check=True)
        took = time.time() - began
        show = [args.binary, "show", *place, "--format", "json"]
        shown = json.loads(subprocess.run(show, check=True, capture_output=True).stdout)
    first = shown["moves"][0]["uci"] if shown["moves"] else None
    chosen = [(shown.get(of) or {}).get("uci") for of in ["closing", "verdict"]]
    return {"tree": first, "closing": chosen[0], "verdict": chosen[1], "took": took}


def solves(row, who):
    return row[who] not in row["am"] and (not row["bm"] or row[who] in row["bm"])


def main(args):
    path = pathlib.Path(args.results)
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    lines = [line for line in pathlib.Path(args.epd).read_text().splitlines() if line.strip()]
    with chess.engine.SimpleEngine.popen_uci(args.engine) as plain:
        plain.configure({"Threads": args.engines, "Hash": 16 * args.engines})
        for line in lines[args.first - 1 :: args.every]:
            board = chess.Board()
            said = board.set_epd(line)
            asked = {of: [move.uci() for move in said.get(of, [])] for of in ["bm", "am"]}
            if any(row["id"] == said["id"] for row in rows):
                continue
            row = {"id": said["id"], **asked, **grown(args, board)}
            limit = chess.engine.Limit(time=args.seconds)
            row["plain"] = plain.play(board, limit, game=object()).move.uci()
            rows.append(row)
            with path.open("a") as out:
                print(json.dumps(row), file=out)
    for who in WHO:
        print(f"{who:8} {sum(solves(row, who) for row in rows)} of {len(rows)}")
    for who in ["plain", "closing", "tree"]:
        more = sum(solves(row, "verdict") and not solves(row, who) for row in rows)
        less = sum(solves(row, who) and not solves(row, "verdict") for row in rows)
        print(f"verdict beside {who}: +{more} -{less}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--epd", required=True)
    parser.add_argument("--binary", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--engines", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    main(parser.parse_args())
