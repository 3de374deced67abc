#!/usr/bin/env python3
"""Reads an arete store from docs/store_format.md alone: a second implementation that keeps the document honest.

Only SQLite and the zstd command are used. Checksums are not recomputed (Python has no XXH3).

    read_store.py STORE info                  the metadata, one entry a line
    read_store.py STORE height COLUMN ROW     metres at a stop, or "hole"
    read_store.py STORE dump FILE             every page of every lod, row by row: u16 planes, least significant first
"""
import array
import sqlite3
import subprocess
import sys

STRIDE = 131
PLANE = STRIDE * STRIDE


def spread(value):
    return sum((value >> bit & 1) << 2 * bit for bit in range(29))


def page_key(lod, x, z):
    return (lod << 58) + spread(x) + (spread(z) << 1)


def undo_prediction(numbers):
    """131 x 131 zigzagged residuals to values."""
    values = [0] * PLANE
    for at, number in enumerate(numbers):
        row, column = divmod(at, STRIDE)
        residual = number >> 1 if number % 2 == 0 else -(number + 1 >> 1)
        left = values[at - 1] if column else 0
        up = values[at - STRIDE] if row else 0
        upleft = values[at - STRIDE - 1] if row and column else 0
        values[at] = (residual + left + up - upleft) % 65536
    return values


class Store:
    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        if self.pragma("application_id") != 0x41524554:
            raise SystemExit(f"{path}: not an arete store")
        if self.pragma("user_version") // 1000 != 1:
            raise SystemExit(f"{path}: unknown major version")
        self.metadata = dict(self.database.execute("SELECT name, value FROM metadata"))
        if self.metadata["state"] != "complete":
            raise SystemExit(f"{path}: a bake that is not finished")
        self.last_x = int(self.metadata["stops_x"]) - 1
        self.last_z = int(self.metadata["stops_z"]) - 1
        self.lods = 1
        while max(self.pages(self.last_x, self.lods - 1), self.pages(self.last_z, self.lods - 1)) > 1:
            self.lods += 1

    def pragma(self, name):
        return self.database.execute(f"PRAGMA {name}").fetchone()[0]

    @staticmethod
    def pages(last, lod):
        cells = (last + (1 << lod) - 1) >> lod
        return max(1, (cells + 127) // 128)

    def node_max(self, lod, x, z):
        row = self.database.execute("SELECT nodes FROM bounds WHERE key = ?", (page_key(lod, x // 4, z // 4),)).fetchone()
        if row is None:
            return 0
        at = 12 * (z % 4 * 4 + x % 4) + 2
        return int.from_bytes(row[0][at:at + 2], "little")

    def has_data(self, lod, x, z):
        if self.lods == 1:
            return int(self.metadata["field_max"]) > 0
        side, of_lod = (2, 1) if lod == 0 else (4, lod)
        return any(self.node_max(of_lod, side * x + i, side * z + k) for k in range(side) for i in range(side))

    def planes(self, lod, x, z):
        """The page's planes as lists of 131 x 131 steps: [subsample], and [subsample, max] for lods above 0."""
        count = 1 if lod == 0 else 2
        row = self.database.execute("SELECT blob FROM pages WHERE key = ?", (page_key(lod, x, z),)).fetchone()
        if row is None:
            if self.has_data(lod, x, z):
                raise SystemExit(f"page ({x}, {z}) of lod {lod} is missing")
            return [[0] * PLANE for _ in range(count)]
        payload = subprocess.run(["zstd", "-dc"], input=row[0], stdout=subprocess.PIPE, check=True).stdout
        total = count * PLANE
        if len(payload) != 2 * total:
            raise SystemExit(f"page ({x}, {z}) of lod {lod}: {len(payload)} bytes instead of {2 * total}")
        numbers = [low | high << 8 for low, high in zip(payload[:total], payload[total:])]
        planes = [undo_prediction(numbers[:PLANE])]
        if count == 2:
            difference = undo_prediction(numbers[PLANE:])
            planes.append([(low + more) % 65536 for low, more in zip(planes[0], difference)])
        return planes

    def height(self, column, row):
        """Metres at a stop, or None at a hole."""
        if not (0 <= column <= self.last_x and 0 <= row <= self.last_z):
            raise SystemExit(f"stop ({column}, {row}) is outside the field")
        steps = self.planes(0, column // 128, row // 128)[0][(row % 128 + 1) * STRIDE + column % 128 + 1]
        return float(self.metadata["base_m"]) + float(self.metadata["step_m"]) * steps if steps else None

    def dump(self, path):
        with open(path, "wb") as out:
            for lod in range(self.lods):
                for z in range(self.pages(self.last_z, lod)):
                    for x in range(self.pages(self.last_x, lod)):
                        for plane in self.planes(lod, x, z):
                            samples = array.array("H", plane)
                            if sys.byteorder == "big":
                                samples.byteswap()
                            out.write(samples.tobytes())


def main(arguments):
    if len(arguments) == 2 and arguments[1] == "info":
        for name, value in sorted(Store(arguments[0]).metadata.items()):
            print(f"{name} = {value}")
    elif len(arguments) == 4 and arguments[1] == "height":
        height = Store(arguments[0]).height(int(arguments[2]), int(arguments[3]))
        print("hole" if height is None else repr(height))
    elif len(arguments) == 3 and arguments[1] == "dump":
        Store(arguments[0]).dump(arguments[2])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
