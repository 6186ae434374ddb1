#!/usr/bin/env python3
"""How likely is the verdict of `grow` to be that of four times the work? And what does a second engine's word add?

    crates/lab/tools/verdicts_that_stay.py RESULTS.jsonl --hard EPD --balanced EPD [--second CMD] [--count 100]
        [--binary deepanalyze] [--engine stockfish] [--searches 60] [--nodes 300000] [--for SECONDS]
        [--second-time 1s]

Hard positions (EPD with bm) and balanced ones in turns are grown by two engines, with --max-searches N and --closing Mn,
and again with four times both, each in a database of its own: to limits, so that nothing depends on the machine; with
--for by the clock, where one engine has the threads of both. With --second the first run has that engine behind its
closing search. RESULTS gets a line for each position as soon as it is done; what it has already is left out. At the end
the kinds of crates/view/src/chance/mod.rs are counted, without and with the second engine. Squared errors are those of
each half of the positions by the counts of the other half (50 times). Needs python-chess.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

import chess


def lines(path):
    for line in filter(str.strip, pathlib.Path(path).read_text().splitlines()):
        board = chess.Board()
        said = board.set_epd(line) if line.count(" ") < 5 or ";" in line else board.set_fen(line)
        yield board.fen(), [move.uci() for move in (said or {}).get("bm", [])]


def shown(args, fen, factor, second):
    """The JSON of `show` after such a run, without the tree's inner moves."""
    with tempfile.TemporaryDirectory() as folder:
        place = ["--db", str(pathlib.Path(folder) / "tree.db")]
        work = ["--max-searches", str(args.searches * factor), "--closing", f"{args.nodes * factor}n"]
        if args.seconds:
            work = ["--for", f"{args.seconds * factor}s"]
        run = ["grow", *place, "--root", fen, "--engine", args.engine, "--engines", "2", *work]
        beside = ["--second", second] if second else []
        beside += ["--second-time", args.second_time] if second and args.second_time else []
        subprocess.run([args.binary, *run, *beside, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        show = [args.binary, "show", *place, "--format", "json", "--plies", "1"]
        return json.loads(subprocess.run(show, check=True, capture_output=True).stdout)


def measure(args, rows, out):
    kinds = [("hard", lines(args.hard)), ("balanced", lines(args.balanced))]
    for number in range(args.count):
        for kind, positions in kinds:
            fen, right = next(positions)
            if any(row["fen"] == fen for row in rows):
                continue
            row = {"kind": kind, "number": number, "fen": fen, "right": right}
            row["short"] = shown(args, fen, 1, args.second)
            row["long"] = shown(args, fen, 4, None)
            rows.append(row)
            print(json.dumps(row), file=out, flush=True)


def centipawns(score):
    return max(-1000, min(1000, score["cp"])) if "cp" in score else math.copysign(1000, score["mate"])


def kind_of(row, has_second):
    """As `Stays::of_closing` has them."""
    verdict, tree = row["short"]["verdict"], row["short"]["moves"][0]
    value = centipawns(verdict["score"])
    others = [centipawns(other["score"]) for other in row["short"]["closing"]["others"]]
    alphas = [centipawns(move["alpha"]) for move in row["short"]["moves"] if "alpha" in move]
    is_ahead_in_tree = verdict["agree"] and len(alphas) > 1 and alphas[0] - alphas[1] >= 120
    is_far = value - max(others) >= 80 if others else is_ahead_in_tree
    is_far = is_far or not verdict["agree"] and abs(value - centipawns(tree["alpha"])) >= 60
    kind = "far ahead" if is_far else "tree agrees" if verdict["agree"] else "tree differs"
    second = ", second agrees" if has_second and verdict["second"]["agree"] else ", second differs"
    return kind + second if has_second else kind


def chances(pairs):
    """Of each kind, drawn to that of all by two cases."""
    mean = sum(stays for _, stays in pairs) / len(pairs)
    kinds = {kind: [stays for one, stays in pairs if one == kind] for kind, _ in pairs}
    return {kind: (sum(kept) + 2 * mean) / (len(kept) + 2) for kind, kept in kinds.items()} | {None: mean}


def report(name, rows, has_second):
    pairs = [(kind_of(row, has_second), row["short"]["verdict"]["uci"] == row["long"]["verdict"]["uci"]) for row in rows]
    errors = {"kinds": [], "all alike": []}
    for seed in range(50):
        random.Random(seed).shuffle(pairs)
        halves = [pairs[::2], pairs[1::2]]
        for one, other in [halves, halves[::-1]]:
            told = chances(one)
            errors["kinds"] += [(told.get(kind, told[None]) - stays) ** 2 for kind, stays in other]
            errors["all alike"] += [(told[None] - stays) ** 2 for _, stays in other]
    print(f"{name}: {len(rows)} verdicts; squared error", {key: round(sum(e) / len(e), 3) for key, e in errors.items()})
    for kind in sorted({kind for kind, _ in pairs}):
        kept = [stays for one, stays in pairs if one == kind]
        right = [row["short"]["verdict"]["uci"] in row["right"] for row in rows if row["right"] and kind_of(row, has_second) == kind]
        print(f"    {kind:28} {sum(kept):3} of {len(kept):3} stay; {sum(right):3} of {len(right):3} are right")


def main(args):
    path = pathlib.Path(args.results)
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    with path.open("a") as out:
        measure(args, rows, out)
    rows = [row for row in rows if row["short"]["verdict"]["by"] == "closing" and "cp" in row["short"]["verdict"]["score"]]
    report("without a second engine", rows, False)
    beside = [row for row in rows if "score_of_verdict" in row["short"]["verdict"].get("second", {})]
    if beside:
        report("with a second engine", beside, True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--hard", required=True)
    parser.add_argument("--balanced", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--second")
    parser.add_argument("--binary", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--searches", type=int, default=60)
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--for", dest="seconds", type=int)
    parser.add_argument("--second-time")
    main(parser.parse_args())
