"""What people wait for, beside an earlier commit, a bare pass or a peer in the same run; `make bench`.

Ours are whole processes of the command line, each on a copy of a store that was ingested and nothing else (cold), and
once more on the store that the first has left (again); the median of the repetitions counts. `--before DIR` names a
checkout of the earlier commit, whose commands run once, in the same run. The rows are kept in `results.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import peers
from measuring import AUDITOR, COUNTED, Cost, load_before, mark, note, positive, run, table, up, versions

_HERE = Path(__file__).resolve().parent

_BENCH = [sys.executable, str(_HERE / "bench.py")]

_FOUR = ("flickr8k", "flickr30k", "coco-val", "abstract50s")

#: The systems of van Miltenburg et al. 2018.
_NINE = (
    *("liu2017", "mun2017", "shetty2016", "tavakoli2017", "vinyals2017"),
    *("wu2016", "zhou2017", "dai2017", "shetty2017"),
)

_ALL = (*COUNTED[:7], *COUNTED[8:], "meteor", "ter", "chrf")

_COCO = "{data}/coco-systems/"


@dataclass(frozen=True)
class Wait:
    """What a command works on (words after `auditor ingest`), its words, and its goals.

    A goal is a share of what the earlier commit takes, at most: first cold, then asked again.
    """

    ingests: Sequence[Sequence[str]]
    words: Sequence[str]
    goals: Sequence[float]
    clock: str = ""  # `wall`: seconds on the clock, of the ingests and the command together


@dataclass(frozen=True)
class Row:
    """Seconds of ours and of what runs beside it, the most that the ratio is to be, and our peak in MiB."""

    what: str
    seconds: float
    beside: str
    its: float | None
    goal: float
    peak: float | None


WAITS: Mapping[str, Wait] = {
    "findings": Wait([["flickr30k"]], ["findings", "flickr30k"], [1.0, 1.0]),
    "compare": Wait([[one] for one in _FOUR], ["compare", *_FOUR], [0.65, 0.1]),
    "report": Wait([[one] for one in _FOUR], ["report", *_FOUR, "-o", "{folder}/out.html"], [0.6, 1.0]),
    "score, 13 metrics": Wait(
        [["flickr30k"]], ["score", "flickr30k", *(f"--metric={name}" for name in _ALL)], [0.75, 1.0]
    ),
    "score -m bleu-4": Wait([["flickr30k"]], ["score", "flickr30k", "-m", "bleu-4"], [1.0]),
    "score -m bleu-4, 1,500 captions": Wait(
        [["set", "--from", "{folder}/some.token"]], ["score", "set", "-m", "bleu-4"], [1.0]
    ),
    "score --preset coco": Wait(
        [
            ["coco-test-2014", "--from", f"{_COCO}reference_captions.json.gz", "--format", "mapping"],
            ["blip2", "--from", f"{_COCO}blip2_results_xe.json.gz", "--format", "mapping", "--kind", "candidates"],
        ],
        ["score", "coco-test-2014", "--candidates", "blip2", "--preset", "coco"],
        [0.8],
        "wall",
    ),
    "ingest flickr30k-token": Wait([], ["ingest", "flickr30k-token"], [1.0]),
    "diversity, nine systems": Wait([[one] for one in _NINE], ["diversity", *_NINE], [1.0]),
    "references, one order": Wait([["abstract50s"]], ["references", "abstract50s", "--draws", "1"], [0.5]),
    "start": Wait([["set", "--from", "{folder}/some.token"]], ["sql", "select 1"], [0.75]),
}

#: How DuckDB reads a file of captions that it then stores, by the ending of the file; an ingest takes 5 times its CPU.
_READERS: Mapping[str, str] = {"csv": "read_csv('{}')", "jsonl": "read_json('{}', format = 'newline_delimited')"}

_ENGINE = [sys.executable, "-c", "import duckdb, sys; duckdb.connect(sys.argv[1]).execute(sys.argv[2])"]

_TIMES_DUCKDB = 5.0

#: Metrics of 635,660 captions, as a multiple of the bare pass for n-grams and subsequences.
_TIMES_BARE: Mapping[str, tuple[Sequence[str], float]] = {
    "score, 11 n-gram and LCS metrics": (COUNTED, 7.2),
    "score -m meteor": (["meteor"], 15 / 4.7),
}

#: A whole process of ours, as a share of one scoring call.
_OF_PEERS: Mapping[str, tuple[Sequence[str], str, float]] = {
    "score, BLEU-1 to 4": (COUNTED[:4], "pycocoevalcap Bleu(4)", 1 / 6),
    "score -m rouge-l": (["rouge-l"], "pycocoevalcap Rouge()", 1 / 5),
    "score -m cider-d": (["cider-d"], "pycocoevalcap Cider()", 1 / 11),
    "score -m meteor": (["meteor"], "pycocoevalcap Meteor()", 1 / 15),
}


def waits(only: str, repeat: int, folder: Path, before: Path | None) -> Iterator[Row]:
    """Measure the commands, and beside them those of the earlier commit."""
    _captions(folder / "some.token", "--first", "300")
    beside = f"commit {_commit(before)}" if before else ""
    for name, wait in WAITS.items():
        if only not in name:
            continue
        costs = _timed(name, wait, repeat, folder, None)
        earlier = _timed(f"{beside}: {name}", wait, 1, folder, before) if before else {}
        for (state, some), goal in zip(costs.items(), wait.goals, strict=True):
            its = _middle(earlier[state], wait) if earlier else None
            label = f"{name} ({wait.clock or state})"
            yield Row(label, _middle(some, wait), beside, its, goal, max(cost.peak or 0.0 for cost in some))


def _timed(name: str, wait: Wait, repeat: int, folder: Path, at: Path | None) -> Mapping[str, list[Cost]]:
    """Run a command cold, and again where it has a goal for that."""
    store, copy = folder / "waits.duckdb", folder / "copy.duckdb"
    places = {"folder": str(folder), "data": os.environ["AUDITOR_DATA"]}
    costs: dict[str, list[Cost]] = {state: [] for state, _ in zip(("cold", "again"), wait.goals, strict=False)}
    for _ in range(repeat):
        if not costs["cold"] or wait.clock:
            store.unlink(missing_ok=True)
            ingests = [[*AUDITOR, "-q", "ingest", *_filled(one, places), "--store", str(store)] for one in wait.ingests]
            added = sum((run(command, folder, at)[0] for command in ingests), Cost(0.0, 0.0))
        copy.unlink(missing_ok=True)
        if store.exists():
            shutil.copyfile(store, copy)
        for state, so_far in costs.items():
            cost = run([*AUDITOR, "-q", *_filled(wait.words, places), "--store", str(copy)], folder, at)[0]
            note(f"{name}, {state}", cost)
            so_far.append(Cost(cost.wall + added.wall, cost.cpu, cost.peak) if wait.clock else cost)
    return costs


def _filled(words: Sequence[str], places: Mapping[str, str]) -> list[str]:
    return [word.format(**places) for word in words]


def _middle(costs: Sequence[Cost], wait: Wait) -> float:
    return statistics.median(cost.wall if wait.clock else cost.cpu for cost in costs)


def _commit(checkout: Path) -> str:
    asked = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def _captions(file: Path, *words: str) -> None:
    """Write captions of Flickr30k, in a process of its own."""
    run([*_BENCH, "--write", str(file), *words], file.parent)


def ingests(only: str, repeat: int, folder: Path) -> Iterator[Row]:
    """Measure the ingest of 635,660 captions, and DuckDB as it reads and stores the same file."""
    tokens, store, plain = folder / "set.token", folder / "set.duckdb", folder / "plain.duckdb"
    for ending, reader in _READERS.items():
        if only not in (name := f"ingest of a {ending}"):
            continue
        file = folder / f"set.{ending}"
        _captions(tokens, "--tiles", "4")
        rows = f"read_csv('{tokens}', delim = '\\t', header = false, quote = '', names = ['key', 'caption'])"
        form = "header" if ending == "csv" else "format json"
        split = f"copy (select split_part(key, '#', 1) as image, caption from {rows}) to '{file}' ({form})"
        run([*_ENGINE, ":memory:", split], folder)
        costs = []
        for _ in range(repeat):
            store.unlink(missing_ok=True)
            plain.unlink(missing_ok=True)
            ours = run([*AUDITOR, "-q", "ingest", "set", "--from", str(file), "--store", str(store)], folder)[0]
            stored = f"create table captions as from {reader.format(file)}"
            costs.append((ours, run([*_ENGINE, str(plain), stored], folder)[0]))
            note(name, ours)
        ours, its = sorted(costs, key=lambda pair: pair[0].cpu / pair[1].cpu)[len(costs) // 2]
        yield Row(f"{name}, 635,660 captions", ours.cpu, "DuckDB", its.cpu, _TIMES_DUCKDB, ours.peak)
        file.unlink()


def bare(only: str, repeat: int, folder: Path) -> Iterator[Row]:
    """Measure metrics of 635,660 captions, and the bare pass over the same tokens."""
    asked = {name: found for name, found in _TIMES_BARE.items() if only in name}
    if not asked:
        return
    tokens, store = folder / "large.token", folder / "large.duckdb"
    _captions(tokens, "--tiles", "4")
    run([*AUDITOR, "-q", "ingest", "set", "--from", str(tokens), "--store", str(store)], folder)
    floor = json.loads(run([sys.executable, str(_HERE / "floor.py"), str(store)], folder)[1])["cpu"]
    for name, (metrics, goal) in asked.items():
        ours = _scored(name, metrics, repeat, store, folder)
        yield Row(f"{name}, 635,660 captions (cold)", ours.cpu, "the bare pass", floor, goal, ours.peak)


def of_peers(only: str, repeat: int, folder: Path) -> Iterator[Row]:
    """Measure whole processes that score 16,000 captions, and the calls of other packages for the same."""
    asked = {name: found for name, found in _OF_PEERS.items() if only in name}
    tokens, store, items = folder / "alike.token", folder / "alike.duckdb", folder / "items.json"
    if not asked:
        return
    _captions(tokens, "--first", "3200", "--alike")
    run([*AUDITOR, "-q", "ingest", "set", "--from", str(tokens), "--store", str(store)], folder)
    run([*_BENCH, "--items", str(items), "--store", str(store)], folder)
    for name, (metrics, called, goal) in asked.items():
        peer = next(one for one in peers.PEERS if one.name == called)
        if why := peer.lacking(None):
            print(f"{called}: left out: {why}", file=sys.stderr)
            continue
        ours = _scored(name, metrics, repeat, store, folder)
        its = peers.measure(peer, items, folder, None)
        note(called, its)
        yield Row(f"{name}, 16,000 captions (cold)", ours.cpu, called, its.cpu, goal, ours.peak)


def _scored(name: str, metrics: Sequence[str], repeat: int, store: Path, folder: Path) -> Cost:
    copy, costs = folder / "copy.duckdb", []
    for _ in range(repeat):
        shutil.copyfile(store, copy)
        words = ["score", "set", *(f"--metric={metric}" for metric in metrics)]
        costs.append(run([*AUDITOR, "-q", *words, "--store", str(copy)], folder)[0])
        note(name, costs[-1])
    return sorted(costs, key=lambda cost: cost.cpu)[len(costs) // 2]


def page(results: Mapping[str, object]) -> list[str]:
    """Write what was measured as the first part of the page."""
    rows = [Row(**row) for row in results.get("waits", ())]  # type: ignore[attr-defined]
    shown = [
        (
            row.what, up(row.seconds), row.beside, "" if row.its is None else up(row.its),
            up(row.seconds / row.its, 3) if row.its else "", up(row.goal, 3),
            mark(row.seconds / row.its <= row.goal) if row.its else "", "" if row.peak is None else up(row.peak, 0),
        )
        for row in rows
    ]  # fmt: skip
    return [
        "First what people wait for: the median CPU seconds of whole processes, or the wall seconds of the ingests",
        "and the command together (`wall`), on a fresh store (cold), and once more (again). Beside them, from the same",
        "run: an earlier commit once, DuckDB as it reads and stores the same file, a bare pass that only counts and",
        "scores, or one scoring call of another package. `ratio` is ours over theirs; `to reach` is its goal.",
        "",
        f"{results.get('waits_by', '')}",
        "",
        *table(("command", "s", "beside", "its s", "ratio", "to reach", "", "peak, MiB"), shown),
        "",
    ]


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for, and keep each row in the place of the row of the same name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--only", default="", metavar="WORD", help="only rows with this in their names")
    parser.add_argument("--repeat", type=positive, default=1)
    parser.add_argument("--before", type=Path, metavar="DIR", help="a checkout of the earlier commit, run once before")
    asked = parser.parse_args(arguments)
    os.environ["AUDITOR_DATA"] = str((asked.data or Path(os.environ["AUDITOR_DATA"])).resolve())
    file = _HERE / "results.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    kept["waits_by"] = f"{versions('pycocoevalcap')} Before the run: {load_before()}."
    kept.setdefault("waits", [])
    with tempfile.TemporaryDirectory() as name:
        some = (asked.only, asked.repeat, Path(name))
        before = asked.before.resolve() if asked.before else None
        for rows in (waits(*some, before), ingests(*some), bare(*some), of_peers(*some)):
            for row in rows:
                names = [each["what"] for each in kept["waits"]]
                at = names.index(row.what) if row.what in names else len(names)
                kept["waits"][at : at + 1] = [asdict(row)]
                file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        run([*_BENCH, "--page"], Path(name))


if __name__ == "__main__":
    main(sys.argv[1:])
