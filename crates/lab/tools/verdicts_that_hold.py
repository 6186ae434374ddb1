#!/usr/bin/env python3
"""Measures how long the verdicts of `deepanalyze grow` hold: from stage to stage, and by a long judge.

    crates/lab/tools/verdicts_that_hold.py --program deepanalyze --engine stockfish --positions FILE.epd --folder FOLDER
        [--count 20] [--minutes 10] [--beside 2] [--judge-nodes 20000000] [--stable 70 80 90]

Each of --count positions, taken evenly from the file, is grown in stages for so many minutes with one engine, in
a database of its own, --beside of them side by side. A judge (one search with an empty hash for each move, as
`lab duel` does) says of each change of the best move between two stages whether it was right. Printed are:

- how often the best move of a stage is another one in the next, and whether the change was right;
- the calibration: the chance that the next stage keeps the best move, by what is known when a settled depth is
  told (its lead over the second move, at which share of the stage's depths so far it was best, how many stages before
  chose it), a logistic curve, checked on each position as it is fitted on all others;
- how many positions came to a verdict with a chance of --stable per cent by such a curve, and in how many of those
  it held: in the next stage, and to the end of the run.

A stage counts from the settled depth on from which it speaks (docs/measurements/2026-11-performance.md, "Which stage speaks").
FOLDER keeps all that was measured. The tool may be stopped at any moment and goes on where it was: an analysis
that was broken off is grown for what is left of its time. Needs python-chess.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import signal
import subprocess
import threading
import time

import chess
import chess.engine

# Nobody cares how lost a lost game is.
BOUND = 1000
# From this settled depth on a deeper stage speaks, or from what the one before has settled.
BELIEVED = 6
# Greater leads are not told apart, nor are more stages.
MOST_LEAD = 300
MOST_STAGES = 5
FEATURES = ["one", "lead", "share", "stages"]


class Root:
    """A position with its files."""

    def __init__(self, number, fen, folder):
        self.number, self.fen = number, fen
        self.database = folder / f"{number:03}.db"
        self.grown, self.history = folder / f"{number:03}.seconds", folder / f"{number:03}.json"

    def seconds(self):
        return float(self.grown.read_text()) if self.grown.exists() else 0.0

    def stages(self):
        """What each stage settled: engine depth, and the verdict of each settled depth."""
        return json.loads(self.history.read_text())


class Growing:
    """The analyses under way; all of them end when the tool is stopped."""

    def __init__(self, args):
        self.args, self.stopped, self.running, self.lock = args, False, set(), threading.Lock()

    def stop(self, *_):
        self.stopped = True
        with self.lock:
            for process in self.running:
                process.send_signal(signal.SIGINT)

    def grow(self, root):
        left = self.args.minutes * 60 - root.seconds()
        if self.stopped or root.history.exists():
            return
        if left >= 1:
            self.run(root, left)
        if not self.stopped:
            root.history.write_text(json.dumps(history(self.args, root)))

    def run(self, root, left):
        command = [self.args.program, "grow", "--quiet", "--db", str(root.database), "--root", root.fen]
        command += ["--engine", self.args.engine, "--engines", "1", "--for", f"{math.ceil(left)}s"]
        command += ["--no-closing"]
        begun = time.monotonic()
        with self.lock:
            if self.stopped:
                return
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
            self.running.add(process)
        code = process.wait()
        with self.lock:
            self.running.discard(process)
        root.grown.write_text(str(root.seconds() + time.monotonic() - begun))
        if code not in (0, 130):
            raise SystemExit(f"{' '.join(command)} ended with {code}")


def told(args, root, *command):
    command = [args.program, *command, "--db", str(root.database), "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def history(args, root):
    """The stages of a root with their settled depths, the shallowest engine depth first."""
    tree = told(args, root, "show", "--plies", "1")
    numbers = [stage["analysis"] for stage in tree.get("stages", [tree])]
    stages = []
    for number in numbers:
        log = told(args, root, "log", "--analysis", str(number))
        settled = [v for v in log["verdicts"] if v["settled_at"] and len(v["moves"]) > 1]
        keep = [{"uci": m["uci"], "alpha": m["alpha"]} for v in settled for m in v["moves"][:2]]
        it = iter(keep)
        depths = [
            {"depth": v["depth"], "searches": v["searches"], "moves": [next(it) for _ in v["moves"][:2]]}
            for v in settled
        ]
        stages.append({"limit": log["engine"]["limit"], "depths": depths})
    return stages


def best(verdict):
    return verdict["moves"][0]["uci"]


def cp(score):
    return score["cp"] if "cp" in score else math.copysign(BOUND, score["mate"])


def speaking(stages):
    """The stages that have come to speak, one after the other."""
    spoken = []
    for stage in stages:
        least = min(spoken[-1]["depths"][-1]["depth"], BELIEVED) if spoken else 0
        depths = [v for v in stage["depths"] if v["depth"] >= least]
        if depths:
            spoken.append({**stage, "all": stage["depths"], "depths": depths})
    return spoken


def moments(stages):
    """What is known at each settled depth of a stage that speaks, whether the next stage keeps its best move,
    and whether the run does to its end."""
    spoken = speaking(stages)
    for index, stage in enumerate(spoken):
        following = spoken[index + 1]["depths"][-1] if index + 1 < len(spoken) else None
        before = [best(earlier["depths"][-1]) for earlier in spoken[:index]]
        for verdict in stage["depths"]:
            moves = verdict["moves"]
            lead = cp(moves[0]["alpha"]) - cp(moves[1]["alpha"])
            yield {
                "x": features(stage["all"], verdict, lead, before),
                "keeps": None if following is None else best(following) == best(verdict),
                "lasts": best(spoken[-1]["depths"][-1]) == best(verdict),
            }


def features(depths, verdict, lead, before):
    """What the program goes by, too (crates/report/src/kept/chance/trees.rs): the lead, at which share of the depths so far the
    move was best, and how many stages before chose it without a break."""
    so_far = [v for v in depths if v["depth"] <= verdict["depth"]]
    chose = 0
    for move in reversed(before):
        if move != best(verdict):
            break
        chose += 1
    return [
        1.0,
        math.log1p(min(max(lead, 0), MOST_LEAD)),
        sum(best(v) == best(verdict) for v in so_far) / len(so_far),
        min(chose, MOST_STAGES) / MOST_STAGES,
    ]


def chance(weights, x):
    return 1 / (1 + math.exp(-sum(w * f for w, f in zip(weights, x))))


def solve(matrix, right):
    """Linear equations, by elimination with pivots."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fitted(samples, ridge=1.0):
    """The logistic curve of the greatest likelihood, its weights drawn to 0 a little (Newton's method)."""
    weights, n = [0.0] * len(FEATURES), len(FEATURES)
    for _ in range(30):
        gradient = [ridge * w if i else 0.0 for i, w in enumerate(weights)]
        hessian = [[(ridge if i else 1e-9) * (i == j) for j in range(n)] for i in range(n)]
        for sample in samples:
            x, p = sample["x"], chance(weights, sample["x"])
            for i in range(n):
                gradient[i] += (p - sample["keeps"]) * x[i]
                for j in range(n):
                    hessian[i][j] += p * (1 - p) * x[i] * x[j]
        weights = [w - s for w, s in zip(weights, solve(hessian, gradient))]
    return weights


