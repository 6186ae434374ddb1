#!/usr/bin/env python3
"""Fits the chance of winning to self-play positions (lines of `FEN;score;result`).

The chance is 1 / (1 + exp((middle - score) / spread)); middle and spread are linear in the phase.
Prints the two lines of numbers for `core/src/builtin/wdl.rs`. Needs numpy and scipy.
"""

import sys

import numpy
from scipy.optimize import minimize

PHASE = {"n": 1, "b": 1, "r": 2, "q": 4}


def read(path):
    for line in open(path, encoding="utf-8"):
        fen, score, result = line.strip().split(";")
        board = fen.split()[0].lower()
        phase = min(24, sum(PHASE.get(piece, 0) for piece in board))
        score, result = float(score), float(result)
        yield score, phase, result == 1.0
        yield -score, phase, result == 0.0


data = numpy.array(list(read(sys.argv[1])), dtype=float)
score, phase, won = data.T


def loss(x):
    middle = x[0] + x[1] * phase
    spread = numpy.maximum(x[2] + x[3] * phase, 5)
    chance = 1 / (1 + numpy.exp(numpy.clip((middle - score) / spread, -50, 50)))
    return -numpy.mean(numpy.log(numpy.where(won == 1, chance, 1 - chance) + 1e-9))


best = minimize(loss, [100, 0, 60, 0], method="Nelder-Mead", options={"maxiter": 2000})
print("middle", best.x[:2], "spread", best.x[2:], "loss", best.fun)
for low, high in ((-20, 20), (80, 120), (180, 220), (380, 420)):
    here = (score >= low) & (score < high)
    x = best.x
    told = 1 / (1 + numpy.exp((x[0] + x[1] * phase - score) / (x[2] + x[3] * phase)))
    print(f"score {low} to {high}: won {won[here].mean():.3f}, told {told[here].mean():.3f}")
