#!/usr/bin/env python3
"""Makes crates/core/openings/openings.tsv from a checkout of lichess-org/chess-openings (CC0).

Each line: EPD, ECO code, name; sorted by EPD's bytes, for binary search.

    python3 crates/lab/tools/openings.py CHECKOUT > crates/core/openings/openings.tsv
"""

import csv
import io
import pathlib
import sys

import chess.pgn


def positions(folder):
    for volume in "abcde":
        text = (folder / f"{volume}.tsv").read_text(encoding="utf-8")
        for row in csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE):
            game = chess.pgn.read_game(io.StringIO(row["pgn"]))
            yield game.end().board().epd(), row["eco"], row["name"]


def main():
    rows = sorted(positions(pathlib.Path(sys.argv[1])), key=lambda row: row[0].encode())
    epds = [epd for epd, _, _ in rows]
    assert len(set(epds)) == len(epds), "a position has two names"
    for row in rows:
        print("\t".join(row))


main()
