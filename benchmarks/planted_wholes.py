"""Faults that are planted into a dataset as a whole; captions that are drawn, ingested with faults, and found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from planted_faults import number, pick, with_synonym

from auditor import config
from auditor.model import Source, silent
from auditor.result import SEVERITIES, Finding, Result
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.duplicates import TEST, TRAIN, duplicates
from auditor.studies.findings.others import findings_of
from auditor.studies.findings.questions import Questions
from auditor.studies.outliers import misplaced, outliers
from auditor.text import AT_INGEST

KEYS = ["image", "slot"]

#: Machines write so: of two words of the caption.
_MACHINE = (
    "This image shows a {0} and a {1}.", "This image shows a {0} with a {1}.", "This image shows the {1} of a {0}.",
    "The image depicts a {0} near a {1}.",
)  # fmt: skip

Planted = tuple[pl.DataFrame, pl.DataFrame]


@dataclass(frozen=True)
class Whole:
    """A fault of a dataset; `plant` gives the captions with it, and the captions (or images) that should be named.

    `by` is the study that names them, where the rows of `findings` do not.
    """

    name: str
    kind: str
    plant: Callable[[pl.DataFrame], Planted]
    by: str | None = None
    needs_splits: bool = False

    def fits(self, captions: pl.DataFrame) -> bool:
        """Say whether the dataset has what the fault needs."""
        return not self.needs_splits or {TEST, TRAIN} <= set(captions["split"])


def named_by(store: Store, dataset: str, study: str) -> pl.DataFrame:
    """Give the captions that a study names."""
    if study == "outliers":
        return misplaced(outliers(store, dataset).frame).select(KEYS)
    if study == "bounds":
        return pl.DataFrame(schema={"image": pl.String, "slot": pl.UInt32})
    rows = duplicates(store, dataset, pairs=True, examples=0).frame
    if study == "leaks":
        return rows.filter(scope="across-splits", split=TEST, against_split=TRAIN).select(KEYS)
    return rows.filter(pl.col("scope") == "within-image").select(KEYS)


def told_by(store: Store, dataset: str, kind: str) -> list[Finding]:
    """Return the findings of a kind that rest on other studies."""
    questions = Questions((Captions(store, resolve(store, dataset), "bare"),), 1, {}, silent)
    return findings_of(questions, questions.every[0], [kind])


def drawn(captions: pl.DataFrame, images: int) -> pl.DataFrame:
    """Keep the captions of so many images, drawn by md5."""
    names = sorted(captions["image"].unique(), key=lambda image: number("image", image))[:images]
    return captions.filter(pl.col("image").is_in(names)).sort(KEYS).select(*KEYS, "split", "text")


def ingested(store: Store, dataset: str, captions: pl.DataFrame, name: str) -> None:
    """Ingest captions as a dataset of their own, a relative of what they come from."""
    frame = captions.drop("split").with_columns(
        source=pl.lit("planted"), unit=pl.lit("line"), line=pl.int_range(1, pl.len() + 1)
    )
    parted = captions.drop_nulls("split").unique(["image", "split"]).sort("split", "image")
    splits = {str(split): rows["image"].to_list() for (split,), rows in parted.group_by("split", maintain_order=True)}
    related = (dataset, "untouched", *config.sources()[dataset].related)
    source = Source(name, "candidates", "literal", (), related=related, splits=dict.fromkeys(splits, Path("list")))
    ingestion.write(store, source, iter([complete(frame)]), splits, AT_INGEST, "0" * 64)


def worst(found: Sequence[Finding]) -> Finding | None:
    """Give the most severe of several findings."""
    return min(found, key=lambda one: SEVERITIES.index(one.severity), default=None)


def listed(found: Result, kind: str) -> pl.DataFrame:
    """Give the captions that `findings` lists of a kind."""
    return found.frame.filter(kind=kind).select(KEYS).unique()


def images_of(captions: pl.DataFrame, share: float, why: str) -> list[str]:
    """Draw a share of the images by md5."""
    images = sorted(captions["image"].unique(), key=lambda image: number(why, image))
    return images[: round(share * len(images))]


def padded(captions: pl.DataFrame) -> Planted:
    """In one image in ten, let the captions from the third on be the second."""
    chosen = captions["image"].is_in(images_of(captions, 0.1, "padded")) & (pl.int_range(pl.len()).over("image") >= 2)
    second = pl.col("text").get(1, null_on_oob=True).over("image")
    made = captions.with_columns(text=pl.when(chosen).then(second).otherwise("text"))
    return made, captions.filter(chosen).select(KEYS)


def _uneven(captions: pl.DataFrame) -> Planted:
    """In one image in six, leave captions out, one or two."""
    images = images_of(captions, 0.16, "uneven")
    place = pl.int_range(pl.len()).over("image")
    kept = {image: 1 + number("left", image) % 2 for image in images}
    fewer = pl.col("image").replace_strict(kept, default=0, return_dtype=pl.Int64)
    made = captions.filter(place < pl.len().over("image") - fewer)
    return made, pl.DataFrame({"image": images})


def _image_copied(captions: pl.DataFrame) -> Planted:
    """Let one test image in twenty stand in train too, under a new id."""
    images = images_of(captions.filter(split=TEST), 0.05, "copied")
    copies = captions.filter(pl.col("image").is_in(images)).with_columns(
        image=pl.format("9{}", pl.col("image").str.reverse()), split=pl.lit(TRAIN)
    )
    return pl.concat([captions, copies]), pl.DataFrame({"image": [*images, *copies["image"].unique()]})


def as_it_is(text: str) -> str:
    """Change nothing."""
    return text


def leaked(change: Callable[[str], str], why: str) -> Callable[[pl.DataFrame], Planted]:
    """Let 5 % of the test captions, changed, stand in the place of captions of train."""

    def plant(captions: pl.DataFrame) -> Planted:
        rows = captions.with_row_index("row").with_columns(
            drawn=pl.concat_str(*KEYS, separator=" ").map_elements(
                lambda key: number(why, key) / 2**128, return_dtype=pl.Float64
            ),
            changed=pl.col("text").map_elements(change, return_dtype=pl.String),
        )
        test = rows.filter(split=TEST).filter(pl.col("changed") != (pl.col("text") if change is with_synonym else ""))
        sources = test.sort("drawn").head(round(0.05 * rows.filter(split=TEST).height))
        places = rows.filter(split=TRAIN).sort("drawn").head(sources.height)
        new = pl.DataFrame({"row": places["row"], "text": sources["changed"]})
        return rows.update(new, on="row").select(captions.columns), sources.select(KEYS)

    return plant


def _slot_copied(captions: pl.DataFrame) -> Planted:
    """In one image in five, let the fourth caption be the second with a synonym."""
    place = pl.int_range(pl.len()).over("image") == 3
    chosen = pl.col("image").is_in(images_of(captions, 0.2, "slot")) & place
    second = pl.col("text").get(1, null_on_oob=True).over("image")
    made = captions.with_columns(
        text=pl.when(chosen).then(second.map_elements(with_synonym, return_dtype=pl.String)).otherwise("text")
    )
    return made, captions.filter(chosen).select(KEYS)


def _templated(share: float) -> Callable[[pl.DataFrame], Planted]:
    """In a share of the images, let one slot be what a program writes of two words of its caption."""

    def plant(captions: pl.DataFrame) -> Planted:
        def written(text: str) -> str:
            words = [word.lower() for word in text.split() if word.isalpha() and len(word) > 3] or ["thing"]
            return pick(_MACHINE, "machine", text).format(words[0], words[-1])

        place = pl.int_range(pl.len()).over("image") == 2
        chosen = pl.col("image").is_in(images_of(captions, share, "machine")) & place
        made = captions.with_columns(
            text=pl.when(chosen).then(pl.col("text").map_elements(written, return_dtype=pl.String)).otherwise("text")
        )
        return made, captions.filter(chosen).select(KEYS)

    return plant


def _swapped(captions: pl.DataFrame) -> Planted:
    """Let one caption in a hundred change places with one of another image, at most one in an image."""
    images = images_of(captions, 1.0, "swap")[: 2 * round(0.005 * captions.height)]
    first = captions.with_row_index("row").filter(pl.col("image").is_in(images)).unique("image", keep="first")
    order = first.sort("image")["row"].shuffle(seed=1)
    half = len(order) // 2
    a, b = order[:half], order[half : 2 * half]
    taken = pl.DataFrame({"row": pl.concat([a, b]), "text": captions["text"].gather(pl.concat([b, a]))})
    made = captions.with_row_index("row").update(taken, on="row").drop("row")
    return made, captions[taken["row"]].select(KEYS)


def _shifted(captions: pl.DataFrame) -> Planted:
    """In runs of five images, one run in fifty, let each image have the captions of the image before."""
    images = captions["image"].unique().sort().to_list()
    runs = sorted((images[at : at + 5] for at in range(0, len(images), 5)), key=lambda run: number("shifted", run[0]))
    before = {image: run[place - 1] for run in runs[: len(runs) // 50] for place, image in enumerate(run)}
    after = {old: new for new, old in before.items()}
    return captions.with_columns(pl.col("image").replace(after)).sort(KEYS), pl.DataFrame({"image": [*after]})


def _limited(captions: pl.DataFrame) -> Planted:
    """Cut every caption at as many characters as the longest 1 % have."""
    limit = int(captions["text"].str.len_chars().quantile(0.99, "nearest") or 0)
    longer = captions["text"].str.len_chars() > limit
    return captions.with_columns(pl.col("text").str.head(limit)), captions.filter(longer).select(KEYS)


def _unrelated(captions: pl.DataFrame) -> Planted:
    """Let every caption be one of any image."""
    rows = captions.with_columns(text=captions["text"].shuffle(seed=1))
    return rows, rows.head(0).select(KEYS)


WHOLES: tuple[Whole, ...] = (
    Whole("truncated at a number of characters", "truncated-captions", _limited),
    Whole("second caption repeated", "padded-images", padded),
    Whole("captions removed", "uneven-captions", _uneven),
    Whole("test image with its captions in train", "copied-images", _image_copied, needs_splits=True),
    Whole("test caption in train, exact copy", "near-duplicate-across-splits", leaked(as_it_is, "leak"), "leaks", True),
    Whole(
        "test caption in train, with a synonym",
        "near-duplicate-across-splits",
        leaked(with_synonym, "syn"),
        "leaks",
        True,
    ),
    Whole("slot copied in 20% of images", "copied-slots", _slot_copied, "duplicates"),
    Whole("slot from a template in 10% of images", "templated-slots", _templated(0.1)),
    Whole("slot from a template in 2% of images", "templated-slots", _templated(0.02)),
    Whole("swapped captions, 1%", "swapped-captions", _swapped, "outliers"),
    Whole("captions shifted by one image in 2% of images", "shifted-captions", _shifted),
    Whole("captions of random images", "bound-upside-down", _unrelated, "bounds"),
)
