"""Every setting of CIDEr equals its formula; its readings of idf are those of the authors' program."""

from __future__ import annotations

import csv
import json
import math
import pickle
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import make_gold_cider
import plain
import polars as pl
import pytest
from conftest import DATA, ROOT, ingest_rows
from hypothesis import assume, given
from hypothesis import strategies as st
from sizes import examples

from auditor import config
from auditor.errors import MetricError, UsageError
from auditor.metrics import idf
from auditor.scoring.candidate_sets import intra
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import References, request, requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.bounds.study import bounds
from auditor.studies.compare.study import compare
from auditor.studies.ingest import ingest_sources
from auditor.studies.score.study import score
from auditor.text.stemmers.porter import stem

Images = list[list[list[str]]]

WORDS = ["a", "dog", "dogs", "the", "runs", "running", "café", "s"]
captions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7)
datasets = st.lists(st.lists(captions, min_size=1, max_size=5), min_size=2, max_size=20)
SYSTEM = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})


def ingest(store: Store, images: Images, dataset: str = "set") -> None:
    rows = [(f"{i}", slot, " ".join(text)) for i, texts in enumerate(images) for slot, text in enumerate(texts)]
    ingest_rows(store, rows, dataset, "captions" if dataset == "set" else "candidates")


def scored(store: Store, asked: str, candidates: Sequence[CandidateSet] = (HUMAN,)) -> dict[tuple[int, int], float]:
    scores = score_candidates(Captions(store, resolve(store, "set"), "bare"), candidates, requests([asked]))
    return {(int(image), slot): value for _, image, slot, value in scores.iter_rows()}


def items_of(images: Images) -> dict[tuple[int, int], plain.Segment]:
    """Hold each caption out, against the others of its image."""
    return {
        (i, slot): (text, texts[:slot] + texts[slot + 1 :])
        for i, texts in enumerate(images)
        if len(texts) > 1
        for slot, text in enumerate(texts)
    }


def weights(images: Images, reading: str) -> dict[tuple[int, int], plain.Weights]:
    items = items_of(images)
    if reading == "none":
        return dict.fromkeys(items, plain.Uniform())
    if reading == "dataset":
        return dict.fromkeys(items, plain.DocumentFrequency(images))
    if reading == "run":
        return dict.fromkeys(items, plain.DocumentFrequency([references for _, references in items.values()]))
    runs = {place: [refs for (_, slot), (_, refs) in items.items() if slot == place] for _, place in items}
    folds = {place: plain.DocumentFrequency(references) for place, references in runs.items()}
    return {(i, slot): folds[slot] for i, slot in items}


how_asked = st.tuples(
    st.sampled_from(["cider", "cider-d"]),
    st.sampled_from(["dataset", "fold", "run", "none"]),
    st.sampled_from(["all", "1", "2", "3", "4"]),
    st.sampled_from(["mean", "exp"]),
    st.sampled_from(["mean", "max"]),
    st.booleans(),
    st.sampled_from(["official", "paper"]),
)


@pytest.mark.slow
@given(datasets, st.lists(how_asked, min_size=3, max_size=8))
@examples(4)
def test_every_setting_equals_its_formula(
    images: Images, every: list[tuple[str, str, str, str, str, bool, str]]
) -> None:
    assume(sum(len(texts) > 1 for texts in images) > 1)
    with Store.open(MEMORY) as store:
        ingest(store, images)
        for how in every:
            equals_its_formula(store, images, *how)


def equals_its_formula(
    store: Store, images: Images, name: str, reading: str, n: str, combine: str, references: str, stemmed: bool, tf: str
) -> None:
    how = {"n": n, "combine": combine, "over": references}
    asked = f"{name}:idf={reading},n={n},combine={combine},references={references},stem={str(stemmed).lower()}"
    if name == "cider-d":
        how |= {"tf": tf, "sigma": 3.0}
        asked += f",tf={tf},sigma=3"
    stems = [[[stem(word) if stemmed else word for word in text] for text in texts] for texts in images]
    of = {"cider": plain.cider, "cider-d": plain.cider_d}[name]
    weighed = weights(stems, reading)
    expected = {item: of(*pair, weighed[item], **how) for item, pair in items_of(stems).items()}
    assert scored(store, asked) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("reading", ["run", "fold"])
