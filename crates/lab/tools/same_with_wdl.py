#!/usr/bin/env python3
"""Whether an engine searches the same, node for node, with UCI_ShowWDL and without it.

    same_with_wdl.py DEPTH ENGINE [ARGUMENT ...]

One line per position: nodes, score, best move, and how many scores came with win, draw and loss; then how many
positions differ. Every search begins with a cleared hash.
"""

import subprocess
import sys

POSITIONS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN2Q/1p2P3/2N5/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQ - 0 1",
    "8/8/4k3/3pp3/8/3PPK2/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1",
    "r2q1rk1/1b2bppp/p1n1pn2/1p6/3P4/1BN2N2/PP2QPPP/R1BR2K1 w - - 0 1",
    "8/2k5/4p3/1nb2p2/2K5/8/6B1/8 w - - 0 1",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 1",
    "8/5pk1/p4p1p/1p6/2r5/P1R3P1/1P3P1P/6K1 w - - 0 1",
]


def searches(depth, command, shows):
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(line):
        engine.stdin.write(line + "\n")
        engine.stdin.flush()

    def until(word):
        lines = []
        for line in engine.stdout:
            lines.append(line)
            if line.split()[:1] == [word]:
                return lines
        sys.exit("the engine has ended")

    say("uci")
    if not any("UCI_ShowWDL" in line for line in until("uciok")):
        sys.exit("the engine does not offer UCI_ShowWDL")
    say(f"setoption name UCI_ShowWDL value {str(shows).lower()}")
    for fen in POSITIONS:
        say("ucinewgame")
        say("isready")
        until("readyok")
        say(f"position fen {fen}")
        say(f"go depth {depth}")
        lines = [line.split() for line in until("bestmove")]
        infos = [words for words in lines if words[:1] == ["info"] and "score" in words]
        last = infos[-1]
        at = last.index("score")
        said = sum("wdl" in words for words in infos)
        nodes = [words[words.index("nodes") + 1] for words in infos]
        yield nodes, " ".join(last[at + 1 : at + 3]), lines[-1][1], said
    say("quit")
    engine.wait()


def main():
    depth, command = sys.argv[1], sys.argv[2:]
    without, with_wdl = (list(searches(depth, command, shows)) for shows in (False, True))
    different = 0
    for fen, plain, shown in zip(POSITIONS, without, with_wdl):
        same = plain[:3] == shown[:3]
        different += not same
        print(f"{shown[0][-1]:>10}  {shown[1]:<9} {shown[2]:<6} {shown[3]:>3} wdl (without: {plain[3]})  {'same' if same else 'DIFFERENT'}  {fen}")
    print(f"{different} of {len(POSITIONS)} positions differ")


if __name__ == "__main__":
    main()
