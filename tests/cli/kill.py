#!/usr/bin/env python3
"""Kills bakes and their readers at random: a reader sees the old store, the new one or none, and no bake is lost.

Two rasters of one size are baked in turn over one store, while `arete query` and `arete fly` read it. Each bake is
killed (SIGKILL) at a random moment, and every other reader too; some begin with no store there. A reader that lives must
succeed, or say in one line that there is no store, and all heights that it prints must be those of one of the two
rasters. After each kill the store is absent or has one of the two contents, and the same bake, run again,
completes it.

    kill.py ARETE --scratch FOLDER [--kills N] [--seed S]
"""
import json
import pathlib
import random
import shutil
import signal
import sys
import time

import killing

SIDE = 1300
POINTS = 400


def raster(path, seed):
    """Noise of 0 to 8191 m, u16, least significant byte first."""
    noise = random.Random(seed)
    samples = bytearray(2 * SIDE * SIDE)
    samples[0::2] = noise.randbytes(SIDE * SIDE)
    samples[1::2] = noise.randbytes(SIDE * SIDE).translate(bytes(value % 32 for value in range(256)))
    path.write_bytes(samples)


class Trial:
    def __init__(self, command, scratch, seed):
        self.command, self.scratch, self.random = command, scratch, random.Random(seed)
        self.store = scratch / "killed.arete"
        self.points = scratch / "points.csv"
        places = (f"{self.random.uniform(0, SIDE - 1)},{self.random.uniform(0, SIDE - 1)}" for _ in range(POINTS))
        self.points.write_text("x,z\n" + "\n".join(places) + "\n")
        self.hashes, self.heights, self.counts = [], [], {}
        began = time.monotonic()
        for which in range(2):
            raster(self.input(which), seed + which)
            truth = scratch / f"truth{which}.arete"
            command.run(*self.bake(which, truth))
            self.hashes.append(command.content(truth))
            self.heights.append(command.run(*self.query(truth)))
        self.bake_s = (time.monotonic() - began) / 2
        assert self.hashes[0] != self.hashes[1] and self.heights[0] != self.heights[1]

    def input(self, which):
        return self.scratch / f"input{which}.raw"

    def bake(self, which, store):
        return ["bake", self.input(which), "--raw", f"{SIDE}x{SIDE}:u16le", "-o", store, "--quiet"]

    def query(self, store):
        return ["query", store, "height", "--batch", self.points]

    def fly(self, store):
        return ["fly", store, "--seconds", "3", "--speed", "400", "--budget", "16", "--jump-every", "1", "--json"]

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def check_reader(self, reader, is_flight, may_be_absent):
        out, error = reader.communicate()
        if reader.returncode == -signal.SIGKILL:
            self.count("readers killed")
        elif may_be_absent and reader.returncode == 1 and error.count("\n") == 1 and "killed.arete" in error:
            self.count("readers before the store")
        elif reader.returncode != 0:
            raise AssertionError(f"a reader failed: {error}")
        elif is_flight:
            flight = json.loads(out)
            assert flight["failed_loads"] == 0 and flight["over_budget_updates"] == 0, out
            self.count("flights")
        else:
            assert out in self.heights, "a reader saw heights of neither raster, or of both"
            self.count("queries")

    def kill_once(self, number):
        which = number % 2
        is_first = self.random.random() < 0.3
        if is_first:
            self.store.unlink(missing_ok=True)
        writer = self.command.start(*self.bake(which, self.store))
        readers = []
        end = time.monotonic() + self.random.uniform(0, 1.2 * self.bake_s)
        while time.monotonic() < end:
            is_flight = self.random.random() < 0.5
            arguments = self.fly(self.store) if is_flight else self.query(self.store)
            readers.append((self.command.start(*arguments), is_flight))
            time.sleep(min(max(0, end - time.monotonic()), 0.2 * self.bake_s))
        if killing.kill(writer):
            self.count("bakes killed")
        for reader, _ in readers[::2]:
            reader.kill()
        for reader, is_flight in readers:
            self.check_reader(reader, is_flight, is_first)
        if self.store.exists():
            assert self.command.content(self.store) in self.hashes
        else:
            assert is_first, "the old store is gone"
        if pathlib.Path(f"{self.store}.partial").exists():
            self.count("bakes resumed")
        self.command.run(*self.bake(which, self.store))
        assert self.command.content(self.store) == self.hashes[which], "the completed bake is another one"


def main():
    parser = killing.parser(__doc__)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.scratch, ignore_errors=True)
    options.scratch.mkdir(parents=True)
    print(f"seed {options.seed}", flush=True)
    trial = Trial(options.command, options.scratch, options.seed)
    shutil.copy(options.scratch / "truth1.arete", trial.store)
    wanted = {"bakes killed", "bakes resumed", "queries", "flights"}
    number = 0
    while number < options.kills or (wanted - set(trial.counts) and number < 10 * options.kills):
        trial.kill_once(number)
        number += 1
    print(f"{number} trials: " + ", ".join(f"{count} {what}" for what, count in sorted(trial.counts.items())))
    shutil.rmtree(options.scratch)
    missing = wanted - set(trial.counts)
    sys.exit(f"nothing was shown: no {', '.join(sorted(missing))}" if missing else 0)


if __name__ == "__main__":
    main()
