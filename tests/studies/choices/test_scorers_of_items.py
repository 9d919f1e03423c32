"""Which caption is right? By scorers that never see the image, by metrics, people, and systems."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sizes import some
from small_benchmarks import captions_of, clean, items_of, row, sentence, with_length_cue

from auditor.errors import SourceError, UsageError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.choices import choices
from auditor.studies.diff import diff
from auditor.studies.export import export
from auditor.studies.ingest import ingest

SWAP = [
    ("swap", "1.jpg", "a man holds a child", "a child holds a man"),
    ("swap", "1.jpg", "a dog sees a cat .", "a cat sees a dog ."),
    ("add", "2.jpg", "a boy", "a boy and a girl ."),
    ("add", "3.jpg", "a house on a hill", "a house on a green hill ."),
]
SET = [
    ("1.jpg", "a man holds a child"),
    ("1.jpg", "the man is holding the child"),
    ("2.jpg", "a boy"),
    ("2.jpg", "one boy stands"),
    ("3.jpg", "a house on a hill"),
    ("3.jpg", "the house stands on a hill"),
    ("8.jpg", "a man holds a dog"),
    ("9.jpg", "a dog sees a hill"),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that no test changes."""
    with Store.open(MEMORY) as store:
        captions_of(store, SET)
        items_of(store, tmp_path_factory.mktemp("items"), SWAP)
        yield store


def blind(store: Store, **settings: Any) -> Result:
    return choices(store, "bench", against="set", metrics=(), **settings)


def blind_and(store: Store, metric: str, **settings: Any) -> Result:
    return choices(store, "bench", against="set", metrics=[metric], **settings)


def accuracies(result: Result, scorer: str) -> dict[str, float]:
    return dict(result.frame.filter(scorer=scorer).select("part", "accuracy").iter_rows())


def test_rules_choose_by_what_is_seen_without_reading(asked: Store) -> None:
    result = blind(asked)
    assert accuracies(result, "shorter") == {"swap": 0.5, "add": 1.0, "all": 0.75, "blind-fair": 0.75}
    assert accuracies(result, "longer")["add"] == 0.0
    assert accuracies(result, "no-full-stop") == {"swap": 0.5, "add": 1.0, "all": 0.75, "blind-fair": 0.75}
    swap = row(result.frame, "bag-of-words")
    assert (swap["n"], swap["right"], swap["wrong"], swap["ties"], swap["accuracy"]) == (2, 0, 0, 2, 0.5)


def test_metrics_score_against_the_other_captions_of_the_image(asked: Store) -> None:
    frame = choices(asked, "bench", against="set", metrics=["bleu-1", "ter"]).frame
    # The right captions are held out. Of "a house on a hill" 4 of 5 words are in "the house stands on a hill", as long as
    # the wrong caption, of which 4 of 6 are: exp(-1/5) * 4/5 < 4/6. An edit is a deletion or a substitution.
    assert row(frame, "bleu-1", "add")["accuracy"] == 0.5
    assert row(frame, "ter", "add")["accuracy"] == 1.0
    assert "refs:loo" in str(row(frame, "bleu-1")["signature"])


@pytest.mark.parametrize("metric", ["bleu-1", "rouge-1", "cider:n=1"])
def test_metrics_without_order_tie_on_the_same_words(asked: Store, metric: str) -> None:
    swap = row(choices(asked, "bench", against="set", metrics=[metric]).frame, metric)
    assert (swap["ties"], swap["n"]) == (2, 2)


def test_unsmoothed_model_finds_what_it_never_saw_impossible(asked: Store) -> None:
    # Trained without images 1, 2, 3: "a man holds a dog", "a dog sees a hill". No item is possible, so that all tie.
    result = blind(asked)
    assert row(result.frame, "bigram", "all")["ties"] == 4
    assert "unseen:0" in result.signatures["bigram"]
    given = blind(asked, unseen=0.001)
    # "a man holds a" has three pairs of the model, "a child holds a man" two: "a child" and "child holds" are unseen.
    assert row(given.frame, "bigram")["right"] == 1
    assert "unseen:0.001" in given.signatures["bigram"]


