#!/usr/bin/env python3
"""Kills bakes at random moments and fills their disk: what is left is no store, or a part that the same bake completes.

    kill_bakes.py ARETE RASTER [--kills N] [--seed S]

Every completed store must have the content hash of one that was never disturbed, whatever its threads and memory; its pages
are verified. A bake that may not write more (RLIMIT_FSIZE) must say so in one line and exit with 1.
"""
import os
import random
import resource
import signal
import tempfile
import time

import killing


def main():
    parser = killing.parser(__doc__)
    parser.add_argument("raster")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    arete, chance = options.command, random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        store, partial = os.path.join(folder, "a.arete"), os.path.join(folder, "a.arete.partial")
        bake = ["bake", options.raster, "-o", store, "--quiet"]
        start = time.monotonic()
        arete.run(*bake)
        seconds = time.monotonic() - start
        expected, size = arete.content(store), os.path.getsize(store)
        os.remove(store)
        killed = completed = resumed = 0
        while killed < options.kills:
            how = ["--jobs", chance.randint(1, 4), "--memory", chance.choice(["256M", "512M", "1G"])]
            process = arete.start(*bake, *how)
            time.sleep(chance.uniform(0, 1.2 * seconds))
            is_killed = killing.kill(process)
            if is_killed:
                killed += 1
                resumed += os.path.exists(partial)
                if os.path.exists(store):  # killed between the renaming and its end
                    assert arete.content(store) == expected
                    os.remove(store)
            if not is_killed or chance.random() < 0.25:
                arete.run(*bake, *how)
                assert arete.content(store) == expected
                assert os.listdir(folder) == ["a.arete"], os.listdir(folder)
                completed += 1
                os.remove(store)
        print(f"{killed} kills, {resumed} left a part, {completed} stores completed, all {expected[0]}")

        # A part that a kill left at its full size needs no more than rewriting, which such a disk still takes.
        for left in os.listdir(folder):
            os.remove(os.path.join(folder, left))
        for share in (0.0, 0.3, 0.9):
            limit = int(size * share)
            full = arete.start(*bake, preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                                          resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
            message = full.communicate()[1]
            assert full.returncode == 1 and message.count("\n") == 1, (full.returncode, message)
            assert set(os.listdir(folder)) <= {"a.arete.partial", "a.arete.partial-journal"}, os.listdir(folder)
        arete.run(*bake)
        assert arete.content(store) == expected
        print("full disks: one line each, and the same store in the end")


if __name__ == "__main__":
    main()
