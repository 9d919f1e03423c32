"""Who takes the place of a caption: what is drawn, from where, by the seed alone; and why something cannot be drawn."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from conftest import Bound, ingest_rows

from auditor.errors import MetricError, UsageError
from auditor.scoring import frequencies
from auditor.scoring.candidate_sets import LOWER_BOUNDS
from auditor.scoring.single_captions import SINGLE_CAPTION
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.studies.bounds.study import bounds
from auditor.studies.score import score

WORDS = ("red", "green", "blue", "café", "日本", "dog", "cat", "tree", "house", "car")


def captions(prefix: str, images: int) -> list[tuple[str, int, str]]:
    """Write three captions for each image, of four to seven words."""
    return [
        (
            f"{prefix}{image:02}",
            slot,
            " ".join(f"{prefix}{WORDS[(image * 3 + slot + k) % 10]}" for k in range(4 + slot)),
        )
        for image in range(images)
        for slot in range(3)
    ]


def corpus() -> list[tuple[str, int, str]]:
    long = [("doc", slot, f"sentence number {WORDS[slot]} stands in here") for slot in range(6)]
    return [*long, ("doc", 6, "too short by one"), ("doc", 7, "a b c d e")]


@pytest.fixture
def filled(store: Store) -> Store:
    ingest_rows(store, captions("a", 8), dataset="one")
    ingest_rows(store, captions("b", 5), dataset="two")
    ingest_rows(store, captions("c", 4), dataset="three")
    ingest_rows(store, corpus(), dataset="brown", kind="corpus")
    return store


def drawn(bound: Bound, candidate: str) -> pl.DataFrame:
    """Give what the last study put in place of captions."""
    return bound(
        "select image, slot, from_dataset, from_image, from_slot, length, text from candidate"
        f" left join made_text using (image, slot, candidate) where candidate = '{candidate}' order by image, slot"
    )


def test_every_lower_bound_has_rows_of_every_level(filled: Store) -> None:
    frame = bounds(filled, "one", "two", metrics=["bleu-1", "rouge-1"]).frame
    found = frame.group_by("dataset", "candidate").agg(pl.col("level").n_unique(), pl.col("metric").n_unique())
    assert found.height == 2 * (1 + len(LOWER_BOUNDS))
    assert set(found["level"]) == {3}
    assert set(found["metric"]) == {2}
    assert set(frame.filter(candidate="intra")["seed"]) == {1}
    assert frame.filter(candidate="human")["seed"].null_count() == frame.filter(candidate="human").height


def test_inter_draws_from_the_other_datasets_alike_and_from_no_relative(filled: Store, bound: Bound) -> None:
    filled.execute("update dataset set related = ['two'] where dataset = 'one'")
    result = bounds(filled, "one", "two", "three", metrics=["bleu-1"], candidates=["inter"])
    by_source = dict(result.frame.filter(level="caption").select("dataset", "drawn_from").iter_rows())
    assert [named.split("@")[0] for named in by_source["one"].split()] == ["three", "without", "two"]
    assert [named.split("@")[0] for named in by_source["two"].split()] == ["three", "without", "one"]
    assert [named.split("@")[0] for named in by_source["three"].split()] == ["one", "two"]
    shares = drawn(bound, "inter")["from_dataset"].value_counts()
    assert set(shares["from_dataset"]) == {"one", "two"}


def test_a_relative_is_not_dropped_from_inter_in_silence(filled: Store) -> None:
    filled.execute("update dataset set related = ['two'] where dataset = 'one'")
    result = bounds(filled, "one", metrics=["bleu-1"], candidates=["inter"], others=["two", "three"])
    told = "one: inter draws from three but not from two, which has the same images or captions"
    assert [note.startswith(told) for note in result.sentences] == [True]
    assert result.frame["drawn_from"].str.ends_with(" without two").all()
    alone = bounds(filled, "one", metrics=["bleu-1"], candidates=["inter"], others=["three"])
    assert alone.sentences == ()
    assert alone.frame.drop("drawn_from").equals(result.frame.drop("drawn_from"))


def test_inter_draws_datasets_alike_whatever_their_size(store: Store, bound: Bound) -> None:
    ingest_rows(store, captions("a", 10), dataset="one")
    ingest_rows(store, [("x", slot, f"word {slot}") for slot in range(2)], dataset="small")
    ingest_rows(store, captions("b", 60), dataset="large")
    for seed in range(10):
        bounds(store, "one", metrics=["bleu-1"], candidates=["inter"], others=["small", "large"], seed=seed)
        share = drawn(bound, "inter")["from_dataset"].eq("small").mean()
        assert 0.15 < share < 0.85


def test_brown_draws_sentences_of_five_tokens_and_ten_characters(filled: Store, bound: Bound) -> None:
    bounds(filled, "one", metrics=["bleu-1"], candidates=["brown"])
    found = drawn(bound, "brown")
    assert set(found["from_dataset"]) == {"brown"}
    assert set(found["from_slot"]) <= set(range(6))
    assert found["from_slot"].n_unique() > 3


def test_gibberish_has_ten_words_or_as_many_as_a_caption_has_on_average(filled: Store, bound: Bound) -> None:
    bounds(filled, "one", metrics=["bleu-1"], candidates=["gibberish-10", "gibberish-mean", "gibberish-brown-mean"])
    ten, mean, brown = (drawn(bound, f"gibberish-{kind}") for kind in ("10", "mean", "brown-mean"))
    assert set(ten["length"]) == {10}
    assert set(mean["length"]) == set(brown["length"]) == {5}
    assert all(long.startswith(f"{short} ") for long, short in zip(ten["text"], mean["text"], strict=True))
    assert set(" ".join(ten["text"]).split()) <= {f"a{word}" for word in WORDS}
    assert set(" ".join(brown["text"]).split()) <= set(" ".join(text for _, _, text in corpus()).split())


def test_gibberish_follows_the_unigram_distribution(store: Store, bound: Bound) -> None:
    rows = [(f"i{image:03}", slot, "often often often rare") for image in range(150) for slot in range(2)]
    ingest_rows(store, rows)
    bounds(store, "set", metrics=["bleu-1"], candidates=["gibberish-10"])
    words = " ".join(drawn(bound, "gibberish-10")["text"]).split()
    share = words.count("rare") / len(words)
    assert len(words) == 3000
    assert abs(share - 0.25) < 4 * (0.25 * 0.75 / 3000) ** 0.5


def test_draws_depend_on_the_seed_and_the_captions_alone() -> None:
    def measured(order: list[str], threads: int) -> str:
        with Store.open(Path(":memory:")) as store:
            store.execute(f"set threads = {threads}")
            sets = {"one": captions("a", 8), "two": captions("b", 5), "unrelated": captions("c", 9)}
            for name in order:
                ingest_rows(store, sets[name], dataset=name)
            ingest_rows(store, corpus(), dataset="brown", kind="corpus")
            return bounds(store, "one", "two", metrics=["bleu-4", "cider"], seed=3).to_json(volatile=False)

    first = measured(["one", "two"], 1)
    assert measured(["unrelated", "one", "two"], 2) == first
    assert measured(["one", "two", "unrelated"], 1) == first


def test_seeds_draw_differently_and_each_draw_has_rows_of_its_own(filled: Store) -> None:
    often = bounds(filled, "one", metrics=["rouge-1"], candidates=["human", "gibberish-brown-10"], draws=3)
    rows = often.frame.filter(level="caption")
    assert rows.select("candidate", "seed").rows() == [
        ("human", None), ("gibberish-brown-10", 1), ("gibberish-brown-10", 2), ("gibberish-brown-10", 3),
    ]  # fmt: skip
    once = bounds(filled, "one", metrics=["rouge-1"], candidates=["gibberish-brown-10"], seed=2).frame
    assert once.equals(often.frame.filter(seed=2))


def test_drawn_references_are_drawn_anew_in_each_draw(filled: Store) -> None:
    rows = bounds(filled, "one", metrics=["rouge-1"], candidates=["human"], references=1, draws=2).frame
    assert rows.filter(level="caption")["seed"].to_list() == [1, 2]
    assert ["|k:1|seed:1|" in text for text in rows.filter(level="caption")["signature"]] == [True, False]


def test_what_cannot_be_drawn_is_left_out_with_the_reason(store: Store) -> None:
    ingest_rows(store, captions("a", 3), dataset="one")
    result = bounds(store, "one", metrics=["bleu-1"])
    assert set(result.frame["candidate"]) == {"human", "intra", "gibberish-10", "gibberish-mean"}
    told = " ".join(result.sentences)
    assert "inter not available: needs a dataset that is not related" in told
    assert "brown, gibberish-brown-10, gibberish-brown-mean not available: brown is not in the store" in told
    for name in ("inter", "brown"):
        with pytest.raises(MetricError, match=f"one: {name} not available"):
            bounds(store, "one", metrics=["bleu-1"], candidates=[name])


def test_captions_of_the_same_images_are_no_corpus(filled: Store) -> None:
    filled.execute("update dataset set related = ['two'] where dataset = 'one'")
    for corpus in ("one", "two"):
        result = bounds(filled, "one", metrics=["bleu-1"], corpus=corpus)
        assert not set(result.frame["candidate"]) & {"brown", "gibberish-brown-10", "gibberish-brown-mean"}
        assert any(f"{corpus} has captions of the same images" in note for note in result.sentences)
        with pytest.raises(MetricError, match="set another --corpus"):
            bounds(filled, "one", metrics=["bleu-1"], candidates=["brown"], corpus=corpus)


def test_a_second_split_of_a_dataset_is_not_dropped_from_inter_in_silence(filled: Store) -> None:
    filled.execute(
        "update membership set split = case when slot = 0 then 'test' else 'train' end where dataset = 'two'"
    )
    result = bounds(filled, "one", metrics=["bleu-1"], candidates=["inter"], others=["two:train", "two:test", "three"])
    assert "one: inter draws from two:train but not from two:test: each dataset once" in result.sentences
    alone = bounds(filled, "one", metrics=["bleu-1"], candidates=["inter"], others=["two:train", "three"])
    assert not any("each dataset once" in note for note in alone.sentences)
    assert alone.frame.equals(result.frame)


def test_a_corpus_without_a_sentence_and_captions_without_a_word_are_explained(store: Store) -> None:
    ingest_rows(store, [("a", 0, ""), ("a", 1, "..."), ("b", 0, "")], dataset="one", kind="candidates")
    ingest_rows(store, [("doc", 0, "short")], dataset="brown", kind="corpus")
    result = bounds(store, "one", metrics=["bleu-1"])
    told = " ".join(result.sentences)
    assert "brown not available: the corpus has no sentence of at least five tokens" in told
    assert "gibberish-10, gibberish-mean, gibberish-brown-mean not available: the source has no words" in told
    assert set(result.frame["candidate"]) == {"human", "intra", "gibberish-brown-10"}
    with pytest.raises(MetricError, match="the source has no words"):
        bounds(store, "one", metrics=["bleu-1"], candidates=["gibberish-10"])


def test_scores_that_tell_no_caption_from_another_are_explained(store: Store) -> None:
    ingest_rows(store, [(image, slot, "a dog") for image in "abc" for slot in range(2)])
    notes = bounds(store, "set", metrics=["bleu-1", "cider", "cider-d"], candidates=["human"]).sentences
    assert "set: cider, cider-d: 0 for every caption, because captions of an image share no n-gram" in notes[0]
    assert notes[1] == "set: bleu-1: every caption has the same score"


def test_an_unknown_candidate_is_refused_with_the_known_ones(filled: Store) -> None:
    with pytest.raises(
        UsageError, match=r"--candidate intre: did you mean intra\? expected human, intra, inter, brown"
    ):
        bounds(filled, "one", metrics=["bleu-1"], candidates=["intre"])


def test_a_text_in_place_of_a_list_is_a_list_of_it(filled: Store) -> None:
    alone, listed = (bounds(filled, "one", metrics=["bleu-1"], candidates=one).frame for one in ("intra", ["intra"]))
    assert alone.equals(listed)
    assert set(alone["candidate"]) == {"intra"}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, captions("a", 8), dataset="one")
        ingest_rows(store, captions("b", 5), dataset="two")
        ingest_rows(store, corpus(), dataset="brown", kind="corpus")
    return path


def test_drawn_candidates_are_kept_for_people_and_a_warm_cache_changes_nothing(kept: Path) -> None:
    def run() -> pl.DataFrame:
        with Store.open(kept) as store:
            return bounds(store, "one", "two", metrics=["bleu-1", "cider"]).frame

    cold = run()
    assert run().equals(cold)
    with Store.open(kept) as store:
        rows = store.query("select * from drawn_candidate where dataset = 'one' order by candidate, image, slot")
    assert set(rows["candidate"]) == set(LOWER_BOUNDS)
    assert rows.height == 24 * len(LOWER_BOUNDS)
    assert set(rows["seed"]) == {1}
    inter = rows.filter(candidate="inter")
    assert set(inter["from_dataset"]) == {"two"}
    known = {(image, slot): text for image, slot, text in captions("b", 5)}
    assert all(
        known[image, slot] == text for image, slot, text in inter.select("from_image", "from_slot", "text").rows()
    )
    assert rows.filter(candidate="gibberish-10")["from_image"].null_count() == 24


def test_store_that_keeps_no_drawn_candidates_keeps_the_counts_of_them(kept: Path) -> None:
    def run(*, keeps: bool) -> pl.DataFrame:
        with Store.open(kept) as store:
            store.keeps_drawn = keeps
            return bounds(store, "one", "two", metrics=["bleu-1"]).frame

    cold = run(keeps=False)
    with Store.open(kept) as store:
        assert store.query("from drawn_candidate").is_empty()
        assert "bleu" in store.query("select relation from cache.entry")["relation"]
    assert run(keeps=True).equals(cold)


def test_pooled_idf_counts_the_images_of_all_datasets(filled: Store, tmp_path: Path) -> None:
    """Wang & Gaizauskas 2016, note 7, beside a table of frequencies counted by hand."""
    images: dict[str, set[str]] = {}
    for image, _, text in [*captions("a", 8), *captions("b", 5), *captions("c", 4)]:
        words = text.split()
        for n in range(1, 5):
            for start in range(len(words) - n + 1):
                images.setdefault(" ".join(words[start : start + n]), set()).add(image)
    table = tmp_path / "together.csv"
    lines = ["gram,images", ",17", *(f"{gram},{len(found)}" for gram, found in images.items())]
    table.write_text("\n".join(lines), encoding="utf-8")
    names = ["one", "two", "three"]
    by_hand = bounds(filled, *names, metrics=[f"cider:idf=file:{table}", "bleu-1"], candidates=["human", "intra"])
    with frequencies.together(select_all(filled, names, tokenizer="bare")) as mode:
        label = f"cider:idf={mode}"
        found = bounds(filled, *names, metrics=[label, "bleu-1"], candidates=["human", "intra"])
        with pytest.raises(MetricError, match="omit stem=true"):
            bounds(filled, "one", "two", metrics=[f"cider:stem=true,idf={mode}"], candidates=["human"])
    shown = ["dataset", "candidate", "level", "mean", "sd", "max"]
    assert found.frame.select(shown).equals(by_hand.frame.select(shown))
    assert re.fullmatch(r"cider:idf=datasets#[0-9a-f]{12}", label)
    assert f"|idf:{label.partition('=')[2]}|" in found.signatures[label]
    alone = bounds(filled, "one", metrics=["cider"], candidates=["human"])
    assert not alone.frame["mean"].equals(found.frame.filter(dataset="one", metric=label, candidate="human")["mean"])
    with pytest.raises(MetricError, match="is only set by `auditor reproduce wang2016`"):
        bounds(filled, "one", metrics=[label], candidates=["human"])


def test_the_old_name_of_the_items_of_a_run_is_refused_with_both_new_ones(filled: Store) -> None:
    with pytest.raises(MetricError, match=r"idf=run; document frequencies .* `auditor reproduce wang2016`"):
        bounds(filled, "one", metrics=["cider:idf=pooled"])


def test_substitutes_are_scored_against_the_one_caption_of_an_image_as_a_system_is(tmp_path: Path) -> None:
    alone = [row for row in captions("a", 8) if row[1] == 0]
    metrics = ["bleu-4", "rouge-l", "meteor", "ter", "chrf", "cider-d"]
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, alone, dataset="alone")
        found = bounds(store, "alone", metrics=metrics)
        with pytest.raises(
            MetricError, match="human not available: needs two captions per image; this dataset has one"
        ):
            bounds(store, "alone", candidates=["human"])
    with Store.open(path, write=True) as store:
        rows = store.query("select image, slot, text from drawn_candidate where candidate = 'intra'").rows()
        ingest_rows(store, rows, dataset="system", kind="candidates")
        scored = score(store, "alone", candidates="system", metrics=metrics)
    means = found.frame.filter(level="caption", candidate="intra").select("metric", "mean").rows()
    of_system = dict(scored.frame.group_by("metric").agg(pl.col("value").mean()).rows())
    assert dict(means) == pytest.approx({metric: of_system[metric] for metric in metrics})
    assert {metric: scored.signatures[metric] for metric in metrics} == found.signatures
    assert not (found.frame["candidate"] == "human").any()
    (single,) = found.found(SINGLE_CAPTION)
    assert single.values == {"images": 8}


def test_images_with_one_caption_beside_others_keep_out_of_the_bounds(store: Store) -> None:
    several = captions("a", 8)
    ingest_rows(store, several, dataset="several")
    ingest_rows(store, [*several, ("z", 0, "one of its own")], dataset="mixed")
    ingest_rows(store, [("z", 0, "one of its own"), ("y", 0, "another")], dataset="alone")
    found = bounds(store, "several", "mixed", "alone", metrics=["bleu-1"], candidates=["intra"])
    counts = found.frame.filter(level="caption").select("dataset", "n", "signature").rows()
    assert [(name, n, "refs:all" in signature) for name, n, signature in counts] == [
        ("several", 24, False),
        ("mixed", 24, False),
        ("alone", 2, True),
    ]
    assert found.signatures["bleu-1"].count("refs:") == 2
