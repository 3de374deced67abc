#!/usr/bin/env python3
"""Kills bakes at random moments and fills their disk: what is left is no store, or a part that the same bake completes.

    kill_bakes.py ARETE RASTER [--kills N] [--seed S]

Every completed store must have the content hash of one that was never disturbed, whatever its threads and memory; its pages
are verified. A bake that may not write more (RLIMIT_FSIZE) must say so in one line and exit with 1.
"""
import argparse
import json
import os
import random
import resource
import signal
import subprocess
import tempfile
import time


def bake(arguments, store, *options, **more):
    command = [arguments.arete, "--quiet", "bake", arguments.raster, "-o", store, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def content(arguments, store):
    done = subprocess.run([arguments.arete, "--json", "info", "--verify", store], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["content_hash"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("arete")
    parser.add_argument("raster")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        store, partial = os.path.join(folder, "a.arete"), os.path.join(folder, "a.arete.partial")
        start = time.monotonic()
        whole = bake(arguments, store)
        assert whole.wait() == 0, whole.stderr.read()
        seconds = time.monotonic() - start
        expected, size = content(arguments, store), os.path.getsize(store)
        os.remove(store)
        killed = completed = resumed = 0
        while killed < arguments.kills:
            options = ["--jobs", str(chance.randint(1, 4)), "--memory", chance.choice(["256M", "512M", "1G"])]
            process = bake(arguments, store, *options)
            time.sleep(chance.uniform(0, 1.2 * seconds))
            process.send_signal(signal.SIGKILL)
            code = process.wait()
            assert code in (0, -signal.SIGKILL), process.stderr.read()
            killed += code != 0
            if code != 0:
                resumed += os.path.exists(partial)
                if os.path.exists(store):  # killed between the renaming and its end
                    assert content(arguments, store) == expected
                    os.remove(store)
            if code == 0 or chance.random() < 0.25:
                process = bake(arguments, store, *options)
                assert process.wait() == 0, process.stderr.read()
                assert content(arguments, store) == expected
                assert os.listdir(folder) == ["a.arete"], os.listdir(folder)
                completed += 1
                os.remove(store)
        print(f"{killed} kills, {resumed} left a part, {completed} stores completed, all {expected}")

        for share in (0.0, 0.3, 0.9):
            limit = int(size * share)
            full = bake(arguments, store,
                        preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
            message = full.communicate()[1]
            assert full.returncode == 1 and message.count("\n") == 1, (full.returncode, message)
            assert set(os.listdir(folder)) <= {"a.arete.partial", "a.arete.partial-journal"}, os.listdir(folder)
        last = bake(arguments, store)
        assert last.wait() == 0, last.stderr.read()
        assert content(arguments, store) == expected
        print("full disks: one line each, and the same store in the end")


if __name__ == "__main__":
    main()
