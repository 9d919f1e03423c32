"""Kill commands that write at random moments, and count what is lost, torn or left behind.

Each round runs a command in a process of its own and ends it by SIGKILL, SIGTERM or SIGHUP. Then every file that it
replaces must be the old or the new one, whole, and the store sound, with every version. The same command runs again to
its end: nothing of a killed process may be left beside its files or in the folder for temporary files.

    python benchmarks/kills.py --seconds 500 --only export --seed 2
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import polars as pl

from auditor.store import verification, versions
from auditor.store.connection import Store

#: Runs commands in children that have everything imported: a signal meets work, and not the start of Python.
NURSERY = """
import json, os, sys
from auditor import config, reports
from auditor.cli import app
from auditor.studies import STUDIES
for study in STUDIES.values():
    study.load()
for line in sys.stdin:
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(null, number)
        os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.argv = ["auditor", *json.loads(line)]
        app.main()
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

STAGES = "findings shards/*.parquet --verdicts verdicts --executor"

#: Commands by name, each with the files or folders that it writes. `{n}` is 0 or 1 in turn.
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ingest": ("ingest big --from big{n}.csv --store w.duckdb", ()),
    "gc": ("store gc --store w.duckdb", ()),
    "file": ("big{n}.csv --quiet -o page.html", ()),
    "export bundle": ("export set@v{v} -o bundle --force --store r.duckdb", ("bundle",)),
    "export hf": ("export set@v{v} --format hf -o hf --force --store r.duckdb", ("hf",)),
    "export csv": ("export set@v{v} -o out.csv --force --store r.duckdb", ("out.csv",)),
    "export --fix": ("export set@v{v} --fix all -o fixed.csv --force --store r.duckdb", ("fixed.csv",)),
    "findings": ("findings set@v{v} --captions-only -o list.csv --store r.duckdb", ("list.csv",)),
    "baseline": (
        "findings set@v{v} --captions-only --baseline known.json --write-baseline --store r.duckdb", ("known.json",),
    ),
    "score": ("score set@v{v} -m bleu-1 -o scores.parquet --store r.duckdb", ("scores.parquet",)),
    "tasks": ("tasks set@v{v} --candidates intra -o items.csv --force --store r.duckdb", ("items.csv",)),
    "report": ("report set@v{v} --section facts --no-time -o report.html --store r.duckdb", ("report.html",)),
    "bounds in stages": ("bounds set@v{v} -m cider --scores by.csv --work work{n} --store r.duckdb", ("by.csv",)),
    "findings in stages": (f"{STAGES} here", ("verdicts",)),
    "findings in processes": (f"{STAGES} processes", ("verdicts",)),
    "findings on Ray": (f"{STAGES} ray", ("verdicts",)),
}  # fmt: skip

_IN_A_ROW = 6  # ends of a command before it runs to its end

LEFT = (".auditor-*", "auditor-*.temporary", "*.partial", "*.partial.wal", "duckdb_temp_*", ".*.stages")


def captions(number: int) -> pl.DataFrame:
    """Return captions of 290 images, some of them faulty."""
    drawn, words = random.Random(number), ["a", "dog", "cat", "man", "runs", "sits", "on", "the", "grass", "red", "old"]
    rows = [(f"i{image:04}", " ".join(drawn.choices(words, k=9))) for image in range(200) for _ in range(3)]
    faults = ["As an AI language model, I cannot see it.", "a caf\u00c3\u00a9 at night", "a  dog   on the  grass"]
    return pl.DataFrame([*rows, *((f"f{n:03}", faults[n % 3]) for n in range(90))], ["image", "caption"], orient="row")


def digest(path: Path) -> str:
    """Hash a file, or the names and files of a folder."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    parts = [str(file.relative_to(path)).encode() + file.read_bytes() for file in files if file.is_file()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def sound(path: Path) -> dict[str, int]:
    """Return the versions of each dataset of a store, which must be sound."""
    with Store.open(path) as store:
        assert verification.legible(store)["faults"].sum() == 0, path
        assert verification.check(store)["faults"].sum() == 0, path
        return Counter(version.dataset for version in versions.log(store))


class Nursery:
    """Runs commands in children, and ends them."""

    def __init__(self) -> None:
        env = {**os.environ, "TMPDIR": str(Path("tmp").resolve()), "AUDITOR_MEMORY": "256MiB"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )

    def run(self, command: list[str], end: signal.Signals | None = None, after: float = 0) -> int:
        """Run a command, and send it a signal after some seconds; return how it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        if end is not None:
            time.sleep(after)
            with suppress(ProcessLookupError):
                os.kill(child, end)
        return int(self._process.stdout.readline())


