"""What the tests that kill the command share: how it is started and killed, and the content of a store."""
import argparse
import hashlib
import json
import signal
import sqlite3
import subprocess
import time


class Command:
    """The arete command."""

    def __init__(self, path):
        self.path = path

    def start(self, *arguments, **more):
        return subprocess.Popen([self.path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **more)

    def run(self, *arguments):
        """Its output; it must succeed."""
        out, error = (process := self.start(*arguments)).communicate()
        assert process.returncode == 0, f"{arguments}: exit code {process.returncode}: {error}"
        return out

    def content(self, store):
        """What a store holds, whose pages all verify: its content hash, and a hash of its bounds, which that leaves out."""
        content = json.loads(self.run("info", "--verify", "--json", store))["content_hash"]
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            rows = database.execute("SELECT key, nodes FROM bounds ORDER BY key").fetchall()
        return content, hashlib.sha256(repr(rows).encode()).hexdigest()


def kill(process):
    """Kills a process; whether it was at work. What ended before must have succeeded."""
    process.kill()
    _, error = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), f"exit code {process.returncode}: {error}"
    return process.returncode != 0


def parser(description):
    """Of the words that all these tests take: the command, --kills and --seed."""
    words = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("command", type=Command)
    words.add_argument("--kills", type=int, default=100)
    words.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    return words