def test_training_captions_leave_the_images_of_the_items_out(store: Store, tmp_path: Path) -> None:
    captions_of(store, [*SET, ("7.jpg", "a child holds a man")])
    items_of(store, tmp_path, SWAP)
    # The right caption of the first item is one of image 1 alone, the wrong one is one of image 7.
    assert row(blind(store).frame, "training-caption")["wrong"] == 1


def test_learner_finds_a_word_that_only_wrong_captions_have(store: Store, tmp_path: Path) -> None:
    marked = [(part, image, right, f"{wrong} surely") for part, image, right, wrong in clean(1, 200, 200)]
    items_of(store, tmp_path, marked)
    result = choices(store, "bench")
    assert row(result.frame, "learnt")["accuracy"] == 1.0
    assert [one.kind for one in result.findings if one.severity == "error"] == [
        "benchmark-decided-by-length",
        "benchmark-decided-by-words",
    ]


def test_without_references_and_training_captions_the_rest_is_told(store: Store, tmp_path: Path) -> None:
    items_of(store, tmp_path, SWAP)
    result = choices(store, "bench")
    assert set(result.frame["kind"]) == {"blind", "ceiling"}
    assert "kneser-ney" not in set(result.frame["scorer"])
    assert [note.partition(":")[0] for note in result.notes] == [
        "no language models and no copies of training captions",
        "no metrics",
    ]
    assert all("--train" in note or "--against" in note for note in result.notes)


def test_captions_are_no_items(asked: Store) -> None:
    with pytest.raises(UsageError, match=r"set: has no forced-choice items .* of kind captions.*--format choices"):
        choices(asked, "set")


def test_votes_of_people_are_a_scorer(store: Store, tmp_path: Path) -> None:
    record = {
        "linguistic_phenomena": "existence", "image_file": "1.jpg", "caption": "There are no animals.",
        "foil": "There are animals.",
    }  # fmt: skip
    votes = [{"caption": 3, "foil": 0}, {"caption": 1, "foil": 2}, {"caption": 1, "foil": 1}]
    items = {str(place): {**record, "mturk": vote} for place, vote in enumerate(votes)}
    path = tmp_path / "existence.json"
    path.write_text(json.dumps(items))
    ingest(store, "bench", files=[path], file_format="choices")
    frame = choices(store, "bench").frame
    people = row(frame, "people", "existence")
    assert (people["right"], people["wrong"], people["ties"]) == (1, 1, 1)
    assert row(frame, "longer", "existence")["people_gap"] == 0.5


def test_two_scorers_on_the_same_items_are_compared(asked: Store, tmp_path: Path) -> None:
    answers = tmp_path / "seen.csv"
    answers.write_text("item,right,wrong\nswap/0,2,1\nswap/1,2,1\nadd/2,2,1\nadd/3,2,1\n")
    result = blind(asked, scores=[answers])
    seen = row(result.frame, "seen", "all")
    best = row(result.frame, str(seen["best_blind"]), "all")
    assert (seen["accuracy"], seen["kind"]) == (1.0, "system")
    assert seen["gap"] == 1.0 - best["accuracy"]  # type: ignore[operator]
    assert best["accuracy"] == result.frame.filter(part="all", kind="blind")["accuracy"].max()


def test_parts_called_like_ours_are_renamed(store: Store, tmp_path: Path) -> None:
    items_of(store, tmp_path, [("all", "1.jpg", "a b", "c d e"), ("blind-fair", "2.jpg", "a b", "c d e")])
    assert row(choices(store, "bench").frame, "shorter", "part all")["n"] == 1


def test_complement_of_long_texts_is_shown(store: Store, tmp_path: Path) -> None:
    told = [("just-scene", f"{n}.jpg", "a man in a park", "a park") for n in range(20)]
    told += [("just-scene-plus", f"{n}.jpg", "a park", "a dog runs in a park") for n in range(20)]
    items_of(store, tmp_path, told)
    shown = choices(store, "bench").table("complement").frame
    assert shown.row(by_predicate=pl.col("scorer") == "longer") == ("longer", 1.0, 0.0, 1.0, "longer texts")
    assert shown.row(by_predicate=pl.col("scorer") == "shorter")[-1] == "shorter texts"


