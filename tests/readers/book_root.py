"""Prints the moves of the initial position in out.bin with their weights, the heaviest first, as python-chess reads them."""

import chess
import chess.polyglot

with chess.polyglot.open_reader("out.bin") as book:
    entries = sorted(book.find_all(chess.Board()), key=lambda entry: -entry.weight)
    print(*[f"{entry.move.uci()}={entry.weight}" for entry in entries])
