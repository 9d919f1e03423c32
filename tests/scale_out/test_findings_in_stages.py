"""Findings over shards: what one store finds, byte for byte, whoever does the work and however often it is stopped."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from buckets import Bucket
from running import run_auditor
from sizes import is_all, some
from test_stages import EVERYBODY, workers

from auditor import config
from auditor.errors import AuditorError, SourceError, StoreError, UsageError
from auditor.findings import not_kept, searched_by_default
from auditor.result import Result
from auditor.scoring.scale_out import shuffle
from auditor.scoring.scale_out.work import Work
from auditor.store.connection import MEMORY, Store
from auditor.studies.diversity import diversity
from auditor.studies.duplicates import AT_SEVERAL, COPIED, LEAK, duplicates, identical, search
from auditor.studies.export import export
from auditor.studies.findings import findings, read_summary
from auditor.studies.findings import shards as reading
from auditor.studies.findings.captions import FINDERS, LISTED
from auditor.studies.findings.protected import CONTAMINATED
from auditor.studies.findings.shards import VERDICT
from auditor.studies.findings.stages import ORDER, STAGES
from auditor.studies.findings.summary import RECEIPT, SUMMARY
from auditor.studies.findings.wanted import CHECKED
from auditor.studies.ingest import ingest, ingest_sources
from auditor.studies.profile import profile
from auditor.studies.verify import verify

#: Kinds that are searched for only with a list of words, or another dataset.
GIVEN = {"listed-words", CONTAMINATED}

#: Kinds that `duplicates` finds.
ON_DUPLICATES = (AT_SEVERAL, LEAK, COPIED)

#: The shards are read in three buckets, which meet in two partitions: each bucket costs a second.
ROWS_AT_ONCE, BUCKETS_OF_A_PARTITION = 500, 2

#: A kind whose captions each shard decides alone: enough where the claim is about files, folders or refusals.
ONE = ["markup"]

NOUNS = "dog cat man woman child horse bird boat train bicycle girl boy table street beach field".split()
VERBS = "runs sits jumps sleeps plays stands walks waits eats looks".split()
PLACES = "on the grass,in a park,near the water,beside a red car,under a tall tree,at the station".split(",")

#: Captions with a fault, at least one for most kinds.
FAULTS = [
    "a dog http://example.org/a.jpg", "mail me at jane.doe@example.org", "IMG_2041.jpg", "n/a", "a <b>cat</b> on a mat",
    "a caf\u00c3\u00a9 at night", "I am sorry, but I cannot describe this image.", "<|im_end|> a boat on the water",
    "a boat a boat a boat a boat a boat", "the rain in the rain in the rain in the", "…", "一只狗在草地上奔跑",
    "Ein Hund läuft über die grüne Wiese", "a man runs on the gras and a wman sits on the", "Error: rate limit exceeded",
    "The image shows a boat. The image shows a boat.", "1. a dog on a street", "**A dog** on a street", "a woman sits on a",
    "a womn sits on the grass", "a chid plays near the water", "label: dog (0.98)", "In this photo, I can see my dog.",
]  # fmt: skip


def captions() -> list[tuple[str, str]]:
    """Images of one to four captions in no order: regular ones, faults, repeats, an empty one."""
    drawn = random.Random(5)
    rows = list[tuple[str, str]]()
    for image in range(400):
        for _ in range(3 if image % 9 else drawn.choice([1, 2, 4])):
            noun, verb, place = drawn.choice(NOUNS), drawn.choice(VERBS), drawn.choice(PLACES)
            rows.append((f"i{image:03}.jpg", f"a {noun} {verb} {place}{drawn.choice(['', '.', ' and looks away'])}"))
    rows += [(f"f{number:02}.jpg", text) for number, text in enumerate(FAULTS)]
    rows += [("twin.jpg", "a cat sleeps on the grass"), ("twin.jpg", "A cat sleeps on the grass!"), ("void.jpg", " ")]
    return rows


pytestmark = pytest.mark.xdist_group("findings in stages")  # the work of one run is compared with that of others


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of shards of different sizes."""
    made = tmp_path_factory.mktemp("some") / "shards"
    made.mkdir()
    frame = pl.DataFrame(captions(), schema=["image", "caption"], orient="row")
    test = frame["image"].hash(2) % 4 == 0
    other = frame["caption"].hash(3) % 40 == 0
    splits = pl.DataFrame({"test": test, "other": other}).select(
        pl.when("other").then(pl.lit("val")).when("test").then(pl.lit("test")).otherwise(pl.lit("train"))
    )
    frame = frame.with_columns(split=splits.to_series())
    shard = frame["image"].hash(1) % 8
    for number in range(8):
        frame.filter(shard == number).write_parquet(made / f"part-{number}.parquet")
    return made


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[Store]:
    """The captions of all shards in one store."""
    with Store.open(MEMORY) as made:
        ingest(made, "shards", files=[folder / "*.parquet"], config={})
        yield made


@pytest.fixture(scope="module")
def expected(store: Store) -> Result:
    return findings(store, "shards", captions_only=True)


