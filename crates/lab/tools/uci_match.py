#!/usr/bin/env python3
"""Plays games between `deepanalyze uci` and another UCI engine, and counts what must not happen.

    crates/lab/tools/uci_match.py --games 100 --time 1 --increment 0.01 \\
        --one "target/release/deepanalyze uci --db match.db" --other stockfish

Each opening is played twice, with colours changed. The clock is this program's: the time between `go` and
`bestmove` counts as a GUI sees it. Needs python-chess.
"""

import argparse
import asyncio
import collections
import random
import shlex
import time

import chess
import chess.engine

MARGIN = 0.0


def opening(number, plies):
    """A position after a few random moves: the games test clocks, not strength."""
    generator = random.Random(number)
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(generator.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return board


async def play(engines, board, args, log):
    """One game; its result, the reason, and the longest overstepping of a clock."""
    clocks = {chess.WHITE: args.time, chess.BLACK: args.time}
    game = object()
    while True:
        outcome = board.outcome(claim_draw=True)
        if outcome:
            return outcome.result(), outcome.termination.name.lower().replace("_", " ")
        if len(board.move_stack) > args.longest:
            return "1/2-1/2", "long"
        turn = board.turn
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=args.increment,
            black_inc=args.increment,
        )
        began = time.monotonic()
        try:
            result = await engines[turn].play(board, limit, game=game)
        except chess.engine.EngineError as error:
            print("illegal or no move:", error, file=log)
            return ("0-1" if turn else "1-0"), "illegal move"
        took = time.monotonic() - began
        clocks[turn] -= took
        if clocks[turn] < -MARGIN:
            print(f"time: {-clocks[turn] * 1000:.0f} ms over", board.fen(), file=log)
            return ("0-1" if turn else "1-0"), "time"
        clocks[turn] += args.increment
        if result.move is None or result.move not in board.legal_moves:
            return ("0-1" if turn else "1-0"), "illegal move"
        board.push(result.move)


async def match(args):
    engines = []
    for command in (args.one, args.other):
        _, engine = await chess.engine.popen_uci(shlex.split(command))
        engines.append(engine)
    for setting in args.option:
        name, value = setting.split("=", 1)
        await engines[0].configure({name: value})
    points, losses, ends, plies = 0.0, [collections.Counter(), collections.Counter()], collections.Counter(), 0
    with open(args.log, "w", encoding="utf-8") as log:
        for number in range(args.games):
            board = opening(args.seed + number // 2, args.plies)
            one_is_white = number % 2 == 0
            sides = {chess.WHITE: engines[not one_is_white], chess.BLACK: engines[one_is_white]}
            result, why = await play(sides, board, args, log)
            plies += len(board.move_stack)
            ends[why] += 1
            if result == "1/2-1/2":
                points += 0.5
            else:
                one_wins = (result == "1-0") == one_is_white
                points += one_wins
                if why in ("time", "illegal move"):
                    losses[one_wins][why] += 1
            print(number + 1, result, why, len(board.move_stack), file=log, flush=True)
    for engine in engines:
        await engine.quit()
    print(f"games {args.games}, {args.time} s + {args.increment} s, {plies} plies")
    print(f"{'':8}{'points':>8}{'time':>8}{'illegal':>9}")
    for name, own, lost in (("one", points, losses[0]), ("other", args.games - points, losses[1])):
        print(f"{name:8}{own:8.1f}{lost['time']:8}{lost['illegal move']:9}")
    print("ends:", ", ".join(f"{why} {count}" for why, count in ends.most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", default="target/release/deepanalyze uci --db match.db")
    parser.add_argument("--other", default="target/release/deepanalyze engine")
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE, of the first engine")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--time", type=float, default=1.0, help="seconds per side")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds per move")
    parser.add_argument("--plies", type=int, default=6, help="random plies of each opening")
    parser.add_argument("--longest", type=int, default=400, help="plies until a game is drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", default="match.log")
    asyncio.run(match(parser.parse_args()))


if __name__ == "__main__":
    main()
