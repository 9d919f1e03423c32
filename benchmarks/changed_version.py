"""What a changed version costs: `python benchmarks/changed_version.py [FOLDER] [--only WORD] [--at CHECKOUT]`.

A store gets a dataset and its next version, in which 1% of the captions are others: the words of each are reversed.
Each command then runs on the new version: on a store that keeps nothing (cold), on one in which the command has run on
the version before (changed), and there once more (again). What it writes must be the same bytes. The last row is the
first look at a file of four captions, whose first use compiles kernels. All are whole processes; CPU seconds count.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from measuring import AUDITOR, Cost, captions, load_before, run, table, up, versions

_DATASET = "flickr8k"

_BESIDE = "abstract50s"

_OUTPUT = "{output}"

#: The words of each command; `{new}` is the changed version, which runs on `{old}` before.
COMMANDS = {
    "findings": ["findings", "{ref}", "--json"],
    "compare": ["compare", "{ref}", _BESIDE, "--json"],
    "report": ["report", "{ref}", "--no-time", "-o", _OUTPUT],
    "check": ["check", "{ref}", "--config", "{gates}", "--json"],
    "score": ["score", "{ref}", "-m", "bleu-4", "-m", "rouge-l", "-m", "meteor", "-m", "ter", "--json"],
}

#: Gates that hold: a command that fails ends the run.
_GATES = """
[check]
msttr.min = 0
duplicates_across_images.max = 1
outliers.max = 1
templated.max = 1
homogeneity.bleu-4.high.max = 10
findings.misspellings.max = 1
"""

_FOUR = (
    "image,caption\na.jpg,A dog runs through the grass.\na.jpg,A brown dog is running on a lawn.\n"
    "b.jpg,Two children play with a ball in a park.\nb.jpg,Kids are playing outside near a tree.\n"
)


def prepared(folder: Path) -> Path:
    """Return a store with both versions, and one other dataset."""
    store, file = folder / "both.duckdb", folder / "set.token"
    if not store.exists():
        rows = captions(_DATASET)
        for changed in (False, True):
            texts = [
                " ".join(reversed(text.split())) if changed and number % 100 == 7 else text
                for number, (_, _, text) in enumerate(rows)
            ]
            lines = (f"{image}#{slot}\t{text}\n" for (image, slot, _), text in zip(rows, texts, strict=True))
            file.write_text("".join(lines), encoding="utf-8")
            run([*AUDITOR, "-q", "ingest", "set", "--from", str(file), "--store", str(store)], folder)
        run([*AUDITOR, "-q", "ingest", _BESIDE, "--store", str(store)], folder)
    return store


def measured(words: list[str], store: Path, folder: Path, at: Path | None) -> tuple[str, ...]:
    """Return the costs of one command, as a row."""
    copy, output, gates = folder / "copy.duckdb", folder / "output.html", folder / "gates.toml"
    gates.write_text(_GATES, encoding="utf-8")

    def ask(ref: str) -> tuple[Cost, str]:
        named = [word.format(ref=ref, output=output, gates=gates) for word in words]
        cost, written = run([*AUDITOR, "-q", *named, "--store", str(copy)], folder, at)
        return cost, written + (output.read_text(encoding="utf-8") if _OUTPUT in words else "")

    shutil.copyfile(store, copy)
    cold, expected = ask("set@v2")
    shutil.copyfile(store, copy)
    ask("set@v1")
    changed, written = ask("set@v2")
    again, once_more = ask("set@v2")
    same = "yes" if expected == written == once_more else "**no**"
    shares = (f"{cost.cpu / cold.cpu:.2f}" for cost in (changed, again))
    return (*(up(cost.cpu) for cost in (cold, changed, again)), *shares, same)


def first_look(folder: Path, at: Path | None) -> tuple[str, ...]:
    """Return the costs of `auditor FILE`, at its first use and again, as a row."""
    file = folder / "four.csv"
    file.write_text(_FOUR, encoding="utf-8")
    kernels = folder / "kernels"
    shutil.rmtree(kernels, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(kernels)
    first, again = (run([*AUDITOR, "-q", str(file)], folder, at)[0] for _ in range(2))
    return (up(first.cpu), "", up(again.cpu), "", f"{again.cpu / first.cpu:.2f}", "")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the store is kept for the next run")
    parser.add_argument("--only", default="", metavar="WORD", help="only rows with this in their names")
    parser.add_argument("--at", type=Path, metavar="DIR", help="a checkout whose commands are measured")
    asked = parser.parse_args()
    print(f"{versions()} {load_before()}\n", flush=True)
    header = table(("command", "cold, s", "changed, s", "again, s", "changed / cold", "again / cold", "same bytes"), [])
    print("\n".join(header), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        store = prepared(folder)
        for name, words in COMMANDS.items():
            if asked.only in name:
                print(f"| {name} | {' | '.join(measured(words, store, folder, asked.at))} |", flush=True)
        if asked.only in "four captions":
            print(f"| four captions | {' | '.join(first_look(folder, asked.at))} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
