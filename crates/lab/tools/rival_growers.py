#!/usr/bin/env python3
"""Lets several runs of `grow` race on one new database, again and again, with an engine that does not answer
alike twice, and counts how they ended. `verify` must find every database sound.

rival_growers.py [--program deepanalyze] [--engine stockfish] [--runs 20] [--seconds 15]
"""

import argparse
import collections
import os
import subprocess
import tempfile

ROOTS = [[], ["e4"], ["d4"], ["e4", "e5"]]


def grow(args, database, moves):
    command = [args.program, "grow", "--engine", args.engine, "--engines", "1", "--engine-depth", "2"]
    command += ["--option", "Skill Level=3", "--distance", "60", "--depth", "60"]
    command += ["--for", f"{args.seconds}s", "--quiet", "--root", "startpos"]
    command += ["--moves", " ".join(moves)] if moves else []
    environment = {**os.environ, "DEEPANALYZE_DB": database}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def fault(program, database):
    """What is wrong with a database, or nothing."""
    environment = {**os.environ, "DEEPANALYZE_DB": database}
    verified = subprocess.run([program, "verify", "--quiet"], env=environment, capture_output=True, text=True)
    return (verified.stdout + verified.stderr).strip() if verified.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="deepanalyze")
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=15)
    args = parser.parse_args()
    ends = collections.Counter()
    for run in range(1, args.runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            database = os.path.join(folder, "tree.db")
            growers = [grow(args, database, moves) for moves in ROOTS]
            errors = [grower.communicate()[1].strip() for grower in growers]
            failed = [error for grower, error in zip(growers, errors) if grower.returncode]
            wrong = fault(args.program, database)
        ends["failed" if failed else "unsound" if wrong else "well"] += 1
        for text in [*failed, wrong]:
            if text:
                print(f"run {run}: {text}", flush=True)
    print(", ".join(f"{end}: {count}" for end, count in sorted(ends.items())), f"of {args.runs}")


if __name__ == "__main__":
    main()
