"""Global diversity: equal to plain loops, whatever the captions; absent with a reason, never 0, where it cannot be."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import plain_diversity as plain
import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import UsageError
from auditor.result import Result
from auditor.statistics.diversity import RESAMPLES, STATISTICS
from auditor.statistics.studentized import Measured, estimates
from auditor.store.connection import MEMORY, Store
from auditor.studies.diversity.settings import DiversitySettings
from auditor.studies.diversity.study import diversity as usual_diversity
from auditor.studies.words import omitted_words

#: Everything that there is to measure, where a test names nothing else.
diversity = partial(usual_diversity, statistics=["all"])

WORDS = ("a", "dog", "runs", "Dog", "café", "日本", "sky", "at", "on")
TEXT = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
TEXTS = st.lists(TEXT, min_size=1, max_size=25)


def _rows(texts: list[str], slots: int = 1) -> list[tuple[str, int, str]]:
    return [(f"i{place // slots:04}", place % slots, text) for place, text in enumerate(texts)]


def _values(result: Result, dataset: str = "set", column: str = "value") -> dict[str, float | None]:
    rows = result.frame.filter((pl.col("dataset") == dataset) & pl.col("position").is_null())
    return dict(rows.select("statistic", column).iter_rows())


@examples(6)
@given(TEXTS, TEXTS, TEXTS)
def test_every_statistic_without_an_order_is_that_of_the_plain_loops(texts, training, people) -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, _rows(texts), kind="candidates")
        ingest_rows(store, _rows(training, 3), "train", kind="candidates")
        ingest_rows(store, _rows(people, 2), "people", kind="candidates")
        values = _values(
            diversity(store, "set", settings=DiversitySettings("bare", draws=2), against="train", evaluation="people")
        )
        whole = _values(
            diversity(
                store,
                "set",
                settings=DiversitySettings("bare", draws=2, all_images=True),
                against="train",
                evaluation="people",
            )
        )
    said, learnt, seen = ([text.lower().split() for text in some] for some in (texts, training, people))
    wanted = plain.without_order(said)
    some, known = [words for words in said if words], [words for words in learnt if words]
    wanted["unique"] = len({tuple(words) for words in some}) / len(some) if some else None
    wanted["novel"] = sum(words not in known for words in some) / len(some) if some else None
    wanted["novel-types"] = len(set(plain.stream(said)) - set(plain.stream(learnt)))
    both = min(len(said), -(-len(seen) // 2))  # one caption an image by the system, two by people
    shared = plain.stream(seen[: 2 * both])
    if shared:
        wanted |= plain.coverage(plain.stream(said[:both]), set(plain.stream(learnt)), shared)
    if plain.stream(seen):
        any_image = plain.coverage(plain.stream(said), set(plain.stream(learnt)), plain.stream(seen))
        assert {name: whole[name] for name in any_image} == pytest.approx(any_image, abs=1e-9)
    for statistic, value in wanted.items():
        assert values[statistic] == pytest.approx(value, abs=1e-9), statistic


def test_novelty_as_written_reads_letters_and_blanks(store: Store) -> None:
    training = ["A dog runs.", "two cats sit", "a plate"]
    texts = ["a dog runs", "a dog runs. ", "Two cats sit!", "a plate . ", "", "a bird"]
    ingest_rows(store, _rows(texts), kind="candidates")
    ingest_rows(store, _rows(training, 3), "train")
    published = diversity(
        store, "set", settings=DiversitySettings("whitespace", as_written=True, full_lists=True), against="train"
    )
    assert _values(published)["novel"] == pytest.approx(plain.novel(texts, training))
    assert _values(published)["novel"] == pytest.approx(4 / 6)
    assert _values(diversity(store, "set", settings=None, against="train"))["novel"] == pytest.approx(1 / 5)


def test_too_few_tokens_leave_a_statistic_out_with_the_reason(store: Store) -> None:
    ingest_rows(store, _rows(["a dog runs", "a cat"]))
    result = diversity(store, "set")
    reasons = _values(result, column="reason")
    assert _values(result)["ttr-1"] is None
    assert reasons["ttr-1"] == "fewer tokens than a segment of 1,000"
    assert reasons["ttr-3"] == "fewer tokens than a segment of 1,000"
    assert reasons["hd-d"] == "fewer than 42 tokens"
    assert any("no ttr-1, ttr-2, ttr-3: fewer tokens than" in note for note in result.sentences), "a reason once"
    assert result.frame.filter(pl.col("value").is_null() & pl.col("reason").is_null()).is_empty()


def test_captions_without_a_word_are_no_crash_and_no_zero(store: Store) -> None:
    ingest_rows(store, _rows(["", ""]), kind="candidates")
    ingest_rows(store, _rows(["a dog"]), "train")
    values = _values(diversity(store, "set", against="train", evaluation="train"))
    assert values["tokens"] == values["types"] == values["asl"] == values["recalled"] == 0
    absent = {"distinct-1", "entropy", "yule-k", "zipf-slope", "hd-d", "unique", "novel", "ttr-1", "compression-ratio"}
    assert all(values[name] is None for name in absent)


def test_training_data_without_a_word_in_common_leaves_nothing_to_cover(store: Store) -> None:
    ingest_rows(store, _rows(["a dog runs", "a dog"]))
    ingest_rows(store, _rows(["zwei Katzen"]), "train")
    result = diversity(store, "set", settings=None, against="train", evaluation="set")
    values = _values(result)
    assert (values["novel"], values["learnable"], values["limit"], values["coverage"]) == (1, 0, 0, None)
    assert _values(result, column="reason")["coverage"] == "no evaluation word is in the training data"


def test_coverage_is_of_the_images_in_both(store: Store) -> None:
    """Of two images that share nothing but their dataset, the words of one are no recall of the other's."""
    ingest_rows(store, _rows(["a dog", "red sky", "a cat"]), "people")
    ingest_rows(store, [("i0000", 0, "a"), ("i0001", 0, "sea"), ("x", 0, "dog red sky")], kind="candidates")
    ingest_rows(store, _rows(["a dog and a cat under a red sky by the sea"]), "train")
    shared = diversity(store, "set", settings=None, against="train", evaluation="people")
    assert {name: _values(shared)[name] for name in ("learnable", "recalled", "coverage", "limit")} == {
        "learnable": 4, "recalled": 1, "coverage": 1 / 4, "limit": 1,
    }  # fmt: skip
    assert shared.signatures["coverage"].startswith("coverage|")
    assert "|images:shared|v:2" in shared.signatures["coverage"]
    whole = diversity(store, "set", settings=DiversitySettings(all_images=True), against="train", evaluation="people")
    assert {name: _values(whole)[name] for name in ("learnable", "recalled", "coverage")} == {
        "learnable": 5, "recalled": 4, "coverage": 4 / 5,
    }  # fmt: skip
    assert "|images:all|v:2" in whole.signatures["coverage"]


