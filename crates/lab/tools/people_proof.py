#!/usr/bin/env python3
"""Does the expected score against people foretell the points made in real games?

Half of the games are counted, the other half is held back. Trees grow with the counts; every
held-back game is walked through them, once for each side as "us", for as long as our moves are
sound. There the expected score e of `show --people` and the plain score w (both for us, 0 to 1)
are held against the points that we made. Needs python-chess and the program:

    people_proof.py split OUT FILE...           unique games of people to OUT/counted.pgn and OUT/held.pgn
    deepanalyze games add OUT/counted.games OUT/counted.pgn
    deepanalyze grow --db OUT/p.db --games OUT/counted.games --moves "e4 c5 Nf3" --played 5%/10 \\
        --engine stockfish --engine-depth 10 --depth 10 --for 4m --no-closing   (and other openings)
    people_proof.py judge OUT --program deepanalyze "e4 c5 Nf3" "d4 Nf6 c4" ...
"""
import argparse, functools, hashlib, json, math, random, re, subprocess, sys
from collections import defaultdict
from pathlib import Path

import chess

SOUND = 30  # centipawns that one of our moves may lose
NOISE = re.compile(r"\{[^}]*\}|\([^)]*\)|\$\d+|\d+\.+|[!?]+")
TAG = re.compile(r'\[(\w+) "(.*)"\]')
RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
PROGRAMS = re.compile(
    r"\b(Comp|Computer|Fritz|Rybka|Stockfish|Houdini|Komodo|Junior|Shredder|Hydra|Deep|Hiarcs"
    r"|Crafty|Genius|Mephisto|Chessmaster|Rebel|Zappa|Leela|AlphaZero|Pocket|Belle|Hitech|Cray"
    r"|Nimzo|Tiger|Gandalf|Ikarus|Diep|Brutus|Naum|Spike|Loop|Toga|Fruit)\b", re.I)


def games(path):
    """Tags and the moves' words of each game of a PGN file."""
    tags, text = {}, []
    for line in open(path, encoding="latin-1"):
        if line.startswith("["):
            if text:
                yield tags, words(text)
                tags, text = {}, []
            if found := TAG.match(line):
                tags[found[1]] = found[2]
        elif line.strip():
            text.append(line.strip())
    if text:
        yield tags, words(text)


def words(text):
    return [t for t in NOISE.sub(" ", " ".join(text)).split() if t not in RESULTS and t != "*"]


def split(out, files):
    """Writes each game of people once, into one half or the other by a hash of its beginning."""
    seen, kept = set(), [0, 0]
    halves = [open(out / name, "w") for name in ("counted.pgn", "held.pgn")]
    for path in sorted(files):
        for tags, moves in games(path):
            players = tags.get("White", ""), tags.get("Black", "")
            if (tags.get("Result") not in RESULTS or "FEN" in tags or len(moves) < 12
                    or any(PROGRAMS.search(name) for name in players)):
                continue
            year = tags.get("Date", "")[:4]
            names = "|".join(name[:3].lower() for name in players)
            key = hashlib.md5(f"{' '.join(moves[:50])}|{names}|{year}".encode()).digest()[:10]
            if key in seen:
                continue
            seen.add(key)
            half = hashlib.md5(f"{' '.join(moves[:30])}|{year}".encode()).digest()[0] & 1
            kept[half] += 1
            for tag in ("Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo"):
                if tags.get(tag):
                    halves[half].write(f'[{tag} "{tags[tag]}"]\n')
            line = " ".join(f"{i // 2 + 1}. {m}" if i % 2 == 0 else m for i, m in enumerate(moves))
            halves[half].write(f"\n{line} {tags['Result']}\n\n")
    print(f"{kept[0]} games to be counted, {kept[1]} held back")


def win(score):
    """w of section 9, for whose score it is."""
    if "mate" in score:
        return float(score["mate"] > 0)
    cp = score["cp"]
    return float(cp > 0) if abs(cp) >= 30000 else 1 / (1 + math.exp(-0.00368208 * cp))


def worth(score):
    """A score as a number to compare by."""
    return score["cp"] if "cp" in score else math.copysign(10**6, score["mate"]) - score["mate"]


