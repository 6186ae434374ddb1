"""Imports the cards of `deepanalyze export anki` as Anki does, into a collection of their own, twice.

    python3 -m pip install anki
    python3 crates/lab/tools/check_anki.py cards.txt
"""

import pathlib
import sys
import tempfile

from anki.collection import Collection, ImportCsvRequest


def imported(collection, path):
    """What the log of an import says: new notes, known ones, and those that were refused."""
    found = collection.get_csv_metadata(path=path, delimiter=None)
    log = collection.import_csv(ImportCsvRequest(path=path, metadata=found)).log
    refused = len(log.missing_notetype) + len(log.empty_first_field)
    return len(log.new), len(log.updated) + len(log.duplicate), refused


def main(path):
    cards = sum(not line.startswith("#") for line in pathlib.Path(path).read_text("utf-8").splitlines())
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(str(pathlib.Path(folder) / "new.anki2"))
        assert imported(collection, path) == (cards, 0, 0), "each line is a new note"
        assert imported(collection, path) == (0, cards, 0), "the same notes again"
        for note in map(collection.get_note, collection.find_notes("")):
            assert note.guid.startswith("deepanalyze-"), note.guid
            assert note.note_type()["name"] == "Basic"
            assert "to move</b>" in note["Front"] and note["Back"].startswith("<b>"), note.fields
        collection.close()
    print(f"{cards} cards, and no other where they come again")


main(sys.argv[1])
