"""Has anything become slow, or larger in memory? Ratios to floors of the same run, beside those that are usual.

`make gate` needs no data: it reads the bundled captions, 38 times with other words, 15,960 in all. Each work is
measured against a floor that knows nothing of `auditor` (`gate_floor.py`): a statement of DuckDB for what SQL does,
edit distances in plain loops for kernels; for starting, a process that imports duckdb and polars; for memory, one that
also loads the captions. CPU seconds count, not the clock, and a floor goes on beside its work on the same CPU, so that
other work on the machine slows both.

`gate.json` keeps the usual ratios by processor and Python; `--accept` measures three times and writes those of this
machine. What it knows of the machine fails if it is 12% more than usual. The rest fails if it is 25% more than the
median of other machines, since caches and compilers differ: there a slowdown of 30% may only just be seen. A kernel's
ratio to its floor differs most between processors: 5.5 to 11.0 for TER with the same code. So on a machine that it
does not know, a kernel fails at twice the median. What fails is measured twice more, and judged by the median of all.
Where the measurements of one work differ so much that their mean is less certain than the limit, there is no verdict,
and this alone fails nothing. Exit code 1: something is slower than allowed.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median, stdev

from gate_floor import on_one_cpu
from measuring import AUDITOR, COUNTED, load_before, run, table, up, versions

_HERE = Path(__file__).resolve().parent

_KEPT = _HERE / "gate.json"

#: By how much a ratio may exceed the usual one: on a machine that `gate.json` knows, on another, and a kernel's there.
KNOWN, OTHER, OTHER_KERNEL = 0.12, 0.25, 1.0

#: How often a process is started, how often what fails is measured again, and how often what is accepted is measured.
_STARTS, _AGAIN, _TO_ACCEPT = 7, 2, 3

_IMPORTS = "import duckdb, polars"

_LOADS = f"""{_IMPORTS}
import sys
frame = polars.read_csv(sys.argv[1], separator="\\t", has_header=False, quote_char=None)
duckdb.execute("create table caption as from read_csv($file, delim = '\\t', header = false)", {{"file": sys.argv[1]}})
"""

Ratios = dict[str, list[float]]

#: The usual ratio of each work, and by what part of it more is allowed.
Usual = Mapping[str, tuple[float, float]]


def machine() -> str:
    """Name the processor and the Python. Its numbers too, since virtual machines share names."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    numbers = dict(re.findall(r"^(model name|cpu family|model|stepping)\s*:\s*(.*)$", "\n".join(lines), re.MULTILINE))
    named = (
        f"{numbers['model name']} {numbers.get('cpu family')}/{numbers.get('model')}/{numbers.get('stepping')}"
        if "model name" in numbers
        else ""
    )
    return f"{named or platform.machine()}, Python {sys.version_info.major}.{sys.version_info.minor}"


def measured(folder: Path, names: Sequence[str] = ()) -> Ratios:
    """Measure everything, or what is named; return the ratios of each to its floor."""
    found: Ratios = {}
    has_stores = (folder / "few.duckdb").exists()
    if not names or not has_stores or any(not name.startswith(("start:", "peak memory:")) for name in names):
        found = json.loads(run([sys.executable, str(_HERE / "gate_work.py"), str(folder), *names], folder)[1])
    few = str(folder / "few.duckdb")
    small = [*AUDITOR, "-q", "profile", "set", "--store", few, "-o", str(folder / "out.json")]
    for name, command in {"start: auditor --version": [*AUDITOR, "--version"], "start: a kept answer": small}.items():
        if not names or name in names:
            found[name] = _starts(command, folder)
    metrics = [word for metric in COUNTED for word in ("-m", metric)]
    score, report = ("score", "set", *metrics), ("report", "set")
    for name, words, store, out in (("score", score, "set", "out.parquet"), ("report", report, "few", "out.html")):
        if not names or f"peak memory: {name}" in names:
            copy = shutil.copyfile(folder / f"{store}.duckdb", folder / "copy.duckdb")
            command = [*AUDITOR, "-q", *words, "--store", str(copy), "-o", str(folder / out)]
            floor = [sys.executable, "-c", _LOADS, str(folder / f"{store}.token")]
            ours, plain = (run(one, folder)[0].peak or math.nan for one in (command, floor))
            found[f"peak memory: {name}"] = [ours / plain]
    return found