def test_datasets_without_a_common_image_have_no_coverage_and_say_so(store: Store) -> None:
    ingest_rows(store, _rows(["a dog"]), "people")
    ingest_rows(store, [("x", 0, "a dog")])
    result = diversity(store, "set", settings=None, against="people", evaluation="people")
    assert _values(result)["coverage"] is None
    assert "--all-images" in str(_values(result, column="reason")["coverage"])
    assert (
        _values(
            diversity(store, "set", settings=DiversitySettings(all_images=True), against="people", evaluation="people")
        )["coverage"]
        == 1
    )


def test_images_that_a_system_lacks_are_counted(store: Store) -> None:
    ingest_rows(store, _rows(["a dog", "a cat", "a bird"]), "people")
    ingest_rows(store, _rows(["a dog"]), kind="candidates")
    result = diversity(store, "set", settings=None, against="people", evaluation="people")
    assert any(note.startswith("2 of 3 images of people have no caption in set") for note in result.sentences)


def test_parallel_lists_are_measured_alone_and_averaged(store: Store) -> None:
    texts = ["a dog runs far away", "a dog", "a cat sits on a mat", "a bird"]
    ingest_rows(store, _rows(texts, 2))
    asked = (DiversitySettings(lists=lists) for lists in ("mean", "all"))
    mean, together = (diversity(store, "set", settings=one) for one in asked)
    lists = [[text.split() for text in texts[slot::2]] for slot in (0, 1)]
    for statistic in ("asl", "types", "entropy", "self-repetition"):
        each = [plain.without_order(one)[statistic] for one in lists]
        row = mean.frame.filter(pl.col("statistic") == statistic).row(0, named=True)
        assert row["value"] == pytest.approx(sum(each) / 2)
        assert (row["low"], row["high"]) == (pytest.approx(min(each)), pytest.approx(max(each)))
        assert (row["spread"], row["lists"]) == ("lists", 2)
    assert _values(together)["types"] == len(set(plain.stream([text.split() for text in texts])))


