"""The words of the tests that run the command on one raster: PROGRAM ARETE RASTER --scratch FOLDER."""
import argparse
import pathlib


def read():
    """Them, with the scratch folder made."""
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("raster")
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    return options