def staged(folder: Path, target: Path, **options: object) -> Result:
    with Store.open(MEMORY) as store:
        return findings(store, str(folder / "*.parquet"), verdicts=target, **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True, scope="module")
def _small_buckets() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reading, "_ROWS_AT_ONCE", ROWS_AT_ONCE)
        patched.setattr(reading, "_BUCKETS_OF_A_PARTITION", BUCKETS_OF_A_PARTITION)
        yield


@pytest.fixture
def _partitions_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all buckets meet in one partition, as in other processes, where nothing is patched."""
    monkeypatch.setattr(reading, "_BUCKETS_OF_A_PARTITION", 4)


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path, Path]:
    at = tmp_path_factory.mktemp("finished")
    return staged(folder, at / "verdicts", work=at / "work"), at / "verdicts", at / "work"


@pytest.fixture(scope="module")
def of_one_kind(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path, Path]:
    at = tmp_path_factory.mktemp("one")
    return staged(folder, at / "verdicts", work=at / "work", kinds=ONE), at / "verdicts", at / "work"


def found(work: Path) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(file) for file in sorted((work / "found").glob("*.parquet")))


def bytes_of(verdicts: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in verdicts.iterdir() if file.suffix == ".parquet"}


@pytest.mark.parametrize("kind", ON_DUPLICATES)
def test_finding_on_duplicates_is_that_of_one_store(
    kind: str, finished: tuple[Result, Path, Path], store: Store
) -> None:
    same_finding(kind, finished[0], store)


def same_finding(kind: str, result: Result, store: Store) -> None:
    told, wanted = (
        [replace(one, examples=()) for one in made.found(kind)]
        for made in (result, findings(store, "shards", kinds=[kind]))
    )
    assert [one.__dict__ | {"about": dict(one.about, version=None)} for one in told] == [
        one.__dict__ | {"about": dict(one.about, version=None)} for one in wanted
    ]


@pytest.mark.parametrize("kind", [kind for kind in FINDERS if kind in CHECKED and kind not in GIVEN])
def test_kind_is_listed_as_in_one_store(kind: str, finished: tuple[Result, Path, Path], expected: Result) -> None:
    result, _, work = finished
    columns = [*LISTED]
    here, there = (rows.filter(kind=kind).select(columns).sort(columns) for rows in (found(work), expected.frame))
    assert here.write_csv() == there.write_csv()
    told, wanted = ([*made.found(kind)] for made in (result, expected))
    assert [(one.sentence, one.severity, one.n, one.values, one.examples) for one in told] == [
        (one.sentence, one.severity, one.n, one.values, one.examples) for one in wanted
    ]


def test_most_kinds_have_captions_here(finished: tuple[Result, Path, Path]) -> None:
    assert len({*found(finished[2])["kind"]}) >= 18


def test_kinds_that_are_not_checked_are_named_with_the_reason(finished: tuple[Result, Path, Path]) -> None:
    rows = finished[0].frame
    unchecked = rows.filter(pl.col("not_checked_because").is_not_null())
    assert {"swapped-captions", "exchanged-images"} <= {*unchecked["kind"]}
    by_default = {*CHECKED}.intersection(searched_by_default()) | {LEAK, COPIED}
    assert not {*unchecked["kind"]} & by_default
    assert by_default - GIVEN == {*rows["kind"].drop_nulls()} - {*unchecked["kind"]}
    (leak,) = finished[0].found(LEAK)
    listed = rows.filter(kind=LEAK).select("severity", "number").row(0)
    assert listed == (leak.severity, leak.values["exact"] + leak.values["near"])


def numbers(result: Result, command: str, *names: str) -> dict[object, tuple[object, ...]]:
    """The rows of another command in the summary: by scope and statistic."""
    rows = result.frame.filter(pl.col("not_checked_because").is_null(), command=command)
    return {(scope, statistic): row for scope, statistic, *row in rows.select("scope", "statistic", *names).rows()}


def test_profile_is_that_of_one_store(finished: tuple[Result, Path, Path], store: Store) -> None:
    wanted = same_profile(finished[0], store)
    assert min(wanted[f"captions-in-{name}"] for name in ("several-splits", "no-split")) == 0 < wanted["rejected"]


def same_profile(result: Result, store: Store) -> dict[str, float]:
    told = {name: value for (_, name), (value,) in numbers(result, "profile", "value").items()}
    wanted = dict(profile(store, "shards").frame.select("statistic", "value").iter_rows())
    assert {name: told[name] for name in wanted} == wanted
    return wanted


def test_duplicates_are_those_of_one_store(finished: tuple[Result, Path, Path], store: Store) -> None:
    assert same_duplicates(finished[0], store).filter(match="near")["number"].min() > 0


def same_duplicates(result: Result, store: Store) -> pl.DataFrame:
    columns = ["scope", "match", "statistic", "n", "value"]
    own = pl.col("scope").is_in(["within-image", "across-images"])
    whole = duplicates(store, "shards").frame.filter(own, pl.col("split").is_null(), pl.col("slot").is_null())
    shares = result.frame.filter(pl.col("match").is_not_null(), command="duplicates")
    assert shares.select(*columns, "number").rows() == whole.select(*columns, "found").rows()
    told = numbers(result, "duplicates", "number")
    (within,) = identical(store, "shards", exact=True, within=True).findings
    assert [told["within-image", name][0] for name in ("pairs", "in_groups", "letter_repeats", "images_all_equal")] == [
        within.values[name] for name in ("pairs", "in_groups", "letter_repeats", "images_all_equal")
    ]
    return shares


def test_too_many_similar_captions_leave_exact_duplicates(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(search._LIMITED, "prefix_pair_count", 100)
    rows = staged(folder, tmp_path / "verdicts").frame
    told, wanted = (made.filter(pl.col("match").is_not_null()) for made in (rows, finished[0].frame))
    assert told.equals(wanted.filter(match="exact"))
    assert rows.filter(kind=LEAK)["not_checked_because"].str.contains("too many captions are similar").all()


def test_diversity_is_that_of_one_store(finished: tuple[Result, Path, Path], store: Store) -> None:
    same_diversity(finished[0], store)


def same_diversity(result: Result, store: Store) -> None:
    told = {name: value for (_, name), (value,) in numbers(result, "diversity", "value").items()}
    rows = diversity(store, "shards").frame.filter(pl.col("position").is_null())
    wanted = dict(rows.select("statistic", "value").iter_rows())
    assert {"types", "distinct-1", "distinct-2", "ngram-diversity", "entropy", "unique", "sameness"} <= {*told}
    assert told == {name: wanted[name] for name in told}
    because = result.frame.filter(pl.col("not_checked_because").is_not_null(), command="diversity")
    assert {*wanted} - {*told} - {f"mbleu-{n}" for n in range(1, 5)} == {*because["statistic"]} - {"mbleu", "curve"}


@pytest.mark.slow
def test_summary_of_real_captions_is_that_of_one_store(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flickr8k in six shards: the numbers of `profile`, `duplicates` and `diversity`, and findings on duplicates.

    Of its images, each tenth; with `--all`, all.
    """
    monkeypatch.setattr(reading, "_ROWS_AT_ONCE", 8_000 if is_all() else 1_600)
    folder = tmp_path / "shards"
    folder.mkdir()
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(data=data)["flickr8k"]])
        rows = store.query(
            "select image, split, text from membership join caption using (caption_id)"
            " where $is_all or hash(image) % 10 = 0 order by image, slot",
            {"is_all": is_all()},
        )
    numbered = rows.with_columns(shard=pl.col("image").rank("dense") * 6 // (pl.col("image").n_unique() + 1))
    for number, shard in enumerate(numbered.partition_by("shard", include_key=False)):
        shard.write_parquet(folder / f"part-{number}.parquet")
    made = staged(folder, tmp_path / "verdicts")
    with Store.open(MEMORY) as store:
        ingest(store, "shards", files=[folder / "*.parquet"], config={})
        for same in (same_profile, same_duplicates, same_diversity):
            same(made, store)
        for kind in ON_DUPLICATES:
            same_finding(kind, made, store)
    assert made.found(LEAK)


def test_numbers_are_the_same_wherever_the_captions_are(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards in another order and other groups, a caption in the shard before its image's others, an empty shard."""
    monkeypatch.setattr(reading, "_ROWS_AT_ONCE", 2 * ROWS_AT_ONCE)
    made = broken(folder, tmp_path)
    second, third = (pl.read_parquet(made / f"part-{number}.parquet") for number in (2, 3))
    moved = third.filter(image="i004.jpg").head(1)
    pl.concat([second, moved]).write_parquet(made / "part-2.parquet")
    third.filter(pl.int_range(pl.len()) != (third["image"] == "i004.jpg").arg_max()).write_parquet(
        made / "part-3.parquet"
    )
    third.head(0).write_parquet(made / "part-8.parquet")
    order = sorted(map(str, made.iterdir()))
    with Store.open(MEMORY) as store:
        told = findings(store, *order[4:], *order[:4], verdicts=tmp_path / "verdicts")
    rows = [made.frame.filter(pl.col("command").is_not_null()) for made in (told, finished[0])]
    assert rows[0].equals(rows[1])
    assert pl.read_parquet(tmp_path / "verdicts" / "part-8.parquet").is_empty()


def test_a_shard_in_another_language_is_read_as_all_shards_are(folder: Path, tmp_path: Path) -> None:
    """Whether captions are English, and how many are cut, is decided for all, not for each group of shards."""
    kinds = ["misspellings", "truncated-captions", "mixed-language"]
    made = Path(shutil.copytree(folder, tmp_path / "shards"))
    drawn = random.Random(3)
    hund = [
        f"ein {drawn.choice(['Hund', 'Mann', 'Junge'])} läuft über die grüne Wiese am {n}. Haus" for n in range(600)
    ]
    hund[7], hund[9] = "a dgo runs on the grass with a red", "ein Hund in the park mit einem bll"
    rows = {"image": [f"z{n:03}.jpg" for n in range(600)], "caption": hund, "split": ["train"] * 600}
    pl.DataFrame(rows).write_parquet(made / "part-8.parquet")
    result = staged(made, tmp_path / "verdicts", work=tmp_path / "work", kinds=kinds)
    with Store.open(MEMORY) as store:
        ingest(store, "shards", files=[made / "*.parquet"], config={})
        wanted = findings(store, "shards", kinds=kinds, captions_only=True)
    columns = ["kind", *LISTED]
    assert (
        found(tmp_path / "work").select(columns).sort(columns).rows()
        == wanted.frame.select(columns).sort(columns).rows()
    )
    assert [one.sentence for one in result.findings] == [one.sentence for one in wanted.findings]
    assert result.findings


def test_captions_without_a_word_are_audited(tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    folder.mkdir()
    pl.DataFrame({"image": ["a", "a", "b"], "caption": ["…", "!!!", "…"]}).write_parquet(folder / "part-0.parquet")
    made = staged(folder, tmp_path / "verdicts")
    with Store.open(MEMORY) as store:
        ingest(store, "shards", files=[folder / "*.parquet"], config={})
        same_profile(made, store)
        same_duplicates(made, store)
        same_diversity(made, store)
        assert not findings(store, "shards", kinds=[AT_SEVERAL]).found(AT_SEVERAL)
    assert made.found("captions-without-word")[0].n == 3


def test_one_kind_alone_measures_nothing_else(of_one_kind: tuple[Result, Path, Path]) -> None:
    told = of_one_kind[0]
    assert told.frame["command"].count() == 0
    assert len(told.lead) == 1


def test_verdicts_have_a_row_for_each_row_of_a_shard(folder: Path, finished: tuple[Result, Path, Path]) -> None:
    _, verdicts, work = finished
    named, gone = 0, {"rejected", *not_kept(["findings"])}
    for shard in sorted(folder.iterdir()):
        told = pl.read_parquet(verdicts / shard.name)
        assert told["id"].to_list() == pl.read_parquet(shard)["image"].to_list()
        assert told.columns == [*VERDICT]
        assert told["keep"].to_list() == [not ({*kinds} & gone) for kinds in told["kind"]]
        named += told["kind"].list.len().sum()
        beside = pl.concat([pl.read_parquet(shard), told], how="horizontal")
        faulty = beside.filter(caption="n/a").get_column("kind").to_list()
        assert not faulty or faulty[0][0] == "placeholders"
        assert beside.filter(caption=" ").get_column("kind").to_list() in ([], [["rejected"]])
    assert named >= found(work).filter(pl.col("slot").is_not_null()).height + 1


def test_verdicts_have_columns_of_the_shards_and_the_rows_that_a_store_exports(tmp_path: Path) -> None:
    rows = [(f"u{place}", f"p/{place}", text) for place, text in enumerate([
        *(text for text in FAULTS if "grüne" not in text), *["Video not available."] * 12, "a small cat in a red hat",
        "A small cat, in a red hat!", "a small black cat in a red hat",
    ])]  # fmt: skip  # which languages are others, stages do not check
    rows += [
        (f"v{n}{v}", f"q/{n}{v}", f"a {n} {v} by the {p}") for n in NOUNS for v, p in zip(VERBS, NOUNS, strict=False)
    ]
    frame = pl.DataFrame(rows, schema=["uid", "url", "caption"], orient="row")
    (tmp_path / "shards").mkdir()
    for number in range(2):
        frame.gather_every(2, number).write_parquet(tmp_path / "shards" / f"s{number}.parquet")
    options = {"image_col": "url", "caption_col": ["caption"], "carried": "uid", "without": ["warning"]}
    staged(tmp_path / "shards", tmp_path / "verdicts", **options)
    verdicts = pl.scan_parquet(tmp_path / "verdicts" / "*.parquet").collect()
    assert verdicts["uid"].to_list() == [uid for number in range(2) for uid in frame.gather_every(2, number)["uid"]]
    kept = frame.join(verdicts.filter("keep").select("uid"), on="uid", how="semi")
    with Store.open(MEMORY, write=True) as store:
        ingest(store, "mine", files=[tmp_path / "shards" / "*.parquet"], image_col="url", config={})
        export(store, "mine", tmp_path / "kept.csv", without=["warning"], config={})
    assert {*pl.read_csv(tmp_path / "kept.csv")["image"]} == {*kept["url"]}
    twins = dict(verdicts.drop_nulls("twin").select("id", "twin").iter_rows())
    cats = [url for url, text in frame.select("url", "caption").iter_rows() if "hat" in text]
    assert [twins.get(url) for url in cats] == [None, cats[0], cats[0]]
    assert [text for text in kept["caption"] if text == "Video not available."] == ["Video not available."]
    refused(
        tmp_path / "shards",
        tmp_path / "again",
        UsageError,
        "--columns id: verdicts can also have uid, url",
        carried="id",
    )


def test_summary_and_receipt(finished: tuple[Result, Path, Path]) -> None:
    result, verdicts, _ = finished
    assert json.loads((verdicts / SUMMARY).read_text())["auditor.findings/v3"]
    receipt = json.loads((verdicts / RECEIPT).read_text())["auditor.verdicts/v1"]
    assert {*receipt["sha256"]} == {*bytes_of(verdicts), SUMMARY}
    assert "8 shards" in result.notes[0]


def test_folder_is_checked_against_its_receipt(finished: tuple[Result, Path, Path], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(finished[1], tmp_path / "copy"))
    with Store.open(MEMORY) as store:
        assert verify(store, copy).frame["holds"].to_list() == [True] * 5
        (copy / "part-1.parquet").write_bytes(b"PAR1")
        (copy / "part-2.parquet").unlink()
        (copy / "notes.txt").write_text("mine")
        damaged = verify(store, str(copy))
        assert damaged.holds is False
        assert damaged.frame["found"].to_list()[1:4] == [
            "1 file was changed: part-1.parquet", "1 file was missing: part-2.parquet", "1 file was added: notes.txt",
        ]  # fmt: skip
        (copy / RECEIPT).write_text("[]")
        with pytest.raises(SourceError, match="not a receipt"):
            verify(store, copy)
    done = run_auditor("store", "verify", str(finished[1]), "--store", str(tmp_path / "none.db"))
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("change", ["files", "summary", "plan"])
def test_receipt_binds_every_file_of_its_plan(finished: tuple[Result, Path, Path], tmp_path: Path, change: str) -> None:
    copy = Path(shutil.copytree(finished[1], tmp_path / "copy"))
    receipt = json.loads((copy / RECEIPT).read_text())
    body = receipt["auditor.verdicts/v1"]
    assert {Path(name).name for name in body["read"]} == {*bytes_of(copy)}
    if change == "files":
        for file in copy.iterdir():
            file.unlink()
        body["sha256"] = {}
    elif change == "summary":
        del body["sha256"][SUMMARY]
    else:
        body["plan"]["tokenizer"] = "char"
    (copy / RECEIPT).write_text(json.dumps(receipt))
    refusal = "the summary is not that of the plan" if change == "plan" else "not a receipt"
    done = run_auditor("store", "verify", str(copy), "--store", "none.db")
    assert done.returncode
    assert refusal in done.stdout + done.stderr
    if change != "files":
        done = run_auditor("report", str(copy), "--store", "none.db", "-o", "page.html")
        assert (done.returncode, done.stderr.count("\n")) == (3, 1)
        assert refusal in done.stderr
        assert not Path("page.html").exists()


def test_shard_of_the_same_size_and_time_is_not_taken_for_the_one_before(folder: Path, tmp_path: Path) -> None:
    made, work = broken(folder, tmp_path), tmp_path / "work"
    staged(made, tmp_path / "verdicts", work=work, kinds=ONE)
    shard = made / "part-1.parquet"
    before, content = shard.stat(), bytearray(shard.read_bytes())
    content[50] ^= 1
    shard.write_bytes(content)
    os.utime(shard, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (shard.stat().st_size, shard.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    message = r"part-1\.parquet: changed since this work began"
    refused(made, tmp_path / "again", SourceError, message, work=work, kinds=ONE)


def test_second_run_in_a_folder_of_work_is_refused(folder: Path, tmp_path: Path) -> None:
    work = Work(tmp_path / "work", ORDER)
    work.begin("a plan")
    refused(folder, tmp_path / "verdicts", UsageError, "work: another run uses it; wait for its end", work=work.folder)
    work.close()
    refused(folder, tmp_path / "verdicts", UsageError, "contains other work", work=work.folder)


def test_many_groups_are_gathered_and_their_sums_partitioned(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of many groups are gathered before partitions read them, and no task adds up all words."""
    monkeypatch.setattr(shuffle, "FEW", 1)
    monkeypatch.setattr(reading, "_ROWS_AT_ONCE", 1)
    monkeypatch.setattr(reading, "_BUCKETS_OF_A_PARTITION", 1)
    staged(folder, tmp_path / "verdicts", work=tmp_path / "work")
    for verdicts in finished[1].glob("*.parquet"):
        assert (tmp_path / "verdicts" / verdicts.name).read_bytes() == verdicts.read_bytes()
    gathered = {path.name for path in (tmp_path / "work").glob("gathered-*")}
    assert gathered == {stage for stage in STAGES if stage.startswith("gathered-")}
    sums, at_once = (list((work / "sums-1").glob("*.parquet")) for work in (tmp_path / "work", finished[2]))
    assert len(sums) > len(at_once)


def test_two_runs_at_once_end_right_or_are_refused(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "auditor", "findings", f"{folder}/*.parquet", "-k", "markup", "--quiet"]
    targets = [
        ["--verdicts", "verdicts"],
        ["--verdicts", "verdicts"],
        ["--verdicts", "a", "--work", "w"],
        ["--verdicts", "b", "--work", "w"],
    ]
    runs = [
        subprocess.Popen([*command, *target], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for target in targets
    ]
    for run, (_, said) in [(run, run.communicate()) for run in runs]:
        assert run.returncode == 0 or re.fullmatch(
            "error: .*(another run uses it|already exists|cannot be written).*\n", said
        )
    assert (tmp_path / "verdicts" / RECEIPT).is_file()
    assert (tmp_path / "a").exists() or (tmp_path / "b").exists()
    assert {path.name for path in tmp_path.iterdir()} <= {"verdicts", "a", "b", "w"}


def test_report_reads_the_summary(finished: tuple[Result, Path, Path], tmp_path: Path) -> None:
    result, verdicts, _ = finished
    again = read_summary(verdicts)
    assert again.findings == result.findings
    assert again.frame.equals(result.frame)
    page = tmp_path / "page.html"
    done = run_auditor("report", str(verdicts), "--store", str(tmp_path / "none.db"), "-o", str(page))
    assert done.returncode == 0, done.stderr
    assert {finding.kind for finding in result.findings if finding.kind not in page.read_text()} == set()
    unread = run_auditor("report", str(verdicts), "--store", str(tmp_path / "none.db"), "-m", "bleu-1")
    assert "--metric: only for a page or a card" in unread.stderr
    broken = Path(shutil.copytree(verdicts, tmp_path / "broken"))
    (broken / SUMMARY).write_text("{}")
    with pytest.raises(SourceError, match="not a summary of verdicts"):
        read_summary(broken)


@pytest.mark.parametrize("executor", EVERYBODY[1:])
@pytest.mark.usefixtures("_partitions_of_workers")
def test_bytes_are_the_same_whoever_does_the_work_though_paths_are_relative(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path], monkeypatch: pytest.MonkeyPatch, executor: str
) -> None:
    monkeypatch.chdir(folder.parent)
    staged(Path(folder.name), tmp_path / "verdicts", executor=executor, workers=2)
    assert bytes_of(tmp_path / "verdicts") == bytes_of(finished[1])
    assert [path.name for path in tmp_path.iterdir()] == ["verdicts"]


def test_ranks_that_start_one_after_another_write_what_one_command_writes(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path]
) -> None:
    options = {"work": tmp_path / "work", "ranks": 3}
    notes = [staged(folder, tmp_path / "verdicts", rank=rank, **options).notes[-2:] for rank in (2, 0)]
    assert [of_rank[1] for of_rank in notes] == ["1 of 3 ranks done", "2 of 3 ranks done"]
    assert notes[1][0] == "0 tasks run now"
    for name in (SUMMARY, *bytes_of(finished[1])):
        assert (tmp_path / "verdicts" / name).read_bytes() == (finished[1] / name).read_bytes()
    with pytest.raises(UsageError, match="already exists"):
        staged(folder, finished[1], kinds=ONE, rank=0, ranks=2, work=tmp_path / "other")
    with pytest.raises(UsageError, match="add --work with the folder that all ranks share"):
        staged(folder, tmp_path / "more", rank=0, ranks=2)
    with pytest.raises(UsageError, match="ranks count from 0, so the last of 2 is 1"):
        staged(folder, tmp_path / "more", rank=2, **options | {"ranks": 2})


@pytest.mark.usefixtures("_partitions_of_workers")
def test_ranks_take_over_the_tasks_of_one_that_is_killed(
    folder: Path, tmp_path: Path, of_one_kind: tuple[Result, Path, Path]
) -> None:
    work = tmp_path / "work"
    command = [sys.executable, "-m", "auditor", "findings", str(folder / "*.parquet"), "--kind", *ONE, "--of", "3"]
    command += ["--verdicts", str(tmp_path / "verdicts"), "--work", str(work), "--workers", "1"]
    first = subprocess.Popen([*command, "--rank", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not any(work.glob(".auditor-*.temporary")) and first.poll() is None:
        time.sleep(0.01)
    first.kill()
    others = [subprocess.Popen([*command, "--rank", rank], stdout=subprocess.DEVNULL) for rank in ("2", "0")]
    assert [one.wait() for one in others] == [0, 0]
    assert first.wait() == -signal.SIGKILL
    assert bytes_of(tmp_path / "verdicts") == bytes_of(of_one_kind[1])
    assert not any(work.glob(".auditor-*.temporary"))


@pytest.mark.parametrize("executor", EVERYBODY[1:])
@pytest.mark.usefixtures("_partitions_of_workers")
def test_task_of_a_killed_worker_is_repeated(
    folder: Path, tmp_path: Path, of_one_kind: tuple[Result, Path, Path], executor: str
) -> None:
    killed, work = list[int](), tmp_path / "work"

    def kill_one() -> None:
        while not killed:
            time.sleep(0.02)
            if any(work.glob(".auditor-*.temporary")):  # a worker is at a task
                killed.extend(workers()[:1])
                for worker in killed:
                    os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    staged(folder, tmp_path / "verdicts", executor=executor, workers=2, work=work, kinds=ONE)
    killer.join(10)
    assert killed
    assert bytes_of(tmp_path / "verdicts") == bytes_of(of_one_kind[1])


def test_killed_work_continues(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, put, kills = random.Random(3), Work.put, [None] * 8

    def put_or_die(at: Work, stage: str, number: int, some: pl.DataFrame, groups: int = 1) -> object:
        if kills and drawn.random() < 0.2:
            kills.pop()
            raise KeyboardInterrupt
        return put(at, stage, number, some, groups)

    monkeypatch.setattr(Work, "put", put_or_die)
    while True:
        try:
            staged(folder, tmp_path / "verdicts", workers=1)
            break
        except KeyboardInterrupt:
            assert not (tmp_path / "verdicts").exists()
    assert not kills
    assert bytes_of(tmp_path / "verdicts") == bytes_of(finished[1])


def test_damaged_records_are_read_again_with_all_that_follows(
    folder: Path, tmp_path: Path, finished: tuple[Result, Path, Path]
) -> None:
    work = Path(shutil.copytree(finished[2], tmp_path / "work"))
    damaged = work / "records" / "000000.parquet"
    damaged.write_bytes(damaged.read_bytes()[::-1])
    former = {stage: (work / stage / "000000.done").stat().st_mtime_ns for stage in STAGES if (work / stage).is_dir()}
    staged(folder, tmp_path / "verdicts", work=work)
    assert bytes_of(tmp_path / "verdicts") == bytes_of(finished[1])
    assert all((work / stage / "000000.done").stat().st_mtime_ns > time for stage, time in former.items())


def test_files_of_a_bucket_have_the_same_verdicts(
    folder: Path, tmp_path: Path, of_one_kind: tuple[Result, Path, Path], bucket: Bucket
) -> None:
    names = [f"part-{number}.parquet" for number in range(3)]
    for name in names:
        bucket.put(f"shards/{name}", (folder / name).read_bytes())
    target, work = tmp_path / "verdicts", tmp_path / "work"
    with Store.open(MEMORY) as store:
        findings(store, "s3://captions/shards/*.parquet", verdicts=target, work=work, kinds=ONE)
        wanted = bytes_of(of_one_kind[1])
        assert bytes_of(target) == {name: wanted[name] for name in names}
        shutil.rmtree(target)
        bucket.put("shards/part-2.parquet", (folder / "part-1.parquet").read_bytes())
        with pytest.raises(SourceError, match=r"part-2\.parquet: changed since this work began"):
            findings(store, "s3://captions/shards/*.parquet", verdicts=target, work=work, kinds=ONE)


def passages(words: list[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(words[first : first + n]) for first in range(len(words) - n + 1)}


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_planted_passages_are_all_found_in_stages_as_in_one_store(tmp_path: Path, seed: int) -> None:
    """Copies of 8 and 13 words, and of whole captions, in other words; shorter ones are not listed."""
    drawn, words = random.Random(seed), "a the dog cat man runs sits on of red blue beach café 日本 two hat".split()
    own, planted = list[tuple[str, str]](), dict[str, str]()
    tests = [drawn.choices(words, k=drawn.choice([0, 1, 3, 7, 8, 12, 13, 20])) for _ in range(60)]
    for number in range(900):
        said, size = drawn.choices([*words, "boat", "tree"], k=drawn.randint(2, 9)), drawn.choice([0, 0, 7, 8, 13])
        source = drawn.choice(tests)
        first = drawn.randint(0, max(0, len(source) - size))
        at = drawn.randint(0, len(said))
        said = source if number % 40 == 0 else [*said[:at], *source[first : first + size], *said[at:]]
        own.append((f"i{number:04}", " ".join(said) or "…"))
        shared = next((n for n in (13, 8) if any(passages(said, n) & passages(one, n) for one in tests)), None)
        if said and (how := "all" if said in tests else shared):
            planted[f"i{number:04}"] = str(how)
    assert {"all", "8", "13"} == {*planted.values()}
    (tmp_path / "own").mkdir()
    rows = pl.DataFrame(own, schema=["image", "caption"], orient="row")
    for place in range(3):
        rows.slice(300 * place, 300).write_parquet(tmp_path / f"own/part-{place}.parquet")
    held = [(f"t{number}", " ".join(one).capitalize() + "!") for number, one in enumerate(tests)]
    pl.DataFrame(held, schema=["image", "caption"], orient="row").write_parquet(tmp_path / "test.parquet")
    with Store.open(MEMORY) as store:
        ingest(store, "test", files=[tmp_path / "test.parquet"], config={})
        ingest(store, "own", files=[tmp_path / "own/*.parquet"], config={})
        told = findings(store, "own", kinds=[CONTAMINATED], against="test")
        shards, work = f"{tmp_path}/own/*.parquet", tmp_path / "work"
        staged = findings(store, shards, kinds=[CONTAMINATED], against="test", verdicts=tmp_path / "out", work=work)
    assert dict(told.frame.select("image", pl.col("why").str.split(" ").list.first()).iter_rows()) == planted
    assert found(work).select(*LISTED).equals(told.frame.select(*LISTED))
    assert [one.values for one in staged.findings] == [one.values for one in told.findings]
    texts = dict(held)
    for image, why in told.frame.select("image", "why").iter_rows():
        place, text, passage = re.fullmatch(r"\w+ words of (\w+)#0 of test, “(.+)”: “(.+)”", why).groups()
        assert texts[place] == text
        assert f" {passage} " in f" {dict(own)[image]} "
        assert f" {passage} " in f" {text.lower().removesuffix('!')} "


def test_kind_that_needs_another_dataset_is_refused_without_it(folder: Path, tmp_path: Path) -> None:
    message = "name the dataset to compare with: add --against DATASET"
    refused(folder, tmp_path / "verdicts", UsageError, message, kinds=[CONTAMINATED])
    refused(folder, tmp_path / "verdicts", UsageError, "nowhere", against="nowhere")


def broken(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "shards"))


def refused(folder: Path, target: Path, error: type[AuditorError], message: str, **options: object) -> None:
    with pytest.raises(error, match=message) as raised:
        staged(folder, target, **options)
    assert "\n" not in str(raised.value)
    assert not target.exists()


def test_shard_with_other_columns_is_refused(folder: Path, tmp_path: Path) -> None:
    made = broken(folder, tmp_path)
    other = pl.read_parquet(made / "part-3.parquet").with_columns(url=pl.lit("x"))
    other.write_parquet(made / "part-3.parquet")
    refused(made, tmp_path / "verdicts", SourceError, r"part-3\.parquet: has the columns .* but part-0\.parquet has")


def test_shard_that_changed_or_is_missing_between_passes_is_refused(folder: Path, tmp_path: Path) -> None:
    made, target, work = broken(folder, tmp_path), tmp_path / "verdicts", tmp_path / "work"
    staged(made, target, work=work, kinds=ONE)
    shutil.rmtree(target)
    pl.read_parquet(made / "part-1.parquet").head(50).write_parquet(made / "part-1.parquet")
    refused(made, target, SourceError, r"part-1\.parquet: changed since this work began", work=work, kinds=ONE)
    (made / "part-1.parquet").unlink()
    message = r"part-1\.parquet: was there when this work began"
    refused(made, target, SourceError, message, work=work, kinds=ONE)


def test_image_in_two_buckets_is_refused(folder: Path, tmp_path: Path) -> None:
    made = broken(folder, tmp_path)
    again = {"image": ["twin.jpg"], "caption": ["a cat again"], "split": ["test"]}
    pl.DataFrame(again).write_parquet(made / "zzz.parquet")
    names = [f"z{row}" for row in range(399)]
    padding = pl.DataFrame({"image": names, "caption": "a cat sits on a mat", "split": "test"})
    padding.write_parquet(made / "zzy.parquet")
    refused(
        made,
        tmp_path / "verdicts",
        SourceError,
        r"image twin\.jpg: has captions in part-\d\.parquet and zzz\.parquet; sort",
        kinds=ONE,
    )


def test_full_disk_publishes_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    refused(folder, tmp_path / "verdicts", StoreError, r"No space left on device; nothing was published", kinds=ONE)
    assert not [path for path in tmp_path.iterdir() if "stages" not in path.name]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokenizer": "ptb"}, "--tokenizer ptb: in stages, use one of bare, char"),
        ({"split": "test"}, "--split: only for findings in the store; leave out for --verdicts"),
        ({"executor": "moon"}, "--executor moon: expected here, processes or ray"),
        ({"address": "host:6379"}, "--address: only with --executor ray"),
    ],
)
def test_option_that_stages_lack_is_refused(
    folder: Path, tmp_path: Path, options: dict[str, object], message: str
) -> None:
    refused(folder, tmp_path / "verdicts", UsageError, message, **options)


def test_other_files_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text("image,caption\na,a dog\n")
    with Store.open(MEMORY) as store, pytest.raises(UsageError, match="only Parquet files are read"):
        findings(store, str(tmp_path / "captions.csv"), verdicts=tmp_path / "verdicts")
    with (
        Store.open(MEMORY) as store,
        pytest.raises(UsageError, match="--work: only for --verdicts; leave out for findings in the store"),
    ):
        findings(store, str(folder / "*.parquet"), work=tmp_path / "work")


def test_command_needs_no_store(folder: Path, tmp_path: Path) -> None:
    done = run_auditor(
        "findings",
        f"{folder}/*.parquet",
        "--kind",
        ONE[0],
        "--kind",
        "swapped-captions",
        "--verdicts",
        str(tmp_path / "verdicts"),
        "--store",
        str(tmp_path / "none.db"),
    )
    assert done.returncode == 0, done.stderr
    assert "not checked in stages" in done.stdout.lower()
    assert not (tmp_path / "none.db").exists()
