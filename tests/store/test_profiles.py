"""Tokens of other tokenizers than the ingest's: made when asked for, kept on closing, equal to those of the text."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples, some
from test_connection import held
from test_faults import Nursery

from auditor import text
from auditor.errors import MissingExtraError
from auditor.store import ngrams, tokens, verification, versions
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.studies.bounds.study import bounds
from auditor.studies.compare.study import compare
from auditor.studies.diff import diff
from auditor.studies.profile import profile
from auditor.studies.score.study import score
from auditor.studies.upkeep.store import verify
from auditor.text import by_rules

ROWS = [
    ("a", 0, "A dog runs."),
    ("a", 1, "a dog runs"),
    ("a", 2, "The café dog runs, runs!"),
    ("a", 3, "a dog runs"),
    ("b", 0, "one caption only"),
    ("c", 0, "..."),
    ("c", 1, "日本 naïve man's"),
]

#: Some that SQL counts, some that kernels count.
METRICS = ["bleu-4", "cider", "rouge-l", "ter"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS, splits={"train": ["a"], "test": ["b", "c"]})
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What profile `whitespace` is asked to tokenize."""
    texts: list[str] = []

    def tokenize(captions: pl.Series) -> pl.Series:
        texts.extend(captions)
        return by_rules.whitespace(captions)

    monkeypatch.setattr(text, "PROFILES", MappingProxyType({**text.PROFILES, "whitespace": tokenize}))
    return texts


def stored(path: Path, tokenizer: str) -> dict[str, list[str]]:
    """What a store, which must be sound, holds under a profile: text → tokens."""
    with Store.open(path) as store:
        assert verify(store).holds
        batches = [batch for batch, _, _ in verification.stored_tokens(store, tokenizer)]
    return dict(pl.concat(batches).select("text", "tokens").iter_rows())


def profiles_of(path: Path) -> list[tuple[str, ...]]:
    with Store.open(path) as store:
        return [version.tokenizers for version in versions.log(store)]


def test_tokens_are_made_once_and_kept(path: Path, asked: list[str]) -> None:
    with Store.open(path) as store:
        first = bounds(store, "set", metrics=METRICS, tokenizer="whitespace", candidates=["human", "intra"]).frame
        assert sorted(asked) == sorted({caption for _, _, caption in ROWS})
        assert (
            bounds(
                store, "set", metrics=METRICS, tokenizer="whitespace", candidates=["human", "intra"], seed=2
            ).frame.height
            == first.height
        )
    assert len(asked) == len({caption for _, _, caption in ROWS})
    assert profiles_of(path) == [("bare", "whitespace")]
    asked.clear()
    with Store.open(path) as store:
        assert bounds(
            store, "set", metrics=METRICS, tokenizer="whitespace", candidates=["human", "intra"]
        ).frame.equals(first)
        assert profile(store, "set", tokenizer="whitespace").frame.height
    assert asked == []
    assert stored(path, "whitespace") == {caption: caption.split() for _, _, caption in ROWS}


def test_store_that_is_open_for_writing_keeps_tokens_at_once(store: Store, asked: list[str]) -> None:
    ingest_rows(store, ROWS)
    first = score(store, "set", metrics=["bleu-4", "cider"], tokenizer="whitespace").frame
    assert versions.log(store)[0].tokenizers == ("bare", "whitespace")
    asked.clear()
    assert score(store, "set", metrics=["bleu-4", "cider"], tokenizer="whitespace").frame.equals(first)
    assert asked == []


def test_only_the_texts_at_work_are_tokenized(path: Path, asked: list[str]) -> None:
    with Store.open(path) as store:
        score(store, "set:train", metrics=["bleu-1"], tokenizer="whitespace")
    assert sorted(asked) == ["A dog runs.", "The café dog runs, runs!", "a dog runs"]
    assert profiles_of(path) == [("bare",)]
    with Store.open(path) as store:
        bounds(store, "set", metrics=["cider"], tokenizer="whitespace", candidates=["human", "intra"])
    assert len(asked) == len(set(asked)) == 6
    assert profiles_of(path) == [("bare", "whitespace")]