class Rounds:
    """What became of each command."""

    def __init__(self, only: str, seed: int) -> None:
        self._nursery, self._chance = Nursery(), random.Random(seed)
        for number in (0, 1):
            captions(number).write_csv(f"big{number}.csv")
            for name, store in (("set", "r.duckdb"), ("kept", "w.duckdb")):
                assert self._nursery.run(["ingest", name, "--from", f"big{number}.csv", "--store", store, "-q"]) == 0
        for number in range(4):
            rows = captions(number).with_columns(pl.concat_str(pl.lit(f"s{number}-"), "image").alias("image"))
            rows.write_parquet(f"shards/{number}.parquet")
        self.told = {name: Counter[str]() for name in COMMANDS if only in name}
        self._whole: dict[str, set[str]] = {name: set() for name in self.told}
        self._took: dict[str, float] = {}
        for name, number in [(name, number) for name in self.told for number in (0, 1)]:
            self._finish(name, number)
            self._whole[name] |= {digest(Path(target)) for target in COMMANDS[name][1]}

    def play(self, name: str) -> None:
        """End a command some times, then run it to its end, after which nothing may be left."""
        for _ in range(_IN_A_ROW):
            self._end(name)
        for number in (0, 1) if "{n}" in COMMANDS[name][0] else (self._chance.randrange(2),):
            self._finish(name, number)
        counts = self.told[name]
        counts["lost"] += any(not Path(target).exists() for target in COMMANDS[name][1])
        counts["torn"] += self._torn(name)
        if left := _left():
            counts["left behind"] += 1
            print(name, left[:3], flush=True)

    def _end(self, name: str) -> None:
        """End a command at a random moment, and look at what it wrote."""
        targets, counts, number = [*map(Path, COMMANDS[name][1])], self.told[name], self._chance.randrange(2)
        end = self._chance.choice([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGHUP])
        self._clear(name, number)
        before = {*_left()}
        code = self._nursery.run(_words(name, number), end, self._chance.uniform(0, 1) * self._took[name])
        if code == 0:
            return
        counts["ended"] += 1
        left = {file for file in _left() if ".stages" not in file} - before
        if end is not signal.SIGKILL and left:
            counts["left by a signal"] += 1
            print(name, end.name, left, flush=True)
        counts["torn"] += self._torn(name)
        counts["absent"] += any(not target.exists() for target in targets) and "verdicts" not in COMMANDS[name][1]
        if "w.duckdb" in COMMANDS[name][0]:
            counts["lost"] += sound(Path("w.duckdb"))["kept"] != 2

    def _torn(self, name: str) -> bool:
        there = (Path(target) for target in COMMANDS[name][1] if Path(target).exists())
        return any(digest(target) not in self._whole[name] for target in there)

    def _finish(self, name: str, number: int) -> None:
        if "verdicts" in COMMANDS[name][1]:
            shutil.rmtree("verdicts", ignore_errors=True)
        began = time.monotonic()
        code = self._nursery.run(_words(name, number))
        self._took[name] = time.monotonic() - began
        if code:
            self.told[name]["failed"] += 1
            print(name, code, Path("stderr").read_text(errors="replace"), flush=True)

    def _clear(self, name: str, number: int) -> None:
        for folder in ("verdicts",) if "verdicts" in COMMANDS[name][1] else (f"work{number}",):
            shutil.rmtree(folder, ignore_errors=True)


def _words(name: str, number: int) -> list[str]:
    return COMMANDS[name][0].format(n=number, v=number + 1).split()


def _left() -> list[str]:
    return [str(file) for ending in LEFT for file in Path().rglob(ending)]


def main() -> None:
    """Play rounds until the time is over, then print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--only", default="", help="part of a command's name")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    ends = time.monotonic() + asked.seconds
    os.chdir(tempfile.mkdtemp(prefix="kills-"))
    for folder in ("tmp", "shards"):
        Path(folder).mkdir()
    rounds = Rounds(asked.only, asked.seed)
    for name in itertools.cycle(rounds.told):
        if time.monotonic() > ends:
            break
        rounds.play(name)
    columns = ("ended", "lost", "torn", "absent", "left by a signal", "left behind", "failed")
    print("| command |", " | ".join(columns), "|")
    for name, counts in rounds.told.items():
        print(f"| {name} |", " | ".join(str(counts[column]) for column in columns), "|")
    shutil.rmtree(Path.cwd())


if __name__ == "__main__":
    main()
