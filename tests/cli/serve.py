#!/usr/bin/env python3
"""Runs `arete serve` as its users do: serve.py ARETE STORE_OR_RASTER --scratch FOLDER.

The address is printed once it answers; /store.json is what `info --json` prints; a port that is in use is refused when asked
for and passed over when not; SIGINT and SIGTERM end it with exit code 0, with a connection open too.
"""
import http.client
import json
import re
import signal
import subprocess
import sys

import arguments

problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


class Server:
    def __init__(self, command, *options):
        self.process = subprocess.Popen([command, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def first_line(self):
        return self.process.stdout.readline()

    def end(self, with_signal):
        self.process.send_signal(with_signal)
        try:
            code = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "no end within 20 s"
        expect(code == 0, f"exit code {code} after {with_signal.name}, expected 0")
        expect(self.process.stderr.read() == "", "words on stderr")


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    return connection, answer.status, answer.read()


def main():
    options = arguments.read()
    scratch = options.scratch
    store = str(scratch / "field.arete")
    subprocess.run([options.command, "bake", options.raster, "-o", store, "--quiet"], check=True)

    first = Server(options.command, store)
    line = first.first_line()
    found = re.fullmatch(re.escape(store) + r" at http://127\.0\.0\.1:(\d+)/\n", line)
    expect(found, f"first line {line!r}")
    port = int(found[1]) if found else 0
    expect(8080 <= port < 8180, f"port {port}, expected 8080 or one of the hundred from there on")
    connection, status, body = get(port, "/store.json")
    info = subprocess.run([options.command, "info", store, "--json"], check=True, capture_output=True, text=True).stdout
    expect(status == 200 and json.loads(body) == json.loads(info), "/store.json is not what info --json prints")
    expect(get(port, "/pages/0/0/0")[1] == 200, "/pages/0/0/0 is not there")

    second = Server(options.command, store, "--json")
    document = json.loads("".join(iter(second.first_line, "}\n")) + "}")
    expect(document["port"] != port and document["store"] == store, f"a second server says {document}")
    expect(document["address"] == f"http://127.0.0.1:{document['port']}/", f"a second server says {document}")
    refused = subprocess.run([options.command, "serve", store, "--port", str(port)], capture_output=True, text=True, timeout=20)
    expect(refused.returncode == 1 and refused.stderr.count("\n") == 1 and str(port) in refused.stderr,
           f"a port in use: exit code {refused.returncode}, {refused.stderr!r}")

    first.end(signal.SIGINT)
    second.end(signal.SIGTERM)
    connection.close()
    if problems:
        print("FAILED\n  " + "\n  ".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
