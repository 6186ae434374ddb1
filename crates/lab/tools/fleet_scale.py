#!/usr/bin/env python3
"""Measures a fleet on one machine: real workers and a real nats-server, with engines that sleep (the scripted engine
of the tests). Says how busy the engines were, and what a search costs the grower beside the search.

fleet_scale.py [--program deepanalyze] [--scripted scripted_engine] [--workers 16,64,200] [--roots 1,8,64]
               [--engines 1] [--delay 400] [--seconds 40] [--soak MINUTES] [--no-look-ahead]

One wide root and portfolios are grown by `deepanalyze serve`. Each line is a table row: workers, roots, searches a
second, busy share of the engines from the tenth second on, milliseconds of the grower's processor for each search,
those of the server, and the grower's memory. With --soak the first number of workers and of roots runs for so
long, and each line is five minutes: answers in all, searches a second, jobs in the queue, memory of grower and
server, sizes of the database and of the queue's storage.
"""

import argparse
import json
import os
import shlex
import socket
import subprocess
import tempfile
import time
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")
WARM_UP = 10
OPENINGS = [a + " " + b for a in ["e4", "d4", "c4", "Nf3", "g3", "b3", "f4", "Nc3"]
            for b in ["e5", "d5", "c5", "Nf6", "g6", "b6", "f5", "Nc6"]]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor(pid):
    """Seconds of the processor that a process has had."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid):
    """Megabytes of a process in memory."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def wait_for(what, holds, seconds=120):
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise SystemExit(f"not in time: {what}")
        time.sleep(0.1)


class Fleet:
    def __init__(self, args, workers, folder):
        self.args, self.folder, self.running = args, folder, []
        port = free_port()
        self.url = f"nats://127.0.0.1:{port}"
        store = os.path.join(folder, "jetstream")
        self.server = self.start(["nats-server", "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", store])
        wait_for("the server", lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        engine = shlex.join([args.scripted, "--delay-ms", str(args.delay), "--jitter-ms", str(args.delay // 2)])
        for _ in range(workers):
            self.start([args.program, "worker", "--fleet", self.url, "--engine", engine,
                        "--engines", str(args.engines)])
        self.engine = shlex.join([args.scripted])

    def start(self, command):
        environment = {**os.environ, "HOME": self.folder, "DEEPANALYZE_DB": os.path.join(self.folder, "tree.db")}
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.running.append(process)
        return process

    def seen(self):
        command = [self.args.program, "fleet", "--fleet", self.url, "--format", "json"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def end(self):
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def add_roots(database, port, roots):
    token = open(database + "-token").read().strip()
    for root in range(roots):
        body = {"distance": 60 if roots == 1 else 20, "depth": 60}
        if roots > 1:
            body["moves"] = OPENINGS[root]
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/analyses", json.dumps(body).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        urllib.request.urlopen(request).read()


def measure(args, workers, roots):
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(args, workers, folder)
        try:
            return rates(args, fleet, workers, roots, folder)
        finally:
            fleet.end()


def begun(args, fleet, workers, roots, folder):
    """A grower with its roots, and how often it was answered; the workers are believed."""
    database, port = os.path.join(folder, "tree.db"), free_port()
    grower = fleet.start([args.program, "serve", "--db", database, "--port", str(port), "--fleet", fleet.url,
                          "--engine", fleet.engine, "--engines", "0", "--engine-depth", "8",
                          *["--no-look-ahead"] * args.no_look_ahead])
    wait_for("the grower", lambda: os.path.exists(database + "-token"))
    wait_for("the grower listens", lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
    add_roots(database, port, roots)

    def answered():
        growers = fleet.seen()["growers"]
        return growers[0]["answered"] if growers else 0

    # Workers are believed once they have made three searches.
    wait_for("answers", lambda: answered() > 2 * workers, 180)
    time.sleep(WARM_UP)
    return grower, answered


def rates(args, fleet, workers, roots, folder):
    grower, answered = begun(args, fleet, workers, roots, folder)
    first, began = answered(), time.monotonic()
    used = [processor(process.pid) for process in (grower, fleet.server)]
    busy = []
    while time.monotonic() < began + args.seconds:
        states = fleet.seen()["workers"]
        engines = sum(state["engines"] for state in states)
        busy.append(sum(state["busy"] for state in states) / max(engines, 1))
        time.sleep(1)
    used = [processor(process.pid) - before for process, before in zip((grower, fleet.server), used)]
    searches, seconds = answered() - first, time.monotonic() - began
    cost = [1000 * time / max(searches, 1) for time in used]
    return searches / seconds, sum(busy) / len(busy), *cost, memory(grower.pid)


def size(path):
    """Megabytes of a file with those beside it that begin alike, or of a folder."""
    folder, name = (path, "") if os.path.isdir(path) else os.path.split(path)
    files = [os.path.join(at, file) for at, _, files in os.walk(folder) for file in files if file.startswith(name)]
    return sum(os.path.getsize(file) for file in files if os.path.exists(file)) / 1e6


def soak(args, workers, roots):
    print("| minute | answers | a second | queue | grower, ms | grower, MB | server, MB | database, MB | storage, MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(args, workers, folder)
        try:
            grower, answered = begun(args, fleet, workers, roots, folder)
            began, before, used = time.monotonic(), answered(), processor(grower.pid)
            for minute in range(5, args.soak + 1, 5):
                time.sleep(max(0, began + 60 * minute - time.monotonic()))
                now, spent, seen = answered(), processor(grower.pid), fleet.seen()
                queue = sum(jobs or 0 for jobs in seen["queue"].values())
                print(f"| {minute} | {now} | {(now - before) / 300:.0f} | {queue} "
                      f"| {1000 * (spent - used) / max(now - before, 1):.2f} | {memory(grower.pid):.0f} "
                      f"| {memory(fleet.server.pid):.0f} | {size(os.path.join(folder, 'tree.db')):.0f} "
                      f"| {size(os.path.join(folder, 'jetstream')):.1f} |", flush=True)
                before, used = now, spent
        finally:
            fleet.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]
    parser.add_argument("--program", default="deepanalyze")
    parser.add_argument("--scripted", default="scripted_engine")
    parser.add_argument("--workers", type=numbers, default=[16, 64, 200])
    parser.add_argument("--roots", type=numbers, default=[1, 8, 64])
    parser.add_argument("--engines", type=int, default=1)
    parser.add_argument("--delay", type=int, default=400)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--soak", type=int, metavar="MINUTES")
    parser.add_argument("--no-look-ahead", action="store_true")
    args = parser.parse_args()
    if args.soak:
        return soak(args, args.workers[0], args.roots[0])
    print("| workers | roots | searches/s | engines busy | grower, ms | server, ms | grower, MB |")
    print("|---|---|---|---|---|---|---|")
    for workers in args.workers:
        for roots in args.roots:
            rate, busy, grower, server, megabytes = measure(args, workers, roots)
            print(f"| {workers} | {roots} | {rate:.0f} | {100 * busy:.0f} % | {grower:.2f} | {server:.2f} "
                  f"| {megabytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()
