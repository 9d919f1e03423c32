"""How long does one wait for a command that has nothing to count? CPU seconds of whole processes."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, best, load_before, mark, note, positive, run, table, up, versions

DATASET = "flickr8k"
MOST_HELP = 0.3
MOST_BOUNDS = 1.0


def main(arguments: Sequence[str]) -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--repeat", type=positive, default=5, metavar="N", help="repetitions; default: 5")
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    print(f"{load_before()}. {versions()}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = ["--store", str(folder / "store.duckdb")]
        bounds = [*AUDITOR, "bounds", DATASET, *kept]
        run([*AUDITOR, "ingest", DATASET, *kept], folder)
        note(f"auditor bounds {DATASET} (cold cache)", run(bounds, folder)[0])
        rows = []
        for step, command, most in (
            ("auditor --help", [*AUDITOR, "--help"], MOST_HELP),
            (f"auditor bounds {DATASET} (warm cache)", bounds, MOST_BOUNDS),
        ):
            cost = best([run(command, folder)[0] for _ in range(asked.repeat)])
            rows.append(
                (step, up(cost.wall), up(cost.cpu), up(cost.peak or 0, 0), f"≤ {most:g}", mark(cost.cpu <= most))
            )
    print("\n".join(table(("step", "wall, s", "CPU, s", "peak, MiB", "aim (CPU)", ""), rows)))


if __name__ == "__main__":
    main(sys.argv[1:])
