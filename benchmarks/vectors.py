"""What vectors cost: `ingest` of as many as Flickr30k has images, and of many more; to learn from them, and to score.

Vectors are of chance, for what they say costs nothing. Each ingest is a process of its own; the least time of several
repetitions counts, and the highest peak. This process stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, best, down, load_before, mark, note, positive, run, table, up, versions

#: Images, numbers a vector, what numpy calls their precision, format.
INGESTED = (
    (31_783, 768, "float32", "parquet"),
    (31_783, 768, "float32", "npy"),
    (500_000, 512, "float16", "npy"),
)

#: Seconds, for the first two.
MOST_SECONDS = 10.0

#: Captions and numbers a vector that are learnt from, and captions that are scored; CPU seconds of either, at most.
LEARNT, SCORED = (12_140, 512), 100_000

MOST_LEARNING, MOST_SCORING = 15.0, 10.0

_WORDS, _A_CAPTION, _AN_IMAGE = 6_000, 11, 5

_AT_ONCE = 10_000

_SELF = [sys.executable, str(Path(__file__).resolve())]


def write(images: int, length: int, kind: str, path: Path) -> None:
    """Write vectors of chance, their images in no order."""
    import numpy as np
    import polars as pl

    chance = np.random.default_rng(1)
    names = [f"{number:012d}.jpg" for number in chance.permutation(images)]
    if path.suffix == ".npy":
        matrix = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(images, length))
        path.with_suffix(".txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    else:
        matrix = np.empty((images, length), kind)
    for first in range(0, images, _AT_ONCE):
        rows = matrix[first : first + _AT_ONCE]
        rows[:] = chance.standard_normal(rows.shape, dtype=np.float32)
    if path.suffix == ".parquet":
        pl.DataFrame({"image": names, "vector": pl.Series(values=matrix)}).write_parquet(path)


def ingest(repeat: int) -> None:
    """Measure an ingest into a new store, and print a table."""
    rows, met = [], True
    for images, length, kind, form in INGESTED:
        costs: list[Cost] = []
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = folder / f"vectors.{form}"
            run([*_SELF, "--write", str(images), str(length), kind, str(file)], folder)
            for _ in range(repeat):
                store = folder / "store.duckdb"
                store.unlink(missing_ok=True)
                asked = ["set", "--from", str(file), "--format", "vectors", "--store", str(store)]
                costs.append(run([*AUDITOR, "-q", "ingest", *asked, "-o", str(folder / "r.json")], folder)[0])
                note(f"{images:,} × {length}, {form}", costs[-1])
            held = images * length * 4 / 2**20
            cost = best(costs)
        met = met and (images > INGESTED[0][0] or cost.wall <= MOST_SECONDS)
        peak = cost.peak or 0.0
        rows.append((
            f"{images:,} × {length} {kind}, {form}", up(cost.wall), up(cost.cpu), down(images / cost.wall, 0),
            up(peak, 0), up(held, 0), up(peak / held, 1),
        ))  # fmt: skip
    columns = ["vectors", "wall, s", "CPU, s", "vectors/s", "peak, MiB", "vectors in the store, MiB", "peak ÷ these"]
    print("\n".join(table(columns, rows)))
    print(f"\naim, for {INGESTED[0][0]:,}: at most {MOST_SECONDS:g} s: {mark(met)}")


def learn(learner: str) -> None:
    """Learn one model from captions of chance, score others by it, and print the CPU seconds of both.

    Words are as frequent as Zipf has it, captions as long as those of Flickr8k. Scored in blocks, as by `score`.
    """
    import numpy as np
    import polars as pl

    from auditor.metrics.vectors.bags import bags
    from auditor.metrics.vectors.cards import CARDS
    from auditor.metrics.vectors.learning import KNOWN_WORDS, models
    from auditor.metrics.vectors.material import Material

    chance = np.random.default_rng(1)
    captions, length = LEARNT
    odds = 1 / np.arange(1, _WORDS + 1)

    def drawn(rows: int) -> pl.Series:
        words = chance.choice(_WORDS, (rows, _A_CAPTION), p=odds / odds.sum()).astype(np.uint32)
        return pl.Series(values=words).cast(pl.List(pl.UInt32))

    tokens = drawn(captions)
    counted = tokens.list.unique().explode().value_counts(sort=True, name="captions").head(KNOWN_WORDS)
    words = counted.select(
        token_id=pl.col(counted.columns[0]),
        word_no=pl.int_range(pl.len(), dtype=pl.UInt32),
        weight=((1 + captions) / (1 + pl.col("captions"))).log() + 1,
    )
    images = captions // _AN_IMAGE
    whose = np.repeat(np.arange(images), _AN_IMAGE)
    vectors = chance.standard_normal((images, length), dtype=np.float32)
    names = pl.Series([f"{number}" for number in range(images)])
    told = pl.DataFrame({"image": names.gather(whose), "slot": np.tile(np.arange(_AN_IMAGE), images)})
    made = Material(told, bags(tokens, words), whose, names, vectors, chance.integers(1, 6, images), words)
    settings = {"learner": learner, "penalty": 3.0, "margin": 0.2, "model_seed": 1}
    begun = time.process_time()
    ((_, model),) = models(made, [0], settings)
    learnt = time.process_time() - begun
    kernel = next(card.kernel for card in CARDS if card.kernel and card.kernel.name == f"vector_{learner}")
    part = model.rows(0)
    begun = time.process_time()
    for first in range(0, SCORED, _AT_ONCE):
        asked = pl.DataFrame({"tokens": drawn(_AT_ONCE)}).select(
            candidate=pl.lit("one"),
            image=names.gather((np.arange(_AT_ONCE) + first) % images),
            slot=pl.lit(0),
            tokens="tokens",
        )
        seen = pl.DataFrame({"image": names, "model": 0, "vector": pl.Series(values=vectors).cast(pl.List(pl.Float32))})
        kernel.run({"candidate_tokens": asked, "scored_image": seen, "known_word": words, "learnt_part": part}, {})
    print(f"{learnt:.2f} {time.process_time() - begun:.2f}")


def learners(repeat: int) -> None:
    """Measure what each metric that learns costs, and print a table."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for learner, metric in (("ridge", "vector-ridge"), ("rank", "vector-rank")):
            costs, told = zip(*(run([*_SELF, "--learn", learner], Path(name)) for _ in range(repeat)), strict=True)
            learnt, scored = (min(float(one.split()[place]) for one in told) for place in (0, 1))
            met = learnt <= MOST_LEARNING and scored <= MOST_SCORING
            rows.append((metric, up(learnt), up(scored), up(best(costs).peak or 0.0, 0), mark(met)))
    captions, length = LEARNT
    columns = [
        "metric", f"CPU s to learn from {captions:,} captions × {length}", f"CPU s to score {SCORED:,} captions",
        "peak, MiB", f"at most {MOST_LEARNING:g} and {MOST_SCORING:g} s",
    ]  # fmt: skip
    print("\n" + "\n".join(table(columns, rows)))


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=positive, default=3)
    parser.add_argument("--write", nargs=4, metavar=("IMAGES", "LENGTH", "KIND", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--learn", choices=("ridge", "rank"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.learn:
        learn(asked.learn)
        return
    if asked.write:
        images, length, kind, file = asked.write
        write(int(images), int(length), kind, Path(file))
        return
    print(load_before())
    print(versions("numpy"))
    ingest(asked.repeat)
    learners(asked.repeat)


if __name__ == "__main__":
    main(sys.argv[1:])
