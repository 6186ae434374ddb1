#!/usr/bin/env python3
"""Measures from which settled depth on the verdict of a deeper stage is to be believed.

    crates/lab/tools/stage_verdicts.py --program deepanalyze --engine stockfish --positions FILE.epd
        [--stages 10,12] [--depth 10] [--count 60] [--judge-nodes 2000000] [--out FILE.csv]

Each position is grown with the engine depth of the first stage, to a depth, and then with that of the second.
A judge (the same engine, one search with an empty hash per move, as `lab duel` does) says what the
moves are worth that the stages have chosen at their settled depths. For each settled depth of the second stage
the table says how often its move was better, the same or worse than the one of the whole first stage, and by
how many centipawns on average, with the standard error. Needs python-chess.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import chess
import chess.engine

# Nobody cares how lost a lost game is.
BOUND = 300


def verdicts(args, fen, stage, folder):
    """The best move at each settled depth of a stage."""
    database = str(pathlib.Path(folder) / f"{stage}.db")
    common = ["--db", database, "--root", fen]
    engine = ["--engine", args.engine, "--engines", "1", "--engine-depth", str(stage)]
    grow = [args.program, "grow", "--quiet", *common, *engine, "--depth", str(args.depth)]
    subprocess.run(grow, check=True, stdin=subprocess.DEVNULL)
    log = [args.program, "log", *common, "--format", "json"]
    said = json.loads(subprocess.run(log, check=True, capture_output=True).stdout)
    return [(v["depth"], v["moves"][0]["uci"], v["searches"]) for v in said["verdicts"]]


def worth(judge, board, uci, nodes):
    """What a move is worth for its mover, in centipawns."""
    after = board.copy()
    after.push_uci(uci)
    if after.is_game_over():
        return BOUND if after.is_checkmate() else 0
    info = judge.analyse(after, chess.engine.Limit(nodes=nodes), game=object())
    score = -info["score"].relative.score(mate_score=100_000)
    return max(-BOUND, min(BOUND, score))


def table(rows, depth):
    print("| settled depth of the deeper stage | positions | better | same | worse | centipawns better | searches, of the stage before |")
    print("|---|---|---|---|---|---|---|")
    for settled in range(depth + 1):
        gains = [row[settled] for row in rows if settled in row]
        if not gains:
            continue
        gain = [one for one, _ in gains]
        better, worse = sum(one > 0 for one in gain), sum(one < 0 for one in gain)
        error = statistics.stdev(gain) / len(gain) ** 0.5 if len(gain) > 1 else 0.0
        share = statistics.median(share for _, share in gains)
        same = len(gain) - better - worse
        mean = f"{statistics.mean(gain):+.1f} ± {error:.1f}"
        print(f"| {settled} | {len(gain)} | {better} | {same} | {worse} | {mean} | {share:.2f} |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--positions", required=True, type=pathlib.Path)
    parser.add_argument("--stages", default="10,12")
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--judge-nodes", type=int, default=2_000_000)
    args = parser.parse_args()
    first, second = (int(stage) for stage in args.stages.split(","))
    lines = [line.split()[:4] for line in args.positions.read_text().splitlines()]
    fens = [" ".join(line) + " 0 1" for line in lines if len(line) == 4]
    step = max(1, len(fens) // args.count)
    judge, rows = chess.engine.SimpleEngine.popen_uci(args.engine), []
    for done, fen in enumerate(fens[::step][: args.count], 1):
        with tempfile.TemporaryDirectory() as folder:
            before, after = (verdicts(args, fen, stage, folder) for stage in (first, second))
        board, known = chess.Board(fen), {}
        for _, uci, _ in [before[-1], *after]:
            if uci not in known:
                known[uci] = worth(judge, board, uci, args.judge_nodes)
        base, spent = known[before[-1][1]], before[-1][2]
        rows.append({depth: (known[uci] - base, searches / spent) for depth, uci, searches in after})
        if done % 10 == 0:
            print(f"\n{done} positions")
            table(rows, args.depth)
    judge.quit()


if __name__ == "__main__":
    main()
