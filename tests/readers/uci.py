"""Plays and analyses with the engine of the command line, by python-chess' client.

Prints how many moves were played.
"""

import sys

import chess
import chess.engine

START = chess.Board()


def play(engine):
    """A short game against itself on a clock, with pondering."""
    board = chess.Board()
    for _ in range(12):
        limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.05, black_inc=0.05)
        result = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=True)
        assert result.move in board.legal_moves, result.move
        board.push(result.move)
    return len(board.move_stack)


def analyse(engine):
    """Several lines of one position, best first, each legal to its end."""
    infos = engine.analyse(START, chess.engine.Limit(depth=2), multipv=3)
    assert len(infos) == 3, infos
    scores = [info["score"].pov(chess.WHITE).score(mate_score=100000) for info in infos]
    assert scores == sorted(scores, reverse=True), scores
    for info in infos:
        board = START.copy()
        for move in info["pv"]:
            assert move in board.legal_moves, info["pv"]
            board.push(move)


def analyse_only(engine):
    """Some of the moves alone."""
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    info = engine.analyse(START, chess.engine.Limit(depth=1), root_moves=moves)
    assert info["pv"][0] in moves, info


def analyse_chess960(engine):
    """Positions of Chess960, in which both sides castle; python-chess sets UCI_Chess960 by itself."""
    board = chess.Board("1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w KQkq - 0 1", chess960=True)
    for castling in ["e1h1", "e8b8"]:
        move = chess.Move.from_uci(castling)
        info = engine.analyse(board, chess.engine.Limit(depth=1), root_moves=[move])
        assert info["pv"][0] == move, info
        board.push(move)
    assert board.board_fen().startswith("2kr2r1/") and board.board_fen().endswith("/1R3RK1"), board
    infos = engine.analyse(board, chess.engine.Limit(depth=2), multipv=2)
    assert len(infos) == 2, infos


def watch(engine):
    """An analysis without an end, which is stopped."""
    board = chess.Board()
    board.push_san("e4")
    with engine.analysis(board) as analysis:
        for info in analysis:
            if "pv" in info:
                break
    assert analysis.wait().move in board.legal_moves


with chess.engine.SimpleEngine.popen_uci(sys.argv[1:], timeout=600) as engine:
    assert "Engine.Hash" not in engine.options and "Hash" in engine.options, engine.options
    analyse(engine)
    analyse_only(engine)
    analyse_chess960(engine)
    watch(engine)
    print("played", play(engine))
