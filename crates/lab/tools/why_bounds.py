"""Does the bound of a move that no answer lists hold against twenty times the search?

    why_bounds.py PROGRAM POSITIONS.epd [--positions 50] [--moves 6] [--depth 12] [--times 20] [--seed 1]

Of each position a small tree is grown (engine depth as given, tree depth 2); of its root some moves that no answer lists
are drawn, and each is searched alone by the same engine for so many times the nodes of the answer that bounds it. Needs
python-chess and Stockfish.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile

import chess
import chess.engine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("positions_file")
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--moves", type=int, default=6)
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="/usr/games/stockfish")
    asked = parser.parse_args()
    numbers = random.Random(asked.seed)
    lines = [line.split(";")[0].strip() for line in open(asked.positions_file) if line.strip()]
    numbers.shuffle(lines)
    folder = tempfile.mkdtemp()
    env = {**os.environ, "DEEPANALYZE_DB": os.path.join(folder, "bounds.db")}

    def told(*arguments):
        run = subprocess.run([asked.program, *arguments], env=env, capture_output=True, text=True)
        assert run.returncode == 0, (arguments, run.stderr)
        return run.stdout

    engine = chess.engine.SimpleEngine.popen_uci(asked.engine)
    engine.configure({"Threads": 1})
    held, over = 0, []
    taken = 0
    for line in lines:
        if taken == asked.positions:
            break
        board = chess.Board(" ".join(line.split()[:4]) + " 0 1")
        # Some random but reasonable plies away from the list.
        for _ in range(numbers.randrange(0, 16)):
            if board.is_game_over():
                break
            board.push(engine.play(board, chess.engine.Limit(nodes=2000)).move)
        if board.is_game_over() or board.legal_moves.count() < 12:
            continue
        fen = board.fen()
        told("grow", "--root", fen, "--engine", asked.engine, "--engine-depth", str(asked.depth), "--depth", "2", "--quiet")
        listed = {m["uci"] for m in json.loads(told("show", "--root", fen, "--format", "json"))["moves"]}
        moves = [move for move in board.legal_moves if move.uci() not in listed]
        numbers.shuffle(moves)
        taken += 1
        for move in moves[: asked.moves]:
            why = json.loads(told("why", move.uci(), "--root", fen, "--no-engine", "--format", "json"))
            if why["standing"] != "bounded" or "cp" not in why["bound"]:
                continue
            nodes = asked.times * why["source"]["nodes"]
            found = engine.analyse(board, chess.engine.Limit(nodes=nodes), root_moves=[move], game=object())
            score = found["score"].relative.score(mate_score=32000)
            bound = why["bound"]["cp"]
            held += score <= bound
            if score > bound:
                over.append(score - bound)
            print(f"{taken:3} {fen} {move.uci()} bound {bound} found {score}", flush=True)
    engine.quit()
    all_of_them = held + len(over)
    over.sort()
    print(f"{held} of {all_of_them} bounds held against {asked.times} times the search ({100 * held / all_of_them:.1f} %)")
    within = sum(one <= 30 for one in over)
    print(f"{within} of the {len(over)} others by at most 30 centipawns; all: {over}")


main()