def test_the_deviation_of_lengths_has_an_interval_over_images(store: Store) -> None:
    """Whole images are drawn: the interval is that of the deviations without each image, lists averaged."""
    texts = ["a b c", "a", "a b", "a b c d e f", "a b c d", "a b", "a b c d e", "a", "a b", "a", "a b c d", "a b c",
             "a b c d e f g", "a b", "a", "a b c d e"]  # fmt: skip
    ingest_rows(store, _rows(texts, 2))
    result = diversity(store, "set", settings=DiversitySettings(seed=3))
    row = result.frame.filter(statistic="sdsl").row(0, named=True)
    lists = [[text.split() for text in texts[slot::2]] for slot in (0, 1)]
    key = (3, row["version"], None)
    without = [sum(plain.sdsl(one[:image] + one[image + 1 :]) for one in lists) / 2 for image in range(8)]
    (expected,) = estimates([Measured(row["value"], np.array(without), (0.0, np.inf))], RESAMPLES, key)
    assert (row["low"], row["high"]) == pytest.approx(expected.interval(0.95))
    assert row["low"] <= row["value"] <= row["high"]
    assert (row["spread"], row["seed"]) == ("images", 3)
    assert "|ci:95%-bootstrap-t-1000|seed:3" in row["signature"]
    assert any(table.title.startswith("sdsl, with an interval") for table in result.tables)


def test_one_image_has_no_interval(store: Store) -> None:
    ingest_rows(store, [("i", 0, "a dog"), ("i", 1, "a")])
    row = diversity(store, "set").frame.filter(statistic="sdsl").row(0, named=True)
    assert (row["low"], row["high"], row["spread"]) == (None, None, None)


def test_a_curve_ends_where_the_shortest_list_does(store: Store) -> None:
    ingest_rows(store, _rows(["a b c d e f", "a b c"] * 2, 2))
    curve = diversity(store, "set", settings=DiversitySettings(curve=10, draws=3)).frame.drop_nulls("position")
    assert curve["position"].to_list() == [1, 2, 3, 4, 5, 6]
    assert curve.filter(pl.col("position") == 6).select("value", "low", "high").row(0) == (4.5, 4.5, 4.5)


def test_slots_that_are_sorted_by_length_are_no_annotators(store: Store) -> None:
    ingest_rows(store, _rows(["a b c d", "a b c", "a b"] * 20, 3), "sorted")
    ingest_rows(store, _rows(["a b c", "a b c d", "a b"] * 20, 3), "mixed")
    notes = diversity(store, "sorted", "mixed").sentences
    assert [note.partition(":")[0] for note in notes if "sorted by length" in note] == ["sorted"]


def test_a_list_that_few_images_have_is_left_out_and_said(store: Store) -> None:
    rows = [(f"i{image}", slot, "a dog") for image in range(20) for slot in range(3 if image < 19 else 1)]
    rows.append(("i0", 3, "a fourth one"))
    ingest_rows(store, rows)
    for published, lists, said in ((False, 3, "90% of the images have"), (True, 1, "every image has")):
        result = diversity(
            store, "set", settings=DiversitySettings("whitespace", as_written=published, full_lists=published)
        )
        assert result.frame["lists"].drop_nulls().unique().to_list() == [lists]
        assert any(
            f"measured {lists} of 4 parallel lists, in which {said} a caption" in note for note in result.sentences
        )


