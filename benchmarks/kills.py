"""Kill commands that write at random moments, and count what is lost, torn or left behind.

Each round runs a command in a process of its own and ends it by SIGKILL, SIGTERM or SIGHUP. Then every file that it
replaces must be the old or the new one, whole, and the store sound, with every version. The same command runs again to
its end: nothing of a killed process may be left beside its files or in the folder for temporary files.

    python benchmarks/kills.py --seconds 500 --only export --seed 2
"""

from __future__ import annotations

import argparse
import hashlib
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
    "tasks": ("distractors set@v{v} -o items.csv --force --store r.duckdb", ("items.csv",)),
    "report": ("report set@v{v} --section sizes --no-time -o report.html --store r.duckdb", ("report.html",)),
    "bounds in stages": ("bounds set@v{v} -m cider --scores by.csv --work work{n} --store r.duckdb", ("by.csv",)),
    "findings in stages": (f"{STAGES} here", ("verdicts",)),
    "findings in processes": (f"{STAGES} processes", ("verdicts",)),
    "findings on Ray": (f"{STAGES} ray", ("verdicts",)),
}  # fmt: skip

LEFT = (".auditor-*", "auditor-*.temporary", "*.partial", "*.partial.wal", "duckdb_temp_*", ".*.stages")


def captions(number: int) -> pl.DataFrame:
    """Return captions of 1,500 images, some of them faulty."""
    drawn, words = random.Random(number), "a dog cat man runs sits on the grass near water red old street".split()
    rows = [(f"i{image:04}", " ".join(drawn.choices(words, k=9))) for image in range(1_500) for _ in range(3)]
    faults = ["As an AI language model, I cannot see it.", "a caf\u00c3\u00a9 at night", "a  dog   on the  grass"]
    return pl.DataFrame([*rows, *((f"f{n:03}", faults[n % 3]) for n in range(90))], ["image", "caption"], orient="row")


def digest(path: Path) -> str:
    """Hash a file, or the names and files of a folder; of a receipt's folder, the times of shards are left out."""
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


def main() -> None:
    """Kill commands in turn until the time is over, then print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--only", default="", help="part of a command's name")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    ends, chance = time.monotonic() + asked.seconds, random.Random(asked.seed)
    os.chdir(tempfile.mkdtemp(prefix="kills-"))
    for folder in ("tmp", "shards"):
        Path(folder).mkdir()
    nursery = Nursery()
    for number in (0, 1):
        captions(number).write_csv(f"big{number}.csv")
        for name, store in (("set", "r.duckdb"), ("kept", "w.duckdb")):
            assert nursery.run(["ingest", name, "--from", f"big{number}.csv", "--store", store, "-q"]) == 0
    for number in range(4):
        captions(number).with_columns("s" + str(number) + "-" + pl.col("image")).write_parquet(
            f"shards/{number}.parquet"
        )
    told = {name: Counter[str]() for name in COMMANDS if asked.only in name}
    known: dict[str, set[str]] = {name: set() for name in told}
    took: dict[str, float] = {}

    def full(name: str, number: int) -> None:
        command, targets = COMMANDS[name]
        for target in targets if "stages" in command or "--verdicts" in command else ():
            shutil.rmtree(target, ignore_errors=True)
        began = time.monotonic()
        code = nursery.run(command.format(n=number, v=number + 1).split())
        took[name] = time.monotonic() - began
        if code:
            told[name]["failed"] += 1
            print(name, code, Path("stderr").read_text(errors="replace"), flush=True)

    for name in told:
        for number in (0, 1):
            full(name, number)
            known[name] |= {digest(Path(target)) for target in COMMANDS[name][1]}
    while time.monotonic() < ends:
        for name, counts in told.items():
            command, targets = COMMANDS[name]
            number, end = chance.randrange(2), chance.choice([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGHUP])
            if "--verdicts" in command:
                shutil.rmtree("verdicts", ignore_errors=True)
            if "--work" in command:
                shutil.rmtree(f"work{number}", ignore_errors=True)
            words = command.format(n=number, v=number + 1).split()
            code = nursery.run(words, end, chance.uniform(0, 1) * took[name])
            if code == 0:
                continue
            counts["ended"] += 1
            left = [str(file) for ending in LEFT for file in Path().rglob(ending)]
            if (
                end is not signal.SIGKILL
                and "stages" not in name
                and (drafts := [f for f in left if ".stages" not in f])
            ):
                counts["left by a signal"] += 1
                print(name, end.name, drafts[:3], flush=True)
            for target in map(Path, targets):
                counts["absent"] += not target.exists() and "--verdicts" not in command
                counts["torn"] += target.exists() and digest(target) not in known[name]
            if "w.duckdb" in command:
                counts["lost"] += sound(Path("w.duckdb"))["kept"] != 2
            full(name, number)
            counts["lost"] += any(not Path(target).exists() for target in targets)
            counts["torn"] += any(
                digest(Path(target)) not in known[name] for target in targets if Path(target).exists()
            )
            if left := [str(file) for ending in LEFT for file in Path().rglob(ending)]:
                counts["left behind"] += 1
                print(name, end.name, left[:3], flush=True)
            if time.monotonic() > ends:
                break
    columns = ("ended", "lost", "torn", "absent", "left by a signal", "left behind", "failed")
    print("| command |", " | ".join(columns), "|")
    for name, counts in told.items():
        print(f"| {name} |", " | ".join(str(counts[column]) for column in columns), "|")
    shutil.rmtree(Path.cwd())


if __name__ == "__main__":
    main()
