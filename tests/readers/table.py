"""Reads out.csv with Python's csv and holds it against tree.json. Prints the number of rows."""

import csv

import tree as whole

tree = whole.load()
with open("out.csv", newline="", encoding="ascii") as file:
    rows = {(row["epd"], row["uci"]): row for row in csv.DictReader(file)}


def score(row, name):
    cp, mate = row[name], row[f"{name}_mate"]
    assert (cp == "") != (mate == ""), row
    return {"cp": int(cp)} if cp else {"mate": int(mate)}


count = 0
for place in whole.places(tree):
    followed = [move["uci"] for move in whole.candidates(place, tree["distance"])]
    for move in place.moves:
        row = rows.pop((whole.key(place.board), move["uci"]))
        for name in ["alpha", "idea", "eval"]:
            assert score(row, name) == move[name], (row, move)
        assert row["san"] == move["san"] and int(row["rank"]) == move["rank"], row
        assert int(row["ply"]) == place.ply, row
        words = [word for word in row["line"].split() if not word.endswith(".")]
        assert words == [m["san"] for m in place.path + [move]], row
        assert row["candidate"] == str(move["uci"] in followed).lower(), row
        assert row["end"] == move.get("end", ""), row
        for flag in ["repetition", "transposition"]:
            assert row[flag] == str(move.get(flag, False)).lower(), row
        best = place.moves[0]["alpha"]
        if move["alpha"] == best:
            assert row["loss"] == "0", row
        elif "cp" in best and "cp" in move["alpha"]:
            assert int(row["loss"]) == best["cp"] - move["alpha"]["cp"] > 0, row
        else:
            assert row["loss"] == "", row
        for cell in row.values():
            number = cell.lstrip("-").isdigit()
            assert number or not cell.startswith(("=", "+", "-", "@", "\t")), row
        count += 1
assert not rows, rows
print(count)