def known(all_moments):
    return [moment for moment in all_moments if moment["keeps"] is not None]


class Judge:
    """What moves are worth by long searches, each made once."""

    def __init__(self, args):
        self.args, self.file, self.engine = args, args.folder / "judged.json", None
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}

    def worth(self, fen, uci):
        key = f"{fen} {uci} {self.args.judge_nodes}"
        if key not in self.known:
            self.known[key] = self.search(fen, uci)
            self.file.write_text(json.dumps(self.known))
        return self.known[key]

    def search(self, fen, uci):
        board = chess.Board(fen)
        board.push_uci(uci)
        if board.is_game_over():
            return BOUND if board.is_checkmate() else 0
        self.engine = self.engine or chess.engine.SimpleEngine.popen_uci(self.args.engine)
        limit = chess.engine.Limit(nodes=self.args.judge_nodes)
        info = self.engine.analyse(board, limit, game=object())
        score = -info["score"].relative.score(mate_score=100_000)
        return max(-BOUND, min(BOUND, score))

    def close(self):
        if self.engine:
            self.engine.quit()


def tell_changes(roots, judge):
    """How often the next stage has another best move, and what the judge says of that."""
    rows = {}
    for root in roots:
        spoken = speaking(root.stages())
        for index, (one, two) in enumerate(zip(spoken, spoken[1:])):
            row = rows.setdefault(index + 1, [0, 0, 0, 0, []])
            row[0] += 1
            old, new = best(one["depths"][-1]), best(two["depths"][-1])
            if old != new:
                gain = judge.worth(root.fen, new) - judge.worth(root.fen, old)
                row[1] += 1
                row[2] += gain > 0
                row[3] += gain < 0
                row[4].append(gain)
    print("\n| stage | the next has spoken | has another best move | better by the judge | as good | worse | centipawns better, mean |")
    print("|---|---|---|---|---|---|---|")
    for stage, (all_, changed, better, worse, gains) in sorted(rows.items()):
        mean = f"{sum(gains) / len(gains):+.1f}" if gains else ""
        print(f"| {stage} | {all_} | {changed} | {better} | {changed - better - worse} | {worse} | {mean} |")


