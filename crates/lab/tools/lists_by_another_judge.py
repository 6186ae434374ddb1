#!/usr/bin/env python3
"""Counts the lists of one `lab duel --alternatives` by the judge of another, from the texts of both.

    crates/lab/tools/lists_by_another_judge.py --judged JUDGED.txt --lists LISTS.txt

Both are of the same positions in the same order, with the same margin. A judge of 20 million nodes takes hours; where its lists
are there, trees that were not measured then need no other. Printed is a text like that of LISTS.txt, with the moves and figures
of the other judge (docs/measurements/2026-11-worth.md, "Alternatives", defines them). The figures of JUDGED.txt counted by its own judge come out as
they stand there; intervals differ in the last digit, for the draws are others.
"""

import argparse
import pathlib
import random
import re

# As in the program: a move that loses no more should not be missed; nobody cares how lost a lost game is.
NEAR, BOUND = 20, 1000
RESAMPLES = 10_000


class Text:
    """A text: what stands before the positions, the names of the arms, and each position's lists, the judge's first."""

    def __init__(self, path):
        lines = pathlib.Path(path).read_text().splitlines()
        start = next(i for i, line in enumerate(lines) if re.match(r"position +judge \|", line))
        self.head, self.columns = lines[:start], lines[start]
        self.rows = lines[start + 1 : start + 1 + lines[start + 1 :].index("")]
        self.arms = [arm.strip() for arm in self.columns.split("|")[1:]]
        self.margin = int(re.search(r"within (\d+) centipawns are in none", "\n".join(self.head)).group(1))
        self.names = [row.split()[0] for row in self.rows]
        self.positions = [[moves(cell) for cell in row[len(name) :].split("|")] for row, name in zip(self.rows, self.names)]


def moves(cell):
    """The moves of a list with their centipawns."""
    words = (move.rsplit(" ", 1) for move in cell.strip().split(", ") if move)
    return [(move, centipawns(score)) for move, score in words]


def centipawns(score):
    if "#" in score:
        return -BOUND if "-" in score else BOUND
    return max(-BOUND, min(BOUND, int(score)))


def parts(judged, listed, other, margin):
    """Sums and what they are to be divided by; errors and orders of what the other list has, too, where there is one."""
    place = {move: index for index, (move, _) in enumerate(listed)}
    score = dict(listed)
    in_both = {move for move in place if other is None or move in dict(other)}
    near = [move for move, of in judged if judged[0][1] - of <= NEAR]
    compared = [(move, of) for move, of in judged if move in in_both]
    wrong, wrong_of_all = [0, 0], [0, 0]
    for index, (better, high) in enumerate(judged):
        for worse, low in judged[index + 1 :]:
            if high - low <= margin:
                continue
            one, two = place.get(better), place.get(worse)
            if one is None:
                half_wrong = 1 if two is None else 2
            else:
                half_wrong = 2 if two is not None and one > two else 0
            wrong_of_all = [wrong_of_all[0] + half_wrong, wrong_of_all[1] + 2]
            if better in in_both and worse in in_both:
                wrong = [wrong[0] + half_wrong, wrong[1] + 2]
    first_two = [move for move, _ in listed[:2]]
    return {
        "listed": (sum(move in place for move, _ in judged), len(judged)),
        "error": (sum(abs(score[move] - of) for move, of in compared), len(compared)),
        "wrong": wrong,
        "wrong_of_all": wrong_of_all,
        "second": (int(judged[1][0] in first_two), 1) if len(judged) > 1 else (0, 0),
        "missed": (sum(move not in place for move in near), len(near)),
    }


def ratio(pairs):
    """The quotient of the sums, and its interval by the bootstrap over positions."""
    draw = random.Random(1)
    quotient = lambda drawn: sum(pair[0] for pair in drawn) / (sum(pair[1] for pair in drawn) or 1)
    samples = sorted(quotient(draw.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    tail = len(samples) // 40
    return quotient(pairs), samples[tail], samples[-1 - tail]


def told(name, pairs, sign=""):
    scale, unit = (1, "") if name == "error" else (100, " %")
    value, low, high = (scale * number for number in ratio(pairs))
    return f"{value:{sign}.1f}{unit} ({low:{sign}.1f} to {high:{sign}.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judged", required=True, help="the text with the judge's lists")
    parser.add_argument("--lists", required=True, help="the text with the arms' lists")
    options = parser.parse_args()
    judged, text = Text(options.judged), Text(options.lists)
    if judged.names != text.names or judged.margin != text.margin:
        raise SystemExit("the two texts are not of the same positions with the same margin")
    judges = [position[0] for position in judged.positions]

    def of(arm, other=None):
        """The parts of an arm's lists in all positions."""
        lists = text.positions
        others = [None if other is None else position[other] for position in lists]
        return [parts(judge, lists[i][arm], others[i], text.margin) for i, judge in enumerate(judges)]

    judge = [line for line in judged.head if line.startswith("judge ")] + [
        line for line in judged.head if line.startswith("          ")
    ]
    kept = [line for line in text.head if not line.startswith(("judge ", "          "))]
    at = next(i for i, line in enumerate(kept) if line.startswith("scores "))
    by = "          counted by crates/lab/tools/lists_by_another_judge.py: this judge's lists are those of an earlier duel"
    print("\n".join(kept[:at] + judge + [by] + kept[at:] + [text.columns]))
    for row, name, before in zip(text.rows, text.names, judged.rows):
        lists = before[len(name) :].split("|", 1)[0].rstrip()
        print(name + lists + " |" + row.split("|", 1)[1])
    names = ["listed", "error", "wrong", "wrong_of_all", "second", "missed"]
    for arm, title in enumerate(text.arms, 1):
        print(f"\n{title}")
        own = of(arm)
        for name in names:
            print(f"  {name:<13} {told(name, [part[name] for part in own])}")
        if not title.startswith("tree"):
            continue
        for other, beside in enumerate(text.arms, 1):
            if beside.startswith("tree"):
                continue
            print(f"  less {beside}:")
            tree, search = of(arm, other), of(other, arm)
            for name in names:
                less = [(t[name][0] - s[name][0], t[name][1]) for t, s in zip(tree, search)]
                print(f"    {name:<13} {told(name, less, '+')}")


if __name__ == "__main__":
    main()