def test_row_order_keeps_every_share(tmp_path: Path) -> None:
    told = []
    for turn in (1, -1):
        with Store.open(MEMORY) as store:
            items_of(store, tmp_path, with_length_cue(3, items=60, images=20)[::turn])
            rows = choices(store, "bench").frame.filter(pl.col("kind") != "ceiling", pl.col("part") == "add")
            told.append(dict(rows.select("scorer", "accuracy").iter_rows()))
    # The learner sums in another order; whom it prefers stays.
    assert told[0] == pytest.approx(told[1])


def test_threads_change_no_byte(tmp_path: Path) -> None:
    written = []
    for threads in (1, 2):
        with Store.open(MEMORY) as store:
            store.execute(f"set threads = {threads}")
            captions_of(store, SET)
            items_of(store, tmp_path, [*SWAP, *with_length_cue(2, items=100, images=30)])
            path = tmp_path / f"{threads}.csv"
            result = choices(store, "bench", against="set", metrics=["bleu-1"], answers=path)
            written.append((result.frame.to_dicts(), path.read_bytes()))
    assert written[0] == written[1]


def test_a_scorer_of_two_rules_in_one_number_shows_no_score(store: Store, tmp_path: Path) -> None:
    pairs = [("A dog runs on", "A dog."), ("It sits", "It sits on it")] * 2 + [("A cat sat there", "A cat sat")]
    items_of(store, tmp_path, [("swap", f"{n}.jpg", *pair) for n, pair in enumerate(pairs)])
    found = choices(store, "bench")
    shown = found.table("errors").frame
    assert shown["scorer"].to_list() == ["no-full-stop-then-shorter"]
    assert shown.columns == ["scorer", "item", "right", "wrong"]
    assert found.table("fair").title.startswith("blind-fair subset: of its ")


def test_errors_are_shown_the_worst_first(store: Store, tmp_path: Path) -> None:
    captions_of(store, SET)
    items_of(store, tmp_path, [(part, image, wrong, right) for part, image, right, wrong in SWAP])
    shown = blind_and(store, "rouge-l", errors=1).table("errors").frame.filter(scorer="rouge-l")
    assert shown["right"].to_list() == ["a child holds a man"]
    assert (shown["score of wrong"] > shown["score of right"]).all()


class TestFairSubset:
    """Items that no blind scorer decides beyond chance."""

    def test_as_many_right_as_wrong_are_kept(self, store: Store, tmp_path: Path) -> None:
        items_of(store, tmp_path, with_length_cue(1, 0.7))
        path = tmp_path / "fair.csv"
        result = choices(store, "bench", fair=path)
        kept = pl.read_csv(path)
        assert kept["item"].is_unique().all()
        (rule,) = set(kept["rule"])
        for scorer in rule.removeprefix("equally many items right and wrong by ").split(" and "):
            fair = row(result.frame, scorer, "blind-fair")
            assert (fair["right"], fair["accuracy"]) == (fair["wrong"], 0.5)
            assert kept.height == fair["n"] + fair["missing"]  # type: ignore[operator]
        assert kept["signature"][0].startswith("blind-fair|of:bench@")

    def test_no_blind_scorer_is_beyond_chance_in_it(self, store: Store, tmp_path: Path) -> None:
        marked = [(part, image, right, f"{wrong}.") for part, image, right, wrong in with_length_cue(4, 0.65)]
        items_of(store, tmp_path, [*marked[:150], *clean(4), *with_length_cue(5, 0.55)])
        of = choices(store, "bench").frame.filter(part="blind-fair", kind="blind")
        assert set(of["chance"]) == {"no different"}

    def test_clean_benchmark_is_kept_whole(self, store: Store, tmp_path: Path) -> None:
        items_of(store, tmp_path, clean(3))
        result = choices(store, "bench")
        assert row(result.frame, "shorter", "blind-fair")["n"] == 400
        assert not result.findings

    def test_file_that_is_there_stays(self, asked: Store, tmp_path: Path) -> None:
        path = tmp_path / "fair.csv"
        path.write_text("mine")
        with pytest.raises(UsageError, match=r"already exists.*--force"):
            blind(asked, fair=path)
        assert path.read_text() == "mine"