def _starts(command: Sequence[str], folder: Path) -> list[float]:
    """Divide the CPU time of a process by that of the floors before and after it."""
    floor, found = [sys.executable, "-c", _IMPORTS], []
    run(command, folder)
    beside = [run(floor, folder)[0].cpu]
    for _ in range(_STARTS):
        ours = run(command, folder)[0].cpu
        beside.append(run(floor, folder)[0].cpu)
        found.append(2 * ours / sum(beside[-2:]))
    return found


def usual(kept: Mapping[str, Mapping[str, float]], here: str) -> Usual:
    """Return the usual ratio of each work, and by what part of it more is allowed."""
    names = dict.fromkeys(name for ratios in kept.values() for name in ratios)
    elsewhere = {
        name: (median(one[name] for one in kept.values() if name in one), OTHER_KERNEL if _is_kernel(name) else OTHER)
        for name in names
    }
    return elsewhere | {name: (ratio, KNOWN) for name, ratio in kept.get(here, {}).items()}


def _is_kernel(name: str) -> bool:
    return name.endswith((": kernel", ": alignment"))


def verdict(ratios: Sequence[float], expected: float, allowed: float) -> tuple[str, float]:
    """Judge the ratios of a work: `passes`, `fails` or `no verdict`, and by what part it is slower than usual."""
    slower = median(ratios) / expected - 1
    if slower <= allowed:
        return "passes", slower
    unsure = 2 * stdev(ratios) / math.sqrt(len(ratios)) / mean(ratios) if len(ratios) > 1 else 0.0
    return ("no verdict" if unsure > allowed else "fails"), slower


def judged(found: Ratios, expected: Usual) -> dict[str, tuple[str, float]]:
    """Judge every work of which it is known what is usual."""
    return {name: verdict(some, *expected[name]) for name, some in found.items() if name in expected}


def confirmed(folder: Path, names: Sequence[str], expected: Usual) -> Ratios:
    """Measure; and measure again what does not pass."""
    found = measured(folder, names)
    for _ in range(_AGAIN):
        again = [name for name, (said, _) in judged(found, expected).items() if said != "passes"]
        if again:
            print(f"measuring again: {', '.join(again)}", file=sys.stderr, flush=True)
            found |= {name: [*found[name], *more] for name, more in measured(folder, again).items()}
    return found


def accept(folder: Path, kept: dict[str, dict[str, float]], names: Sequence[str]) -> None:
    """Measure everything, or what is named, several times, and write the usual ratios of this machine."""
    runs = [measured(folder, names) for _ in range(_TO_ACCEPT)]
    found = {name: round(median(median(one[name]) for one in runs), 3) for name in runs[0]}
    kept[machine()] = kept.get(machine(), {}) | found
    _KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print, and end with 1 where something is slower than allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="write what is usual on this machine to gate.json")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="one work; repeat for more")
    asked = parser.parse_args()
    on_one_cpu()
    kept = json.loads(_KEPT.read_text(encoding="utf-8"))
    print(f"{load_before()}. {versions('numba')} {machine()}\n", flush=True)
    with tempfile.TemporaryDirectory() as made:
        if asked.accept:
            accept(Path(made), kept, asked.only)
            return
        expected = usual(kept, machine())
        found = confirmed(Path(made), asked.only, expected)
    verdicts = judged(found, expected)
    rows = [
        (name, up(median(found[name])), up(ratio), up(ratio * (1 + allowed)), f"{slower:+.0%}", said)
        for name, (said, slower) in verdicts.items()
        for ratio, allowed in [expected[name]]
    ]
    print("\n".join(table(("ratio to its floor", "measured", "usual", "limit", "slower than usual by", ""), rows)))
    if unknown := [name for name in found if name not in expected]:
        print(f"\ngate.json has no usual ratio of {', '.join(unknown)}: not judged; --accept writes them.")
    if machine() not in kept:
        print(
            f"\ngate.json does not know {machine()}: {OTHER:.0%} more than elsewhere is allowed, "
            f"and {OTHER_KERNEL:.0%} of kernels, not {KNOWN:.0%}."
        )
    if any(said == "no verdict" for said, _ in verdicts.values()):
        print("\nThe machine is too busy for a verdict on some: run again.")
    sys.exit(any(said == "fails" for said, _ in verdicts.values()))


if __name__ == "__main__":
    main()