def test_new_version_has_the_profiles_under_which_all_its_texts_have_tokens(path: Path) -> None:
    with Store.open(path) as store:
        profile(store, "set", tokenizer="whitespace")
    with Store.open(path, write=True) as store:
        ingest_rows(store, [*ROWS, ("d", 0, "another text")])
        assert versions.log(store)[0].tokenizers == ("bare",)
        ingest_rows(store, ROWS[:3])
    assert profiles_of(path) == [("bare", "whitespace"), ("bare",), ("bare", "whitespace")]
    with Store.open(path) as store:
        profile(store, "set@v2", tokenizer="whitespace")
    assert profiles_of(path) == [("bare", "whitespace")] * 3
    stored(path, "whitespace")


def test_held_store_keeps_nothing_and_gives_the_same_numbers(path: Path, asked: list[str]) -> None:
    with held(path, reading=True), Store.open(path) as store:
        first = bounds(store, "set", metrics=METRICS, tokenizer="whitespace", candidates=["human", "intra"]).frame
        store.close()
    assert profiles_of(path) == [("bare",)]
    asked.clear()
    with Store.open(path) as store:
        assert bounds(
            store, "set", metrics=METRICS, tokenizer="whitespace", candidates=["human", "intra"]
        ).frame.equals(first)
    assert asked
    assert profiles_of(path) == [("bare", "whitespace")]


def test_words_are_numbered_anew_where_others_took_their_numbers(path: Path) -> None:
    with Store.open(path) as store:
        profile(store, "set", tokenizer="whitespace")
        store.on_close.insert(0, _take_numbers)
    assert stored(path, "whitespace") == {caption: caption.split() for _, _, caption in ROWS}


def _take_numbers(writer: Store) -> None:
    """Tokenize one text, and give words numbers, as a command that was faster would have."""
    writer.execute("insert into vocabulary select max(token_id) + 1, 'A' from vocabulary")
    writer.execute("insert into vocabulary select max(token_id) + 1, 'zebra' from vocabulary")
    (number,) = writer.query("select caption_id from caption where text = '...'")["caption_id"]
    tokens.Encoder(writer, "whitespace").add(
        pl.DataFrame({"caption_id": pl.Series([number], dtype=pl.UInt32), "tokens": [["..."]]})
    )


def test_tokens_are_not_written_to_a_store_that_took_the_place_of_theirs(path: Path) -> None:
    another = path.with_name("another.duckdb")
    with Store.open(another, write=True) as store:
        ingest_rows(store, [(image, slot, caption[::-1]) for image, slot, caption in reversed(ROWS)])
    with Store.open(path) as store:
        bounds(store, "set", metrics=["cider"], tokenizer="whitespace", candidates=["human", "intra"])
        another.replace(path)
    assert profiles_of(path) == [("bare",)]
    assert stored(path, "bare")
    with Store.open(path) as store:
        assert store.query("from cache.ngram_frequency").is_empty()


def test_frequencies_of_a_profile_are_kept_in_its_own_words(path: Path) -> None:
    with Store.open(path) as store:
        bounds(store, "set", metrics=["cider"], tokenizer="whitespace", candidates=["human", "intra"])
        assert not ngrams.is_kept(Captions(store, versions.resolve(store, "set"), "whitespace"))
    with Store.open(path) as store:
        assert ngrams.is_kept(Captions(store, versions.resolve(store, "set"), "whitespace"))
        frequencies = dict(
            ask(
                store, "select gram, occurrences from ngram_frequency('set', tokenizer := 'whitespace') where n = 1", {}
            ).iter_rows()
        )
    words = [word for _, _, caption in ROWS for word in caption.split()]
    assert frequencies == {word: words.count(word) for word in words}