class Tree:
    """Positions by EPD: their moves that count, e and w for us, and our sound moves."""

    def __init__(self, program, db, moves, side):
        show = [program, "show", "--db", db, "--moves", moves, "--people", "--side", side, "--all", "--format", "json"]
        kept = json.loads(subprocess.run(show, check=True, capture_output=True).stdout)
        board = chess.Board()
        for san in moves.split():
            board.push_san(san)
        self.us, self.root = side, " ".join(board.epd(en_passant="fen").split()[:4])
        self.moves, self.e, self.w = {}, {}, {}
        ours = (kept["root"].split()[1] == "w") == (side == "white")
        value = win(kept["value"])
        self.e[self.root], self.w[self.root] = kept["people"]["expected"], value if ours else 1 - value
        self.read(self.root, kept["moves"], ours)

    def read(self, here, moves, ours):
        counting = [m for m in moves if m.get("idea") and not m.get("excluded")]
        best = max((worth(m["idea"]) for m in counting), default=0)
        self.moves[here] = {
            m["uci"]: (m["epd"], not ours or worth(m["idea"]) >= best - SOUND, m["expected"], worth(m["idea"]))
            for m in counting}
        for m in counting:
            score = win(m["idea"])
            self.e[m["epd"]], self.w[m["epd"]] = m["expected"], score if ours else 1 - score
            if isinstance(m.get("moves"), list):
                self.read(m["epd"], m["moves"], not ours)

    def advised(self, here):
        """Our sound move of greatest e, and our best one by the score; what e says is between them."""
        sound = {uci: move for uci, move in self.moves[here].items() if move[1]}
        people, score = (max(sound, key=lambda m: sound[m][column]) for column in (2, 3))
        return people, score, sound[people][2] - sound[score][2]

    def walk(self, line):
        """The positions that the game comes to, the move behind each, and why it ends there."""
        path, here = [], self.root
        for san in line:
            uci = read(here, san)
            path.append((here, uci))
            behind, sound, *_ = self.moves[here].get(uci, (None, False))
            if not sound:
                ours = (here.split()[1] == "w") == (self.us == "white")
                return path, "we left" if ours else "they left"
            if behind not in self.moves:
                return path, "tree ends"
            here = behind
        return path, "game ends"


@functools.lru_cache(maxsize=None)
def read(here, san):
    """The move in UCI, None where it is none."""
    try:
        return chess.Board(f"{here} 0 1").parse_san(san).uci()
    except ValueError:
        return None


def lines(path, openings):
    """(opening, moves behind it, White's points, what ratings expect) of the games that begin so."""
    for tags, moves in games(path):
        for opening in openings:
            if moves[: len(opening)] == opening:
                yield " ".join(opening), moves[len(opening):], RESULTS[tags["Result"]], by_rating(tags)


def by_rating(tags):
    """White's expected points by the ratings, if both are known."""
    try:
        return 1 / (1 + 10 ** ((int(tags["BlackElo"]) - int(tags["WhiteElo"])) / 400))
    except (KeyError, ValueError):
        return None


