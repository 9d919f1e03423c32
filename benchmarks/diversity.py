"""Global diversity of nine systems: does it print the paper's digits, and what does it cost beside loops in Python?

The peer does what the paper's own scripts do, on lists and sets: lengths, types, type-token ratios of segments,
distinct captions, in the order of the file, and ten shuffled type-token curves. Ours is asked for these alone, and for
all of them. Both are processes of their own, in turns; this one stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, best, down, load_before, mark, run, table, up

#: van Miltenburg et al. 2018, table 1: ASL, SDSL, types, TTR1, TTR2, as printed.
PRINTED = {
    "liu2017": ("10.3", "1.32", "598", "0.17", "0.38"),
    "mun2017": ("9.4", "1.12", "1009", "0.16", "0.38"),
    "shetty2016": ("9.0", "1.03", "1112", "0.15", "0.34"),
    "tavakoli2017": ("9.2", "1.03", "917", "0.15", "0.33"),
    "vinyals2017": ("10.1", "1.28", "953", "0.21", "0.43"),
    "wu2016": ("9.1", "1.03", "849", "0.14", "0.32"),
    "zhou2017": ("9.3", "1.20", "1334", "0.22", "0.51"),
    "dai2017": ("9.8", "1.63", "1922", "0.23", "0.55"),
    "shetty2017": ("9.4", "1.31", "2611", "0.24", "0.54"),
}
STATISTICS = ("asl", "sdsl", "types", "ttr-1", "ttr-2")
DIGITS = (1, 2, 0, 2, 2)
#: What the loops of the peer count.
ASKED = ("asl", "sdsl", "types", "ttr-1", "ttr-2", "ttr-3", "unique", "curve")
AIM = 10.0
MOST_CPU = 60.0
MOST_MEMORY = 2048.0

_SELF = [sys.executable, str(Path(__file__).resolve())]


def measure_plainly(system: str) -> None:
    """Do what the paper's scripts do for one system, with loops in Python."""
    import random
    import statistics

    from measuring import captions

    said = [text.lower().split() for _, _, text in captions(system)]
    lengths = [len(caption) for caption in said]
    words = [word for caption in said for word in caption]
    found = [statistics.fmean(lengths), statistics.pstdev(lengths), len(set(words))]
    for n in (1, 2, 3):
        grams = list(zip(*(words[start:] for start in range(n)), strict=False))
        segments = [grams[start : start + 1000] for start in range(0, len(grams) - 999, 1000)]
        found.append(statistics.fmean(len(set(segment)) for segment in segments))
    found.append(len({" ".join(caption) for caption in said}))
    for seed in range(10):
        random.Random(seed).shuffle(said)
        seen: set[str] = set()
        curve = []
        for word in [word for caption in said for word in caption][:50_000]:
            seen.add(word)
            curve.append(len(seen))
        found.append(curve[-1])
    print(found)


def compared(rows: Sequence[dict[str, object]]) -> list[tuple[str, ...]]:
    """Set the published columns beside ours, as printed and robust. A row for each system."""
    values = {(row["dataset"], row["statistic"]): row for row in rows if row["position"] is None}
    lines = []
    for system, printed in PRINTED.items():
        ours = [values[system, name] for name in STATISTICS]
        digits = [f"{row['value']:.{places}f}" for row, places in zip(ours, DIGITS, strict=True)]
        robust = [f"{row['robust']:.{places}f}" for row, places in zip(ours, DIGITS, strict=True)]
        equal = all(a == b for a, b in zip(digits, printed, strict=True))
        lines.append((system, " ".join(printed), " ".join(digits), mark(equal), " ".join(robust)))
    return lines


def main(arguments: Sequence[str]) -> None:
    """Ingest the systems, measure what the command line asks for, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--plainly", metavar="SYSTEM", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.plainly:
        measure_plainly(asked.plainly)
        return
    print(load_before())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = ["--store", str(folder / "store.duckdb")]
        run([*AUDITOR, "-q", "ingest", *PRINTED, *store], folder)
        command = [*AUDITOR, "-q", "diversity", *PRINTED, *store, "--json"]
        _, published = run([*command, "--as-published"], folder)  # which also makes the tokens and compiles
        lines = compared(json.loads(published)["auditor.diversity/v2"]["rows"])
        print("\n".join(table(["system", "printed", "as published", "equal", "robust"], lines)))
        alone = [*command, *(part for name in ASKED for part in ("--statistic", name))]
        ours, some, peer = [], [], []
        for _ in range(asked.repeat):
            for asking, costs in ((command, ours), (alone, some)):
                run([*AUDITOR, "-q", "store", "gc", "--all", *store], folder)  # or the first result would be kept
                costs.append(run(asking, folder)[0])
            each = [run([*_SELF, "--plainly", system], folder)[0] for system in PRINTED]
            peer.append(sum(each[1:], start=each[0]))
    cost, paper, loops = best(ours), best(some), best(peer)
    met = cost.cpu <= MOST_CPU and (cost.peak or 0) <= MOST_MEMORY
    told = (("all statistics", cost), (f"--statistic {' '.join(ASKED)}", paper), ("loops in Python", loops))
    rows = [(step, up(one.cpu, 1), "" if one.peak is None else up(one.peak, 0)) for step, one in told]
    print("\n".join(["", *table(["step", "CPU, s", "peak, MiB"], rows)]))
    print(f"\nall statistics: aims at most {MOST_CPU:g} s, {MOST_MEMORY:g} MiB: {mark(met)}")
    ratio = loops.cpu / paper.cpu
    print(f"CPU: loops / the same statistics {down(ratio)}; aim at least {AIM:g}: {mark(ratio >= AIM)}")


if __name__ == "__main__":
    main(sys.argv[1:])