def test_systems_output_is_tokenized_too(path: Path) -> None:
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "A cat, naïve"), ("c", 0, "日本 ...")], "system", "candidates")
    with Store.open(path) as store:
        scored = score(store, "set", metrics=["rouge-1:ascii=false"], candidates="system", tokenizer="whitespace").frame
        assert scored["value"].to_list() == pytest.approx([1 / 13, 1 / 2])
    assert {"A cat, naïve", "日本 ..."} < set(stored(path, "whitespace"))


@examples(4)
@given(st.lists(st.lists(st.text("aB.,é'日- ", max_size=12), min_size=1, max_size=3), min_size=1, max_size=12))
def test_scores_are_those_of_the_tokens(images: list[list[str]]) -> None:
    """Under any profile as under whitespace, where the captions are the profile's tokens joined by blanks."""
    rows = [(f"i{i}", slot, caption) for i, captions in enumerate(images) for slot, caption in enumerate(captions)]
    rows += [("two", slot, "a dog, a dog") for slot in (0, 1)]
    spelled = by_rules.bare(pl.Series([caption for _, _, caption in rows])).list.join(" ")
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, "set", "candidates")
        joined = [(image, slot, caption) for (image, slot, _), caption in zip(rows, spelled, strict=True)]
        ingest_rows(store, joined, "joined", "candidates")
        metrics = ["bleu-4", "cider", "cider-d", "rouge-1:ascii=false"]
        under_bare = score(store, "set", metrics=metrics, tokenizer="bare").frame
        under_whitespace = score(store, "joined", metrics=metrics, tokenizer="whitespace").frame
    columns = ["image", "slot", "metric", "value"]
    assert under_bare.select(columns).equals(under_whitespace.select(columns))


def test_batches_change_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "TEXTS_AT_ONCE", 2)
    told: list[tuple[str, int, int]] = []
    with Store.open(path) as store:
        profile(
            store, "set", tokenizer="whitespace", progress=lambda what, done, total: told.append((what, done, total))
        )
    assert told == [*(("set: tokenizing for whitespace", done, 6) for done in (0, 2, 4)), ("set", 0, 1)]
    assert stored(path, "whitespace") == {caption: caption.split() for _, _, caption in ROWS}


def test_every_command_that_reads_tokens_takes_any_profile(path: Path) -> None:
    with Store.open(path, write=True) as store:
        ingest_rows(store, [(image, slot, caption.upper()) for image, slot, caption in ROWS], dataset="upper")
    for study in (
        lambda store: profile(store, "set", tokenizer="whitespace"),
        lambda store: bounds(store, "set", metrics=["bleu-1"], tokenizer="whitespace", candidates=["human", "intra"]),
        lambda store: compare(store, "set", "upper", metrics=["bleu-1"], tokenizer="whitespace"),
        lambda store: score(store, "set", metrics=["bleu-1"], tokenizer="whitespace"),
        lambda store: diff(store, "set", "upper", depth="vocabulary", tokenizer="whitespace"),
        lambda store: diff(store, "set", "upper", depth="lengths", tokenizer="whitespace"),
        lambda store: diff(store, "set", "upper", depth="text", tokenizer="whitespace", as_tokens=True),
    ):
        with held(path, reading=True), Store.open(path) as store:  # so that each begins without tokens
            assert study(store).frame.height
            store.close()
    assert profiles_of(path) == [("bare",), ("bare",)]


def test_tokens_compare_as_the_profile_sees_them(path: Path) -> None:
    with Store.open(path, write=True) as store:
        ingest_rows(store, [(image, slot, f"  {caption.upper()}\n") for image, slot, caption in ROWS], dataset="upper")
        ingest_rows(store, [(image, slot, f"  {caption}\n") for image, slot, caption in ROWS], dataset="blanks")
        ingest_rows(store, ROWS, dataset="as they stand")
        assert diff(store, "as they stand", "upper", depth="totals", as_tokens=True).holds
        assert not diff(store, "as they stand", "upper", tokenizer="whitespace", depth="totals", as_tokens=True).holds
        assert diff(store, "as they stand", "blanks", tokenizer="whitespace", depth="totals", as_tokens=True).holds


