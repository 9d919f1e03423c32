"""METEOR equals a plain search for the alignment on a small world of words.

The small world is an installed `pycocoevalcap` made up here, so that these tests need no extra.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import re
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import plain_meteor
import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import MetricError, MissingExtraError, SourceError
from auditor.metrics import meteor
from auditor.metrics.meteor import resources, words
from auditor.metrics.meteor.resources import JAR, PARAPHRASES, SHA256
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.counting import count
from auditor.scoring.registry import References, request
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.score.study import score

SYSTEM = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})

WORLD = plain_meteor.World(
    paraphrases=sorted(
        [
            ("in front of", "before"),
            ("in front", "before"),
            ("before", "in front of"),
            ("the dog", "the hound"),
            ("the", "a"),
            ("a", "the"),
            ("man", "person"),
            ("men", "man"),
            ("man", "men"),
            ("dog", "hound"),
            ("dog in", "dog"),
            ("runs", "is running"),
            ("is running", "runs"),
        ],
        key=lambda pair: pair[0],
    ),
    synsets={
        "dog": {1, 2},
        "hound": {2},
        "dogs": {1, 2},
        "man": {3},
        "men": {3},
        "person": {4},
        "run": {5},
        "runs": {5},
    },
    stems={"dogs": "dog", "running": "run", "runs": "run"},
    function_words={"a", "the", "in", "of", "is"},
)
WORDS = "a a the dog dogs hound man men person run runs running is in front of before".split()
texts = st.lists(st.sampled_from(WORDS), max_size=14)
SMALL = {
    "function/english.words": "a\nthe\nin\nof\nis\n",
    "nonbreaking/english.prefixes": "# kept\nMr\nNo #NUMERIC_ONLY# \n",
    "synonym/english.synsets": "dog\n1 2\nhound\n2\nman\n3\nperson\n4\nrun\n5\n",
    "synonym/english.exceptions": "man\nmen\n",
}


def forget() -> None:
    """Let the next request read the resources anew."""
    resources.load.cache_clear()
    words._known.cache_clear()
    words._entries.cache_clear()


def install(folder: Path) -> Path:
    """Lay a pycocoevalcap of the small world out."""
    package = folder / "pycocoevalcap"
    (package / PARAPHRASES).parent.mkdir(parents=True)
    with zipfile.ZipFile(package / JAR, "w") as jar:
        for name, lines in SMALL.items():
            jar.writestr(name, lines)
    lines = "".join(f"0.1\n{source}\n{target}\n" for source, target in WORLD.paraphrases)
    (package / PARAPHRASES).write_bytes(gzip.compress(lines.encode()))
    return package


@pytest.fixture(scope="module")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("small-world")
    package = install(folder)
    sums = {file: hashlib.sha256((package / file).read_bytes()).hexdigest() for file in SHA256}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("AUDITOR_CACHE", str(folder / "cache"))
        patch.setattr(resources, "SHA256", sums)
        patch.delitem(sys.modules, "pycocoevalcap", raising=False)
        forget()
        yield folder
    forget()


def counted(store: Store, candidates: CandidateSet = HUMAN, norm: str = "norm") -> pl.DataFrame:
    asked = request(f"meteor:norm={norm}")
    return count(Captions(store, resolve(store, "set"), "bare"), [candidates], [asked.counting])[
        candidates.name, asked.counting
    ]


def of_pairs(pairs: list[tuple[str, list[str]]], norm: str = "norm") -> pl.DataFrame:
    """Count candidates against references of their own."""
    with Store.open(MEMORY) as store:
        references = [(f"{i:05}", slot, ref) for i, (_, refs) in enumerate(pairs) for slot, ref in enumerate(refs)]
        ingest_rows(store, references, kind="candidates")
        candidates = [(f"{i:05}", 0, text) for i, (text, _) in enumerate(pairs)]
        ingest_rows(store, candidates, "system", "candidates")
        return counted(store, SYSTEM, norm)


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=4, max_size=16))
@examples(5)
def test_alignment_is_that_of_the_plain_search(
    small_world: Path, items: list[tuple[list[str], list[list[str]]]]
) -> None:
    found = of_pairs([(" ".join(text), [" ".join(ref) for ref in refs]) for text, refs in items])
    expected = [plain_meteor.best(text, refs, WORLD) for text, refs in items]
    assert found["score"].to_list() == pytest.approx([value for value, _ in expected], abs=1e-12)
    assert [list(row) for row in found.select(meteor.STATISTICS).rows()] == [row for _, row in expected]


@given(st.lists(texts, min_size=2, max_size=5))
@examples(5)
def test_caption_is_put_against_the_others_of_its_image(small_world: Path, captions: list[list[str]]) -> None:
    with Store.open(MEMORY) as store:
        rows = [("a", slot, " ".join(text)) for slot, text in enumerate(captions)] + [("b", 0, "alone")]
        ingest_rows(store, rows, kind="candidates")
        found = counted(store)
    expected = [
        plain_meteor.best(text, captions[:slot] + captions[slot + 1 :], WORLD)[0] for slot, text in enumerate(captions)
    ]
    assert found["slot"].to_list() == list(range(len(captions)))
    assert found["score"].to_list() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("left", "right"), [(63, 64), (64, 65), (130, 128), (200, 199)])
def test_texts_beyond_sixty_four_words_are_aligned_as_shorter_ones(small_world: Path, left: int, right: int) -> None:
    ours = [WORDS[place * 7 % len(WORDS)] for place in range(left)]
    theirs = [WORDS[place * 5 % len(WORDS)] for place in range(right)]
    found = of_pairs([(" ".join(ours), [" ".join(theirs)])])
    value, row = plain_meteor.best(ours, [theirs], WORLD)
    assert found["score"].item() == pytest.approx(value, abs=1e-12)
    assert list(found.select(meteor.STATISTICS).row(0)) == row


def test_words_are_equal_where_java_hashes_them_alike(small_world: Path) -> None:
    assert of_pairs([("or", ["q4"]), ("or", ["q5"])])["score"].to_list() == [1.0, 0.0]


def test_first_of_equal_references_gives_the_statistics(small_world: Path) -> None:
    assert of_pairs([("x", ["y y y", "z"])])["reference_length"].to_list() == [3]


def test_number_of_buckets_changes_no_score(small_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"{i}", slot, " ".join(WORDS[i + slot : i + 9])) for i in range(9) for slot in range(3)]
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows)
        whole = counted(store)
        monkeypatch.setattr("auditor.store.ngrams._CAPTIONS_AT_ONCE", 6)
        with Store.open(MEMORY) as other:
            ingest_rows(other, rows)
            assert counted(other).equals(whole)


def test_text_longer_than_the_search_holds_is_refused(small_world: Path) -> None:
    found = of_pairs([("a " * 5000, ["a"]), ("a", ["a"])])
    assert found["image"].to_list() == ["00001"]


def test_text_that_its_normalizer_makes_longer_than_the_search_holds_is_refused(small_world: Path) -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("p", 0, "a,b " * 3000), ("p", 1, "a")])
        with pytest.raises(
            MetricError, match=r"1 caption has more than 4,095 words after METEOR's normalizer.*: p#0 \(9,000\);"
        ):
            score(store, "set", metrics=["meteor"], tokenizer="whitespace")


def test_captions_that_repeat_their_words_too_often_are_refused_by_name(small_world: Path) -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("p", 0, "dog " * 2100), ("p", 1, "dog " * 2100)])
        with pytest.raises(
            MetricError, match=r"meteor: 2 captions repeat their words too often to be aligned: p#0, p#1;"
        ):
            score(store, "set", metrics=["meteor"])
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("p", 0, "dog " * 300), ("p", 1, "dog " * 300)])
        assert score(store, "set", metrics=["meteor"]).frame["value"].to_list() != []


def test_cache_that_was_damaged_is_made_again(small_world: Path) -> None:
    before = of_pairs([("the dog", ["a hound"])])
    (table,) = (small_world / "cache").glob("*/phrase.arrow")
    table.write_bytes(b"cut short")
    forget()
    assert of_pairs([("the dog", ["a hound"])]).equals(before)
    assert table.stat().st_size > 100


def test_cache_that_was_changed_is_made_again(small_world: Path) -> None:
    """A table that can be read and says something else would give other numbers under the same signature."""
    before = of_pairs([("the dog", ["a hound"])])
    (table,) = (small_world / "cache").glob("*/synset.arrow")
    frame = pl.read_ipc(table.read_bytes())
    frame.clear().write_ipc(table)
    forget()
    assert of_pairs([("the dog", ["a hound"])]).equals(before)
    assert pl.read_ipc(table).height == 5


def test_signature_names_the_release_and_the_word_lists(small_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request("meteor")
    before, counting = str(asked.signature("bare", References())), asked.counting
    assert re.fullmatch(
        r"meteor\|tok:bare\|refs:loo\|norm:norm\|as:neither\|release:1\.5\|lists:[0-9a-f]{12}\|v:1", before
    )
    for file in SHA256:
        monkeypatch.setattr(resources, "SHA256", resources.SHA256 | {file: "0" * 64})
        assert str(asked.signature("bare", References())) != before
        assert asked.counting != counting
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("asked", "profile", "program"),
    [
        ("meteor", "whitespace", "jar"),
        ("meteor:norm=nopunct", "whitespace", "jar"),
        ("meteor", "ptb", "pycocoevalcap"),
        ("meteor:norm=none", "ptb", "neither"),
        ("meteor", "bare", "neither"),
        ("meteor", "spacy", "neither"),
    ],
)
def test_signature_says_whose_number_it_is(small_world: Path, asked: str, profile: str, program: str) -> None:
    assert request(asked).signature(profile, References()).parameters["as"] == program


def test_files_of_another_version_are_refused(small_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "SHA256", {JAR: "0" * 64, PARAPHRASES: "0" * 64})
    forget()
    with pytest.raises(SourceError, match=r"meteor-1.5.jar: not the file of METEOR 1.5"):
        resources.load()
    forget()


def test_without_pycocoevalcap_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[meteor\]'"):
        request("meteor")


@pytest.mark.parametrize(("word", "number"), [("dog", 99644), ("café", 3045921), ("日本", 835047), ("", 0)])
def test_words_have_the_numbers_of_java(word: str, number: int) -> None:
    """`String.hashCode`, in the jar's own order of words."""
    assert words._java_hash(word) == number


@pytest.mark.parametrize("most", [1 << 18, 4])
def test_words_that_earlier_texts_and_other_threads_look_up_change_no_score(
    small_world: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    sets = [
        [("the dogs run", ["a hound is running", "men run"]), ("Mr. dog.", ["mr dog . a", "dog"])],
        [("a person in front of the man", ["a man before the men", ""])],
        [("hounds", ["dog.", "No. 2 dogs"]), ("", ["a dog"])],
    ]
    alone = []
    for pairs in sets:
        words._known.cache_clear()
        alone.append(of_pairs(pairs))
    words._known.cache_clear()
    monkeypatch.setattr(words, "_MOST_KNOWN", most)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(of_pairs, sets * 4))
    assert all(scores.equals(alone[at % len(sets)]) for at, scores in enumerate(together))