def test_readings_are_pycocoevalcaps(store: Store, reading: str) -> None:
    gold = json.loads((ROOT / "tests" / "gold" / "cider_d_items.json").read_text(encoding="utf-8"))["scores"][reading]
    rows = [(i, slot, text) for i, texts in make_gold_cider.IMAGES.items() for slot, text in enumerate(texts)]
    ingest_rows(store, rows)
    scores = score_candidates(
        Captions(store, resolve(store, "set"), "bare"), [HUMAN], requests([f"cider-d:scale=x10,idf={reading}"])
    )
    found = {f"{image}#{slot}": value for _, image, slot, value in scores.iter_rows()}
    assert found == pytest.approx(gold, abs=1e-9)


def test_system_is_weighed_by_its_own_items(store: Store) -> None:
    """An image counts as often as the system describes it, and not at all where it does not."""
    references = [[["a", "dog"], ["dog", "runs"]], [["a", "cat"]], [["a", "bird", "sings"], ["dog", "sings"]]]
    says = [[["a", "dog"], ["a", "cat"], ["runs"]], [["the", "cat"]]]
    ingest(store, references)
    ingest(store, says, "system")
    items = {(i, slot): (text, references[i]) for i, texts in enumerate(says) for slot, text in enumerate(texts)}
    df = plain.DocumentFrequency([own for _, own in items.values()])
    expected = {item: plain.cider_d(*pair, df) for item, pair in items.items()}
    for reading in ("run", "fold"):
        assert scored(store, f"cider-d:idf={reading}", [SYSTEM]) == pytest.approx(expected, abs=1e-9)
    assert scored(store, "cider-d", [SYSTEM]) != pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("reading", ["fold", "run"])
def test_scores_do_not_depend_on_what_else_is_counted(reading: str) -> None:
    images = [[["a", "dog"], ["dog", "runs"], ["s"]], [["a", "cat"], ["cat"]], [["bird"]]]
    asked = [f"cider:idf={reading}", "cider", "cider-d:idf=none", "bleu-2", f"cider-d:idf={reading},stem=true"]
    with Store.open(MEMORY) as store:
        ingest(store, images)
        chosen = resolve(store, "set")
        together = score_candidates(Captions(store, chosen, "bare"), [HUMAN, intra(1)], requests(asked))
        for one in asked:
            for candidate in (HUMAN, intra(1)):
                alone = score_candidates(Captions(store, chosen, "bare"), [candidate], requests([one]))
                assert together.filter(pl.col("candidate") == candidate.name).select(alone.columns).equals(alone)


TABLE = {
    "a": 90,
    "dog": 8,
    "a dog": 5,
    "dog runs fast": 2,
    "a dog runs fast": 1,
    "cat": 12,
    "unheard of": 3,
    "runs": 100,
}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".jsonl"])
@pytest.mark.parametrize("name", ["cider", "cider-d"])
def test_document_frequencies_can_come_from_a_file(store: Store, tmp_path: Path, suffix: str, name: str) -> None:
    """What a system says may be in the table and in no reference; then it weighs what the table says."""
    path = tmp_path / f"frequency{suffix}"
    frame = pl.DataFrame({"gram": ["", *TABLE], "images": [100, *TABLE.values()]})
    {
        ".csv": frame.write_csv,
        ".tsv": lambda to: frame.write_csv(to, separator="\t"),
        ".parquet": frame.write_parquet,
        ".jsonl": frame.write_ndjson,
    }[suffix](path)
    references = [[["a", "dog", "runs", "fast"], ["the", "dog"]]]
    says = [["a", "dog", "runs", "cat", "café"]]
    ingest(store, references)
    ingest(store, [says], "system")
    expected = {"cider": plain.cider, "cider-d": plain.cider_d}[name](says[0], references[0], plain.Given(TABLE, 100))
    assert scored(store, f"{name}:idf=file:{path}", [SYSTEM]) == {(0, 0): pytest.approx(expected, abs=1e-9)}


