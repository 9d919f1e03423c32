"""Pairwise perplexity against a plain model of dictionaries; what never changes it; what cannot be had."""

from __future__ import annotations

import gzip
from pathlib import Path

import plain_kneser_ney as plain
import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import example, given
from hypothesis import strategies as st
from sizes import examples

from auditor.cli.app import main
from auditor.errors import AuditorError, MetricError, UsageError
from auditor.store.connection import MEMORY, Store
from auditor.store.sqlfiles import over
from auditor.store.workspace import Workspace
from auditor.studies.ingest import ingest
from auditor.studies.perplexity import models
from auditor.studies.perplexity.study import perplexity
from auditor.text import tokenizer_of

IMAGES = [f"image {place}" for place in range(6)]
#: A caption of each image at least, so that both halves have some with the seeds of these tests.
corpora = st.lists(
    st.tuples(
        st.sampled_from(IMAGES), st.lists(st.sampled_from("a dog café runs 日本".split()), max_size=6).map(" ".join)
    ),
    max_size=14,
).map(lambda more: [(image, slot, text) for slot, (image, text) in enumerate([*((i, "a dog") for i in IMAGES), *more])])

DOGS: Rows = [
    (f"i{i}", slot, f"{a} dog {b}") for i in range(8) for slot, (a, b) in enumerate([("a", "runs"), ("the", "sits")])
]
CATS: Rows = [(f"i{i}", 0, f"a cat {'sleeps' if i % 2 else 'runs on a red mat'}") for i in range(12)]


def expected(
    datasets: dict[str, Rows], order: int, captions: int | None, seed: int, *, named: bool = False
) -> dict[tuple[str, str, str], float | None]:
    tokenize = tokenizer_of("bare")
    sides = {}
    for name, rows in datasets.items():
        tokens = tokenize(pl.Series([text for _, _, text in rows], dtype=pl.String)).to_list()
        captions_of = [(i, slot, t) for (i, slot, _), t in zip(rows, tokens, strict=True)]
        sides[name] = plain.halves(captions_of, seed, *([name] if named else []))
    drawn = min(len(train) for train, _ in sides.values()) if captions is None else captions or None
    models = {
        name: plain.KneserNey([tokens for *_, tokens in train[:drawn]], order) for name, (train, _) in sides.items()
    }
    found: dict[tuple[str, str, str], float | None] = {}
    for a, model in models.items():
        for b, (_, held) in sides.items():
            tested = plain.test(model, [tokens for *_, tokens in held])
            found[a, b, "perplexity"], found[a, b, "perplexity-known"] = tested.perplexity, tested.known
            found[a, b, "oov"] = tested.oov
    return found


def measured(frame: pl.DataFrame) -> dict[tuple[str, str, str], float | None]:
    kept = frame.filter(~pl.col("statistic").is_in(["cross-entropy", "ratio"]))
    return {
        (a, b, name): value for a, b, name, value in kept.select("trained_on", "dataset", "statistic", "value").rows()
    }


def pairwise(datasets: dict[str, Rows], **options: object) -> pl.DataFrame:
    with Store.open(MEMORY) as store:
        for name, rows in datasets.items():
            ingest_rows(store, rows, name, kind="candidates")  # which lets an empty caption in
        return perplexity(store, *datasets, tokenizer="bare", **options).frame  # type: ignore[arg-type]


ZERO_DISCOUNT: Rows = [
    *((image, slot, "a dog") for slot, image in enumerate(IMAGES)),
    ("image 0", 6, "a runs"),
    ("image 0", 7, "runs"),
    ("image 1", 8, "runs a"),
]


@given(corpora, corpora, st.integers(1, 5), st.sampled_from([None, 0, 1]), st.sampled_from([1, 2]))
@example(ZERO_DISCOUNT, [(image, 0, "a dog") for image in IMAGES], 3, None, 1)
@examples(5)
def test_every_pair_is_that_of_a_model_of_dictionaries(
    a: Rows, b: Rows, order: int, captions: int | None, seed: int
) -> None:
    datasets = {"a": a, "b": b}
    found = measured(pairwise(datasets, order=order, captions=captions, seed=seed))
    assert found == pytest.approx(expected(datasets, order, captions, seed), rel=1e-9, abs=1e-12)


