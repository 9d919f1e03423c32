"""How far are our scores from those of the programs that define the metrics? Writes docs/conformance.md.

Every official program that is installed scores the same items as we do; the page gives the largest difference for each
metric. A cut run (--only, --metrics, --items) prints the page instead. Exit code 1: a difference is larger than
allowed, or a program failed.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from conformance_data import Data, Official, load
from conformance_programs import PROGRAMS

from auditor.errors import AuditorError
from auditor.scoring.registry import request

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
FAMILIES = {"bleu": "BLEU", "rouge": "ROUGE", "meteor": "METEOR", "cider": "CIDEr", "ter": "TER", "chrf": "chrF"}
_PROGRAM = [sys.executable, str(Path(__file__).with_name("conformance_programs.py"))]

#: Our scores leave the scorer rounded to 12 decimals: half of the last one, and the floating point of two programs.
ROUNDED = 1e-12


#: Of the script for ROUGE without `rounding=official`.
PRINTED = 2e-5
PRINTED_WHY = "the script rounds precision and recall to 5 decimals, and then F; so does `rounding=official`"

#: What is left out of a comparison, by program and data.
LEFT_OUT = {
    ("pycocoevalcap Rouge", "E"): "without two empty texts, which the program scores as equal words (1) and we as 0",
}


@dataclass(frozen=True)
class Difference:
    """How far a metric is from a program on one data set: the most over the items that the program scored."""

    metric: str
    program: str
    data: str
    items: int
    largest: float

    @property
    def is_allowed(self) -> bool:
        """Say whether it is none, or the script's rounding."""
        return self.largest <= (PRINTED if self.is_printed else ROUNDED)

    @property
    def is_printed(self) -> bool:
        """Say whether numbers that were rounded are compared with numbers that were not."""
        return self.program.startswith("ROUGE-1.5.5") and "rounding=official" not in self.metric

    @property
    def note(self) -> str:
        """Say what a reader has to know of it."""
        return PRINTED_WHY if self.is_printed else LEFT_OUT.get((self.program, self.data), "")


def family(metric: str) -> str:
    """Name the family of a metric, as --metrics does."""
    return next(name for name in FAMILIES if metric.startswith(name))


@dataclass
class Run:
    """What one run of this script has found."""

    differences: list[Difference]
    data: dict[str, tuple[str, int]]  # by name: what it is, how many items
    programs: dict[str, str]  # by name: versions
    not_run: dict[str, str]  # by program: why
    failed: list[str]


def compare(names: Sequence[str], families: Sequence[str], most: int | None, jobs: int) -> Run:
    """Score each data set by us, then by each program; ours first, so that a failure of ours shows at once."""
    is_known = functools.cache(_is_known)  # which says of each metric once that it is skipped
    run = Run([], {}, {}, {}, [])
    programs = _installed(families, run)
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for data in _loaded(names, most):
            items = len(data.items())
            run.data[data.name] = data.what, items
            folder = Path(data.name)
            folder.mkdir()
            for file, text in data.files.items():
                Path(file).write_text(text, encoding="utf-8")
            metrics = [metric for official in data.official for metric in official.scores]
            metrics += [metric for program in programs for metric in PROGRAMS[program].metrics if data.is_for_programs]
            metrics = [metric for metric in dict.fromkeys(metrics) if family(metric) in families and is_known(metric)]
            if not metrics:
                continue
            start = time.perf_counter()
            ours = data.our_scores(metrics, folder)
            _say(f"{data.name}: {len(metrics)} metrics of ours, {items:,} items: {time.perf_counter() - start:.1f} s")
            live = _scored(data, programs, metrics, folder, jobs) if data.is_for_programs else ()
            for official in (*data.official, *live):
                if isinstance(official, str):
                    run.failed.append(official)
                    continue
                run.differences += _differences(data.name, ours, official)
                if official not in data.official:
                    run.programs[official.program] = programs[official.program]
    return run


def _installed(families: Sequence[str], run: Run) -> dict[str, str]:
    """Give the versions of the programs that can be run, by name, and note why others cannot."""
    versions = {}
    for name, program in PROGRAMS.items():
        if any(family(metric) in families for metric in program.metrics):
            try:
                versions[name] = program.versions()
            except LookupError as reason:
                run.not_run[name] = str(reason)
                _say(f"{name}: not run: {reason}")
    return versions


def _loaded(names: Sequence[str], most: int | None) -> Iterator[Data]:
    for name in names:
        try:
            yield load(name, most)
        except (OSError, AuditorError) as error:
            _say(f"{name}: left out: {error}")


def _is_known(metric: str) -> bool:
    """Say whether this installation has a metric; if not, say so to the user."""
    try:
        request(metric)
    except AuditorError as error:
        _say(f"skipped: {error}")
        return False
    return True


