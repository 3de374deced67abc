#!/usr/bin/env python3
"""Flies `arete view` on a virtual display with a software device: view.py ARETE RASTER --scratch FOLDER.

Pictures of its own swapchain are byte for byte those of `arete render` from the same camera; keys, resizing, hiding, a frozen cut, an
interrupt and the window's closing do what they say; the validation layers stay silent.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import x_display

problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


class View:
    """One run of the command, begun."""

    def __init__(self, options, store, display, *more):
        words = [options.command, "view", store, "--software", "--validation", "--json", "--size", "240x160", *more]
        self.name = " ".join(more) or "by hand"
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, DISPLAY=display.name))

    def end(self, code=0):
        """The report on stdout, or what it said on stderr when another exit code is due."""
        try:
            out, err = self.process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            problems.append(f"{self.name}: no end within 120 s")
        expect(self.process.returncode == code, f"{self.name}: exit code {self.process.returncode}, expected {code}: {err}")
        if code != 0:
            expect(err.count("\n") == 1, f"{self.name}: expected one line on stderr, found {err!r}")
            return err
        expect(err == "", f"{self.name}: words on stderr: {err[:2000]!r}")
        return json.loads(out) if out else {}


def words_of(place):
    return ",".join(repr(value) for value in place)


def check_pictures(options, store, display, scratch):
    """Flights' last pictures against render's."""
    looks = [["--colour", "relief"], ["--colour", "lod", "--wireframe", "--error", "6", "--plane", "max"],
             ["--colour", "contour", "--no-shadows", "--no-walls", "--overview"]]
    for number, look in enumerate(looks):
        seen, drawn = scratch / f"seen{number}.png", scratch / f"drawn{number}.png"
        report = View(options, store, display, "--frames", "5", "--no-panel", "-o", str(seen), *look).end()
        if not report:
            continue
        expect(report["frames"] >= 5 and report["missing_pages"] == 0, f"{look}: {report}")
        camera = ["--eye", words_of(report["eye"]), "--target", words_of(report["target"])]
        if "--overview" in look:
            camera += ["--fov", "30"]
        subprocess.run([options.command, "render", store, "-o", str(drawn), "--software", "--size", "240x160", "--quiet",
                        *[word for word in look if word != "--overview"], *camera], check=True)
        expect(seen.read_bytes() == drawn.read_bytes(), f"{look}: the window's picture is not the one that render draws")


def check_keys(options, store, display):
    """A hand at the keys."""
    view = View(options, store, display, "--error", "4")
    window = display.window("arete: field.arete")
    expect(window is not None, "no window came up")
    if window is None:
        view.process.kill()
        return
    time.sleep(1.5)
    display.press(window, "w", 0.8)
    display.resize(window, 330, 210)
    display.press(window, "l")
    display.press(window, "x")
    time.sleep(0.6)
    for width, height in (1, 1), (3, 150), (900, 2):
        display.resize(window, width, height)
        time.sleep(0.3)
    display.hide(window)
    time.sleep(0.3)
    display.show(window)
    display.resize(window, 200, 120)
    display.press(window, "m")
    time.sleep(0.6)
    display.press(window, "q", 6)  # into the ground, were there none
    display.press(window, "c")
    time.sleep(0.6)
    display.press(window, "a", 1)
    display.press(window, "h")
    time.sleep(0.6)
    display.press(window, "Escape")
    report = view.end()
    if not report:
        return
    moved = max(abs(a - b) for a, b in zip(report["eye"], report["cut_eye"]))
    expect(moved > 1, f"the eye did not leave the frozen cut's: {report}")
    begun = json.loads(subprocess.run([options.command, "view", store, "--software", "--json", "--size", "240x160", "--frames", "2"],
                                      env=dict(os.environ, DISPLAY=display.name), capture_output=True, check=True).stdout)
    expect(report["cut_eye"] != begun["eye"], "the keys did not move the eye")
    for eye in (report["eye"], report["cut_eye"]):
        ground = json.loads(subprocess.run([options.command, "query", store, "height", str(eye[0]), str(eye[2]), "--json"],
                                           capture_output=True, check=True).stdout)
        expect(ground["status"] != "surface" or eye[1] > ground["y"], f"the eye {eye} is in the ground: {ground}")


def check_ends(options, store, display, scratch):
    """Every way to end."""
    view = View(options, store, display)
    window = display.window("arete: field.arete")
    time.sleep(1)
    display.close(window)
    view.end()
    view = View(options, store, display)
    display.window("arete: field.arete")
    time.sleep(1)
    view.process.send_signal(signal.SIGINT)
    view.end()
    picture = scratch / "early.png"
    view = View(options, store, display, "--frames", "100000", "-o", str(picture))
    window = display.window("arete: field.arete")
    time.sleep(1)
    display.press(window, "Escape")
    expect("closed before" in view.end(1), "closed early: another message")
    expect(not picture.exists(), "closed early: a picture was written")


def check_damage(options, display, scratch):
    """A page that cannot be read: the window goes on and says so, its last picture is refused."""
    store = str(scratch / "damaged.arete")
    shutil.copy(scratch / "field.arete", store)
    database = sqlite3.connect(store)
    database.execute("update pages set checksum = checksum + 1 where key = 0")
    database.commit()
    database.close()
    view = View(options, store, display, "--frames", "4")
    out, err = view.process.communicate(timeout=120)
    expect(view.process.returncode == 0 and re.fullmatch(r"arete: warning: not all .*damaged\.arete: page [^\n]*\n", err),
           f"damaged: exit code {view.process.returncode}, {err!r}")
    picture = scratch / "damaged.png"
    err = View(options, store, display, "--frames", "4", "-o", str(picture), "--overview", "--error", "0.2").end(1)
    expect(err is not None and err.count("damaged.arete: ") == 1, f"damaged: {err!r}")
    expect(not picture.exists(), "damaged: a picture was written")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("raster")
    parser.add_argument("--scratch", required=True)
    options = parser.parse_args()
    if shutil.which("Xvfb") is None:
        print("skipped: no Xvfb")
        return 77
    scratch = pathlib.Path(options.scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    store = str(scratch / "field.arete")
    subprocess.run([options.command, "bake", options.raster, "-o", store, "--quiet"], check=True)
    display = x_display.Display()
    try:
        check_pictures(options, store, display, scratch)
        check_keys(options, store, display)
        check_ends(options, store, display, scratch)
        check_damage(options, display, scratch)
    finally:
        display.end()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