def test_real_captions_are_those_of_a_model_of_dictionaries(data: Path) -> None:
    with gzip.open(data / "flickr8k" / "Flickr8k.token.txt.gz", "rt", encoding="utf-8") as lines:
        keyed = [line.rstrip("\n").split("\t") for line, _ in zip(lines, range(3_000), strict=False)]
    rows = [(key.partition("#")[0], int(key.partition("#")[2]), text) for key, text in keyed]
    datasets = {"first": rows[:1_500], "second": rows[1_500:]}
    found = measured(pairwise(datasets))
    assert found == pytest.approx(expected(datasets, 3, None, 1), rel=1e-9)
    assert 40 < found["first", "first", "perplexity"] < 400


#: `lmplz -o 3 --discount_fallback` and `query -v summary` of KenLM 0.3.0 (kpu/kenlm), of halves of CATS and DOGS that
#: were drawn by the names of the datasets too; its numbers have 32 bits.
KENLM = {
    ("cats", "cats", "perplexity"): 1.533894163362705,
    ("cats", "dogs", "perplexity"): 14.913035214750636,
    ("dogs", "cats", "perplexity"): 12.040355115895833,
    ("dogs", "dogs", "perplexity"): 1.4287988040890633,
    ("cats", "cats", "perplexity-known"): 1.533894163362705,
    ("cats", "dogs", "perplexity-known"): 5.690661013289596,
    ("dogs", "cats", "perplexity-known"): 4.244690562314419,
    ("dogs", "dogs", "perplexity-known"): 1.4287988040890633,
}


def test_the_model_of_dictionaries_is_kenlm_with_and_without_unknown_tokens() -> None:
    datasets = {"cats": CATS, "dogs": DOGS}
    plainly = expected(datasets, 3, 0, 1, named=True)
    assert {key: plainly[key] for key in KENLM} == pytest.approx(KENLM, rel=1e-6)
    assert measured(pairwise(datasets, captions=0)) == pytest.approx(expected(datasets, 3, 0, 1), rel=1e-9)


@pytest.mark.full
def test_coco_under_flickr8k_is_that_of_a_model_of_dictionaries_which_is_kenlm(data: Path, store: Store) -> None:
    ingest(store, "flickr8k", "coco-val2017")
    found = measured(perplexity(store, "flickr8k:test", "coco-val2017").frame)
    tokens = "list_transform(tokens, lambda t: t::varchar) from membership join caption_tokens using (caption_id)"
    train, coco = (
        store.query(
            f"select image, slot, {tokens} where dataset = $dataset and ($split is null or split = $split)", params
        )
        for params in ({"dataset": "flickr8k", "split": "test"}, {"dataset": "coco-val2017", "split": None})
    )

    def under(*names: str) -> tuple[float, float]:
        model = plain.KneserNey([tokens for *_, tokens in plain.halves(train.rows(), 1, *names[:1])[0]], 3)
        tested = plain.test(model, [tokens for *_, tokens in plain.halves(coco.rows(), 1, *names[1:])[1]])
        return tested.perplexity, tested.known

    pair = ("flickr8k", "coco-val2017")
    assert (found[*pair, "perplexity"], found[*pair, "perplexity-known"]) == pytest.approx(under(), rel=1e-9)
    kenlm = (133.15507099455573, 63.73897952878702)  # of halves drawn by names too: 16,895 of 143,543 tokens unknown
    assert under(*pair) == pytest.approx(kenlm, rel=1e-6)


sentences = st.lists(st.lists(st.integers(1, 5), max_size=6), min_size=1, max_size=12)

#: Each history of the model and one that was never seen, before each token of the model and 33554430, which is none.
EVERY_GRAM = """
with word as (select gram from adjusted_count where n = 1 union all select 33554430::uhugeint),
history as (select history from adjusted_count union select 77::uhugeint * (history + 1::uhugeint) from adjusted_count),
longest as (select distinct (h.history << 25::uhugeint) + w.gram as gram from history as h, word as w),
gram as (select distinct n::integer as n, gram & ((1::uhugeint << (25 * n)::uhugeint) - 1) as gram
    from longest, range(1, $longest + 1) as orders(n))
select n, gram, gram & ((1::uhugeint << (25 * (n - 1))::uhugeint) - 1) as lower_gram, gram >> 25::uhugeint as history
from gram
"""