def test_orders_are_drawn_by_the_seed_and_nothing_else(store: Store) -> None:
    texts = [f"w{place % 13} w{place % 7} w{place % 5}" for place in range(60)]
    drawn = DiversitySettings(segment=20, draws=4)
    ingest_rows(store, _rows(texts))
    once = diversity(store, "set", settings=drawn).frame
    ingest_rows(store, _rows([f"w{place} other words" for place in range(90)]), "unrelated")
    assert diversity(store, "set", settings=drawn).frame.equals(once)
    store.execute("set threads to 1")
    assert diversity(store, "set", settings=drawn).frame.equals(once)
    with Store.open(MEMORY) as other:
        ingest_rows(other, _rows([f"w{place}" for place in range(20)][::-1]), "earlier")
        ingest_rows(other, _rows(texts)[::-1])
        assert diversity(other, "set", settings=drawn).frame.equals(once)
    row = once.filter(pl.col("statistic") == "ttr-1").row(0, named=True)
    assert row["low"] <= row["value"] <= row["high"]
    assert row["spread"] == "draws"


def test_a_word_list_teaches_words_but_has_no_captions(store: Store) -> None:
    ingest_rows(store, [(word, 0, word) for word in ("a", "dog")], "words", kind="wordlist")
    ingest_rows(store, _rows(["a dog runs"]))
    result = diversity(store, "set", settings=None, against="words", evaluation="set")
    assert _values(result)["limit"] == pytest.approx(2 / 3)
    assert _values(result, column="reason")["novel"] == "words is a word list: it has no captions"


def test_every_statistic_has_a_card_and_a_signature(store: Store) -> None:
    ingest_rows(store, _rows([f"w{place}" for place in range(30)]))
    frame = diversity(store, "set", settings=DiversitySettings(segment=5), against="set", evaluation="set").frame
    assert {*STATISTICS} - {"curve"} == {*frame["statistic"]} - {"curve"}
    assert all(signature.startswith(name) for name, signature in frame.select("statistic", "signature").iter_rows())


def test_omitted_words_are_learnable_ones_that_nobody_says(store: Store) -> None:
    ingest_rows(store, _rows(["a dog runs . .", "a dog , sits", "the cat ,", "the dog"]), "train")
    ingest_rows(store, _rows(["a dog runs , , .", "the cat", "the cat runs", "a bird"]), "people")
    ingest_rows(store, _rows(["a dog"] * 4), "one", kind="candidates")
    ingest_rows(store, _rows(["a cat"] * 4), "other", kind="candidates")
    found = omitted_words(
        store, "one", "other", number=2, tokenizer="whitespace", against="train", evaluation="people"
    ).frame
    ranked = found.select("dataset", "word", "trained", "evaluated", "rank", "evaluated_rank").sort("dataset", "rank")
    assert ranked.rows() == [
        (None, "the", 2, 2, 1, 2),
        (None, "runs", 1, 2, 2, 1),
        ("one", "the", 2, 2, 1, 3),
        ("one", "cat", 1, 2, 2, 1),
        ("one", "runs", 1, 2, 3, 2),
        ("other", "dog", 3, 1, 1, 3),
        ("other", "the", 2, 2, 2, 2),
        ("other", "runs", 1, 2, 3, 1),
    ]


def test_omitted_words_are_of_the_images_that_system_and_people_describe(store: Store) -> None:
    train = [("t", slot, text) for slot, text in enumerate(["a dog runs", "the cat", "the dog sits"])]
    ingest_rows(store, train, "train")
    ingest_rows(store, [("a", 0, "the dog runs"), ("a", 1, "dog dog"), ("b", 0, "the cat sits")], "people")
    ingest_rows(store, [("a", 0, "a bird"), ("z", 0, "the dog")], "system", kind="candidates")
    found = omitted_words(store, "system", number=9, tokenizer="whitespace", against="train", evaluation="people")
    assert found.frame.select("word", "evaluated").sort("word").rows() == [("dog", 3), ("runs", 1), ("the", 1)]
    assert found.sentences == ("system: 3 of 3 learnable words are omitted",)
    assert "images:shared" in found.signatures["omitted"]
    everywhere = omitted_words(
        store, "system", number=9, tokenizer="whitespace", against="train", evaluation="people", all_images=True
    )
    assert everywhere.frame["word"].sort().to_list() == ["cat", "runs", "sits"]