class TestScoresFromElsewhere:
    """A file of scores or answers."""

    def given(self, store: Store, tmp_path: Path, text: str, name: str = "clip.csv") -> Result:
        path = tmp_path / name
        path.write_text(text)
        return blind(store, scores=[path])

    def test_items_are_matched_by_name(self, asked: Store, tmp_path: Path) -> None:
        result = self.given(asked, tmp_path, "item,right,wrong\nadd/3,.2,.9\nswap/0,.5,.5\nadd/2,3,1\nswap/1,2,1\n")
        clip = row(result.frame, "clip", "all")
        assert (clip["n"], clip["right"], clip["wrong"], clip["ties"]) == (4, 2, 1, 1)

    def test_answers_are_matched_by_image_and_captions(self, asked: Store, tmp_path: Path) -> None:
        rows = [
            {"model": model, "filename": f"images/{image}", "caption": right, "negative_caption": wrong, "correct": 1}
            for model in ("one", "two")
            for _, image, right, wrong in SWAP
        ]
        result = self.given(asked, tmp_path, "\n".join(map(json.dumps, rows)), "x.jsonl")
        assert Counter(result.frame["kind"])["system"] == 2 * 4
        assert row(result.frame, "two", "all")["right"] == 4

    def test_missing_and_extra_items_are_named(self, asked: Store, tmp_path: Path) -> None:
        result = self.given(asked, tmp_path, "item,right,wrong\nswap/0,2,1\nnone/9,2,1\n")
        (found,) = result.found("items-without-scores")
        assert found.sentence == "clip: 3 items have no score in clip.csv: swap/1, add/2, add/3"
        assert "clip: 1 row matches no item of bench, skipped: 2" in result.notes
        assert row(result.frame, "clip", "all")["missing"] == 3

    def test_repeated_item_counts_once(self, asked: Store, tmp_path: Path) -> None:
        result = self.given(asked, tmp_path, "item,right,wrong\nswap/0,2,1\nswap/0,2,1\n")
        assert row(result.frame, "clip", "all")["n"] == 1

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                "item,right,wrong\nswap/0,2,1\nswap/0,1,2\n",
                "rows 1 and 2 have different scores of clip for the same item",
            ),
            ("item,right,wrong\nswap/0,nan,1\n", "row 1: right is nan: expected a number"),
            ("item,right,wrong\nswap/0,,1\n", "row 1: right is None: expected a number"),
            ("item,correct\nswap/0,7\n", "row 1: correct is 7: expected 1 for right, 0 for wrong"),
            ("item,right,wrong\nother/1,2,1\n", "no row of clip matches an item of bench.*look like 'swap/0'"),
            ("name,right,wrong\nswap/0,2,1\n", "has no scores: it has name, right, wrong"),
            ("score\n2\n", "no column identifies the items: it has score"),
            ("item,score\nswap/0,2\n", "has no scores: it has item, score"),
            ("item,right,wrong\n", "has no rows"),
            ("", "cannot be read as scores"),
        ],
    )
    def test_bad_files_are_refused_with_what_is_expected(
        self, asked: Store, tmp_path: Path, text: str, said: str
    ) -> None:
        with pytest.raises(SourceError, match=said):
            self.given(asked, tmp_path, text)

    def test_other_endings_are_refused(self, asked: Store, tmp_path: Path) -> None:
        with pytest.raises(
            SourceError, match=r"clip.xlsx: unsupported file of scores; use .csv, .tsv, .jsonl, .parquet"
        ):
            self.given(asked, tmp_path, "x", "clip.xlsx")

    def test_system_may_not_be_called_like_a_scorer(self, asked: Store, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="the name 'shorter' is already in use"):
            self.given(asked, tmp_path, "item,right,wrong\nswap/0,2,1\n", "shorter.csv")