@given(sentences, st.integers(1, 4), st.booleans())
@examples(5)
def test_probabilities_after_any_history_sum_to_one(tokens: list[list[int]], order: int, modified: bool) -> None:
    """Over the tokens trained on, </s> and <unk>."""
    places = range(1, len(tokens) + 1)
    with Store.open(MEMORY) as store:
        at_work = Workspace(store, tokenizer="bare", order=order, trained_captions=0, trained_no=0, modified=modified)
        at_work.bind_rows(
            "train_test_half",
            pl.DataFrame(
                {
                    "selection_no": 0,
                    "image_no": places,
                    "side": "train",
                    "caption_id": places,
                    "length": [len(one) for one in tokens],
                    "place": places,
                },
                schema_overrides=dict.fromkeys(("selection_no", "image_no", "caption_id", "length"), pl.UInt32),
            ),
        )
        schema = {"caption_id": pl.Int64, "tokenizer": pl.String, "tokens": pl.List(pl.UInt32)}
        at_work.bind_rows(
            "caption_tokens", pl.DataFrame({"caption_id": places, "tokenizer": "bare", "tokens": tokens}, schema)
        )
        at_work.rows("discount")
        tables = {"adjusted_count": at_work._held["adjusted_count"].table}
        at_work._hold("queried_ngram", over(EVERY_GRAM, tables), {"longest": order})
        at_work.bound.add("queried_ngram")
        said = at_work.rows("kneser_ney").filter(pl.col("n") > 0).with_columns(history=pl.col("gram") // 2**25)
    sums = said.group_by("n", "history").agg(pl.col("probability").sum())["probability"].to_list()
    assert sums == pytest.approx([1.0] * len(sums), abs=1e-12)


def test_draws_are_what_their_seeds_give_alone() -> None:
    drawn = pairwise({"cats": CATS, "dogs": DOGS}, draws=2, seed=3)
    alone = pl.concat(pairwise({"cats": CATS, "dogs": DOGS}, seed=seed) for seed in (3, 4))
    assert drawn.equals(alone)


def test_a_selection_alone_has_its_own_model_only() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, CATS, "cats")
        result = perplexity(store, "cats")
    values = dict(result.frame.select("statistic", "value").rows())
    assert values["ratio"] == 1
    assert values["cross-entropy"] == pytest.approx(pl.Series([values["perplexity"]]).log(2)[0])
    assert result.signatures["perplexity"].startswith(
        "perplexity|tok:bare|lm:modified-kneser-ney|n:3|unk:uniform|halves:md5|"
    )


def test_an_image_is_on_the_same_side_in_every_version_and_split() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, CATS, "cats", splits={"test": [image for image, *_ in CATS[:9]]})
        ingest_rows(store, CATS[:10], "cats")
        result = perplexity(store, "cats@v1", "cats@v2", "cats@v1:test", captions=1)
    assert sum("of the same dataset" in note for note in result.sentences) == 3
    assert result.frame["trained_split"].unique().sort().to_list() == [None, "test"]


def test_what_a_reader_must_know_is_said() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [*CATS, ("i3", 1, "")], "cats", kind="candidates")
        ingest_rows(store, DOGS, "dogs")
        store.execute("update dataset set related = ['dogs'] where dataset = 'cats'")
        result = perplexity(store, "cats", "dogs")
    notes = result.sentences
    assert any(note.startswith("cats and dogs are declared as related") for note in notes)
    assert any(note.startswith("cats: 1 of the captions has no token") for note in notes)
    assert any("predicts the others best" in note for note in notes)
    assert any(note.startswith("dogs: too few n-grams of order") for note in notes)
    assert [figure.name for figure in result.figures] == ["perplexity", "perplexity-ratio"]
    assert [table.frame.shape for table in result.tables] == [(2, 3)] * 3


@pytest.mark.parametrize(
    ("rows", "options", "error", "words"),
    [
        ([("a", 0, "one image"), ("a", 1, "of two captions")], {}, MetricError, "set: one image"),
        (CATS[:2], {"seed": 2}, MetricError, "seed 2 puts all 2 images in one half; use another --seed"),
        (CATS, {"captions": 100}, UsageError, "--captions 100: with seed 1 the training half of set has"),
        (CATS, {"captions": -1}, UsageError, "--captions -1"),
        (CATS, {"order": 6}, UsageError, "--order 6: expected 1 to 5"),
        (CATS, {"draws": 0}, UsageError, "--draws 0"),
    ],
)
def test_what_cannot_be_had_is_refused(
    store: Store, rows: Rows, options: dict[str, int], error: type[AuditorError], words: str
) -> None:
    ingest_rows(store, rows)
    with pytest.raises(error, match=words):
        perplexity(store, "set", **options)


def test_a_vocabulary_beyond_an_n_gram_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rows(store, CATS)
    monkeypatch.setattr(models, "_END", 3)
    with pytest.raises(MetricError, match="more than 2 different tokens"):
        perplexity(store, "set")


def test_unknown_order_is_one_line_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["perplexity", "set", "--order", "9"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: --order 9: expected 1 to 5")
