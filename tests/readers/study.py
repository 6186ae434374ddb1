"""Reads study.pgn with python-chess, as a Lichess study takes it. Prints the chapters and the moves in them."""

import re

import chess.pgn

text = open("study.pgn", encoding="utf-8").read()
# As Lichess splits a file.
chapters = re.split(r"\n\n(?=\[)", text)
assert len(chapters) <= 64 and all(len(chapter) <= 100_000 for chapter in chapters)
names, moves = set(), 0
with open("study.pgn", encoding="utf-8") as file:
    while game := chess.pgn.read_game(file):
        assert not game.errors, game.errors
        name = game.headers["ChapterName"]
        assert name == game.headers["Event"] and 0 < len(name) <= 80 and name not in names, name
        assert game.headers["Orientation"] in ("white", "black") and game.headers["ChapterMode"] == "normal"
        names.add(name)
        nodes = 0
        waiting = [game]
        while waiting:
            children = waiting.pop().variations
            nodes += len(children)
            waiting += children
        assert nodes <= 3000, (name, nodes)
        moves += nodes
assert len(names) == len(chapters)
print(len(names), moves)