def test_words_that_every_system_omits_count_where_they_are_rarest(store: Store) -> None:
    ingest_rows(store, [("t", 0, "a dog runs")], "train")
    ingest_rows(store, [("a", 0, "dog dog"), ("b", 0, "dog runs")], "people")
    ingest_rows(store, [("a", 0, "a bird")], "one", kind="candidates")
    ingest_rows(store, [("b", 0, "a bird")], "other", kind="candidates")
    found = omitted_words(store, "one", "other", number=9, tokenizer="whitespace", against="train", evaluation="people")
    together = found.frame.filter(pl.col("dataset").is_null())
    assert together.select("word", "evaluated").rows() == [("dog", 1)]


def test_what_does_not_change_a_number_is_told_from_what_does(store: Store) -> None:
    ingest_rows(store, _rows(["a dog runs .", "a dog runs", "two cats", "A dog runs. "] * 4, 2), "punctuated")
    for name in ("grouped", "twin"):
        ingest_rows(store, _rows(["a dog runs far"] * 3 + ["a cat sits"] * 5, 2), name)
    settings = DiversitySettings(segment=4, draws=3)
    result = diversity(store, "punctuated", "grouped", "twin", settings=settings, robustness=True)
    moved = {
        (one, statistic, factor): (base, value)
        for one, statistic, factor, base, value in result.frame.select(
            "dataset", "statistic", "factor", "base", "value"
        ).rows()
    }
    # The first list has "a dog runs ." and "two cats" four times, the second "a dog runs" and "A dog runs. ".
    assert moved["punctuated", "unique", "letters"] == ((2 / 8 + 1 / 8) / 2, (2 / 8 + 2 / 8) / 2)
    assert moved["punctuated", "types", "whitespace"] == ((5 + 3) / 2, (6 + 5) / 2)
    assert moved["grouped", "types", "whitespace"] == (6, 6)
    assert moved["grouped", "tokens", "references"] == (13.5, 27)
    base, in_order = moved["grouped", "ttr-1", "order"]
    assert in_order != base
    assert ("grouped", "types", "order") not in moved
    reordered = [(found.values["pairs_changed"], found.n) for found in result.found("datasets-reordered")]
    assert max(reordered) == (2, 3), "datasets that tie do not switch ranks"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"lists": "some"}, "--lists some"), ({"segment": 0}, "--segment 0"), ({"draws": 0}, "--shuffles 0"),
     ({"curve": -1}, "--curve -1")],
)  # fmt: skip
def test_settings_out_of_range_are_refused(store: Store, wrong: dict, said: str) -> None:
    ingest_rows(store, _rows(["a dog"]))
    with pytest.raises(UsageError, match=said):
        diversity(store, "set", settings=DiversitySettings(**wrong))


def test_the_order_of_a_file_that_is_not_at_hand_is_missed_in_a_note(store: Store) -> None:
    ingest_rows(store, _rows(["a dog", "a cat"]))
    result = diversity(store, "set", settings=DiversitySettings("whitespace", as_written=True, full_lists=True))
    assert any(
        "the file order is not available (datasets.toml does not declare it)" in note for note in result.sentences
    )
    assert result.signatures["ttr-1"] == "ttr-1|tok:whitespace|lists:full|order:image|segment:1000|v:1"


