"""Writes damaged PGN files, one a line: the bytes in hexadecimal digits, and the games that python-chess reads in them.

Usage: pgn_mutations.py SEED COUNT. Each line is a JSON object: {"file": digits, "kind": how it was damaged, "meant":
the moves of each game before that, "games": [{"moves": [UCI, ...], "has_error": bool}, ...]}.
"""

import codecs
import io
import json
import logging
import random
import sys

import chess
import chess.pgn

logging.disable(logging.CRITICAL)

GAMES = [
    """[Event "Club"]
[Site "M\u00fcnchen"]
[White "M\u00fcller, J\u00fcrgen"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 {Spanish} a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0
""",
    """[Event "?"]
[Result "1/2-1/2"]

1.d4 d5 2.c4 e6 (2...c6 3.Nf3 (3.Nc3 Nf6) 3...Nf6) 3.Nc3 $1 Nf6 4.Bg5!? Be7 5.e3 O-O 6.Nf3 Nbd7 1/2-1/2
""",
    """1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 ; Najdorf
6. Bg5 e6 7. f4 Be7 8. Qf3 Qc7 9. O-O-O Nbd7 *
""",
    """[Event "clocks"]
[UTCDate "2026.01.02"]

1. e4 { [%eval 0.3] [%clk 0:03:00] } 1... e6 { [%clk 0:02:58] } 2. d4 { a [b] c } 2... d5 3. e5 c5 4. c3 Nc6 0-1
""",
    """[SetUp "1"]
[FEN "8/P6k/8/2pP4/8/8/7p/K7 w - c6 0 1"]

1. dxc6 h1=Q+ 2. Ka2 Qd5+ 3. Kb2 Kg7 4. a8=N Qxc6 *
""",
    """[Event "long"]

1. e2-e4 e7-e5 2. Ng1f3 Nb8c6 3. f1c4 f8c5 4. 0-0 d6 5. c3 Bg4 6. d4 exd4 7. cxd4 Bb6+- 1-0
""",
    """[Event "two"]
[Result "*"]

1. c4 e5 2. Nc3 *

[Event "two, the other"]
[Result "0-1"]

1. Nf3 d5 2. g3 $14 c5 3. Bg2 Nc6 4. O-O e5!! 5. d3 Nf6 0-1
""",
    """[Event "short"]

1. f3 e5 2. g4?? Qh4# 0-1
""",
]

SPACES = ["\u00a0", "\u2009", "\u202f", "\u3000", "\u2028", "\u0085", "\v", "\f", "\t", "  "]
TOKENS = [
    "e4", "Nf3", "O-O", "0-0", "Kf9", "Qh5", "exd5", "a8=Q", "1-0", "0-1", "1/2-1/2", "*", "1.", "2...", "$1", "$300",
    "!", "??", "(", ")", "{", "}", ";", "{x}", "%", "--", "[Event \"x\"]", "N", "1/2", "\u00bd-\u00bd", "\u2026", "e.p.",
    "\n", "\n\n", "+-", "=",
]
BYTES = [*b"(){};$[]\"\\.-=+#!?*%/0189abehxNBRQKO \n\r", 0xA0, 0xFC, 0xE2, 0x00, 0x96]


def mutate_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(len(data))
        match rng.randrange(5):
            case 0:
                del data[at]
            case 1:
                data.insert(at, rng.choice(BYTES))
            case 2:
                data[at] = rng.choice(BYTES)
            case 3:
                end = min(len(data), at + rng.randrange(1, 12))
                data[at:at] = data[at:end]
            case 4 if at + 1 < len(data):
                data[at], data[at + 1] = data[at + 1], data[at]
    return bytes(data)


def mutate_tokens(text, rng):
    words = text.split(" ")
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(words))
        match rng.randrange(4):
            case 0:
                del words[at]
            case 1:
                words.insert(at, rng.choice(TOKENS))
            case 2:
                words[at] = rng.choice(TOKENS)
            case 3:
                words.insert(at, words[at])
        words = words or ["*"]
    return " ".join(words)


def mutate_tags(text, rng):
    lines = text.split("\n")
    tags = [at for at, line in enumerate(lines) if line.startswith("[")]
    if not tags:
        return "[Event \"new \"one\"\"]\n" + text
    at = rng.choice(tags)
    match rng.randrange(6):
        case 0:
            lines[at] = lines[at].replace("]", "", 1)
        case 1:
            place = rng.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + rng.choice(["\"", "\"\"", "\\\"", "\\", "]", "[", "e4"]) + lines[at][place:]
        case 2:
            del lines[at]
        case 3:
            lines.insert(at, rng.choice(["; between", "% between", "", "[White \"x\"] [Black \"y\"]", "{between}"]))
        case 4:
            lines.insert(at, lines[at])
        case 5:
            lines[at] = lines[at].replace(" ", rng.choice(SPACES), 1)
    return "\n".join(lines)


def mutate_spaces(text, rng):
    """Changes nothing of the games."""
    places = [at for at, c in enumerate(text) if c == " "]
    for at in sorted(rng.sample(places, rng.choice([1, 1, 2, 5])), reverse=True):
        text = text[:at] + rng.choice(SPACES) + text[at + 1 :]
    return text


def mutate_quotes(text, rng):
    """Changes nothing of the games."""
    tags = [at for at, c in enumerate(text) if c == "[" and text[at:].startswith(("[Event", "[Site", "[White"))]
    for at in reversed(tags):
        place = text.index("\"", at) + 1
        text = text[:place] + rng.choice(["\"e4\" ", "\"\"d5\"\" ", "\\\"Nf3\\\" ", "1. e4 "]) + text[place:]
    return text


def encode(text, rng):
    text = rng.choice([text, text, text, text.replace("\n", "\r\n"), text.replace("\n", "\r")])
    if rng.randrange(4) == 0:
        try:
            return text.encode("cp1252")
        except UnicodeEncodeError:
            pass
    return rng.choice([b"", b"", b"", b"\xef\xbb\xbf"]) + text.encode("utf-8")


def windows(error):
    """Bytes that are not UTF-8, as Windows-1252."""
    text = "".join(
        bytes([byte]).decode("cp1252", errors="replace").replace("\ufffd", chr(byte))
        for byte in error.object[error.start : error.end]
    )
    return text, error.end


codecs.register_error("windows", windows)


def games_of(data):
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="windows")
    handle, games = io.StringIO(text, newline=None), []
    try:
        while (game := chess.pgn.read_game(handle)) is not None:
            moves = [move.uci() for move in game.mainline_moves()]
            games.append({"moves": moves, "has_error": bool(game.errors)})
    except IndexError:
        # Of a variation in front of all moves it knows no way out.
        games.append({"moves": [], "has_error": True})
    return games


def main():
    rng = random.Random(int(sys.argv[1]))
    kinds = [mutate_tokens, mutate_tags, mutate_spaces, mutate_quotes]
    for _ in range(int(sys.argv[2])):
        text = rng.choice(GAMES)
        if rng.randrange(6) == 0:
            text += "\n" + rng.choice(GAMES)
        meant = [game["moves"] for game in games_of(text.encode())]
        kind = rng.choice([*kinds, *[mutate_bytes] * len(kinds)])
        data = kind(encode(text, rng), rng) if kind is mutate_bytes else encode(kind(text, rng), rng)
        line = {"file": data.hex(), "kind": kind.__name__, "meant": meant, "games": games_of(data)}
        print(json.dumps(line))


main()
