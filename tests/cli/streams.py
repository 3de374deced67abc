#!/usr/bin/env python3
"""The arete command with standard streams that are closed, full or read by nobody: streams.py ARETE RASTER --scratch FOLDER.

Whatever becomes of its words, a store is written whole, nothing lands in it, and results that are lost are said to be.
"""
import subprocess
import sys

import arguments

failures = []


def run(words, redirection):
    """Exit code and stderr of the command under the shell's redirection."""
    done = subprocess.run(["bash", "-c", f'"$@" {redirection}', "bash", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    return done.returncode, done.stderr


def expect(name, found, wanted):
    if found != wanted:
        failures.append(f"{name}: {found!r}, expected {wanted!r}")


def main():
    options = arguments.read()
    scratch = options.scratch
    arete, store = options.command, str(scratch / "a.arete")

    expect("bake", run([arete, "bake", options.raster, "-o", store, "--quiet"], "")[0], 0)
    for closed in ("<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        code, _ = run([arete, "bake", options.raster, "-o", store], closed)
        expect(f"bake {closed}", code, 1 if ">&- " in closed or closed == ">&-" else 0)
        expect(f"verify after bake {closed}", run([arete, "info", store, "--verify"], "")[0], 0)
        code, _ = run([arete, "export", store, "-o", str(scratch / "a.tif")], closed)
        expect(f"info of what was exported {closed}", run([arete, "info", str(scratch / "a.tif")], "")[0], 0)
    for question in (["info", store], ["info", store, "--json"], ["query", store, "profile", "0,0", "9000,9000"],
                     ["--help"]):
        for lost in (">/dev/full", ">&-"):
            code, words = run([arete, *question], lost)
            is_said = words.startswith("arete: stdout: cannot be written: ") and words.count("\n") == 1
            expect(f"{question} {lost}", (code, is_said), (1, True))
    (scratch / "a.csv").write_text("x,z\n" + "1,2\n" * 200000)
    code, words = run([arete, "query", store, "height", "--batch", str(scratch / "a.csv")], ">/dev/full")
    expect("a batch into a full disk", (code, words.count("\n")), (1, 1))
    unread = '| head -n 1; exit "${PIPESTATUS[0]}"'
    code, _ = run([arete, "query", store, "height", "--batch", str(scratch / "a.csv")], unread)
    expect("a batch that nobody reads", code in (1, 141), True)

    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