def test_stems_meet_the_stems_of_a_file(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "stems.csv"
    path.write_text("gram,images\n,100\ndog,8\na dog,5\nrun,100\n", encoding="utf-8")
    references, says = [[["a", "dog", "runs"], ["dogs"]]], [["a", "dogs", "running"]]
    ingest(store, references)
    ingest(store, [says], "system")
    df = plain.Given({"dog": 8, "a dog": 5, "run": 100}, 100)
    expected = plain.cider(["a", "dog", "run"], [["a", "dog", "run"], ["dog"]], df)
    assert scored(store, f"cider:stem=true,idf=file:{path}", [SYSTEM]) == {(0, 0): pytest.approx(expected, abs=1e-9)}


def test_signature_names_the_contents_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "df.csv"
    path.write_text("gram,images\n,10\na,5\n", encoding="utf-8")
    asked = request(f"cider:idf=file:{path}")
    assert f"|idf:file:{path}#" in str(asked.signature("bare", References()))
    assert request(asked.label).settings == asked.settings
    path.write_text("gram,images\n,10\na,6\n", encoding="utf-8")
    assert request(f"cider:idf=file:{path}").settings != asked.settings
    with pytest.raises(MetricError, match="the file has changed"):
        request(asked.label)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("gram,images\na,5\n", "needs one row with an empty gram"),
        ("gram,images\n,1\n", "needs one row with an empty gram"),
        ("gram,images\n,10\n,10\n", "needs one row with an empty gram"),
        ("gram,images\n,10\na,5\na,6\n", "'a' occurs more than once"),
        ("gram,images\n,10\na,11\n", "'a' is in 11 of 10 documents"),
        ("gram,images\n,10\na,0\n", "'a' is in 0 of 10 documents"),
        ("gram,images\n,10\na,\n", "'a' is in None of 10 documents"),
        ("gram,images\n,10\na,some\n", "not a table with columns gram and images"),
        ("word,images\n,10\n", "not a table with columns gram and images"),
        ("", "not a table with columns gram and images"),
    ],
)
def test_file_that_is_no_table_of_frequencies_says_why(store: Store, tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "df.csv"
    path.write_text(content, encoding="utf-8")
    ingest(store, [[["a"], ["a"]], [["b"], ["b"]]])
    with pytest.raises(MetricError, match=words):
        scored(store, f"cider:idf=file:{path}")


def test_file_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match="cannot be read as document frequencies: No such file"):
        request(f"cider:idf=file:{tmp_path}/none.csv")


ONE_IMAGE = [[["a", "dog"], ["a", "dog", "runs"]]]


@pytest.mark.parametrize("asked", ["cider", "cider-d", "cider:idf=fold", "cider-d:idf=run"])
def test_single_image_is_refused_with_ways_out(store: Store, asked: str) -> None:
    ingest(store, ONE_IMAGE)
    remedy = r"every idf is 0; set idf=none .* idf=of:DATASET"
    for study in (score, bounds):
        with pytest.raises(MetricError, match=remedy):
            study(store, "set", metrics=[asked])
    beside = score(store, "set", metrics=["bleu-1", asked])
    (reason,) = beside.frame.filter(metric=asked)["reason"]
    assert re.search(remedy, reason)
    assert [note for note in beside.notes if re.search(remedy, note)] != []


