"""What findings and a report cost for 50,000 captions of 100 words.

`python benchmarks/long_captions.py [--captions N] [--each N] [-o FILE]` draws sentences of captions by models until
each caption has 100 words. Half of the rarer words get a number, another one in each thousand captions, so that the
vocabulary grows as that of larger sets does. The same numbers give the same captions. `--each` is captions per image.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, load_before, mark, positive, run, table, up, versions

WORDS, FREQUENT, TILE = 100, 2_000, 1_000

#: Most CPU seconds and GiB of `findings`, most bytes of the report.
CPU, PEAK, BYTES = 60.0, 1.25, 3_000_000

FILES = ("vlm-captions/pope/*.json.gz", "vlm-captions/comprecap/*.json.gz")


def texts(folder: Path) -> Iterator[str]:
    """Yield the captions of the files by models."""
    import gzip

    from planted_machine import mapping, objects

    for pattern in FILES:
        for file in sorted(folder.glob(pattern)):
            with gzip.open(file, "rt", encoding="utf-8") as opened:
                text = opened.read()
            yield from (caption for _, caption in (objects if "pope" in pattern else mapping)(text))


def write(folder: Path, captions: int, each: int, file: Path) -> int:
    """Write the captions as JSON lines, and return how many words they have."""
    sentences = [one for text in texts(folder) for one in re.split(r"(?<=[.!?])\s+", text.strip()) if one]
    counts = Counter(word for one in sentences for word in one.split())
    rarer = [word for word, _ in counts.most_common()[FREQUENT:] if word.isalpha()]
    draw, words = random.Random(1), 0
    renamed: dict[str, str] = {}
    with file.open("w", encoding="utf-8") as opened:
        for number in range(captions):
            if number % TILE == 0:
                tile = number // TILE
                renamed = {word: f"{word}x{tile}" for word in rarer if zlib.crc32(f"{word} {tile}".encode()) & 1}
            chosen: list[str] = []
            while len(chosen) < WORDS:
                chosen += [renamed.get(word, word) for word in draw.choice(sentences).split()]
            words += len(chosen)
            opened.write(json.dumps({"image": f"{number // each:06}", "caption": " ".join(chosen)}) + "\n")
    return words


def main(arguments: Sequence[str]) -> None:
    """Write the captions, run both commands, and write what they cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--captions", type=positive, default=50_000, metavar="N", help="default: 50,000")
    parser.add_argument("--each", type=positive, default=1, metavar="N", help="captions per image; default: 1")
    parser.add_argument("--only", choices=("findings", "report"))
    parser.add_argument("-o", "--output", type=Path, help="default: standard output")
    asked = parser.parse_args(arguments)
    before = load_before()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, store, page = folder / "long.jsonl", folder / "long.duckdb", folder / "long.html"
        data = asked.data or Path(os.environ["AUDITOR_DATA"])
        code = f"import long_captions as l; print(l.write(l.Path({str(data)!r}), {asked.captions}, {asked.each}, l.Path({str(file)!r})))"  # noqa: E501
        here = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); {code}"]
        words = int(run(here, folder)[1])
        on = ("--store", str(store))
        costs = {"ingest": run([*AUDITOR, "ingest", "long", "--from", str(file), *on], folder)[0]}
        commands = {"findings": ("findings", "long", *on), "report": ("report", "long", "-o", str(page), *on)}
        for command, words_of_it in commands.items():
            if asked.only in (None, command):
                costs[command] = run([*AUDITOR, *words_of_it], folder)[0]
        size = page.stat().st_size if page.exists() else None
    lines = [
        "# Long captions: what findings and a report cost",
        "",
        "Written by `python benchmarks/long_captions.py -o FILE`.",
    ]
    lines += ["", f"{versions()} {before}", "", *(__doc__ or "").splitlines()[2:], ""]
    lines += [
        f"{asked.captions:,} captions, {words / asked.captions:.0f} words each on average, {asked.each} per image.",
        "",
    ]
    rows = [(step, up(cost.wall, 0), up(cost.cpu, 0), up((cost.peak or 0) / 1024)) for step, cost in costs.items()]
    lines += [*table(("command", "seconds", "CPU seconds", "peak GiB"), rows), ""]
    lines += [f"- {line}." for line in _limits(costs.get("findings"), size)]
    text = "\n".join(lines) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        print(text)


def _limits(cost: Cost | None, size: int | None) -> Iterator[str]:
    if cost is not None:
        yield f"findings: at most {CPU:.0f} CPU seconds: {mark(cost.cpu <= CPU)}"
        yield f"findings: at most {PEAK} GiB: {mark((cost.peak or 0) / 1024 <= PEAK)}"
    if size is not None:
        yield f"report: {up(size / 1e6)} MB of at most {BYTES / 1e6:.0f} MB: {mark(size <= BYTES)}"


if __name__ == "__main__":
    main(sys.argv[1:])
