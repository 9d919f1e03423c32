"""Does every command give the numbers that it gave? Compares the JSON rows of two checkouts, command by command.

    python benchmarks/same_numbers.py BEFORE AFTER [--data FOLDER] [--only WORD] [--values]

BEFORE and AFTER are checkouts, each with its own `auditor`. The sample sets and some generated files are ingested into
a store of each. With `--data`, the data folder that `datasets.toml` reads, Flickr8k and its ratings are compared too,
four sets by `compare`, and a captioner by `score`. Of a report, the rows of all sections are compared. With `--values`,
only column `value` or `mean` of rows that both checkouts have is compared: what is left if intervals and tests change.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_PAIR = "sample-narrow sample-varied"

#: Ratings, forced-choice items and one caption per image, made for the questions about them.
FILES = {
    "stars": [
        "image,text,judge,stars",
        *(f"{i},a dog on grass {i % 2},{judge},{i}" for i in range(1, 5) for judge in "ab"),
    ],
    "pairs": ["image,right,wrong", *(f"{image},a dog on grass,a cat {image}" for image in range(1, 5))],
    "single": ["image,caption", *(f"{n}.jpg,{n % 7} lazy dogs run {n}" for n in range(40))],
}

_GATES = "[check]\ncaptions_per_image.min = 5\n"
_STARS = "--format judgements --option judge_col=judge --option score_col=stars --image-col image --caption-col text"

#: Commands for the sample sets.
SAMPLE = (
    "datasets",
    "ingest --formats",
    "datasets sample-varied",
    "store verify",
    "findings sample-flawed",
    f"findings {_PAIR} sample-flawed",
    "findings single",
    f"profile {_PAIR} sample-flawed",
    "profile single",
    f"profile {_PAIR} --tokenizer ptb",
    "duplicates sample-flawed --exact --within",
    "duplicates sample-varied sample-flawed",
    "duplicates sample-flawed --pairs",
    f"templates {_PAIR}",
    "templates sample-narrow --level caption",
    "outliers sample-flawed",
    "outliers sample-flawed --level image",
    f"diversity {_PAIR} --eval sample-varied",
    f"diversity {_PAIR} --robustness",
    "words sample-narrow --against sample-varied --eval sample-varied --all-images --by training",
    "words sample-narrow --against sample-narrow --by image --importance 1 --minimum 1",
    f"syntax {_PAIR}",
    "words sample-narrow --against sample-varied",
    f"perplexity {_PAIR}",
    f"bounds {_PAIR}",
    f"bounds {_PAIR} --references 2 --draws 2 -m cider -m rouge-l",
    "bounds sample-flawed --distinct",
    f"compare {_PAIR}",
    f"compare {_PAIR} --equalize -m cider-d",
    "score sample-varied",
    "score sample-varied -m cider --rank",
    "correlate sample-varied",
    "references sample-varied",
    "probe sample-varied -m bleu-1 -m cider-d",
    "metrics",
    "metrics cider",
    f"diff {_PAIR} --depth text",
    f"diff {_PAIR} --depth drift",
    f"diff {_PAIR} --depth vocabulary",
    "tasks sample-varied --images 5",
    "agree stars --against sample-varied -m bleu-1",
    "choices pairs --against sample-varied --train sample-narrow -m bleu-1",
    f"report {_PAIR} --format json",
    "report sample-flawed --format json",
    "report sample-flawed --format card -o card.json",
    "check sample-varied --config gates.toml",
    "reproduce elliott2014",
)

#: Commands for Flickr8k and its ratings.
FLICKR = (
    "findings flickr8k:test",
    "profile flickr8k:test",
    "duplicates flickr8k:test --exact --within",
    "duplicates flickr8k",
    "templates flickr8k:test",
    "outliers flickr8k:test",
    "diversity flickr8k:test",
    "syntax flickr8k:test",
    "diversity flickr8k:test --robustness",
    "words flickr8k:test --against sample-varied --eval sample-varied --all-images --by training",
    "words flickr8k:dev --against flickr8k:dev --by image --importance 1 --minimum 1",
    "words flickr8k:test --against sample-varied",
    "perplexity flickr8k:test sample-varied",
    "bounds flickr8k:test",
    "compare flickr8k:test flickr8k:dev",
    "score flickr8k:test",
    "score flickr8k:test -m cider --rank",
    "correlate flickr8k:test",
    "references flickr8k:test -m bleu-4",
    "probe flickr8k:test -m cider-d",
    "tasks flickr8k:test --images 20",
    "agree flickr8k-expert -m cider -m bleu-4",
    "report flickr8k:test --format json",
    "report flickr8k:test --format card -o card.json",
    "check flickr8k:test --config gates.toml",
)

#: Commands for four real sets, and for a captioner.
REAL = ("flickr8k", "flickr8k-expert", "pascal50s", "abstract50s", "coco-val2017", "coco-test-2014", "blip2")
FOUR = (
    "compare flickr8k:test pascal50s abstract50s coco-val2017 -m bleu-4 -m rouge-l -m meteor -m cider-d",
    "score coco-test-2014 --candidates blip2 -m bleu-4 -m cider-d -m meteor",
)

#: Columns that name a row beside its value.
_NAMES = (
    *("dataset", "version", "split", "image", "slot", "metric", "statistic", "variant", "candidate", "against", "kind"),
    *(
        "protocol",
        "candidates",
        "other",
        "word",
        "pattern",
        "n",
        "object",
        "scorer",
        "part",
        "seed",
        "draw",
        "references",
    ),
)


def main(arguments: Sequence[str]) -> None:
    """Ask both checkouts the same, print a line a command, and end with 1 where rows differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", default="", help="commands that begin with this word")
    parser.add_argument("--values", action="store_true", help="compare column `value` of common rows alone")
    asked = parser.parse_args(arguments)
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        checkouts = (asked.before.resolve(), asked.after.resolve())
        stores = [Path(folder) / f"{name}.duckdb" for name in ("before", "after")]
        for checkout, store in zip(checkouts, stores, strict=True):
            sample = str(checkout / "auditor" / "sample" / "datasets.toml")
            _run(checkout, store, ["ingest", "--all", "--config", sample], None)
            for name, lines in FILES.items():
                (store.parent / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
                options = _STARS.split() if name == "stars" else []
                _run(checkout, store, ["ingest", name, "--from", f"{name}.csv", *options], None)
            if asked.data:
                _run(checkout, store, ["ingest", *REAL], asked.data)
        (Path(folder) / "gates.toml").write_text(_GATES, encoding="utf-8")
        for command in (*SAMPLE, *((*FLICKR, *FOUR) if asked.data else ())):
            if not command.startswith(asked.only):
                continue
            before, after = (
                _rows(checkout, store, command.split(), asked.data)
                for checkout, store in zip(checkouts, stores, strict=True)
            )
            if asked.values:
                before, after = _common(before, after)
            if asked.values and not before:
                print(f"{command}: no rows with a value in common")
                continue
            is_equal = before == after and len(after) > 0
            different += not is_equal
            shown = "equal" if is_equal else f"DIFFERENT: {_first(before, after)}"
            print(f"{command}: {len(after):,} rows, {shown}", flush=True)
    sys.exit(different > 0)


def _rows(checkout: Path, store: Path, words: list[str], data: Path | None) -> list[dict[str, Any]]:
    printed = _run(checkout, store, words if "--format" in words else [*words, "--json"], data)
    if "-o" in words:
        printed = (store.parent / words[-1]).read_text(encoding="utf-8")
    return list(_rows_in(next(iter(json.loads(printed).values()))))


def _common(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], ...]:
    """Return the values of the rows that both have, by the names of a row; rows of one name keep their order."""
    sides = []
    for rows in (before, after):
        known: dict[tuple[object, ...], list[object]] = {}
        for row in rows:
            if (number := row.get("value", row.get("mean"))) is not None:
                known.setdefault(tuple(row.get(name) for name in _NAMES), []).append(number)
        sides.append(known)
    both = [name for name in sides[0] if name in sides[1]]
    return tuple([{"name": name, "value": side[name]} for name in both] for side in sides)


def _rows_in(node: object) -> Iterator[dict[str, Any]]:
    """List the rows of a result, or of all results of a report, but for what differs from run to run."""
    if isinstance(node, dict):
        yield from node.get("rows", ())
        for key, value in node.items():
            if key not in ("rows", "volatile"):
                yield from _rows_in(value)
    elif isinstance(node, list):
        for value in node:
            yield from _rows_in(value)


def _run(checkout: Path, store: Path, words: list[str], data: Path | None) -> str:
    around = {**os.environ, "PYTHONPATH": str(checkout), "AUDITOR_STORE": str(store)}
    around |= {"AUDITOR_DATA": str(data.resolve())} if data else {}
    asked = [sys.executable, "-m", "auditor", "-q", *words]
    done = subprocess.run(asked, env=around, cwd=store.parent, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1: a finding
        print(f"{checkout.name}: auditor {' '.join(words)}: {done.stderr.strip()}", file=sys.stderr)
        return '{"refused": {}}'
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
