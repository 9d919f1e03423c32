"""Whoever reads a published card can ask which of its numbers still hold."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Rows, ingest_rows, searching_for

from auditor import reports
from auditor.cli.app import app
from auditor.dataset_card import DatasetCard, published
from auditor.errors import SourceError, UsageError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.report import ReportSettings, card
from auditor.studies.verify import verify

BLEU = ReportSettings(("bleu-1",), seed=7, references=1)
DOGS: Rows = [(f"d{image}", slot, f"a {word} dog runs" + " far" * slot)
              for image, word in enumerate(("red", "blue", "tall", "old")) for slot in (0, 1, 2)]  # fmt: skip
NUMBER = {"propertyID": "profile/asl", "value": 4.5}
BODY = {"identifier": f"dogs@{'a' * 64}", "additionalProperty": [NUMBER]}


def with_setting(name: str, value: object) -> str:
    return json.dumps(BODY | {"additionalProperty": [{"propertyID": f"settings/{name}", "value": value}, NUMBER]})


pytestmark = pytest.mark.xdist_group("verified card")  # one card is read by most tests


@pytest.fixture(autouse=True, scope="module")
def _search_for_few_kinds() -> Iterator[None]:
    with searching_for("templated-captions", "captions-at-several-images", "personal-data"):
        yield


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("verified") / "store.duckdb"
    with Store.open(made, write=True) as store:
        ingest_rows(store, DOGS, "dogs", splits={"train": ["d0", "d1"], "test": ["d2", "d3"]})
        card(store, "dogs:test", settings=BLEU)  # kept: every other card of it is made in no time
    return made


@pytest.fixture(scope="module")
def dogs(path: Path) -> DatasetCard:
    with Store.open(path) as store:
        return card(store, "dogs:test", settings=BLEU)


def file_of(made: DatasetCard, name: str = "md", change: Callable[[str], str] = str) -> Path:
    file = Path(f"card.{name}")
    file.write_text(change(reports.document_text(made, name)), encoding="utf-8")
    return file


def verified(path: Path, file: Path) -> Result:
    with Store.open(path) as store:
        return verify(store, file)


@pytest.mark.parametrize("name", ["md", "croissant"])
def test_every_number_of_a_card_holds_with_the_settings_of_the_card(path: Path, dogs: DatasetCard, name: str) -> None:
    result = verified(path, file_of(dogs, name))
    assert result.holds
    assert result.frame["holds"].all()
    assert result.frame["number"].to_list() == [one.name for one in dogs.numbers]
    assert set(result.frame["split"]) == {"test"}
    assert (result.frame["published"] == result.frame["now"]).all()


def test_card_that_names_the_former_command_is_recognized(path: Path, dogs: DatasetCard) -> None:
    file = file_of(dogs, "md")
    text = file.read_text(encoding="utf-8")
    assert " --format card" in text
    former = text.replace("auditor report ", "auditor card ").replace(" --format card", "")
    file.write_text(former, encoding="utf-8")
    assert verified(path, file).holds


def test_every_digit_of_a_number_is_published(dogs: DatasetCard) -> None:
    for name in ("md", "croissant"):
        (read,) = published(file_of(dogs, name))
        assert read.numbers == dogs.numbers
        assert (
            read.settings == dogs.settings == {"metrics": ["bleu-1"], "tokenizer": "bare", "seed": 7, "references": 1}
        )


def test_number_that_was_changed_does_not_hold_and_is_named(path: Path, dogs: DatasetCard) -> None:
    numbers = tuple(replace(one, value=one.value + 1e-6) if one.name == "profile/asl" else one for one in dogs.numbers)
    result = verified(path, file_of(replace(dogs, numbers=numbers)))
    assert result.holds is False
    assert result.frame.filter(~result.frame["holds"])["number"].to_list() == ["profile/asl"]
    (found,) = result.findings
    assert found.severity == "error"
    assert found.sentence.endswith("1 do not: profile/asl")


@pytest.mark.parametrize(
    ("name", "holds", "why"),
    [
        ("findings/personal-data/captions", False, "not found"),
        ("splits/val/images", False, "missing"),
        ("bounds/bleu-1/brown", None, "cannot be computed here"),
    ],
)
def test_number_that_is_not_there_now_is_no_more_or_not_answerable(
    path: Path, dogs: DatasetCard, name: str, holds: bool | None, why: str
) -> None:
    more = replace(dogs.numbers[0], name=name)
    result = verified(path, file_of(replace(dogs, numbers=(*dogs.numbers, more))))
    row = result.frame.row(-1, named=True)
    assert (row["holds"], row["why"], row["now"]) == (holds, why, None)
    assert result.holds is (holds is None)


def test_number_made_in_another_way_is_not_answerable(path: Path, dogs: DatasetCard) -> None:
    numbers = tuple(replace(one, signature="bleu-1|v:0") for one in dogs.numbers if one.name == "bounds/bleu-1/human")
    result = verified(path, file_of(dogs, change=lambda _: replace(dogs, numbers=numbers).comment()))
    assert result.frame["holds"].to_list() == [None]
    assert "now computed differently: bleu-1|" in result.frame["why"][0]
    assert result.holds is False  # a card of which nothing holds is none to rely on


def test_signature_that_is_no_text_is_another_way(path: Path, dogs: DatasetCard) -> None:
    body = json.loads(reports.document_text(dogs, "croissant"))
    body["additionalProperty"][-1]["measurementTechnique"] = {"a": ["b"]}
    result = verified(path, file_of(dogs, change=lambda _: json.dumps(body)))
    assert "now computed differently" in result.frame["why"][-1]


def test_captions_are_known_by_their_hash_whatever_they_are_called(dogs: DatasetCard) -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, DOGS, "hounds", splits={"train": ["d0", "d1"], "test": ["d2", "d3"]})
        result = verify(store, file_of(dogs, "croissant"))
    assert result.holds
    assert set(result.frame["dataset"]) == {"hounds"}
    unsure = result.frame.filter(result.frame["holds"].is_null())
    assert unsure["number"].str.starts_with("bounds/").all()
    assert unsure["why"].str.contains("sampled by the name of the dataset").all()


def test_version_that_the_store_does_not_hold_is_not_answerable(store: Store, dogs: DatasetCard) -> None:
    ingest_rows(store, DOGS[:-1], "dogs")
    with pytest.raises(UsageError, match=r"cannot be verified: version .* of dogs is not in"):
        verify(store, file_of(dogs))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no card of auditor"),
        ("# A README\n\n| captions | 4 |\n", "no card of auditor"),
        ("{", "not a valid card of auditor"),
        ("{}", "'identifier' is missing"),
        (json.dumps(BODY | {"identifier": "dogs"}), "identifier must be"),
        (json.dumps(BODY | {"additionalProperty": []}), "it has no number"),
        (
            json.dumps(BODY | {"additionalProperty": [{"propertyID": "profile/asl", "value": "4"}]}),
            "is not a number: 4",
        ),
        (
            json.dumps(BODY | {"additionalProperty": [{"propertyID": "profile/asl", "value": 10**400}]}),
            "not a valid card",
        ),
        (
            json.dumps(BODY | {"additionalProperty": [{"propertyID": "settings/seed", "value": 10**30}]}),
            "not a valid setting",
        ),
        (
            json.dumps(BODY | {"additionalProperty": [{"propertyID": "settings/other", "value": 1}]}),
            "not a valid setting",
        ),
        pytest.param('{"a":' * 100_000, "not a valid card of auditor", id="deep"),
        ("<!-- auditor.card/v1\n[]\n-->", "not a valid card of auditor"),
        pytest.param("<!-- auditor.card/v1\n" * 60_000, "no card of auditor", id="long"),
        (with_setting("metrics", ["bleu-1"] * 51), "is not a valid setting"),
        (with_setting("metrics", ["bleu-1" * 100]), "is not a valid setting"),
        (with_setting("tokenizer", "python:evil"), "no such tokenizer"),
        (json.dumps(BODY | {"identifier": "dogs\ud800"}), "surrogates not allowed"),
        pytest.param(
            json.dumps(BODY | {"additionalProperty": BODY["additionalProperty"] * 10_001}),
            "more than 10,000 numbers",
            id="many",
        ),
    ],
)
def test_file_that_is_no_card_is_refused_with_the_reason(store: Store, text: str, words: str) -> None:
    Path("card.md").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=words):
        verify(store, Path("card.md"))


def test_file_that_cannot_be_read_is_refused(store: Store) -> None:
    Path("card.md").write_bytes(b"\xff\xfe")
    os.mkfifo("pipe.md")
    for name in ("card.md", "nowhere.md", ".", "pipe.md", "/dev/zero"):
        with pytest.raises(SourceError, match="cannot be read"):
            verify(store, Path(name))


def test_what_others_add_to_a_card_is_no_number_of_it(path: Path, dogs: DatasetCard) -> None:
    body = json.loads(reports.document_text(dogs, "croissant"))
    body["additionalProperty"] += [{"name": "downloads", "value": "many"}, {"propertyID": "doi", "value": 1}]
    file = Path("card.json")
    file.write_text(json.dumps(body), encoding="utf-8")
    assert verified(path, file).holds


def test_no_text_of_a_card_ends_its_comment(dogs: DatasetCard) -> None:
    odd = replace(dogs.numbers[0], description='--> <!-- -- " \\u002d ---->')
    made = replace(dogs, numbers=(odd,))
    text = made.comment()
    assert text.count("--") == 2
    assert text.count(">") == 1
    assert published(file_of(dogs, change=lambda _: text))[0].numbers == (odd,)


def test_readme_may_hold_several_cards(path: Path, dogs: DatasetCard) -> None:
    two = file_of(dogs, change=lambda text: f"{text}\n{text}")
    result = verified(path, two)
    assert result.frame.height == 2 * len(dogs.numbers)
    assert result.holds


def test_command_line_ends_with_1_where_a_number_does_not_hold(
    path: Path, dogs: DatasetCard, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["store", "verify", "--store", str(path)]
    app([*command, str(file_of(dogs))], standalone_mode=False)
    changed = file_of(dogs, "croissant", lambda text: text.replace('"value": 6', '"value": 7'))
    assert app([*command, str(changed)], standalone_mode=False) == 1
    assert "do not: profile/captions" in capsys.readouterr().out
