"""Our side of the benchmarks: a store of real captions, and the whole process of `auditor score` on copies of it.

Run as a script, this does the parts that import the project, which are processes of their own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from measuring import AUDITOR, Cost, best, captions, note, of_images, positive, run, stored, timed, write_tiles

DATASET = "flickr30k"
WARM_UP = 300

ROUGE = ("rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4")
COUNTED = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", *ROUGE, "cider", "cider-d")
EVERYTHING = "all n-gram and LCS metrics"

#: What is asked for at once, by the name that the tables give it.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "BLEU": COUNTED[:4],
    **{f"ROUGE-{metric.removeprefix('rouge-').upper()}": (metric,) for metric in ROUGE},
    "ROUGE": ROUGE,
    "CIDEr, CIDEr-D": ("cider", "cider-d"),
    "CIDEr-D": ("cider-d",),
    "METEOR": ("meteor",),
    "TER": ("ter",),
    "chrF": ("chrf",),
    EVERYTHING: COUNTED,
}

COSTS = ("step", "wall, s", "CPU, s", "peak, MiB")

_SELF = [sys.executable, str(Path(__file__).resolve())]


def ingest(images: int | None, tiles: int, store: Path, folder: Path, *, alike: bool) -> Cost:
    """Make a store of the first images of the dataset, several times over; give what the ingest cost."""
    token = folder / "set.token"
    some = [*(["--images", str(images)] if images else []), *(["--alike"] if alike else [])]
    run([*_SELF, "--write", str(token), *some, "--tiles", str(tiles)], folder)
    cost, _ = run(
        [*AUDITOR, "ingest", "set", "--from", str(token), "--format", "flickr", "--store", str(store)], folder
    )
    token.unlink()
    return cost


def write_items(store: Path, items: Path, folder: Path) -> int:
    """Write the captions of a store as peers are to see them, image by image; give their number."""
    return int(run([*_SELF, "--items", str(items), "--store", str(store)], folder)[1])


def groups_to_measure(names: Sequence[str], folder: Path, only: str) -> dict[str, tuple[str, ...]]:
    """Give the groups with those of their metrics that can be had; say on stderr what is skipped."""
    known: dict[str, str | None] = json.loads(run([*_SELF, "--known"], folder)[1])
    asked = {name: GROUPS[name] for name in names if only.lower() in name.lower()}
    for metric in dict.fromkeys(metric for group in asked.values() for metric in group):
        if metric not in known:
            print(f"{metric}: skipped, auditor does not know it", file=sys.stderr)
        elif known[metric]:
            print(f"{metric}: skipped: {known[metric]}", file=sys.stderr)
    found = {name: tuple(each for each in group if known.get(each, "unknown") is None) for name, group in asked.items()}
    return {name: group for name, group in found.items() if group}


def titles(groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Name the groups as the tables do, with what is missing of them."""
    missing = {name: [metric for metric in GROUPS[name] if metric not in group] for name, group in groups.items()}
    return {name: f"{name} (without {', '.join(some)})" if some else name for name, some in missing.items()}


def score(metrics: Sequence[str], store: Path, scores: Path) -> Cost:
    """Score a fresh copy of a store, that is, with a cold cache."""
    copy = scores.parent / "copy.duckdb"
    shutil.copyfile(store, copy)
    asked = [option for metric in metrics for option in ("-m", metric)]
    command = [*AUDITOR, "score", "set", *asked, "--store", str(copy), "-o", str(scores)]
    return run(command, scores.parent)[0]


def call(metrics: Sequence[str], store: Path, folder: Path) -> Cost:
    """Score a fresh copy of a store by a call from Python, in a process that has imported what it needs."""
    copy = folder / "copy.duckdb"
    shutil.copyfile(store, copy)
    return Cost(*json.loads(run([*_SELF, "--call", *metrics, "--store", str(copy)], folder)[1]))


def warm_up(groups: Mapping[str, tuple[str, ...]], folder: Path) -> Cost:
    """Compile every kernel on a few images; give the CPU time by which that run was slower than the next."""
    store = folder / "few.duckdb"
    ingest(WARM_UP, 1, store, folder, alike=False)
    metrics = list(dict.fromkeys(metric for group in groups.values() for metric in group))
    first, second = (score(metrics, store, folder / "few.parquet") for _ in range(2))
    return Cost(max(first.wall - second.wall, 0), max(first.cpu - second.cpu, 0))


def measure_groups(groups: Mapping[str, tuple[str, ...]], store: Path, folder: Path, repeat: int) -> dict[str, Cost]:
    """Score every group, in turns, so that none has the quiet minutes for itself; leaves `GROUP.parquet` of each."""
    return _in_turns(
        groups, "auditor score", repeat, lambda name: score(groups[name], store, folder / f"{name}.parquet")
    )


def measure_calls(groups: Mapping[str, tuple[str, ...]], store: Path, folder: Path, repeat: int) -> dict[str, Cost]:
    """Do the same by calls from Python."""
    return _in_turns(groups, "audit.score()", repeat, lambda name: call(groups[name], store, folder))


def _in_turns(names: Iterable[str], what: str, repeat: int, once: Callable[[str], Cost]) -> dict[str, Cost]:
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    for _ in range(repeat):
        for name, so_far in costs.items():
            so_far.append(once(name))
            note(f"{what}, {name}", so_far[-1])
    return {name: best(some) for name, some in costs.items()}


def main(arguments: Sequence[str]) -> None:
    """Do the part that the process was started for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="write the dataset as a .token file")
    parser.add_argument("--images", type=positive)
    parser.add_argument("--alike", action="store_true")
    parser.add_argument("--tiles", type=positive, default=1)
    parser.add_argument("--items", type=Path, help="write the captions of --store as JSON, and print their number")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--call", nargs="+", metavar="METRIC", help="score --store, and print what the call cost")
    parser.add_argument("--known", action="store_true", help="print what keeps each metric from being had")
    asked = parser.parse_args(arguments)
    if asked.write:
        write_tiles(of_images(captions(DATASET), asked.images, alike=asked.alike), asked.tiles, asked.write)
    elif asked.items:
        texts = stored(asked.store, "set")
        images = texts.group_by("image", maintain_order=True).agg("text")["text"].to_list()
        asked.items.write_text(json.dumps(images), encoding="utf-8")
        print(texts.height)
    elif asked.call:
        import numba  # noqa: F401  imported by the first kernel otherwise
        import numpy  # noqa: F401

        import auditor

        with auditor.open(asked.store) as audit:
            print(json.dumps(astuple(timed(lambda: audit.score("set", metrics=asked.call)))[:2]))
    elif asked.known:
        from auditor.registry import METRICS, lacking

        print(json.dumps({name: lacking(metric) for name, metric in METRICS.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
