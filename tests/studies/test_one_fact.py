"""A fact is counted once: every command, the card and the report give the same number of it, whatever the tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Rows, ingest_rows, searching_for

from auditor import config
from auditor.reports import document_text
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.workspace import Workspace
from auditor.studies.bounds import bounds
from auditor.studies.compare import compare
from auditor.studies.duplicates import duplicates, identical
from auditor.studies.findings import findings
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.profile import profile
from auditor.studies.report.card import card
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report
from auditor.studies.score import score
from auditor.studies.templates import templates

#: Four captions repeat an earlier one of their image, one of them letter for letter; seven are in groups of equal ones.
SIXTEEN: Rows = [
    ("1", 0, "A dog runs on the beach."), ("1", 1, "a dog runs on the beach"),
    ("1", 2, "Two men play football in a park."), ("1", 3, "The dog is wet."),
    ("2", 0, "A child eats an apple."), ("2", 1, "A child eats an apple."), ("2", 2, "A child  eats an apple."),
    ("2", 3, "Someone has lunch."),
    ("3", 0, "A red car."), ("3", 1, "a red car"), ("3", 2, "The car stands in the street."),
    ("3", 3, "A street with a car."),
    ("4", 0, "Boats on a lake."), ("4", 1, "Three boats are on the water."), ("4", 2, "A quiet lake at noon."),
    ("4", 3, "People fish from boats."),
]  # fmt: skip

#: Seven captions occur at another image, four of them letter for letter; four in another split; two have no word. The
#: captions of three images go from long to short.
ELSEWHERE: Rows = [
    ("1", 0, "A dog runs."), ("1", 1, "a dog"),
    ("2", 0, "a DOG  runs"), ("2", 1, "Two cats sit here"),
    ("3", 0, "..."), ("3", 1, "a dog"),
    ("4", 0, "A bird."), ("4", 1, "a bird"),
    ("5", 0, "a bird"), ("5", 1, "!"),
]  # fmt: skip

#: Another dataset, without repeats, to compare with.
OTHER: Rows = [(image, slot, f"{image} sees {slot} ships") for image in "xy" for slot in (2, 3)]

#: Commands without tokens: they are asked once.
WITHOUT_TOKENIZER = {"identical", "duplicates"}

#: How any answer says in words how many captions repeat.
SAID = re.compile(
    r"repeat another of their image: ([\d,]+)|([\d,]+) of [\d,]+ captions repeats? another of their image"
)


def of_profile(statistic: str) -> Callable[..., object]:
    def ask(store: Store, ref: str, **asked: Any) -> object:
        return profile(store, ref, **asked).frame.filter(statistic=statistic)["value"].item()

    return ask


def of_findings(kind: str) -> Callable[..., object]:
    def ask(store: Store, ref: str, **asked: Any) -> object:
        found = findings(store, ref, kinds=[kind], **asked).findings
        return sum(one.values["captions"] for one in found)

    return ask


def of_scores(study: Callable[..., Result], *others: str, **more: Any) -> Callable[..., object]:
    def ask(store: Store, ref: str, **asked: Any) -> object:
        result = study(store, ref, *others, metrics=["bleu-1"], distinct=True, **more, **asked)
        (found,) = result.found("repeated-captions")
        return found.values["captions"]

    return ask


def of_identical(column: str) -> Callable[..., object]:
    return lambda store, ref, **_: (
        identical(store, ref, exact=True, within=True).table("identical-captions").frame[column].item()
    )


def of_duplicates(**where: str) -> Callable[..., object]:
    def ask(store: Store, ref: str, **_: Any) -> object:
        rows = duplicates(store, ref).frame.filter(pl.col("slot").is_null(), **where)
        return rows["found"].item()

    return ask


def of_leaking_pairs(store: Store, ref: str, **_: Any) -> object:
    pairs = duplicates(store, ref, pairs=True).frame.filter(scope="across-splits", match="exact")
    return pairs.unique(["image", "slot"]).height


def of_templates(store: Store, ref: str, **asked: Any) -> object:
    rows = templates(store, ref, metric="bleu-1", **asked).frame
    order = rows.filter(statistic="sorted-by-length", pattern="shorter")
    return round(order["value"].item() * order["n"].item())


def of_portrait(store: Store, ref: str, **asked: Any) -> object:
    settings = ReportSettings(("bleu-1",), **asked)
    (drawn,) = report(store, ref, settings=settings, resamples=0, sections=["bounds"], timed=False).portraits
    return drawn.captions - drawn.distinct


ASKED: Mapping[str, Callable[..., object]] = {
    "profile": of_profile("captions-repeated-within-image"),
    "findings": of_findings("padded-images"),
    "bounds": of_scores(bounds),
    "score": of_scores(score),
    "compare": of_scores(compare, "other", resamples=0),
    "identical": of_identical("repeats"),
    "duplicates": of_duplicates(scope="within-image", match="exact", statistic="captions"),
    "portrait": of_portrait,
}


#: By fact: how many captions or images it is of in `SIXTEEN`, and in `ELSEWHERE`; and what each command answers.
FACTS: Mapping[str, tuple[int, int, Mapping[str, Callable[..., object]]]] = {
    "copy": (
        0,
        7,
        {
            "profile": of_profile("captions-on-several-images"),
            "findings": of_findings("captions-at-several-images"),
            "duplicates": of_duplicates(scope="across-images", match="exact", statistic="captions"),
        },
    ),
    "leak": (0, 4, {"profile": of_profile("captions-in-several-splits"), "duplicates": of_leaking_pairs}),
    "length": (
        0,
        2,
        {
            "profile": of_profile("captions-without-word"),
            "findings": of_findings("captions-without-word"),
            "identical": of_identical("wordless"),
            "duplicates": of_duplicates(statistic="captions-without-word"),
        },
    ),
    "slot_order": (
        0,
        3,
        {"profile": of_profile("images-with-captions-sorted-by-length"), "templates": of_templates},
    ),
}

#: What Flickr8k's test split holds of each fact, and the whole of it of leaks.
REAL = {"repeat": 1, "copy": 14, "leak": 252, "length": 0, "slot_order": 6}

#: Each fact, and each command that reports it.
BOTH = [(fact, command) for fact, (_, _, asked) in FACTS.items() for command in asked]


def numbers_in(text: str) -> set[int]:
    """Collect every number of captions that repeat, as words say it."""
    return {int((after or before).replace(",", "")) for after, before in SAID.findall(text)}


@pytest.fixture(scope="module")
def sixteen() -> Iterator[Store]:
    """A store that no test changes."""
    with Store.open(MEMORY) as store:
        ingest_rows(store, SIXTEEN, "set")
        ingest_rows(store, OTHER, "other")
        ingest_rows(store, ELSEWHERE, "elsewhere", splits={"train": ["1", "4", "5"], "test": ["2", "3"]})
        yield store


def by_tokenizer(command: str) -> list[str]:
    return ["auto"] if command in WITHOUT_TOKENIZER else ["auto", "ptb", "whitespace"]


@pytest.mark.parametrize(("question", "tokenizer"), [(name, key) for name in ASKED for key in by_tokenizer(name)])
def test_every_command_counts_the_same_captions_that_repeat(sixteen: Store, question: str, tokenizer: str) -> None:
    assert ASKED[question](sixteen, "set", tokenizer=tokenizer) == 4


@pytest.mark.parametrize(
    ("fact", "command", "tokenizer"), [(fact, name, key) for fact, name in BOTH for key in by_tokenizer(name)]
)
def test_every_command_counts_a_fact_alike(sixteen: Store, fact: str, command: str, tokenizer: str) -> None:
    in_sixteen, elsewhere, asked = FACTS[fact]
    assert asked[command](sixteen, "set", tokenizer=tokenizer) == in_sixteen
    assert asked[command](sixteen, "elsewhere", tokenizer=tokenizer) == elsewhere


@pytest.mark.parametrize("tokenizer", ["auto", "ptb"])
def test_letters_are_a_second_count_of_the_same_captions(store: Store, tokenizer: str) -> None:
    ingest_rows(store, ELSEWHERE)
    counted = dict(profile(store, "set", tokenizer=tokenizer).frame.select("statistic", "value").iter_rows())
    assert counted["captions-on-several-images-as-letters"] == 4
    assert counted["texts-on-several-images"] == 3
    assert (
        counted["distinct-captions"]
        == len({text.lower().replace("  ", " ").strip(".!") for *_, text in ELSEWHERE} - {""}) + 2
    )


@pytest.mark.parametrize("tokenizer", ["auto", "ptb"])
def test_a_caption_has_one_script(store: Store, tokenizer: str) -> None:
    few = ["éé 手机", "é 手机", "手机", "12", "собака bежит"]
    texts = [*few, *(f"dog {place}" for place in range(150))]
    ingest_rows(store, [(str(place), 0, text) for place, text in enumerate(texts)])
    listed = findings(store, "set", tokenizer=tokenizer, kinds=["other-script"]).frame["text"].to_list()
    counted = dict(profile(store, "set", tokenizer=tokenizer).frame.select("statistic", "value").iter_rows())
    assert sorted(listed) == sorted(["é 手机", "手机", "собака bежит"])
    written = Workspace(store, dataset="set", seq=1).rows("script_count")
    assert written.select("captions", "latin", "unspaced").row(0) == (154, 151, 2)
    assert counted["captions-of-mixed-scripts"] == 3


@pytest.mark.parametrize("tokenizer", ["auto", "ptb"])
@searching_for("padded-images", "captions-at-several-images")
def test_report_and_card_say_one_number_of_captions_that_repeat(sixteen: Store, tokenizer: str) -> None:
    settings = ReportSettings(("bleu-1",), tokenizer=tokenizer)
    sections = ["findings", "facts", "bounds", "duplicates"]
    document = report(sixteen, "set", settings=settings, resamples=0, sections=sections, timed=False)
    made = card(sixteen, "set", settings=settings)
    for text in (document.to_json(), document_text(document, "html"), document_text(made, "md")):
        assert numbers_in(text) == {4}
    assert [one.value for one in made.numbers if one.name == "findings/padded-images/captions"] == [4]


@pytest.mark.full
def test_commands_agree_on_real_captions(data: Path) -> None:
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(None)["flickr8k"]])
        ingest_rows(store, OTHER, "other")
        for fact, number in REAL.items():
            asked = FACTS[fact][2] if fact in FACTS else ASKED
            ref = "flickr8k" if fact == "leak" else "flickr8k:test"
            found = {
                (name, key): ask(store, ref, tokenizer=key)
                for name, ask in asked.items()
                for key in by_tokenizer(name)[:2]
            }
            assert set(found.values()) == {number}, (fact, found)


def test_profile_counts_the_uneven_images_that_findings_list(store: Store) -> None:
    captions = {"a": 5, "b": 5, "c": 4, "x": 1, "y": 1, "z": 1, "v": 1}
    rows = [(image, slot, f"{image} {slot}") for image, many in captions.items() for slot in range(many)]
    ingest_rows(store, rows, splits={"test": ["a", "b", "c"], "train": ["x", "y", "z", "v"]})
    counted = dict(profile(store, "set").frame.select("statistic", "value").iter_rows())
    (found,) = findings(store, "set", kinds=["uneven-captions"]).findings
    assert counted["images-with-another-number-of-captions"] == found.values["images"] == 1


#: Captions by the finding that lists them, and the counts of `profile` that count them.
DIRTY = {
    "markup": (["<b>A boat</b>", "a boat &amp; a dog", "a boat<br/>"], ["captions-with-markup"]),
    "placeholders": (["<unk> in a boat", "a <person> in a boat"], []),
    "broken-characters": (
        [
            "A man\u00e2\u20ac\u2122s hat",
            "Un caf\u00c3\u00a9",
            "A dog\ufffd runs",
            "A cat\u0093 sits",
            "A boy \u200e runs",
            "A girl\u200b runs",
        ],
        [
            "captions-that-look-encoded-twice",
            "captions-with-replacement-characters",
            "captions-with-unprintable-characters",
        ],
    ),
}


@pytest.mark.parametrize("kind", [kind for kind, (_, counts) in DIRTY.items() if counts])
@pytest.mark.parametrize("tokenizer", ["auto", "ptb"])
def test_profile_counts_the_signs_that_findings_list(store: Store, kind: str, tokenizer: str) -> None:
    texts = [text for texts, _ in DIRTY.values() for text in [*texts, "แมว\u200bนั่ง"]]
    ingest_rows(store, [(str(place), 0, text) for place, text in enumerate(texts)])
    counted = dict(profile(store, "set", tokenizer=tokenizer).frame.select("statistic", "value").iter_rows())
    (found,) = findings(store, "set", tokenizer=tokenizer, kinds=[kind]).findings
    texts, counts = DIRTY[kind]
    assert sum(counted[name] for name in counts) == found.values["captions"] == len(texts)