@pytest.mark.parametrize("name", ["cider", "cider-d"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_documents_are_those_of_another_dataset_or_of_its_pickle(
    store: Store, tmp_path: Path, name: str, protocol: int
) -> None:
    """What coco-caption would write for a dataset weighs as the dataset itself, and as a plain formula."""
    others = [[["a", "dog", "runs"], ["the", "dog"]], [["a", "cat"]], [["a", "dog", "sits"]], [["dogs", "runs"]]]
    ingest(store, ONE_IMAGE)
    ingest(store, [[["a", "dog", "runs", "fast"]]], "system")
    ingest_rows(
        store,
        [(f"{i}", slot, " ".join(text)) for i, texts in enumerate(others) for slot, text in enumerate(texts)],
        "docs",
    )
    frequency = defaultdict(float)
    for texts in others:
        for gram in {tuple(text[i : i + n]) for text in texts for n in range(1, 5) for i in range(len(text) - n + 1)}:
            frequency[gram] += 1
    path = tmp_path / "docs-df.p"
    path.write_bytes(pickle.dumps({"document_frequency": frequency, "ref_len": len(others)}, protocol))
    table = {" ".join(gram): int(images) for gram, images in frequency.items()}
    formula = {"cider": plain.cider, "cider-d": plain.cider_d}[name]
    expected = {
        (0, 0): pytest.approx(formula(["a", "dog", "runs", "fast"], ONE_IMAGE[0], plain.Given(table, 4)), abs=1e-9)
    }
    assert scored(store, f"{name}:idf=file:{path}", [SYSTEM]) == expected
    result = score(store, "set", candidates=["system"], metrics=[f"{name}:idf=of:docs"])
    assert scored(store, f"{name}:idf=of:docs", [SYSTEM]) == expected
    assert f"|idf:of:{resolve(store, 'docs').pinned_name}|" in result.signatures[f"{name}:idf=of:docs"]
    with pytest.raises(MetricError, match=r"idf=of:docs@.* counts words as they are spelled; omit stem=true"):
        scored(store, f"{name}:stem=true,idf=of:docs")
    with pytest.raises(UsageError, match="nowhere: not in"):
        score(store, "set", metrics=[f"{name}:idf=of:nowhere"])


class Runs:
    def __reduce__(self) -> tuple[object, ...]:
        return Path.write_text, (Path("PWNED"), "")


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (Runs(), "not read, since it names .*; only dictionaries, tuples, texts and numbers are read"),
        ({"document_frequency": {("a",): 2.0}, "ref_len": [9]}, "not read, since it has EMPTY_LIST"),
        ({"document_frequency": {(("a",),): 2.0}, "ref_len": 9}, "has a tuple of other things than texts"),
        ({"document_frequency": {"a": 2.0}, "ref_len": 9}, "from tuples of words"),
        ({"document_frequency": {("a",): 2.0}}, "needs ref_len, .*; it is None"),
        ({"document_frequency": {("a",): 2.5}, "ref_len": 9}, "'a' is in 2.5 documents"),
        ({"document_frequency": {("a",): 10.0}, "ref_len": 9}, "'a' is in 10 of 9 documents"),
        ({("a",): 2.0}, "needs document_frequency"),
        (b"\x80\x02r\xff\xff\xff\xff.", "not a pickle of document frequencies"),
        (b"gram,images", "not read, since it has|not a pickle"),
    ],
)
@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_pickle_of_anything_else_is_refused_by_name(tmp_path: Path, held: object, words: str, protocol: int) -> None:
    path = tmp_path / "df.p"
    path.write_bytes(held if isinstance(held, bytes) else pickle.dumps(held, protocol))
    with pytest.raises(MetricError, match=words.replace("EMPTY_LIST", "LIST|EMPTY_LIST")):
        idf.load(f"file:{path}")
    assert not Path("PWNED").exists()


def test_pickle_of_the_authors_has_the_images_of_their_program(tmp_path: Path) -> None:
    path = tmp_path / "coco-val-df.p"
    path.write_bytes(pickle.dumps({("a",): 20252.0, ("a", "dog"): 1.0}, 0))
    table, log_documents = idf.load(f"file:{path}")
    assert dict(table.iter_rows()) == {"a": 20252, "a dog": 1}
    assert log_documents == math.log(40_504)


def test_single_image_has_scores_without_idf(store: Store) -> None:
    ingest(store, ONE_IMAGE)
    expected = plain.cider(*ONE_IMAGE[0][:1], ONE_IMAGE[0][1:], plain.Uniform())
    assert scored(store, "cider:idf=none")[0, 0] == pytest.approx(expected, abs=1e-12)


def test_single_image_keeps_the_other_metrics_where_none_was_asked_for(store: Store) -> None:
    ingest(store, ONE_IMAGE)
    for result in (score(store, "set"), bounds(store, "set", candidates=["human"])):
        without = result.frame.filter(pl.col("reason").is_not_null())
        assert set(without["metric"]) == {"cider", "cider-d"}
        assert set(result.frame["metric"]) > {"bleu-4", "cider", "cider-d"}
        assert not result.signatures.keys() & {"cider", "cider-d"}
        assert any("cider, cider-d not available: with one image" in note for note in result.sentences)


