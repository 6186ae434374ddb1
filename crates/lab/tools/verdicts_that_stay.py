#!/usr/bin/env python3
"""How likely is the verdict of `grow --for T` to be that of `grow --for 4T`? And what do they lose beside a plain engine?

    crates/lab/tools/verdicts_that_stay.py RESULTS.jsonl --epd FILE [--binary deepanalyze] [--engine stockfish] [--seconds 6]
        [--every 1] [--plain]

Each position is grown twice by two engines, each time in a database of its own. RESULTS gets a line for each as soon as
it is done; what it has already is left out. With --plain one process with two threads searches each for 4T, too.
At the end the curve of crates/report/src/kept/chance/mod.rs is fitted: a constant; whether tree and closing search agree; and, where
they do not, by how many times 20 centipawns their scores are apart (3 at most). Its squared error is that of each half of
the positions by the curve of the other one. Needs python-chess; nothing else should run on these cores.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

import chess
import chess.engine


def shown(args, fen, seconds):
    """What `show` says after so many seconds, without the tree's inner moves."""
    with tempfile.TemporaryDirectory() as folder:
        place = ["--db", str(pathlib.Path(folder) / "tree.db")]
        run = ["grow", *place, "--root", fen, "--engine", args.engine, "--engines", "2", "--for", f"{seconds}s"]
        subprocess.run([args.binary, *run, "--quiet"], check=True)
        show = [args.binary, "show", *place, "--format", "json", "--plies", "1"]
        return json.loads(subprocess.run(show, check=True, capture_output=True).stdout)


def measure(args, rows, out):
    lines = [line for line in pathlib.Path(args.epd).read_text().splitlines() if line.strip()]
    for line in lines[:: args.every]:
        board = chess.Board()
        said = board.set_epd(line.split("\t")[0]) if line.count(" ") < 5 or ";" in line else board.set_fen(line)
        name = (said or {}).get("id", board.epd())
        if any(row["id"] == name for row in rows):
            continue
        row = {"id": name, "fen": board.fen()}
        row["short"] = shown(args, board.fen(), args.seconds)
        row["long"] = shown(args, board.fen(), 4 * args.seconds)
        if args.plain:
            with chess.engine.SimpleEngine.popen_uci(args.engine) as plain:
                plain.configure({"Threads": 2, "Hash": 32})
                row["plain"] = plain.play(board, chess.engine.Limit(time=4 * args.seconds)).move.uci()
        rows.append(row)
        print(json.dumps(row), file=out, flush=True)


def centipawns(score):
    return max(-1000, min(1000, score["cp"])) if "cp" in score else math.copysign(1000, score["mate"])


def features(row):
    verdict, tree = row["short"]["verdict"], row["short"]["moves"][0]
    apart = abs(centipawns(verdict["score"]) - centipawns(tree["alpha"])) / 20
    return [1, 1, 0] if verdict["agree"] else [1, 0, min(3, apart)]


def chance(weights, x):
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, x))))


def fitted(pairs):
    """By steps down the slope; the weights but the first are drawn to 0 a little."""
    weights = [0.0, 0.0, 0.0]
    for _ in range(3000):
        slope = [0, weights[1], weights[2]]
        for x, stays in pairs:
            slope = [s + (chance(weights, x) - stays) * value for s, value in zip(slope, x)]
        weights = [weight - 4 * s / len(pairs) for weight, s in zip(weights, slope)]
    return weights


def main(args):
    path = pathlib.Path(args.results)
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    with path.open("a") as out:
        measure(args, rows, out)
    by_closing = [row for row in rows if row["short"]["verdict"]["by"] == "closing"]
    pairs = [(features(row), row["short"]["verdict"]["uci"] == row["long"]["verdict"]["uci"]) for row in by_closing]
    for agree in [1, 0]:
        kept = [stays for x, stays in pairs if x[1] == agree]
        print(f"agree: {bool(agree)}; stays in {sum(kept)} of {len(kept)}")
    errors = []
    for seed in range(10):
        random.Random(seed).shuffle(pairs)
        halves = [pairs[::2], pairs[1::2]]
        for one, other in [halves, halves[::-1]]:
            weights = fitted(one)
            errors += [(chance(weights, x) - stays) ** 2 for x, stays in other]
    print(f"squared error {sum(errors) / len(errors):.3f}; weights", [round(w, 2) for w in fitted(pairs)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--epd", required=True)
    parser.add_argument("--binary", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--plain", action="store_true")
    main(parser.parse_args())