def predicted(of_roots):
    """The moments of each root with their chances, by a curve fitted on all other roots."""
    for index, own in enumerate(of_roots):
        others = known([m for other in of_roots[:index] + of_roots[index + 1 :] for m in other])
        weights = fitted(others) if others else None
        rate = sum(m["keeps"] for m in others) / len(others) if others else None
        yield [{**m, "chance": weights and chance(weights, m["x"]), "rate": rate} for m in own]


def tell_calibration(of_roots, told):
    known_ones = [m for root in told for m in known(root) if m["chance"] is not None]
    if not known_ones:
        print("\nno calibration: no next stage has spoken")
        return
    n = len(known_ones)
    brier = sum((m["chance"] - m["keeps"]) ** 2 for m in known_ones) / n
    plain = sum((m["rate"] - m["keeps"]) ** 2 for m in known_ones) / n
    kept = sum(m["keeps"] for m in known_ones)
    print(f"\n{n} settled depths of {len(of_roots)} positions with a next stage, which kept the move of {kept}; each by the "
          f"curve of the other positions:\nmean squared error {brier:.4f}, of one chance for all {plain:.4f}\n")
    print("| chance told | settled depths | of positions | mean chance | next stage kept the move |")
    print("|---|---|---|---|---|")
    for low, high in [(0, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)]:
        there = [m for m in known_ones if low <= m["chance"] < high]
        if there:
            mean, kept = (sum(m[key] for m in there) / len(there) for key in ("chance", "keeps"))
            positions = sum(any(low <= m["chance"] < high for m in known(root)) for root in told)
            print(f"| {low:.0%} to {min(high, 1):.0%} | {len(there)} | {positions} | {mean:.0%} | {kept:.0%} |")
    whole = fitted(known([m for root in of_roots for m in root]))
    print("\nweights, fitted on all: " + ", ".join(f"{f} {w:.4f}" for f, w in zip(FEATURES, whole)))


def tell_stable(told, least):
    """The first verdicts that were called stable."""
    called = next_kept = next_known = lasted = 0
    for root in told:
        stable = next((m for m in root if m["chance"] is not None and m["chance"] >= least), None)
        if stable:
            called += 1
            lasted += stable["lasts"]
            next_known += stable["keeps"] is not None
            next_kept += bool(stable["keeps"])
    print(f"\ncalled stable at {least:.0%}: {called} of {len(told)} positions; the next stage kept {next_kept} of "
          f"{next_known}; to the end of the run {lasted} of {called} held")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--positions", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--beside", type=int, default=2, help="analyses side by side")
    parser.add_argument("--judge-nodes", type=int, default=20_000_000)
    parser.add_argument("--stable", type=float, nargs="+", default=[70, 80, 90], help="per cent")
    return parser.parse_args()


def main():
    args = arguments()
    args.folder.mkdir(parents=True, exist_ok=True)
    lines = [line.split()[:4] for line in args.positions.read_text().splitlines()]
    fens = [" ".join(line) + " 0 1" for line in lines if len(line) == 4]
    fens = fens[:: max(1, len(fens) // args.count)][: args.count]
    roots = [Root(number, fen, args.folder) for number, fen in enumerate(fens, 1)]
    growing = Growing(args)
    signal.signal(signal.SIGINT, growing.stop)
    signal.signal(signal.SIGTERM, growing.stop)
    with concurrent.futures.ThreadPoolExecutor(args.beside) as pool:
        list(pool.map(growing.grow, roots))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    done = [root for root in roots if root.history.exists()]
    print(f"{len(done)} of {len(roots)} positions grown for {args.minutes:g} minutes each")
    if growing.stopped:
        return
    of_roots = [list(moments(root.stages())) for root in done]
    told = list(predicted(of_roots))
    tell_calibration(of_roots, told)
    for least in args.stable:
        tell_stable(told, least / 100)
    judge = Judge(args)
    try:
        tell_changes(done, judge)
    finally:
        judge.close()


if __name__ == "__main__":
    main()