def _scored(
    data: Data, programs: Iterable[str], metrics: Sequence[str], folder: Path, jobs: int
) -> Iterator[Official | str]:
    """Run the programs that score one of the metrics, each in a process of its own. Of one that fails, say how."""
    items = folder / "items.json"
    items.write_text(json.dumps(data.for_programs()), encoding="utf-8")

    def scored(program: str) -> Official | str:
        start = time.perf_counter()
        scores = folder / f"{program}.json"
        done = subprocess.run(
            [*_PROGRAM, program, items, scores], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            printed = done.stderr.decode(errors="replace").strip()
            failure = f"{program} failed on {data.name}: {printed.splitlines()[-1] if printed else done.returncode}"
            _say(failure)
            return failure
        _say(f"{data.name}: {program}: {time.perf_counter() - start:.1f} s")
        return Official(program, json.loads(scores.read_text(encoding="utf-8")))

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(scored, [name for name in programs if set(PROGRAMS[name].metrics) & {*metrics}])


def _differences(name: str, ours: Mapping[str, Sequence[float]], official: Official) -> Iterator[Difference]:
    """Compare where both have scores; a score of ours that is missing is as far as can be."""
    for metric, theirs in official.scores.items():
        if metric in ours:
            apart = [
                float("inf") if one is None else abs(one - other)
                for one, other in zip(ours[metric], theirs, strict=True)
                if other is not None
            ]
            if apart:
                yield Difference(metric, official.program, name, len(apart), max(apart))


# The page.

_HEAD = """# Official programs compared

Check how closely the scores of `auditor` match those of the programs that define the metrics. Both have scored the same
captions, one by one. Each number below is the largest difference over all captions of a dataset, on the scale of our
metric. The metric is written as you type it after `-m`. Differences up to 1e-12 count as none, because our scores are
rounded to 12 decimals. A note explains where more is allowed. A difference that is not allowed is in bold.

Every program was given the tokens of our tokenizer `bare`, joined by spaces. B and E come with precomputed official
scores. Programs without a version below were not run again: their rows use those scores only. If a program ran and also
has precomputed scores, the larger difference is shown.
"""


def page(run: Run, command: str) -> str:
    """Write the page."""
    today = datetime.datetime.now(datetime.UTC).date()
    ours = ", ".join(f"{package} {version(package)}" for package in ("auditor", "duckdb", "polars", "numba"))
    lines = [
        _HEAD,
        f"Made on {today} by `{command}` with Python {platform.python_version()}, {ours}.",
        "",
        *_table(("data", "", "captions scored"), [(k, what, f"{n:,}") for k, (what, n) in run.data.items()]),
        "",
        *_table(("program", "version"), [*run.programs.items()]),
    ]
    for program, reason in run.not_run.items():
        lines += ["", f"Not run: {program}, since {reason}."]
    for reason in run.failed:
        lines += ["", f"**{reason}**"]
    for prefix, title in FAMILIES.items():
        rows = [one for one in run.differences if family(one.metric) == prefix]
        if rows:
            lines += ["", f"## {title}", "", *_family(rows, [*run.data])]
    return "\n".join(lines) + "\n"


def _family(differences: Sequence[Difference], names: Sequence[str]) -> list[str]:
    """Write the table of one family: a row for each metric and program, a column for each data set."""
    shown = [name for name in names if any(one.data == name for one in differences)]
    most = {name: max(one.items for one in differences if one.data == name) for name in shown}
    rows: dict[tuple[str, str], dict[str, Difference]] = {}
    for one in sorted(differences, key=lambda one: (one.metric.partition(":")[0], one.program)):
        row = rows.setdefault((one.metric, one.program), {})
        # Where a program ran and there are precomputed scores of it, too, the larger difference is shown.
        row[one.data] = max(row.get(one.data, one), one, key=lambda each: each.largest)
    notes: dict[str, str] = {}
    body = []
    for (metric, program), row in rows.items():
        cells = []
        for name in shown:
            reason = row[name].note if name in row else ""
            mark = f" ({notes.setdefault(reason, 'abcdefgh'[len(notes)])})" if reason else ""
            cells.append(_cell(row[name], most[name]) + mark if name in row else "")
        body.append((f"`{metric}`", program, *cells))
    lines = _table(("metric", "program", *shown), body)
    for reason, letter in notes.items():
        lines += ["", f"({letter}) {reason}."]
    return lines


def _cell(one: Difference, most: int) -> str:
    """Write a difference, bold where it is not allowed; with the number of captions where others have more."""
    number = "0" if one.largest == 0 else f"{one.largest:.1e}"
    number = number if one.is_allowed else f"**{number}**"
    return number if one.items == most else f"{number} [{one.items:,} captions]"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# The command line.


def arguments() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description="Our scores against those of the official programs.")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--only", type=_listed("ABCDE"), metavar="A,D", help="data sets; default: all")
    parser.add_argument("--metrics", type=_listed(FAMILIES), metavar="bleu,ter", help="families; default: all")
    parser.add_argument("--items", type=int, metavar="N", help="cut every data set to about N captions")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs that run at a time; default: 1")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: docs/conformance.md for a whole run"
    )
    options = parser.parse_args()
    if options.data is None and "AUDITOR_DATA" not in os.environ:
        parser.error("name the folder of the datasets: --data or AUDITOR_DATA")
    return options


def _listed(known: Sequence[str] | Mapping[str, str]) -> type:
    """Make a reader of words between commas."""

    def read(text: str) -> list[str]:
        words = text.split(",")
        if not set(words) <= {*known}:
            raise argparse.ArgumentTypeError(f"{text}: known are {', '.join(known)}")
        return words

    return read


def main() -> None:
    """Compare, and write or print the page."""
    options = arguments()
    os.environ["AUDITOR_DATA"] = str(Path(options.data or os.environ["AUDITOR_DATA"]).resolve())
    is_whole = options.only is None and options.metrics is None and options.items is None
    output = options.output.resolve() if options.output else PAGE if is_whole else None
    run = compare(options.only or "ABCDE", options.metrics or [*FAMILIES], options.items, options.jobs)
    text = page(run, " ".join(["python benchmarks/conformance.py", *sys.argv[1:]]))
    if output is None:
        print(text)
    else:
        output.parent.mkdir(exist_ok=True)
        output.write_text(text, encoding="utf-8")
    beyond = [one for one in run.differences if not one.is_allowed]
    for one in beyond:
        _say(f"{one.metric}: {one.largest:.1e} from {one.program} on {one.data}")
    sys.exit(1 if beyond or run.failed else 0)


if __name__ == "__main__":
    main()
