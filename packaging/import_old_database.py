#!/usr/bin/env python3
"""Takes over what is in a database of deepanalyze from before its first release (schemas 1 to 13 of that time).

import_old_database.py OLD NEW

NEW must not be there yet; OLD stays as it is. Of schema 13 all comes over, but what the user has added (tables, views). Of
an earlier one: the engines' answers, what tablebases said, directives and names of games. Trees are grown again from the
answers then, by `deepanalyze grow`, and no engine searches for that; those that an earlier schema has begun, too. Schemas 1
and 2 describe kept hashes in another way: their answers on those are left out.
"""

import pathlib
import sqlite3
import sys

# The first has the tables; the second works out what it adds from their rows. What comes later is left to the program,
# which brings a file of this version up to date.
MIGRATIONS = pathlib.Path(__file__).parent.parent / "migrations"
SCHEMA, STEP = (MIGRATIONS / name / "up.sql" for name in ["01-first", "02-nodes"])
APPLICATION_ID = 1685089889
LAST = 13

ANSWERS = ["worker", "position", "profile", "search", "link", "fact", "game", "directive"]
TREES = ["analysis", "own_name", "agenda", "grown_directive", "node", "settled", "verdict", "course", "table_move"]
ONLY = {
    "profile": """WHERE options NOT LIKE '%"keep-hash":"%'""",
    "search": "WHERE profile IN (SELECT id FROM main.profile)",
}

# Depths without a verdict, passes without a course, a tree without its best line: begun by an earlier schema.
INCOMPLETE = "SELECT id FROM analysis WHERE course_from > 0 OR pass > 0 AND line IS NULL"
EMPTY = """UPDATE analysis SET pass = 0, positions = 0, searches = 0, settled_depth = NULL, line = NULL, course_from = 0,
    regrown = regrown + 1 WHERE course_from > 0 OR pass > 0 AND line IS NULL"""


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA {table}")]


def take_over(db, table):
    old = columns(db, f"old.table_info({table})")
    names = ", ".join(name for name in columns(db, f"main.table_info({table})") if name in old)
    if names:
        only = ONLY.get(table, "")
        db.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM old.{table} {only}")


def copy(db, version):
    for table in ANSWERS + (TREES if version == LAST else []):
        take_over(db, table)
    for table in ["node", "verdict", "settled", "course"]:
        db.execute(f"DELETE FROM main.{table} WHERE analysis IN ({INCOMPLETE})")
    db.execute(EMPTY)
    if version == LAST:
        # Numbers of analyses are never used twice.
        db.execute("DELETE FROM main.sqlite_sequence")
        db.execute("INSERT INTO main.sqlite_sequence SELECT * FROM old.sqlite_sequence WHERE name = 'analysis'")
    if db.execute("PRAGMA main.foreign_key_check").fetchone():
        raise sqlite3.IntegrityError("it is damaged: rows refer to rows that are not there")


def main(old, new):
    if sqlite3.sqlite_version_info < (3, 37):
        sys.exit(f"this Python has SQLite {sqlite3.sqlite_version}; 3.37 or a later one is needed")
    if new.exists():
        sys.exit(f"{new} already exists, and stays as it is")
    db = sqlite3.connect(":memory:", uri=True, isolation_level=None)
    try:
        db.execute("ATTACH ? AS old", [old.resolve().as_uri() + "?mode=ro"])
        [application], [version] = (
            db.execute(f"PRAGMA old.{name}").fetchone() for name in ("application_id", "user_version")
        )
        if application != APPLICATION_ID or not 1 <= version <= LAST:
            sys.exit(f"{old} is no database of deepanalyze from before its first release")
        db.close()
        db = sqlite3.connect(new, uri=True, isolation_level=None)
        db.executescript(SCHEMA.read_text(encoding="utf-8"))
        db.execute("ATTACH ? AS old", [old.resolve().as_uri() + "?mode=ro"])
        db.execute("BEGIN")
        copy(db, version)
        db.execute("COMMIT")
        db.executescript(STEP.read_text(encoding="utf-8"))
        db.execute("PRAGMA main.user_version = 2")
        answers, trees = (
            db.execute(f"SELECT count(*) FROM main.{table}").fetchone()[0] for table in ("search", "node")
        )
    except (sqlite3.Error, OSError) as error:
        db.close()
        new.unlink(missing_ok=True)
        sys.exit(f"{old}: {error}")
    db.close()
    print(f"{answers} answers and {trees} positions of trees are in {new}; `deepanalyze verify` with --db checks it")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