def test_verify_compares_the_tokens_of_every_profile_with_their_texts(path: Path) -> None:
    with Store.open(path, write=True) as store:
        profile(store, "set", tokenizer="whitespace")
        result = verify(store)
        sound = result.holds
        assert sound
        rows = {row["subject"]: row for row in result.frame.iter_rows(named=True)}
        assert rows["caption_tokens, whitespace"]["checked"] == 6
        store.execute(
            "update caption_tokens set tokens = tokens[2:] where tokenizer = 'whitespace' and len(tokens) > 3"
        )
        result = verify(store)
        sound = result.holds
        assert not sound
        rows = {row["subject"]: row for row in result.frame.iter_rows(named=True)}
        assert rows["caption_tokens, whitespace"]["faults"] == 1
        assert rows["caption_tokens, whitespace"]["state"] == "DAMAGED"


def test_verify_finds_tokens_that_the_log_names_and_that_are_not_there(path: Path) -> None:
    with Store.open(path, write=True) as store:
        profile(store, "set", tokenizer="whitespace")
        store.execute("delete from caption_tokens where tokenizer = 'whitespace' and len(tokens) > 3")
        result = verify(store)
        sound = result.holds
    assert not sound
    (row,) = result.frame.filter(pl.col("check") == "every caption has the tokens that the log names").to_dicts()
    assert (row["checked"], row["faults"], row["state"]) == (1, 1, "DAMAGED")


def test_verify_says_which_profiles_it_cannot_check(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: pl.Series) -> pl.Series:
        raise MissingExtraError("not installed")

    with Store.open(path, write=True) as store:
        profile(store, "set", tokenizer="whitespace")
        monkeypatch.setattr(text, "PROFILES", MappingProxyType({"bare": by_rules.bare, "whitespace": missing}))
        result = verify(store)
        sound = result.holds
        assert sound
        assert result.sentences == ("tokens of tokenizer whitespace were not compared with their texts: not installed",)


def test_other_tokens_of_another_program_are_told_and_are_no_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(path, write=True) as store:
        profile(store, "set", tokenizer="whitespace")
        monkeypatch.setattr(text, "PROFILES", MappingProxyType({"bare": by_rules.bare, "whitespace": by_rules.bare}))
        monkeypatch.setattr("auditor.studies.upkeep.store.BY_OTHERS", {"whitespace": "some program"})
        result = verify(store)
        sound = result.holds
    assert sound
    assert result.sentences == ("tokens of tokenizer whitespace were made by another version of some program",)
    rows = {row["subject"]: row for row in result.frame.iter_rows(named=True)}
    assert rows["caption_tokens, whitespace"]["state"] == "differs"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_command_leaves_all_tokens_or_none(path: Path, tmp_path: Path) -> None:
    images = 700
    with Store.open(path, write=True) as store:
        ingest_rows(
            store, [(f"i{i}", slot, f"Word-{i} is, {slot}!") for i in range(images) for slot in range(3)], "big"
        )
    command = ["score", "big", "-m", "bleu-1", "--tokenizer", "whitespace"]
    whole = path.read_bytes()
    killed = 0
    with closing(Nursery(tmp_path)) as nursery:
        nursery.run(path, command)
        for _ in some(range(5), 3):
            path.write_bytes(whole)
            killed += nursery.kill(path, command)
            held_tokens = stored(path, "whitespace") if ("bare", "whitespace") in profiles_of(path) else {}
            assert len(held_tokens) in (0, 3 * images)
            with Store.open(path) as store:
                assert verify(store).holds
    assert killed
