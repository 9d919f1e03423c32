"""Does a system use the words of human captions of an image? (van Miltenburg, Elliott & Vossen 2018, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Progress, Selection
from auditor.result import Figure, Finding, Result, Signature, Table, about, counted
from auditor.result.views import EMPTY, View, arranged
from auditor.scoring.registry import References
from auditor.statistics.summary import INTERVAL, ratio
from auditor.store.captions import EVALUATION, Captions, selections_of, stamp
from auditor.studies.diversity.content_words import Content, Pairing, pairings
from auditor.studies.diversity.settings import DiversitySettings

_VERSION = 1

#: The importance classes that are always listed: those of five captions per image.
CLASSES = 5

_PRECISIONS = {"content": "precision", "all": "precision-all-words"}


def local_words_met(
    systems: Sequence[Captions], people: Captions, content: Content, settings: DiversitySettings, progress: Progress
) -> Result:
    """Return local recall by importance, and local precision, of systems against human captions of the same images.

    Each system must describe images with human captions. All are ratios of totals over images. Each caption of a system
    counts separately, as a set of words. If a system is the references themselves, each caption is held out once. A
    value is null if no image has such a word; with fewer than five `references`, no word is in five captions.
    """
    met, parts = [], []
    for pairing in pairings(systems, people, content, settings, progress):
        met.append(pairing)
        parts.append(_rows(pairing, _statistics(pairing), content, settings))
    frame = pl.concat(parts)
    return Result(
        "diversity",
        frame,
        selections=tuple(dict.fromkeys(selections_of((*systems, people)))),
        signatures={pairing.system.label: part["signature"][0] for pairing, part in zip(met, parts, strict=True)},
        tables=arranged([_TABLE], selections_of(systems), frame),
        figures=arranged([_FIGURE], selections_of(systems), frame),
        notes=(*shared_notes(met), *_empty_classes(systems, parts), *_few_captions(people, settings.references)),
        findings=tuple(unlike_images(met)),
    )


def _statistics(pairing: Pairing) -> pl.DataFrame:
    """Return statistic, value, low, high, n, images: every class of importance up to the highest there is, or 5."""
    recalls = ratio(pairing.workspace.rows("local_recall"))
    highest = max([CLASSES, *recalls["class"].cast(pl.Int64, strict=False).drop_nulls()])
    classes = [*map(str, range(1, highest + 1)), "majority"]
    precisions = ratio(pairing.workspace.rows("local_precision"))
    named = {**{name: f"recall-{name}" for name in classes}, **_PRECISIONS}
    asked = pl.DataFrame({"class": [*named], "statistic": [*named.values()]})
    rows = asked.join(pl.concat([recalls, precisions]), on="class", how="left", maintain_order="left").drop("class")
    return rows.with_columns(pl.col("n", "images").fill_null(0), pl.col("high").clip(upper_bound=1))


def _rows(pairing: Pairing, statistics: pl.DataFrame, content: Content, settings: DiversitySettings) -> pl.DataFrame:
    system, people = pairing.system, pairing.evaluation
    signed = {name: local_signature(name, people, pairing.refs, settings, content) for name in statistics["statistic"]}
    rows = statistics.with_columns(
        pl.when(pl.col("low").is_not_null()).then(pl.lit("images")).alias("spread"),
        pl.col("n", "images").cast(pl.Int64),
        pl.lit(settings.resolved_tokenizer).alias("tokenizer"),
        pl.lit(pairing.refs.parameters.get("seed"), pl.Int64).alias("seed"),
        pl.col("statistic").replace_strict(signed, return_dtype=pl.String).alias("signature"),
        pl.when(pl.col("value").is_null()).then(pl.lit("no image has such a word")).alias("reason"),
    )
    return stamp(system, stamp(people, rows, EVALUATION))


def local_signature(
    statistic: str, people: Selection, refs: References, settings: DiversitySettings, content: Content
) -> str:
    """Return the signature of a statistic."""
    parameters = {
        "tok": settings.resolved_tokenizer, **refs.parameters, "content": content.label, "ci": INTERVAL,
        "eval": people.pinned_name,
    }  # fmt: skip
    return str(Signature(statistic, parameters, _VERSION))


_TABLE = View(
    Table(
        "local recall by importance, local precision",
        EMPTY,
        caption="recall-k: the share of content words in k captions of an image that the system also uses",
        name="local-recall",
    ),
    where=pl.col("statistic").is_in(
        [*(f"recall-{k}" for k in range(1, CLASSES + 1)), "recall-majority", *_PRECISIONS.values()]
    ),
    pivot=("statistic", "dataset", "value"),
)

_IMPORTANCE = pl.col("statistic").str.extract(r"^recall-(\d+)$").cast(pl.Int64)

_FIGURE = View(
    Figure(
        "local-recall", "Local recall by importance", "lines", EMPTY,
        x="importance", y="value", series="dataset", low="low", high="high",
        x_label="captions of the image with the word", y_label="share of words recalled",
        caption="Words that more annotators use are recalled more often (van Miltenburg et al. 2018, figure 5).",
    ),
    where=_IMPORTANCE.is_not_null() & pl.col("value").is_not_null(),
    columns=("dataset", _IMPORTANCE.alias("importance"), "value", "low", "high"),
)  # fmt: skip


def shared_notes(met: Sequence[Pairing]) -> list[str]:
    """Report how the systems were compared with the references."""
    held_out = "captions are held out, so they have one reference fewer than systems"
    others = [one.system for one in met if one.refs.rule == "all" and one.system.version.kind != "candidates"]
    notes = [f"{one.label} was ingested as {one.version.kind}, not as candidates (--kind)" for one in others]
    equal = [one.system.label for one in met if one.refs.rule == "loo" and one.refs.drawn is None]
    return notes + [f"{label}: {held_out}; use --references to sample the same number" for label in equal]


def unlike_images(met: Sequence[Pairing]) -> Iterator[Finding]:
    """Report which images do not count, and captions without words."""
    people, systems = met[0].evaluation.label, dict[tuple[int, int], list[str]]()
    for pairing in met:
        systems.setdefault((pairing.lacking, pairing.beyond), []).append(pairing.system.label)
    for (lacking, beyond), labels in systems.items():
        names = ", ".join(labels)
        problems = {f"of {people} without a caption in {names}": lacking, f"of {names} that {people} lacks": beyond}
        for problem, number in problems.items():
            if number:
                where = {"dataset": names, "against": people}
                sentence = f"{counted(number, 'image', 'images')} {problem}: not counted"
                yield Finding("images-not-shared", sentence, where, {"images": number}, severity="warning")
    for pairing in met:
        if n := pairing.wordless:
            count, system = f"{n:,} of {pairing.captions:,} captions", pairing.system
            sentence = f"{system.label}: {count} without words, which recall nothing"
            yield Finding("captions-without-word", sentence, about(system), {"captions": n}, pairing.captions, "notice")


def _empty_classes(systems: Sequence[Captions], parts: Sequence[pl.DataFrame]) -> list[str]:
    empty = dict[tuple[str, ...], list[str]]()
    for captions, part in zip(systems, parts, strict=True):
        empty.setdefault(tuple(part.filter(pl.col("value").is_null())["statistic"]), []).append(captions.label)
    return [
        f"{', '.join(labels)}: no value of {', '.join(statistics)}: no image has such a word"
        for statistics, labels in empty.items()
        if statistics
    ]


def _few_captions(people: Captions, references: int | None) -> list[str]:
    """Report images with too few captions for the highest class of words, or with more captions than classes."""
    captions = people.images()["captions"]
    if references is not None:
        counts = {f"with fewer than {references} captions, not counted": (captions < references).sum()}
    else:
        beyond = f"with words of classes beyond {CLASSES}, which the authors' program leaves out"
        counts = {
            f"with fewer than {CLASSES} captions, without words of that class": (captions < CLASSES).sum(),
            f"with more than {CLASSES} captions, {beyond}": (captions > CLASSES).sum(),
        }
    some = {what: int(count) for what, count in counts.items() if count}
    return [f"{people.label}: {counted(count, 'image', 'images')} {what}" for what, count in some.items()]