def test_shuffled_walks_are_those_of_the_plain_loops_on_a_real_system(data: Path, store: Store) -> None:
    """And in the order of its file they are the published ones."""
    from auditor import config
    from auditor.studies.diversity.overall import use, workspace
    from auditor.studies.diversity.settings import Known
    from auditor.studies.ingest.sources import ingest_sources

    declared = config.sources()
    ingest_sources(store, [declared["vinyals2017"]])
    setting = DiversitySettings("whitespace", draws=2, curve=20_000)
    result = diversity(store, "vinyals2017", settings=setting)
    at_work = use(workspace(store, setting, Known()), result.selections[0])
    rows = store.query("select image, text from captions order by image, slot").rows()
    orders = at_work.rows("caption_order", lists=1)
    walks = []
    for draw in (0, 1):
        places = orders.filter(pl.col("draw") == draw)["place"]
        walks.append([rows[place - 1][1].split() for place in places])
    by_draw = [plain.words_by_order([*walk]) for walk in walks]
    for statistic in ("ttr-1", "ttr-2", "ttr-3", "ttr-10000", "ttr-100000"):
        row = result.frame.filter(pl.col("statistic") == statistic).row(0, named=True)
        values = [values[statistic] for values in by_draw]
        assert row["value"] == pytest.approx(sum(values) / 2, abs=1e-12)
        assert (row["low"], row["high"]) == (pytest.approx(min(values)), pytest.approx(max(values)))
    point = result.frame.filter(pl.col("position") == 20_000).row(0, named=True)
    assert point["value"] == sum(plain.curve(plain.stream(walk), 20_000) for walk in walks) / 2
    # Published: ASL 10.1, SDSL 1.28, 953 types, TTR1 .21, TTR2 .43; the captions are words and a full stop.
    published = _values(
        diversity(
            store,
            "vinyals2017",
            settings=DiversitySettings("whitespace", as_written=True, full_lists=True, curve=0),
            config=declared,
        ),
        "vinyals2017",
    )
    shown = [f"{published[name]:.2f}" for name in ("sdsl", "ttr-1", "ttr-2")]
    assert (f"{published['asl']:.1f}", published["types"], shown) == ("10.1", 953, ["1.28", "0.21", "0.43"])


def _asked_for(names: list[str], published: bool) -> Result:
    texts = ["a dog runs", "a dog runs at a dog", "Dog at 日本 sky", "", "sky", "on a café sky a dog runs"] * 3
    with Store.open(MEMORY) as store:
        ingest_rows(store, _rows(texts, 3))
        ingest_rows(store, _rows(texts[:9], 3), "people")
        chosen = DiversitySettings("bare", segment=5, draws=2, curve=10, as_written=published, full_lists=published)
        return diversity(store, "set", settings=chosen, statistics=names, against="people", evaluation="people")


@pytest.fixture(scope="module")
def all_statistics() -> dict[bool, Result]:
    return {published: _asked_for(["all"], published) for published in (False, True)}


@examples(6)
@given(asked=st.lists(st.sampled_from([*STATISTICS]), min_size=1, max_size=4), published=st.booleans())
def test_statistics_that_are_asked_for_are_those_of_all(
    all_statistics: dict[bool, Result], asked: list[str], published: bool
) -> None:
    every, some = all_statistics[published], _asked_for(asked, published)
    known = pl.col("statistic").str.replace("^coverage-decile-.*", "coverage").is_in(asked)
    assert some.frame.equals(every.frame.filter(known))
    assert some.signatures == {name: every.signatures[name] for name in some.frame["statistic"].unique()}


def test_other_measures_than_those_of_the_paper_are_for_who_names_them(store: Store) -> None:
    ingest_rows(store, _rows(["a dog runs", "a cat"]))
    usual, every = (set(one(store, "set").frame["statistic"]) for one in (usual_diversity, diversity))
    assert every - usual == {name for name, card in STATISTICS.items() if card.on_request}
    assert set(usual_diversity(store, "set", statistics=["mtld"]).frame["statistic"]) == {"mtld"}


def test_unknown_statistic_is_refused_with_the_known_ones(store: Store) -> None:
    ingest_rows(store, _rows(["a dog"]))
    with pytest.raises(UsageError, match=r"ttr-9: did you mean ttr-3. expected tokens, types, .* or one of 5. more"):
        diversity(store, "set", statistics=["types", "ttr-9"])
