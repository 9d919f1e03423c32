"""What an ingest takes, refuses and says, as a user's files and settings put it to the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import run_auditor

from auditor.config.lock import Lock
from auditor.errors import SourceError, UsageError
from auditor.model import Part, Source
from auditor.store import verification, versions
from auditor.store.connection import Store
from auditor.studies.ingest.naming import wanted
from auditor.studies.ingest.sources import ingest_sources


def source(path: Path, file_format: str = "table", **about: Any) -> Source:
    options = about.pop("options", {})
    return Source("set", about.pop("kind", "captions"), file_format, (Part((path,), options=options),), **about)


def write(folder: Path, content: str, name: str = "captions.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_refusals_are_those_of_the_latest_ingest(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption\na,\nb,good\n")
    ingest_sources(store, [source(path)], max_rejected=1)
    write(tmp_path, "image,caption\nzzz,\nb,good\nc,\n")
    again = ingest_sources(store, [source(path)], max_rejected=1)
    assert again.frame["status"].to_list() == ["unchanged"]
    assert store.query("select line from rejected order by line").rows() == [
        (2,),
        (4,),
    ]
    write(tmp_path, "image,caption\nb,good\n")
    ingest_sources(store, [source(path)])
    assert store.query("select count(*) from rejected").item() == 0


def test_caption_without_a_visible_character_is_empty(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption\na,\u00a0\na,\u3000\u200b\na,seen\n")
    ingest_sources(store, [source(path)], max_rejected=1)
    assert store.query("select reason from rejected").rows() == [("empty caption",)] * 2


def test_filling_an_empty_caption_moves_no_other(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption\na,\na,second\na,third\n")
    ingest_sources(store, [source(path)], max_rejected=1)
    write(tmp_path, "image,caption\na,first\na,second\na,third\n")
    ingest_sources(store, [source(path)])
    before, after = versions.resolve(store, "set@v1"), versions.resolve(store, "set")
    changes = versions.difference(store, before, after, "change")
    assert changes.select("change", "slot").rows() == [("added", 0)]


def test_minus_zero_is_the_same_rating_as_zero(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption,judge,score\na,one dog,j1,0\nb,a cat,j1,1\n")
    first = ingest_sources(store, [source(path, "judgements", kind="judgements")])
    write(tmp_path, "image,caption,judge,score\na,one dog,j1,-0.0\nb,a cat,j1,1\n")
    again = ingest_sources(store, [source(path, "judgements", kind="judgements")])
    assert again.frame["version"].to_list() == first.frame["version"].to_list()
    assert verification.check(store)["faults"].sum() == 0


def test_split_of_one_caption_of_an_image_is_a_split(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption,split\na,one,train\na,two,test\nb,three,train\n")
    ingest_sources(store, [source(path)])
    assert versions.content(store, versions.resolve(store, "set:test"))["text"].to_list() == ["two"]


def test_rows_of_other_languages_are_counted_out_and_said(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption,lang\na,one,en\na,deux,fr\nb,two,en\nb,zwei,\n")
    made = ingest_sources(store, [source(path, options={"lang": "en", "lang_col": "lang"})])
    assert made.frame["captions"].to_list() == [2]
    assert "set: 2 records skipped: another language, or none" in made.sentences


def test_split_that_counts_as_another_is_said(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption,split\na,one,restval\n")
    made = ingest_sources(store, [source(path, split_roles={"restval": "train"})])
    assert "set: split restval counts as train" in made.sentences


@pytest.mark.parametrize(
    "options", [{"sentences": "frist"}, {"basename": "yes"}, {"image_colum": "image"}, {"caption_col": 5}]
)
def test_setting_with_a_typo_is_an_error(tmp_path: Path, store: Store, options: dict[str, Any]) -> None:
    path = write(tmp_path, "image,caption\na,one\n")
    with pytest.raises(UsageError):
        ingest_sources(store, [source(path, options=options)])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("c.csv", "image,caption,caption2\na,one,two\n", "caption, caption2 may all hold captions"),
        ("c.jsonl", '{"image": 1, "caption": "x", "text": "y"}\n', "caption, text may all hold captions"),
        ("c.csv", "", "the file is empty"),
        ("c.csv", "a.jpg,12\nb.jpg,13\n", "c.csv"),
    ],
)
def test_table_that_could_be_misread_is_not_read(
    tmp_path: Path, store: Store, name: str, content: str, words: str
) -> None:
    path = write(tmp_path, content, name)
    with pytest.raises(SourceError, match=words):
        ingest_sources(store, [source(path, "")])


def test_split_of_a_later_record_is_read(tmp_path: Path, store: Store) -> None:
    lines = ['{"image": 1, "caption": "x"}', '{"image": 2, "caption": "y", "split": "val"}']
    ingest_sources(store, [source(write(tmp_path, "\n".join(lines), "c.jsonl"))])
    assert store.query("select image, split from membership order by image").rows() == [("1", None), ("2", "val")]


@pytest.mark.parametrize("split", ['{"a": 1}', "[1]", "true", str(2**70), "null"])
def test_split_of_any_type_breaks_nothing(tmp_path: Path, store: Store, split: str) -> None:
    path = write(tmp_path, f'[{{"image_id": 1, "caption": "a b", "split": {split}}}]', "c.json")
    ingest_sources(store, [source(path, "list")])
    assert store.query("select count(*) from membership").item() == 1


def test_split_key_that_no_image_has_is_an_error(tmp_path: Path, store: Store) -> None:
    path = write(
        tmp_path, '{"images": [{"id": 1, "split": "val"}], "annotations": [{"image_id": 1, "caption": "x"}]}', "c.json"
    )
    with pytest.raises(SourceError, match='no image has the key "splt"'):
        ingest_sources(store, [source(path, "coco", options={"split_key": "splt"})])


def test_file_named_twice_is_not_read_twice(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption\na,one\n")
    twice = Source("set", "captions", "table", (Part((path, tmp_path / "*.csv")),))
    with pytest.raises(SourceError, match="listed twice"):
        ingest_sources(store, [twice])


def test_one_file_of_another_format_among_many_is_not_passed_over(tmp_path: Path, store: Store) -> None:
    good = write(tmp_path, "".join(f"i{n}#0\tcaption {n}\n" for n in range(500)), "a.token")
    bad = write(tmp_path, "image,caption\na,one\n", "b.csv")
    both = Source("set", "captions", "flickr", (Part((good, bad)),))
    with pytest.raises(SourceError, match=r"b.csv: not of format"):
        ingest_sources(store, [both])


def test_kind_follows_what_the_files_are(tmp_path: Path) -> None:
    words = write(tmp_path, "dog\t5\ncat\t3\n", "words.txt")
    assert wanted(["w"], files=[words], file_format="wordlist")[0].kind == "wordlist"
    assert wanted(["w"], files=[words], file_format="wordlist", kind="captions")[0].kind == "captions"


def test_common_settings_outlive_another_format(tmp_path: Path) -> None:
    table = write(tmp_path, "image,caption\na,One. Two.\n")
    assert wanted(["vlt2k"], files=[table], file_format="table")[0].parts[0].options == {"sentences": "first"}


def test_frozen_misses_what_the_lock_names(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path, "image,caption\na,one\n")
    ingest_sources(store, [source(path)], lock=Lock(tmp_path / "datasets.lock"))
    path.unlink()
    with pytest.raises(SourceError, match="no such file"):
        ingest_sources(store, [source(path)], skip_missing=True, lock=Lock(tmp_path / "datasets.lock", frozen=True))


def test_share_of_refusals_is_compared_exactly(tmp_path: Path, store: Store) -> None:
    rows = [f"i{n},{'' if n < 29 else 'caption'}" for n in range(100)]
    path = write(tmp_path, "image,caption\n" + "\n".join(rows))
    ingest_sources(store, [source(path)], max_rejected=0.29)


@pytest.mark.parametrize(("end", "told"), [("", True), ("\n", False), ("\r\n", False)])
def test_last_line_without_its_end_is_said(store: Store, tmp_path: Path, end: str, told: bool) -> None:
    (tmp_path / "cut.token").write_bytes(f"a.jpg#0\ta dog\na.jpg#1\ta do{end}".encode())
    notes = ingest_sources(store, [source(tmp_path / "cut.token", "flickr")]).sentences
    assert [note for note in notes if "no line ending" in note] == (
        ["set: the last line has no line ending, so the file may be truncated: cut.token:2"] if told else []
    )


@pytest.mark.parametrize(("name", "file_format"), [("x.csv", "table"), ("x.parquet", "table"), ("x.json", "list")])
def test_captions_that_are_stored_without_their_ratings_are_a_warning(
    store: Store, tmp_path: Path, name: str, file_format: str
) -> None:
    rows = pl.DataFrame({"image_id": ["a", "a"], "caption": ["a dog", "one dog"], "human_rating": [4, 2]})
    path = tmp_path / name
    {".csv": rows.write_csv, ".parquet": rows.write_parquet, ".json": rows.write_json}[path.suffix](path)
    (found,) = ingest_sources(store, [source(path, file_format)]).found("ratings-not-read")
    assert found.severity == "warning"
    assert "stored without the ratings in column human_rating" in found.sentence
    assert not ingest_sources(store, [source(path, file_format, kind="candidates")]).found("ratings-not-read")


def test_other_data_under_a_used_name_is_a_warning(tmp_path: Path, store: Store) -> None:
    def made(content: str) -> str:
        return " ".join(ingest_sources(store, [source(write(tmp_path, content))]).sentences)

    assert "shares no caption" not in made("image,caption\na,one dog\nb,two dogs\n")
    assert "shares no caption" not in made("image,caption\nx,one dog\ny,three\n")
    assert "set: warning: v3 shares no caption with v2; " in made("image,caption\nx,red kite\ny,two mugs\n")
    assert "`auditor store drop set@v3`" in made("image,caption\nx,ONE\ny,mugs\n").replace("@v4", "@v3")


def test_a_name_that_is_used_for_other_data_is_a_question(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("image,caption\na,one dog\nb,two dogs\n")
    (tmp_path / "b.csv").write_text("image,caption\nx,red kite\ny,two dogs\nz,mugs\n")
    (tmp_path / "c.csv").write_text("image,caption\nin/a,one dog\nin/b,two dogs\n")  # the same under other ids
    assert run_auditor("ingest", "mine", "--from", "a.csv", folder=tmp_path).returncode == 0
    asked = run_auditor("ingest", "mine", "--from", "b.csv", folder=tmp_path)
    assert asked.returncode == 3
    says = "mine: shares no image with mine@v1; the store is unchanged; choose another name, or run `"
    assert says in asked.stderr
    assert run_auditor("ingest", "mine", "--from", "c.csv", folder=tmp_path).returncode == 0
    command = asked.stderr.partition("run `")[2].partition("`")[0]
    assert run_auditor(*command.split()[1:], folder=tmp_path).returncode == 0
    assert run_auditor("ingest", "mine", "--from", "b.csv", folder=tmp_path).returncode == 0
