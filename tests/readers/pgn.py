"""Reads out.pgn with python-chess and holds it against tree.json. Prints the number of moves."""

import math
import re
import sys

import chess
import chess.engine
import chess.pgn
import tree as whole

GLYPHS = {(0.3, 4), (0.2, 2), (0.1, 6)}
ENDS = {10, 14, 15, 16, 17, 18, 19}


def chances(score):
    """What Lichess calls winning chances."""
    if score.is_mate():
        return 1 if score > chess.engine.Cp(0) else -1
    cp = max(-1000, min(1000, score.score()))
    return 2 / (1 + math.exp(-0.00368208 * cp)) - 1


def glyph(best, score):
    loss = chances(best) - chances(score)
    return next((nag for least, nag in sorted(GLYPHS, reverse=True) if loss >= least), None)


def check_position(node, move_of):
    """All moves printed in one position."""
    mover = node.turn()
    scores = [evaluation(child).pov(mover) for child in tree_moves(node)]
    assert scores == sorted(scores, reverse=True), "best first"
    for child, score in zip(tree_moves(node), scores):
        found = child.nags & {2, 4, 6}
        expected = glyph(scores[0], score)
        assert found == ({expected} if expected else set()), (child, child.nags, expected)
        assert child.nags <= {2, 4, 6} | ENDS, child.nags
        listed = move_of.get((whole.key(node.board()), whole.uci(node.board(), child.move)))
        assert listed, child
        comment = words(child)
        alpha = re.search(r"alpha ([^\s,]+)", comment).group(1)
        idea = re.search(r"idea ([^\s,]+)", comment)
        assert idea is None or idea.group(1) != alpha, comment
        if not score.is_mate():
            assert round(abs(float(alpha)) * 100) == abs(score.score()), (comment, score)
        elif not child.board().is_checkmate():
            # A move by the mating side is one of the moves to the mate, counted before it.
            own = int(alpha.removeprefix("#")) * (1 if mover == chess.WHITE else -1)
            assert score.mate() == (own - 1 if own > 0 else own), (comment, score)
        assert (idea.group(1) if idea else alpha) == text(listed["idea"], mover), (comment, listed)


def evaluation(node):
    """What is said of a position: a checkmated board says it itself. Mates are counted from there."""
    mated = node.board().is_checkmate()
    assert mated == (node.eval() is None), node
    return chess.engine.PovScore(chess.engine.MateGiven, not node.turn()) if mated else node.eval()


def tree_moves(node):
    """Its moves but for those that the engine adds behind the tree's end."""
    return [child for child in node.variations if not words(child).startswith("from here on")]


def words(node):
    """Its comment, which is broken into lines anywhere."""
    return " ".join(node.comment.split())


def text(score, mover):
    """A score of the mover's as White sees it."""
    sign = 1 if mover == chess.WHITE else -1
    if "mate" in score:
        return f"#{sign * score['mate']}"
    cp = sign * score["cp"]
    return "0.00" if cp == 0 else f"{'+' if cp > 0 else '-'}{abs(cp) // 100}.{abs(cp) % 100:02}"


def main():
    with open("out.pgn", encoding="ascii") as file:
        lines = file.read()
    assert all(len(line) < 80 for line in lines.splitlines()[10:]), "a long line"
    tree = whole.load()
    places = list(whole.places(tree))
    move_of = {
        (whole.key(place.board), move["uci"]): move for place in places for move in place.moves
    }
    analysed = {whole.key(place.board) for place in places}
    with open("out.pgn") as file:
        game = chess.pgn.read_game(file)
        assert chess.pgn.read_game(file) is None, "two games"
    assert not game.errors, game.errors
    assert game.board().chess960 == ("variant" in tree), game.headers
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", game.headers["Date"]), game.headers
    assert game.headers["Result"] == "*" and game.headers["White"] == "?"

    root = game
    for uci in tree["history"]:
        before, root = root.board(), root.variations[0]
        assert whole.uci(before, root.move) == uci
    printed, moves, stack = {}, 0, [root]
    while stack:
        node = stack.pop()
        moves += len(tree_moves(node))
        stack.extend(tree_moves(node))
        if tree_moves(node):
            key = whole.key(node.board())
            assert key not in printed, f"{key} is printed twice"
            printed[key] = node
            check_position(node, move_of)
    if "whole" in sys.argv:
        assert set(printed) == analysed, "not all positions"
        assert moves == len(move_of)
    check_references(root, printed)
    check_main_line(root, analysed)
    print(moves)


def check_references(root, printed):
    """`see 1. d4 Nf6` is the place where the same position goes on."""
    stack = list(root.variations)
    while stack:
        node = stack.pop()
        stack.extend(tree_moves(node))
        see = re.search(r", see (.*)$", words(node))
        if not see:
            continue
        there = root
        for word in see.group(1).split():
            if not word.endswith("."):
                there = there.variation(there.board().parse_san(word))
        assert whole.key(there.board()) == whole.key(node.board()), node.comment
        assert there.variations and not node.variations, node.comment
        assert printed[whole.key(node.board())] is there


def check_main_line(root, analysed):
    """It goes on to a position that the tree does not have, or has had on the line."""
    last, seen = root, [whole.key(root.board())]
    before = root
    while before.parent is not None:
        before = before.parent
        seen.append(whole.key(before.board()))
    while tree_moves(last):
        last = last.variations[0]
        key = whole.key(last.board())
        if not tree_moves(last) and "whole" in sys.argv:
            assert key not in analysed or key in seen, "the main line breaks off"
        seen.append(key)


main()
