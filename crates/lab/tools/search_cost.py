#!/usr/bin/env python3
"""What one search costs beside the engine's own time, from the log of a run with one engine.

search_cost.py LOG; the log is that of `deepanalyze grow --engines 1 --log LOG`.
"""

import re
import statistics
import sys
from datetime import datetime

LINE = re.compile(r'(\S+)Z +TRACE .*?(?:text|line)="(.*)"$')


def moments(log):
    """When each search was asked for, when it was answered, and the readyok before it."""
    asked, answered, ready = [], [], []
    waiting = None
    for line in open(log, encoding="utf-8"):
        found = LINE.match(line)
        if not found:
            continue
        at, text = datetime.fromisoformat(found[1]).timestamp(), found[2]
        if "isready" in text:
            waiting = at
        elif text == "readyok" and waiting is not None:
            ready.append(at - waiting)
            waiting = None
        elif "\\ngo " in text:
            asked.append((at, ready[-1]))
        elif text.startswith("bestmove"):
            answered.append(at)
    return asked, answered


def main():
    asked, answered = moments(sys.argv[1])
    searching = sum(end - begin for (begin, _), end in zip(asked, answered))
    span = answered[-1] - asked[0][0]
    ready = [wait for _, wait in asked[1:]]
    own = [begin - end - wait for (begin, wait), end in zip(asked[1:], answered)]
    micro = lambda seconds: f"{seconds * 1e6:.0f} µs"
    print(
        f"{len(answered)} searches, span / searching {span / searching:.3f}; "
        f"the program's part {micro(statistics.mean(own))} (median {micro(statistics.median(own))}), "
        f"isready {micro(statistics.mean(ready))}"
    )


main()
