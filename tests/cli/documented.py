#!/usr/bin/env python3
"""Compares docs/cli.md with the command: documented.py ARETE CLI_MD RASTER --scratch FOLDER.

Every option of every command's --help stands in the command's section, or in that of the command whose options it says
it takes; every option in a section's tables and headings is one of the help's. The JSON documents of bake, info, render,
check, mesh, export, fly and query hold the keys that their sections name, and no others.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

COMMANDS = ["bake", "info", "render", "view", "check", "mesh", "export", "fly", "query", "serve", "bench"]
QUERIES = ["height", "normal", "ray", "sight", "profile"]
GLOBAL = {"--json", "--quiet", "--jobs", "--help", "--version"}
SPELLINGS = {"--output": "-o", "--color": "--colour"}  # of options that docs name once


def options(text):
    """Option names in a text, a short -o among them."""
    return {SPELLINGS.get(name, name) for name in re.findall(r"(?<![\w-])(?:--[a-z][a-z-]+|-o)\b", text)}


def quoted(text):
    return " ".join(re.findall(r"`([^`]*)`", text))


def table_cells(section, column=0):
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("|")]
    return [row[column].strip() for row in rows]


class Documents:
    def __init__(self, text):
        parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
        self.head = parts[0]
        self.heading = {title.split()[0]: title for title in parts[1::2]}
        self.section = {title.split()[0]: body for title, body in zip(parts[1::2], parts[2::2])}

    def own_options(self, command):
        """Options that the section's heading and tables bring."""
        cells = " ".join(table_cells(self.section[command]))
        return options(self.heading[command]) | options(quoted(cells))

    def options(self, command):
        """All that the section mentions, and what it takes over from another."""
        section = self.section[command]
        found = options(self.heading[command]) | options(quoted(section))
        if "raster options of `bake`" in section:
            found |= self.own_options("bake")
        if "`render`'s options" in section:
            found |= self.own_options("render")
        return found

    def json_keys(self, command):
        """The backquoted names behind the section's "JSON" or in its table of keys."""
        section = self.section[command]
        keys = set()
        if re.search(r"^\| key \|", section, flags=re.MULTILINE):
            table = section[section.index("| key |"):].split("\n\n")[0]
            keys = set(re.findall(r"`(\w+)`", " ".join(table_cells(table))))
        for sentence in re.findall(r"JSON[^:`]*: (.*?)(?:\n\n|\Z)", section, flags=re.DOTALL):
            keys |= set(re.findall(r"`([a-z][a-z0-9_]*)`", sentence))
        return keys


def keys_of(document):
    """Keys of an object, and of the objects in its lists."""
    keys = set(document)
    for value in document.values():
        for entry in value if isinstance(value, list) else []:
            keys |= set(entry) if isinstance(entry, dict) else set()
    return keys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arete")
    parser.add_argument("documents", type=pathlib.Path)
    parser.add_argument("raster")
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    documents = Documents(arguments.documents.read_text())
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    arguments.scratch.mkdir(parents=True)
    problems = []

    def output(*words):
        done = subprocess.run([arguments.arete, *words], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            problems.append(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def differ(what, only_here, there):
        if only_here:
            problems.append(f"{what} {', '.join(sorted(only_here))} not in {there}")

    differ("commands", set(re.findall(r"^  ([a-z]+) ", output("--help").split("Subcommands:")[1], re.MULTILINE)) -
           set(documents.section), "docs/cli.md")
    differ("global options", options(output("--help")) - options(quoted(documents.head)), "docs/cli.md")
    for command in COMMANDS:
        texts = [output(command, "--help")]
        if command == "query":
            texts += [output("query", "STORE", what, "--help") for what in QUERIES]
        helped = set().union(*map(options, texts))
        differ(f"{command}: options of --help", helped - GLOBAL - documents.options(command), "docs/cli.md")
        differ(f"{command}: options of docs/cli.md", documents.own_options(command) - helped, "--help")

    def check_keys(command, *words, named=None, optional=frozenset()):
        """The keys of a run's document are the documented ones; `optional` ones may be missing."""
        text = output(command, *words, "--json")
        found = keys_of(json.loads(text)) if text else set()
        named = documents.json_keys(command) if named is None else named
        differ(f"{command} --json: keys", found - named, "docs/cli.md")
        differ(f"{command}: documented keys", named - found - optional, "the document")

    store = str(arguments.scratch / "field.arete")
    of = {"both": set(), "raster": set(), "store": set()}
    for keys, kind in re.findall(r"^\| (`.*) \| (both|raster|store) \|", documents.section["info"], re.MULTILINE):
        of[kind] |= set(re.findall(r"`(\w+)`", keys))
    of_store = of["both"] | of["store"]
    check_keys("bake", arguments.raster, "-o", store, named=documents.json_keys("bake") | of_store, optional={"verified"})
    check_keys("info", arguments.raster, named=of["both"] | of["raster"])
    check_keys("info", store, "--verify", named=of_store)
    check_keys("render", store, "-o", str(arguments.scratch / "a.png"), "--size", "64x64", "--software")
    check_keys("check", store, "--views", "2", "--gpu", "--gpu-vertices", "1", "--software")
    check_keys("mesh", store, "-o", str(arguments.scratch / "a.ply"), "--max-error", "20")
    check_keys("export", store, "-o", str(arguments.scratch / "a.tif"))
    check_keys("fly", store, "--seconds", "1")
    for row in documents.section["query"].splitlines():
        if "JSON: " in row and row.startswith("| `query"):
            what = row.split()[3]
            named = set(re.findall(r"`(\w+)`", row.split("JSON: ")[1]))
            queries = {"height": ["500", "500"], "normal": ["500", "500"], "ray": ["500,5000,500", "0,-1,0"],
                       "sight": ["500,5000,500", "900,5000,900"]}
            if what == "normal":
                named |= {"status", "x", "z", "y"}
            check_keys("query", store, what, *queries[what], named=named)
    print("\n".join(problems) or "docs/cli.md says what the command does")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