def test_single_image_is_left_out_of_a_comparison_by_cider(store: Store) -> None:
    ingest(store, ONE_IMAGE)
    ingest_rows(store, [("x", 0, "a"), ("x", 1, "a b"), ("y", 0, "c"), ("y", 1, "c d")], "other")
    rows = compare(store, "set", "other").frame.filter(pl.col("statistic") == "upper")
    assert set(rows.filter(pl.col("metric") == "cider-d")["dataset"]) == {"other"}
    assert set(rows.filter(pl.col("metric") == "bleu-4")["dataset"]) == {"set", "other"}


def test_system_that_describes_one_image_is_refused_where_items_are_documents(store: Store) -> None:
    ingest(store, [[["a", "dog"]], [["a", "cat"]]])
    ingest(store, [[["a", "dog"]]], "system")
    with pytest.raises(MetricError, match="idf=run needs candidates of at least two images"):
        scored(store, "cider:idf=run", [SYSTEM])
    assert scored(store, "cider", [SYSTEM])[0, 0] > 0


@pytest.fixture(scope="module")
def flickr8k_test(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    if DATA is None:
        return None
    path = tmp_path_factory.mktemp("flickr8k") / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_sources(store, [config.sources(data=DATA)["flickr8k"]])
    return path


def test_means_of_the_readings_on_flickr8k_are_the_official_ones(data: Path, flickr8k_test: Path) -> None:
    """Made by the CIDEr authors' program: one run for each caption left out, and all in one run."""
    asked = [
        f"{name}:scale=x10,idf={reading}" for name in ("cider", "cider-d") for reading in ("dataset", "fold", "run")
    ]
    with Store.open(flickr8k_test) as store:
        scores = score_candidates(Captions(store, resolve(store, "flickr8k:test"), "bare"), [HUMAN], requests(asked))
    means = scores.select(pl.exclude("candidate", "image", "slot").mean().round(4)).row(0)
    assert means == (1.0232, 1.0121, 1.0095, 0.8322, 0.8233, 0.8211)


def test_edge_cases_score_as_the_authors_program_scores_them(data: Path, store: Store, flickr8k_test: Path) -> None:
    """With the document frequencies of Flickr8k's test images, from a file."""
    oracle = data.parent / "oracles" / "edge-cases.csv"
    if not oracle.exists():
        pytest.skip("the official scores are not here: oracles/edge-cases.csv beside the real datasets")
    with Store.open(flickr8k_test) as filled:
        texts = filled.query("select image, text from captions where dataset = 'flickr8k' and split = 'test'")
    images = [[plain.tokenize(text) for text in one["text"]] for one in texts.partition_by("image")]
    df = plain.DocumentFrequency(images).df
    pl.DataFrame({"gram": ["", *map(" ".join, df)], "images": [len(images), *df.values()]}).write_csv("df.csv")
    with oracle.open(encoding="utf-8", newline="") as file:
        cases = [case for case in csv.DictReader(file) if case["case"] != "punct_raw" and case["refs"] != ""]
    ingest_rows(
        store,
        [(f"{i:02}", j, ref) for i, case in enumerate(cases) for j, ref in enumerate(case["refs"].split(" || "))],
        kind="candidates",
    )
    ingest_rows(store, [(f"{i:02}", 0, case["candidate"]) for i, case in enumerate(cases)], "system", "candidates")
    for column, name in (("cider_f8kdf", "cider"), ("ciderd_f8kdf", "cider-d")):
        found = scored(store, f"{name}:scale=x10,idf=file:df.csv", [SYSTEM])
        assert found == pytest.approx({(i, 0): float(case[column]) for i, case in enumerate(cases)}, abs=1e-9)


def test_draw_that_leaves_one_image_is_refused_as_one(store: Store) -> None:
    ingest(store, [[["a", "dog"], ["a", "dog", "runs"]], [["a", "cat"]]])
    with pytest.raises(MetricError, match="with one image"):
        score(store, "set", metrics=["cider"], references=1)
    drawn = bounds(store, "set", references=1, candidates=["human"])
    assert "with one image" in drawn.frame.filter(metric="cider")["reason"].item()
    assert score(store, "set", metrics=["cider"]).frame["value"].null_count() == 0