class TestErrorRates:
    """What is found of benchmarks with nothing in them, and with a planted cue."""

    def test_clean_benchmarks_bring_no_finding(self, tmp_path: Path) -> None:
        covered, found = Counter[str](), 0
        seeds = some(range(20), 6)
        for seed in seeds:
            with Store.open(MEMORY) as store:
                items_of(store, tmp_path, clean(seed, 300, 150))
                result = choices(store, "bench")
            blind = result.frame.filter(part="swap", kind="blind")
            covered.update(blind.filter(pl.col("low") <= 0.5, pl.col("high") >= 0.5)["scorer"])
            found += bool(result.findings)
        assert found <= 1
        assert min(covered.values()) >= len(seeds) - 3

    def test_length_cue_is_found(self, tmp_path: Path) -> None:
        found, seeds = 0, some(range(6), 2)
        for seed in seeds:
            with Store.open(MEMORY) as store:
                items_of(store, tmp_path, with_length_cue(seed, 0.6, 1000, 500))
                found += bool(choices(store, "bench").found("benchmark-decided-by-length"))
        assert found == len(seeds)


def test_captions_of_the_same_words_are_never_told_apart_by_bags(store: Store, tmp_path: Path) -> None:
    import random

    draw = random.Random(1)
    items = [
        ("swap", f"{n}.jpg", text, " ".join(reversed(text.split()))) for n in range(30) if (text := sentence(draw))
    ]
    items_of(store, tmp_path, items)
    (ceiling,) = choices(store, "bench").found("order-blind-ceiling")
    assert ceiling.values["ceiling"] == 0.5


def test_items_are_versioned_exported_and_read_back(store: Store, tmp_path: Path) -> None:
    items_of(store, tmp_path, SWAP)
    items_of(store, tmp_path, [*SWAP, ("add", "4.jpg", "a tree", "a tree and a house")])
    changed = dict(diff(store, "bench@v1", "bench@v2", depth="totals").frame.select("change", "captions").iter_rows())
    assert changed["added"] == 2
    export(store, "bench", tmp_path / "bundle")
    with Store.open(MEMORY) as other:
        ingest(other, "bench", files=[tmp_path / "bundle"])
        before, after = (choices(one, "bench").frame.drop("version", "signature").to_dicts() for one in (store, other))
        assert before == after


def test_systems_are_compared_on_items_that_both_have_answered(asked: Store, tmp_path: Path) -> None:
    """Who skips hard items does not win; missing ones can count as wrong answers."""
    columns = ["image", "right", "wrong", "right_score", "wrong_score", "model"]
    scores = [(2.0, 1.0), (2.0, 1.0), (1.0, 2.0), (1.0, 2.0)]
    files = []
    for name, n in (("whole", 4), ("half", 2)):
        rows = [(*item[1:], *one, name) for item, one in zip(SWAP[:n], scores[:n], strict=True)]
        files.append(tmp_path / f"{name}.csv")
        pl.DataFrame(rows, schema=columns, orient="row").write_csv(files[-1])

    def found(**how: str) -> tuple[dict[str, list[Any]], Result]:
        result = blind(asked, scores=files, **how)
        of_all = result.frame.filter(part="all")
        return {name: [*of_all.filter(scorer=name).select("n", "accuracy", "own_accuracy").row(0)] for name in
                ("whole", "half")}, result  # fmt: skip

    values, result = found()
    assert values == {"whole": [2, 1.0, 0.5], "half": [2, 1.0, 1.0]}
    assert result.table("between-scorers").frame.select("n", "difference", "p").row(0) == (2, 0.0, 1.0)
    assert result.lead[0] == "Warning: half and whole are compared on 2 of 4 items."
    beside = result.table("against-blind").frame.filter(pl.col("scorer").is_in(["whole", "half"]))
    assert beside.select("scorer", "n", "own_accuracy").rows() == [("whole", 2, 0.5), ("half", 2, 1.0)]
    values, result = found(missing="empty")
    assert values == {"whole": [4, 0.5, 0.5], "half": [4, 0.5, 1.0]}
    with pytest.raises(UsageError, match=r"half: 2 of 4 items are missing: .* of .*; add them"):
        found(missing="error")
