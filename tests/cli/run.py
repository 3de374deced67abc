#!/usr/bin/env python3
"""Runs the cases of cases.toml against the arete command and compares exit code, output and files.

A case: name; args (a list of words in which {data} and {tmp} are folders); exit (0 unless said); stdout and stderr
(regular expressions that the whole text must match; stderr is empty unless said); json (keys of the document on
stdout: equal values, or [low, high] for a number between them when the key ends in "~"); exists and absent (paths
after the run); same and differ (pairs of files that then hold the same bytes, or others); unset (names that its environment lacks); write
(files made before it: path = text, in which {data} stands for the folder); grid (ASCII grids made before it: path =
[header lines and rows], a row as "COUNT: VALUE ..." with N*VALUE for N of them); folders (made before it); bytes (path = [offset,
length]: overwritten by 0xff before it); pipes (made before it, and written by nobody); small_disk (a folder that is a disk of 64 KiB meanwhile; the case is skipped,
with a line, where none can be mounted); memory_mib (what the command may take for data). Cases run in order in one scratch folder.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tomllib


def compare_json(expected, text):
    """Lines that say what differs between `text` and the expected keys."""
    try:
        document = json.loads(text)
    except ValueError as error:
        return [f"stdout is no JSON: {error}: {text[:200]!r}"]
    problems = []
    for key, value in expected.items():
        between = key.endswith("~")
        found = document
        for part in key.rstrip("~").split("."):
            if isinstance(found, list):
                found = found[int(part)]
            elif part in found:
                found = found[part]
            else:
                problems.append(f"key {key} is missing")
                break
        else:
            if between and not (value[0] <= found <= value[1]):
                problems.append(f"{key} is {found}, expected {value[0]} to {value[1]}")
            if not between and found != value:
                problems.append(f"{key} is {found!r}, expected {value!r}")
    return problems


def grid_text(lines):
    """An ASCII grid of its short form."""
    header = [line for line in lines if ":" not in line]
    rows = []
    for line in lines[len(header):]:
        count, row = line.split(":")
        values = []
        for word in row.split():
            times, _, value = word.rpartition("*")
            values += [value] * int(times or 1)
        rows += [" ".join(values)] * int(count)
    size = [f"ncols {len(rows[0].split())}", f"nrows {len(rows)}"]
    return "\n".join(size + ["xllcorner 0", "yllcorner 0", "cellsize 10"] + header + rows) + "\n"


def run_case(command, case, places):
    """Lines that say what is wrong with one case."""
    fill = lambda text: text.format(**places)
    for path, text in case.get("write", {}).items():
        pathlib.Path(fill(path)).write_text(text.replace("{data}", places["data"]), newline="")
    for path, lines in case.get("grid", {}).items():
        pathlib.Path(fill(path)).write_text(grid_text(lines))
    for path in case.get("folders", []):
        pathlib.Path(fill(path)).mkdir(parents=True, exist_ok=True)
    for path, (offset, length) in case.get("bytes", {}).items():
        with open(fill(path), "r+b") as file:
            file.seek(offset)
            file.write(b"\xff" * length)

    for path in case.get("pipes", []):
        os.mkfifo(fill(path))

    def limit():
        if "memory_mib" in case:
            resource.setrlimit(resource.RLIMIT_DATA, (case["memory_mib"] << 20, case["memory_mib"] << 20))

    disk = fill(case.get("small_disk", ""))
    if disk:
        pathlib.Path(disk).mkdir(exist_ok=True)
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]
        if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode != 0:
            print(f"skipped {case['name']}: no small disk can be mounted")
            return []
    environment = {name: value for name, value in os.environ.items() if name not in case.get("unset", [])}
    done = subprocess.run([command, *map(fill, case["args"])], capture_output=True, text=True, timeout=600,
                          preexec_fn=limit, env=environment)
    problems = []
    if done.returncode != case.get("exit", 0):
        problems.append(f"exit code {done.returncode}, expected {case.get('exit', 0)}")
    if "stdout" in case and not re.fullmatch(case["stdout"], done.stdout, re.DOTALL):
        problems.append(f"stdout does not match {case['stdout']!r}")
    if not re.fullmatch(case.get("stderr", ""), done.stderr, re.DOTALL):
        problems.append(f"stderr does not match {case.get('stderr', '')!r}")
    if case.get("exit", 0) != 0 and "stderr" in case and done.stderr.count("\n") != case.get("stderr_lines", 1):
        problems.append(f"stderr has {done.stderr.count(chr(10))} lines, expected {case.get('stderr_lines', 1)}")
    if "json" in case and done.returncode == case.get("exit", 0):
        problems += compare_json(case["json"], done.stdout)
    for path in case.get("exists", []):
        if not pathlib.Path(fill(path)).exists():
            problems.append(f"{path} is missing")
    for path in case.get("absent", []):
        if pathlib.Path(fill(path)).exists():
            problems.append(f"{path} was left behind")
    for key, is_same in [("same", True), ("differ", False)]:
        for pair in case.get(key, []):
            first, second = (pathlib.Path(fill(path)).read_bytes() for path in pair)
            if (first == second) != is_same:
                problems.append(f"{pair[0]} and {pair[1]} are {'not ' * is_same}the same bytes")
    if disk:
        subprocess.run(["umount", disk], check=True)
    if problems:
        problems.append(f"stdout: {done.stdout[:2000]!r}")
        problems.append(f"stderr: {done.stderr[:2000]!r}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--data", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--only", help="run the cases whose name holds this text")
    options = parser.parse_args()
    scratch = pathlib.Path(options.scratch)
    if scratch.exists():
        shutil.rmtree(scratch)
    scratch.mkdir(parents=True)
    places = {"data": options.data, "tmp": str(scratch)}
    cases = tomllib.loads((pathlib.Path(__file__).parent / "cases.toml").read_text())["case"]
    failed = 0
    for case in cases:
        if options.only and options.only not in case["name"]:
            continue
        problems = run_case(options.command, case, places)
        failed += bool(problems)
        if problems:
            print(f"FAILED {case['name']}\n  " + "\n  ".join(problems))
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
