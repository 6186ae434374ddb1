#!/usr/bin/env python3
"""Fits the chance of winning to games of the engine against itself (fastchess -pgnout GAMES.pgn).

The chance is 1 / (1 + exp((middle - score) / spread)); middle and spread are linear in the phase.
Prints the numbers for `crates/builtin/src/score.rs`. Needs python-chess, numpy and scipy.
"""

import re
import sys

import chess.pgn
import numpy
from scipy.optimize import minimize

# What is left of the pieces, 24 in the initial position.
PHASE = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}


def games(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                yield game


def positions(game):
    """Score and phase of each position with a score that is no mate, and whether its side to move has won."""
    winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(game.headers["Result"])
    board = game.board()
    for node in game.mainline():
        told = re.match(r"([+-]\d+\.\d+)/", node.comment)
        if told:
            pieces = board.piece_map().values()
            phase = min(24, sum(PHASE.get(piece.piece_type, 0) for piece in pieces))
            yield 100 * float(told[1]), phase, winner == board.turn, winner == (not board.turn)
        board.push(node.move)


found = numpy.array([one for game in games(sys.argv[1:]) for one in positions(game)], dtype=float)
score, phase, won, lost = found.T
score, phase = numpy.concatenate((score, -score)), numpy.concatenate((phase, phase))
won = numpy.concatenate((won, lost))
print(len(found), "positions")


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
