#!/usr/bin/env python3
"""Fits the chance of winning to the positions of self-play (files of `lab selfplay`).

The chance is 1 / (1 + exp((middle - score) / spread)); middle and spread are linear in the phase.
Prints the numbers for `builtin/src/score.rs`. Needs numpy and scipy.
"""

import sys

import numpy
from scipy.optimize import minimize

RECORD = numpy.dtype([("occupied", "<u8"), ("men", "u1", 16), ("score", "<i2"), ("result", "u1"), ("more", "u1", 5)])
# By the kind of man: pawn, knight, bishop, rook, queen, king; the colour is the fourth bit.
PHASE = numpy.array([0, 1, 1, 2, 4, 0, 0, 0] * 2)

records = numpy.concatenate([numpy.fromfile(path, dtype=RECORD) for path in sys.argv[1:]])
# Empty places are pawns, which count nothing.
phase = numpy.minimum(24, (PHASE[records["men"] & 15] + PHASE[records["men"] >> 4]).sum(1))
score = records["score"].astype(float)
score, phase = numpy.concatenate((score, -score)), numpy.concatenate((phase, phase))
won = numpy.concatenate((records["result"] == 2, records["result"] == 0)).astype(float)


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
