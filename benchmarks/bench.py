"""Everything in one table: every question and every peer, at several sizes; `make bench`.

Ours are whole processes of the command line, each on a fresh copy of a store that was ingested and nothing else (cold),
and once more on the store that the first has left (warm). Of a peer what `peers.py` says. The rows are kept in
`results.json`, of which `results.md` is made: `python benchmarks/bench.py --page` makes it again without measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import measuring
import peers
import waits
from measuring import AUDITOR, COUNTED, Cost, best, load_before, note, positive, run, table, up, versions

_HERE = Path(__file__).resolve().parent

_SELF = [sys.executable, str(Path(__file__).resolve())]

_KEPT, _PAGE = _HERE / "results.json", _HERE / "results.md"

#: Images of Flickr30k, and how often they are there, under new ids: 16,000, 158,915 and 635,660 captions.
SIZES: Mapping[str, tuple[int | None, int]] = {"16k": (3_200, 1), "159k": (None, 1), "636k": (None, 4)}

#: Pairs of a caption and a reference that metrics meet, of images with five captions, by captions.
_PAIRS = 4

#: Metrics that are asked for at once, by the name that peers are compared under.
_GROUPS: Mapping[str, Sequence[str]] = {
    "BLEU": COUNTED[:4], "ROUGE-L": ("rouge-l",), "CIDEr-D": ("cider-d",), "METEOR": ("meteor",), "TER": ("ter",),
    "chrF": ("chrf",), "all n-gram and LCS metrics": COUNTED,
}  # fmt: skip

#: What is asked of each size; `set` is the dataset.
QUESTIONS: Mapping[str, Sequence[str]] = {
    "profile": ("profile", "set"),
    **{f"score: {name}": ("score", "set", *(word for metric in group for word in ("-m", metric)))
       for name, group in _GROUPS.items()},
    "bounds: BLEU-4, CIDEr, three candidates": (
        "bounds", "set", "-m", "bleu-4", "-m", "cider", "-c", "human", "-c", "intra", "-c", "gibberish-10",
    ),
    "duplicates": ("duplicates", "set"),
    "identical": ("duplicates", "set", "--exact", "--within"),
    "templates": ("templates", "set"),
    "outliers": ("outliers", "set"),
    "diversity": ("diversity", "set"),
    "findings": ("findings", "set"),
    "report": ("report", "set"),
}  # fmt: skip

_BARE = "bare pass: all n-gram and LCS metrics"

#: Questions that are asked of the largest size too: those whose cost is to grow with the captions alone.
_LARGE = ("profile", "score: all n-gram and LCS metrics", "score: METEOR", "score: TER", "score: chrF", "duplicates")


@dataclass(frozen=True)
class Row:
    """What something cost: CPU and wall seconds, the peak in MiB; `pairs` says whether it compares pairs of texts."""

    what: str
    captions: int
    wall: float
    cpu: float
    peak: float | None
    pairs: bool


def measured(sizes: Sequence[str], only: str, repeat: int, folder: Path) -> Iterator[Row]:
    """Measure ours at every size, and at the first of them the peers."""
    for number, size in enumerate(sizes):
        images, tiles = SIZES[size]
        store = folder / f"{size}.duckdb"
        cost = _ingest(images, tiles, store, folder, alike=number == 0)
        items = folder / "items.json"
        captions = int(run([*_SELF, "--items", str(items), "--store", str(store)], folder)[1])
        if number == 0:
            start = best([run([*AUDITOR, "--version"], folder)[0] for _ in range(repeat)])
            yield Row("auditor --version", 0, start.wall, start.cpu, start.peak, pairs=False)
        yield Row("auditor ingest", captions, cost.wall, cost.cpu, cost.peak, pairs=False)
        for name, words in QUESTIONS.items():
            if only in name and (size != "636k" or name in _LARGE):
                yield from _asked(name, words, captions, store, folder, repeat)
        if only in "score: all n-gram and LCS metrics" and size != "636k":
            process, printed = run([sys.executable, str(_HERE / "floor.py"), str(store)], folder)
            bare = json.loads(printed)
            yield Row(_BARE, captions, bare["wall"], bare["cpu"], process.peak, pairs=True)
        if number == 0:
            yield from _of_peers(only, captions, items, folder / "peers", repeat)
        store.unlink()


def _ingest(images: int | None, tiles: int, store: Path, folder: Path, *, alike: bool) -> Cost:
    """Make a store of the first images of Flickr30k, several times over; return what the ingest cost."""
    file = folder / "set.token"
    some = [*(["--first", str(images)] if images else []), *(["--alike"] if alike else []), "--tiles", str(tiles)]
    run([*_SELF, "--write", str(file), *some], folder)
    command = [*AUDITOR, "ingest", "set", "--from", str(file), "--format", "flickr", "--store", str(store)]
    cost = run(command, folder)[0]
    file.unlink()
    return cost


def _part(asked: argparse.Namespace) -> bool:
    """Do the part of a run that imports the project, in a process of its own; return whether this was one."""
    if asked.write:
        some = measuring.of_images(measuring.captions("flickr30k"), asked.first, alike=asked.alike)
        measuring.write_tiles(some, asked.tiles, asked.write)
    elif asked.items:
        texts = measuring.stored(asked.store, "set")
        images = texts.group_by("image", maintain_order=True).agg("text")["text"].to_list()
        asked.items.write_text(json.dumps(images), encoding="utf-8")
        print(texts.height)
    return bool(asked.write or asked.items)


def _asked(name: str, words: Sequence[str], captions: int, store: Path, folder: Path, repeat: int) -> Iterator[Row]:
    copy, out = folder / "copy.duckdb", folder / ("out.html" if name == "report" else "out.parquet")
    command = [*AUDITOR, "-q", *words, "--store", str(copy), "-o", str(out)]
    costs: dict[str, list[Cost]] = {"cold": [], "warm": []}
    for _ in range(repeat):
        shutil.copyfile(store, copy)
        for state, so_far in costs.items():
            so_far.append(run(command, folder)[0])
            note(f"{name}, {captions:,} captions, {state}", so_far[-1])
    for state, some in costs.items():
        cost = best(some)
        yield Row(f"auditor {name} ({state})", captions, cost.wall, cost.cpu, cost.peak, name.startswith("score"))


def _of_peers(only: str, captions: int, items: Path, folder: Path, repeat: int) -> Iterator[Row]:
    folder.mkdir()
    for peer in (one for one in peers.PEERS if only in f"score: {one.name}"):
        if why := peer.lacking(None):
            print(f"{peer.name}: left out: {why}", file=sys.stderr)
            continue
        cost = best([peers.measure(peer, items, folder, None) for _ in range(repeat)])
        note(peer.name, cost)
        yield Row(peer.name, captions, cost.wall, cost.cpu, cost.peak, pairs=True)


def page(results: Mapping[str, object]) -> str:
    """Write what was measured as a page."""
    rows = [Row(**row) for row in results["rows"]]  # type: ignore[union-attr, arg-type]
    shown = [
        (
            row.what, f"{row.captions:,}", up(row.wall), up(row.cpu), "" if row.peak is None else up(row.peak, 0),
            up(1e6 * row.cpu / row.captions, 1) if row.captions else "",
            up(1e6 * row.cpu / row.captions / _PAIRS, 2) if row.pairs else "",
        )
        for row in sorted(rows, key=lambda row: (not row.what.startswith("auditor"), row.what, row.captions))
    ]  # fmt: skip
    columns = ("what", "captions", "wall, s", "CPU, s", "peak, MiB", "CPU, µs a caption", "CPU, µs a pair")
    lines = [
        "# Everything in one table",
        "",
        *waits.page(results),
        "Made by `make bench` from `results.json`. Ours are whole processes of the command line, on a store that was",
        "ingested and nothing else (cold), and asked once more (warm); of the Python packages the scoring calls count,",
        "of other programs the whole process. The bare pass computes the same scores in plain loops, and nothing else.",
        "Captions of Flickr30k, the largest size four times under new ids. A pair",
        "is a caption and one reference. Seconds belong to the machine; what to compare is beside each other here.",
        "",
        f"{results['rows_by']}",
        "",
        *table(columns, shown),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for, keep it, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--sizes", default=",".join(SIZES), help="default: %(default)s")
    parser.add_argument("--only", default="", metavar="WORD", help="only questions and peers with this in their names")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="write the page of what is kept, and measure nothing")
    for option in ("--write", "--items", "--store"):
        parser.add_argument(option, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=positive, help=argparse.SUPPRESS)
    parser.add_argument("--tiles", type=positive, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--alike", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    if _part(asked):
        return
    if not asked.page:
        packages = sorted({peer.package for peer in peers.PEERS})
        made = f"{versions(*packages)} Before the run: {load_before()}."
        kept = json.loads(_KEPT.read_text(encoding="utf-8")) if _KEPT.exists() else {}
        with tempfile.TemporaryDirectory() as name:
            sizes = asked.sizes.split(",")
            kept["rows"] = [asdict(row) for row in measured(sizes, asked.only, asked.repeat, Path(name))]
            kept["rows_by"] = made
        results = {"rows": [], "rows_by": "", **kept}
        if asked.only:
            print(page(results))
            return
        _KEPT.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    _PAGE.write_text(page(json.loads(_KEPT.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
