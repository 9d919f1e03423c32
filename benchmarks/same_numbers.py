"""Does every command give the numbers that it gave? Compares the JSON rows of two checkouts, command by command.

    python benchmarks/same_numbers.py BEFORE AFTER [--data FOLDER]

BEFORE and AFTER are checkouts, each with its own `auditor`. The sample sets are ingested into a store of each; with
`--data`, the data folder that `datasets.toml` reads, Flickr8k and its ratings are asked too. What a command was called
before is beside what it is called now, where that differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PAIR = "sample-narrow sample-varied"

#: What is asked of the sample sets: before, and now where that is spelled otherwise.
SAMPLE = (
    (f"profile {_PAIR} sample-flawed",),
    (f"profile {_PAIR} --profile ptb", f"profile {_PAIR} --tokenizer ptb"),
    ("identical sample-flawed",),
    ("duplicates sample-varied sample-flawed",),
    ("duplicates sample-flawed --pairs",),
    ("templates sample-narrow sample-varied",),
    ("templates sample-narrow --level caption",),
    ("outliers sample-flawed",),
    ("outliers sample-flawed --level image",),
    (f"diversity {_PAIR} --eval sample-varied",),
    (f"diversity {_PAIR} --robustness", f"robustness {_PAIR}"),
    (
        "diversity sample-narrow --omitted 20 --against sample-varied --eval sample-varied",
        "omitted sample-narrow --number 20 --against sample-varied --eval sample-varied",
    ),
    (f"keyness {_PAIR} --watch",),
    (f"perplexity {_PAIR}",),
    (f"bounds {_PAIR}",),
    (f"bounds {_PAIR} --references 2 --draws 2 -m cider -m rouge-l",),
    (f"compare {_PAIR} --pairs",),
    (f"compare {_PAIR} --equalise -m cider-d",),
    ("score sample-varied",),
    ("score sample-varied --ranked -m cider", "rank sample-varied -m cider"),
    ("correlate sample-varied",),
    ("references sample-varied",),
    ("probe sample-varied -m bleu-1 -m cider-d",),
    ("metrics",),
    ("metrics cider",),
    (f"diff {_PAIR} --depth text",),
    (f"diff {_PAIR} --depth drift",),
    (f"diff {_PAIR} --depth vocabulary",),
    ("tasks sample-varied --images 5",),
)  # fmt: skip

#: What is asked of Flickr8k and its ratings.
FLICKR = (
    ("profile flickr8k:test",),
    ("identical flickr8k:test",),
    ("duplicates flickr8k",),
    ("templates flickr8k:test",),
    ("outliers flickr8k:test",),
    ("diversity flickr8k:test",),
    ("perplexity flickr8k:test sample-varied",),
    ("bounds flickr8k:test",),
    ("compare flickr8k:test flickr8k:dev",),
    ("score flickr8k:test",),
    ("correlate flickr8k:test",),
    ("probe flickr8k:test -m cider-d",),
    ("agree flickr8k-expert -m cider -m bleu-4",),
)


def main(arguments: Sequence[str]) -> None:
    """Ask both checkouts the same, print a line a command, and end with 1 where rows differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--data", type=Path)
    asked = parser.parse_args(arguments)
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        checkouts = (asked.before.resolve(), asked.after.resolve())
        stores = [Path(folder) / f"{name}.duckdb" for name in ("before", "after")]
        for checkout, store in zip(checkouts, stores, strict=True):
            sample = str(checkout / "auditor" / "sample" / "datasets.toml")
            _run(checkout, store, ["ingest", "--all", "--config", sample], None)
            if asked.data:
                _run(checkout, store, ["ingest", "flickr8k", "flickr8k-expert"], asked.data)
        for spelled in (*SAMPLE, *(FLICKR if asked.data else ())):
            before, after = (
                _rows(checkout, store, words.split(), asked.data)
                for checkout, store, words in zip(checkouts, stores, (spelled[0], spelled[-1]), strict=True)
            )
            told = "equal" if before == after else f"DIFFERENT: {_first(before, after)}"
            different += before != after
            print(f"{spelled[-1]}: {len(after):,} rows, {told}", flush=True)
    sys.exit(different > 0)


def _rows(checkout: Path, store: Path, words: list[str], data: Path | None) -> list[dict[str, Any]]:
    document = json.loads(_run(checkout, store, [*words, "--json"], data))
    rows: list[dict[str, Any]] = next(iter(document.values()))["rows"]
    return rows


def _run(checkout: Path, store: Path, words: list[str], data: Path | None) -> str:
    around = {**os.environ, "PYTHONPATH": str(checkout), "AUDITOR_STORE": str(store)}
    around |= {"AUDITOR_DATA": str(data.resolve())} if data else {}
    asked = [sys.executable, "-m", "auditor", "-q", *words]
    done = subprocess.run(asked, env=around, cwd=store.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{checkout.name}: auditor {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def _first(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
    """Show the first row that differs."""
    for number, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
            return f"row {number}: " + ", ".join(f"{key} {old.get(key)!r} -> {new.get(key)!r}" for key in keys)
    return f"{len(before):,} rows before, {len(after):,} now"


if __name__ == "__main__":
    main(sys.argv[1:])