class View:
    """Rows of (game, e, w, points, points beyond the ratings' + 1/2, our side): a way to look at the games."""

    def __init__(self, name):
        self.name, self.rows, self.fits = name, [], {}

    def fit(self, columns):
        """Least squares of the points by a constant for each side and the columns given."""
        size = 2 + len(columns)
        xs = [[row[5] == "white", row[5] == "black", *(row[c] for c in columns)] for row in self.rows]
        table = [[float(sum(x[i] * x[j] for x in xs)) for j in range(size)]
                 + [sum(x[i] * row[3] for x, row in zip(xs, self.rows))] for i in range(size)]
        for i in range(size):  # Gauss
            for j in range(size):
                if i != j and table[i][i]:
                    part = table[j][i] / table[i][i]
                    table[j] = [a - part * b for a, b in zip(table[j], table[i])]
        return [table[i][size] / table[i][i] if table[i][i] else 0.0 for i in range(size)]

    def guess(self, columns, fit):
        return [fit[0 if row[5] == "white" else 1] + sum(f * row[c] for f, c in zip(fit[2:], columns))
                for row in self.rows]

    def errors(self, guesses):
        return [1000 * (guess - row[3]) ** 2 for guess, row in zip(guesses, self.rows)]

    def interval(self, values, draws=2000, heaps=1000):
        """Mean of the values with its 95 % interval: bootstrap over heaps of whole games."""
        sums = [[0.0, 0] for _ in range(heaps)]
        for row, value in zip(self.rows, values):
            sums[row[0] % heaps][0] += value
            sums[row[0] % heaps][1] += 1
        chance, means = random.Random(40), []
        for _ in range(draws):
            drawn = chance.choices(sums, k=heaps)
            means.append(sum(p[0] for p in drawn) / max(sum(p[1] for p in drawn), 1))
        means.sort()
        return sum(values) / len(values), means[int(draws * 0.025)], means[int(draws * 0.975)]

    def slope(self, column):
        """b in points - w = b (e - w): 1 where e is right, 0 where w needs no mending; and its 95 % margin."""
        rows = [row for row in self.rows if row[column] is not None]
        x = [row[1] - row[2] for row in rows]
        y = [row[column] - row[2] for row in rows]
        size = sum(i * i for i in x) or 1.0
        b = sum(i * j for i, j in zip(x, y)) / size
        misses = defaultdict(float)
        for row, i, j in zip(rows, x, y):
            misses[row[0]] += i * (j - b * i)
        return b, 1.96 * math.sqrt(sum(m * m for m in misses.values())) / size

    def report(self, counted):
        """The figures of held-back games; constants and straightened guesses come from the counted ones."""
        print(f"\n{self.name}: {len(self.rows):,} rows of {len({r[0] for r in self.rows}):,} games")
        plain = {"e": self.guess((1,), (0, 0, 1)), "score": self.guess((2,), (0, 0, 1)),
                 "constant": self.guess((), counted.fit(()))}
        fitted = {"e": self.guess((1,), counted.fit((1,))), "score": self.guess((2,), counted.fit((2,)))}
        self.compare("as they are", plain)
        self.compare("straightened", fitted)
        for side in ("white", "black"):
            part = View(side)
            part.rows = [row for row in self.rows if row[5] == side]
            e, w, points = ([row[c] for row in part.rows] for c in (1, 2, 3))
            gain = [a - b for a, b in zip(part.errors(w), part.errors(e))]
            print("  for %-5s     e %.3f, score %.3f, points %.3f; e is better by %+.3f (%+.3f to %+.3f)" % (
                side, *(sum(x) / len(x) for x in (e, w, points)), *part.interval(gain)))
            print("                b %.2f ± %.2f; of the points beyond the ratings' %.2f ± %.2f" % (
                *part.slope(3), *part.slope(4)))

    def compare(self, how, guesses):
        errors = {name: self.errors(guess) for name, guess in guesses.items()}
        gain = [a - b for a, b in zip(errors["score"], errors["e"])]
        means = ", ".join(f"{name} {sum(error) / len(error):.3f}" for name, error in errors.items())
        print(f"  {how:12}  {means}; e is better by %+.3f (%+.3f to %+.3f)" % self.interval(gain))

    def classes(self):
        rows = sorted(self.rows, key=lambda row: row[1])
        print(f"  {'e from':>8} {'to':>6} {'rows':>8} {'mean e':>8} {'score':>7} {'points':>7} {'± 2 se':>7}")
        for i in range(10):
            part = rows[len(rows) * i // 10: len(rows) * (i + 1) // 10]
            e, w, points = (sum(row[c] for row in part) / len(part) for c in (1, 2, 3))
            sums = defaultdict(float)
            for row in part:
                sums[row[0]] += row[3] - points
            error = 2 * math.sqrt(sum(s * s for s in sums.values())) / len(part)
            print(f"  {part[0][1]:8.3f} {part[-1][1]:6.3f} {len(part):8,} {e:8.3f} {w:7.3f} {points:7.3f} {error:7.3f}")


NAMES = ("First position, games that followed the tree",
         "Position where the tree ends or the game leaves it, all games",
         "Position where the tree ends or they leave it, games that followed the tree",
         "Every position from which the game followed the tree",
         "Our sound moves beside the other sound ones of the same position (all figures less the position's mean)")


def walk_all(path, trees, openings):
    """The views of all games of a file, why they ended, and what was made with our sound moves by position."""
    views, ends, choices = [View(name) for name in NAMES], defaultdict(set), defaultdict(list)
    for number, (key, line, white, rated) in enumerate(lines(path, openings), 1):
        for side in ("white", "black"):
            tree, points, beyond = trees[key, side], white if side == "white" else 1 - white, None
            if rated is not None:
                beyond = points + 0.5 - (rated if side == "white" else 1 - rated)
            walked, why = tree.walk(line)
            ends[why].add((number, side))
            if not walked:
                continue
            rows = [(number, tree.e[here], tree.w[here], points, beyond, side) for here, _ in walked]
            views[1].rows.append(rows[-1])
            if why != "we left":
                views[0].rows.append(rows[0])
                views[2].rows.append(rows[-1])
                views[3].rows += rows
            for here, uci in walked:
                ours = (here.split()[1] == "w") == (side == "white")
                if ours and tree.moves[here].get(uci, (None, False))[1]:
                    _, _, e, score = tree.moves[here][uci]
                    choices[key, side, here].append((number, e, win({"cp": score}), points, beyond, side, uci))
    for rows in choices.values():
        views[4].rows += beside(rows)
    return views, ends, choices


def beside(rows):
    """The rows of one position, each figure less its mean there; none where all played the same move."""
    if len({row[6] for row in rows}) < 2:
        return []
    known = [row[4] for row in rows if row[4] is not None]
    e, w, points = (sum(row[c] for row in rows) / len(rows) for c in (1, 2, 3))
    beyond = sum(known) / len(known) if known else 0.0
    return [(r[0], r[1] - e, r[2] - w, r[3] - points, None if r[4] is None else r[4] - beyond, r[5])
            for r in rows]


def judge(out, program, openings):
    openings = [opening.split() for opening in openings]
    trees = {(" ".join(o), side): Tree(program, out / "p.db", " ".join(o), side)
             for o in openings for side in ("white", "black")}
    counted = walk_all(out / "counted.pgn", trees, openings)[0]
    views, ends, choices = walk_all(out / "held.pgn", trees, openings)
    for (key, side), tree in trees.items():
        print(f"{key:15} for {side:5}: {len(tree.moves):5,} positions, "
              f"e {tree.e[tree.root]:.3f}, score {tree.w[tree.root]:.3f}")
    print(f"{sum(map(len, ends.values())) // 2:,} held-back games, each for both sides: "
          + ", ".join(f"{why} {len(rows):,}" for why, rows in sorted(ends.items())))
    for view, before in zip(views, counted):
        view.report(before)
        view.classes()
    print("  points by e alone: %.2f; by the score alone: %.2f; by both: e %.2f, score %.2f (1 would be right)" % (
        views[4].fit((1,))[2], views[4].fit((2,))[2], *views[4].fit((1, 2))[2:]))
    print()
    for column, name in ((3, "points in 100"), (4, "points in 100 beyond what the ratings give")):
        for least in (0.0, 0.015):
            choose(trees, choices, column, name, least)


def choose(trees, choices, column, name, promise, least=10):
    """Points behind the move that people's play advises, less those behind the best one by the score."""
    total = weight = variance = promised = places = played = 0
    for (key, side, here), rows in choices.items():
        *best, more = trees[key, side].advised(here)
        if best[0] == best[1] or more < promise:
            continue
        both = [[row[column] for row in rows if row[6] == uci and row[column] is not None] for uci in best]
        a, b = map(len, both)
        if min(a, b) < least:
            continue
        n, means = a * b / (a + b), [sum(points) / len(points) for points in both]
        total += n * (means[0] - means[1])
        promised += n * more
        variance += n * n * sum(
            sum((x - mean) ** 2 for x in xs) / (len(xs) - 1) / len(xs) for mean, xs in zip(means, both))
        weight, places, played = weight + n, places + 1, played + a + b
    if weight:
        print(f"Where e advises another sound move than the score, by {100 * promise:.1f} or more: "
              f"{places} positions, {played:,} games;\n  promised {100 * promised / weight:+.1f}, made {100 * total / weight:+.1f} ± "
              f"{196 * math.sqrt(variance) / weight:.1f} {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("split")
    first.add_argument("out", type=Path)
    first.add_argument("files", nargs="+", type=Path)
    second = commands.add_parser("judge")
    second.add_argument("out", type=Path)
    second.add_argument("openings", nargs="+")
    second.add_argument("--program", default="deepanalyze")
    args = parser.parse_args()
    if args.command == "split":
        split(args.out, args.files)
    else:
        judge(args.out, args.program, args.openings)


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    main()
