"""A card says what is known of a dataset and what is wrong with it, the worst first, and not one of its captions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Rows, ingest_rows, searching_for

from auditor import reports
from auditor.dataset_card import DatasetCard, spdx
from auditor.model import Download, Source
from auditor.reports.markdown import front_matter
from auditor.store.connection import MEMORY, Store
from auditor.studies.report import ReportSettings, card

BLEU = ReportSettings(("bleu-1",))
DOGS: Rows = [(f"d{image}", slot, f"a {word} dog runs" + " far" * slot)
              for image, word in enumerate(("red", "blue", "tall", "old")) for slot in (0, 1, 2)]  # fmt: skip
SECRET = "write to ann@example.org about zebras"


def declared(**more: object) -> dict[str, Source]:
    return {"dogs": Source("dogs", "captions", "karpathy", (), **more)}  # type: ignore[arg-type]


ADDRESS = "https://example.org/all%20dogs.json?download=1"


pytestmark = pytest.mark.xdist_group("card")  # one card is read by most tests


@pytest.fixture(scope="module")
def dogs() -> DatasetCard:
    splits = {"train": ["d0", "d1", "d2"], "test": ["d3"]}
    config = declared(license="CC BY 4.0 (captions)", citation="Ann, 2026")
    with Store.open(MEMORY) as store:
        ingest_rows(store, [*DOGS, ("d3", 3, "a red dog runs"), ("d3", 4, SECRET)], "dogs", splits=splits)
        return card(store, "dogs", settings=BLEU, config=config)


def head(made: DatasetCard) -> dict[str, object]:
    """Read front matter as plainly as it is written: each value is JSON, a list has a line for each of its own."""
    read: dict[str, object] = {}
    key = ""
    first, *lines, last = front_matter(made).splitlines()
    assert first == last == "---"
    for line in lines:
        if line.startswith("- "):
            read[key].append(json.loads(line[2:]))  # type: ignore[attr-defined]
            continue
        key, _, value = line.partition(":")
        read[key] = json.loads(value) if value else []
    return read


def croissant(made: DatasetCard) -> dict[str, object]:
    return json.loads(reports.document_text(made, "croissant"))


def test_card_counts_its_splits_and_shows_bounds(dogs: DatasetCard) -> None:
    found = {one.name: one for one in dogs.sections}
    assert found["splits"].tables[0].frame.rows() == [("test", 1, 5), ("train", 3, 9)]
    assert found["bounds"].tables[0].frame.columns == ["metric", "human", "intra"]


def test_known_problems_are_the_findings_the_worst_first_with_what_follows_from_the_bad_ones(dogs: DatasetCard) -> None:
    said = next(one for one in dogs.sections if one.name == "problems").words
    order = [words.split(":")[0] for words in said]
    assert order == sorted(order, key=["error", "warning", "notice"].index)
    assert len(said) == sum(one.severity != "info" for one in dogs.findings)
    (personal,) = (words for words in said if "e-mail" in words)
    assert personal.startswith("warning: dogs: captions with an e-mail address or a phone number: 1 of 14")
    assert personal.endswith("sharing it may be illegal.")


def test_a_dataset_without_a_fault_has_none(store: Store) -> None:
    said = (("Snow lies around the red barn.", "An old barn, painted red, in winter snow."),
            ("Two cats sleep upon warm stones.", "On some stones, cats are sleeping in the sun."),
            ("The tower is higher than every house of its town.", "Houses of a town below a tall tower."))  # fmt: skip
    ingest_rows(
        store, [(f"i{n}", slot, text) for n, pair in enumerate(said) for slot, text in enumerate(pair)], "scenes"
    )
    made = card(store, "scenes", settings=BLEU)
    assert next(one for one in made.sections if one.name == "problems").words == ("No problems found.",)
    assert {finding.severity for finding in made.findings} <= {"notice", "info"}
    assert "rai:dataBiases" not in croissant(made)


@pytest.mark.parametrize("name", ["md", "croissant"])
def test_no_format_for_the_public_holds_a_caption(dogs: DatasetCard, name: str) -> None:
    text = reports.document_text(dogs, name)
    assert not any(caption in text for caption in (SECRET, "a red dog runs", "ann@example.org"))


def test_front_matter_holds_what_is_known(dogs: DatasetCard) -> None:
    assert head(dogs) == {
        "pretty_name": "dogs",
        "language": ["en"],
        "license": "cc-by-4.0",
        "license_details": "CC BY 4.0 (captions)",
        "size_categories": ["n<1K"],
        "task_categories": ["image-to-text"],
        "tags": ["image-captioning"],
    }
    assert reports.document_text(dogs, "md").startswith("---\npretty_name")


def test_front_matter_says_nothing_of_what_is_not(dogs: DatasetCard) -> None:
    assert head(replace(dogs, license=None)).keys() == {
        "pretty_name", "language", "size_categories", "task_categories", "tags",
    }  # fmt: skip


@pytest.mark.parametrize("terms", ["no", "a: b # c", 'say "yes"', "- x\n---\nlicense: mit", "null", "\x85\u2028"])
def test_front_matter_cannot_be_left_by_what_was_declared(dogs: DatasetCard, terms: str) -> None:
    made = replace(dogs, license=terms)
    assert head(made)["license"] == "other"
    assert front_matter(made).count("---\n") == 2
    assert isinstance(head(made)["license_details"], str)


@pytest.mark.parametrize(
    ("language", "shown"), [("no", ["no"]), ("zh-Hans", ["zh"]), ("und", None), ("x-klingon", None)]
)
def test_front_matter_names_a_language_by_its_first_part(
    dogs: DatasetCard, language: str, shown: list[str] | None
) -> None:
    made = replace(dogs, language=language)
    assert head(made).get("language") == shown
    assert croissant(made)["inLanguage"] == language


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("MIT", "MIT"),
        ("cc by-nc-sa 4.0", "CC-BY-NC-SA-4.0"),
        ("Apache-2.0 (repository)", "Apache-2.0"),
        ("CC BY 4.0 or MIT", None),
        ("none stated", None),
        ("", None),
    ],
)
def test_licence_is_known_only_by_its_whole_name(said: str, name: str | None) -> None:
    assert spdx(said) == name


def test_croissant_names_version_licence_citation_and_the_hash_of_what_was_read(dogs: DatasetCard) -> None:
    body, (selection,) = croissant(dogs), dogs.selections
    assert body["conformsTo"] == ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
    assert body["version"] == f"1.0.0+{selection.version.version}"
    assert body["identifier"] == f"dogs@{selection.version.version}"
    assert body["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert body["citeAs"] == "Ann, 2026"
    assert body["distribution"][0]["sha256"] == selection.version.source_sha256
    assert [field["name"] for field in body["recordSet"][0]["field"]] == ["image", "slot", "split", "caption"]
    assert body["rai:annotationsPerItem"] == "3 to 5, 3.50 on average"


def test_croissant_parts_findings_by_what_they_are_of(dogs: DatasetCard) -> None:
    body = croissant(dogs)
    assert ["e-mail" in words for words in body["rai:personalSensitiveInformation"]] == [True]
    assert any("numbers of captions" in words or "template" in words for words in body["rai:dataBiases"])
    assert (
        body["rai:dataLimitations"][-1] == f"Found by {dogs.program} in the text alone; the images were not examined."
    )
    parts = ("rai:personalSensitiveInformation", "rai:dataBiases", "rai:dataLimitations")
    assert sum(len(body[part]) for part in parts) == 1 + sum(one.severity != "info" for one in dogs.findings)


def test_croissant_gives_every_number_with_its_signature(dogs: DatasetCard) -> None:
    given = {one["propertyID"]: one for one in croissant(dogs)["additionalProperty"]}
    assert given["profile/captions"]["value"] == 14
    assert given["splits/test/captions"]["value"] == 5
    assert given["bounds/bleu-1/human"]["measurementTechnique"] == dogs.signatures["bleu-1"]
    assert given["findings/personal-data/captions"]["value"] == 1
    assert given["settings/metrics"]["value"] == ["bleu-1"]


@searching_for("markup")
def test_file_has_its_address_where_the_declared_hash_is_that_of_what_was_read(store: Store) -> None:
    own = ingest_rows(store, DOGS, "dogs").version.source_sha256
    others = Download("https://example.org/other", "1" * 64, Path("x")), Download("x", own, Path("x"), "in.zip")
    config = declared(downloads=(*others, Download(ADDRESS, own, Path("x"))))
    assert card(store, "dogs", settings=BLEU, config=config).url == ADDRESS
    config = declared(downloads=(Download("https://me:hunter2@example.org/x?sig=hunter2", own, Path("x")),))
    assert card(store, "dogs", settings=BLEU, config=config).url == "https://***@example.org/x?sig=***"


@pytest.mark.parametrize(
    ("url", "name", "kind"),
    [(ADDRESS, "all dogs.json", "application/json"), (None, "dogs", "application/octet-stream")],
)
def test_croissant_names_the_file_by_its_address(dogs: DatasetCard, url: str | None, name: str, kind: str) -> None:
    file = croissant(replace(dogs, url=url))["distribution"][0]
    assert (file["name"], file["contentUrl"], file["encodingFormat"]) == (name, url or name, kind)


@searching_for("padded-images", "swapped-captions", "bound-upside-down", "templated-captions")
def test_card_of_single_captions_says_why_there_are_no_bounds(store: Store) -> None:
    ingest_rows(store, [row for row in DOGS if row[1] == 0], "dogs")
    made = card(store, "dogs", settings=BLEU)
    (bounds,) = (one for one in made.sections if one.name == "bounds")
    assert bounds.absent == "dogs: needs two captions per image; this dataset has one."
    assert {number.name.partition("/")[0] for number in made.numbers} == {"profile", "splits", "findings"}
    for name in ("md", "croissant"):
        assert reports.document_text(made, name)
