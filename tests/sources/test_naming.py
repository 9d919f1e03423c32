"""Files as people name and write them: splits, numbered columns, slots, encodings, JSON by image, the language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import AuditorError, SourceError, UsageError
from auditor.result import Result
from auditor.sources.reading import encoding
from auditor.store.connection import Store
from auditor.studies.ingest.study import ingest


def taken(store: Store, *files: str | Path, **how: Any) -> Result:
    return ingest(store, "q", files=[Path(file) for file in files], **how)


def held(store: Store) -> list[tuple[str, int, str]]:
    return store.query("select image, slot, text from membership join caption using (caption_id) order by all").rows()


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


WIDE = "image,{}\na.jpg,one,two,three\nb.jpg,four,five,six\n"


@pytest.mark.parametrize(
    "names",
    [("caption_1", "caption_2", "caption_10"), ("Caption1", "caption2", "caption3"), ("text-0", "text-1", "text-2")],
)
def test_numbered_columns_are_the_captions_of_one_image_in_their_order_and_it_is_said(
    store: Store, tmp_path: Path, names: tuple[str, ...]
) -> None:
    result = taken(store, written(tmp_path, "w.csv", WIDE.format(",".join(names))))
    assert [row[1:] for row in held(store)[:3]] == [(0, "one"), (1, "two"), (2, "three")]
    assert f"caption ← {', '.join(names)}; slot ← the order of the columns (0 to 2)" in result.notes[0]


def test_the_number_orders_columns_and_not_their_place_in_the_file(store: Store, tmp_path: Path) -> None:
    taken(store, written(tmp_path, "w.csv", WIDE.format("caption_10,caption_9,caption_1")))
    assert [text for image, _, text in held(store) if image == "a.jpg"] == ["three", "two", "one"]


def test_numbered_keys_of_json_are_columns_too(store: Store, tmp_path: Path) -> None:
    lines = [{"image": "a", "caption_2": "two", "caption_1": "one"}, {"image": "b", "caption_1": "x", "caption_2": "y"}]
    taken(store, written(tmp_path, "w.jsonl", "\n".join(map(json.dumps, lines)) + "\n"))
    assert held(store)[:2] == [("a", 0, "one"), ("a", 1, "two")]


def test_a_pattern_names_several_columns(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "w.csv", "image,de_2,de_1,en\na,zwei,eins,one\n")
    result = taken(store, path, caption_col=["de_*"])
    assert held(store) == [("a", 0, "eins"), ("a", 1, "zwei")]
    assert "caption ← de_1, de_2; slot ← the order of the columns (0 to 1); no split; not read: en" in result.notes[0]


def test_a_pattern_that_meets_no_column_says_which_there_are(store: Store, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r'w\.csv:1: no column "said_\*"; the columns are image, a, b; set'):
        taken(store, written(tmp_path, "w.csv", "image,a,b\nx,one,two\n"), caption_col=["said_*"])
    assert held(store) == []


@pytest.mark.parametrize("header", ["caption,caption_2", "caption_1,sentence_2", "caption_1,caption_01"])
def test_columns_that_no_number_alone_tells_apart_are_not_guessed(store: Store, tmp_path: Path, header: str) -> None:
    with pytest.raises(SourceError, match="may all hold captions; set --caption-col"):
        taken(store, written(tmp_path, "w.csv", f"image,{header}\na,one,two\n"))


def test_an_empty_cell_beside_captions_is_none_and_moves_no_slot(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "w.csv", "image,caption_1,caption_2,caption_3\na,one,,three\nb,x,y,z\n")
    result = taken(store, path)
    assert held(store)[:2] == [("a", 0, "one"), ("a", 2, "three")]
    assert "q: 1 record skipped: empty cells in rows that have another caption" in result.sentences


def test_a_row_without_any_caption_is_refused(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "w.csv", "image,caption_1,caption_2\na,,\nb,x,y\n")
    with pytest.raises(SourceError, match=r"2 of 4 records were rejected.*w\.csv:2: empty caption"):
        taken(store, path)


def test_a_slot_column_says_the_slots(store: Store, tmp_path: Path) -> None:
    taken(store, written(tmp_path, "s.csv", "image,caption,n\na,one,4\na,two,0\nb,x,1.0\n"), slot_col="n")
    assert held(store) == [("a", 0, "two"), ("a", 4, "one"), ("b", 1, "x")]


@pytest.mark.parametrize("slot", ["x", "-1", "", "1.5"])
def test_a_slot_that_is_no_number_is_refused_with_its_line(store: Store, tmp_path: Path, slot: str) -> None:
    with pytest.raises(SourceError, match=r"s\.csv:3: slot .*: expected a whole number from 0"):
        taken(store, written(tmp_path, "s.csv", f"image,caption,n\na,one,0\na,two,{slot}\n"), slot_col="n")
    assert held(store) == []


def test_a_slot_column_with_several_captions_a_row_is_a_mistake(store: Store, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="slot_col needs a single caption per row"):
        taken(store, written(tmp_path, "s.csv", "image,caption_1,caption_2,n\na,one,two,0\n"), slot_col="n")


GERMAN = "image,caption\na.jpg,Ein Hund läuft über die Straße\na.jpg,Ein großer Hund\nb.jpg,Ein Mann grüßt\n"
CHINESE = "image,caption\na.jpg,一只狗在草地上跑\na.jpg,一个男人和一只狗\nb.jpg,两个人在大街上\n"
JAPANESE = "image,caption\na.jpg,犬が走っている\na.jpg,草の上の犬\n"
RUSSIAN = "image,caption\na.jpg,собака бежит по траве\na.jpg,мужчина и женщина\n"
KOREAN = "image,caption\na.jpg,개가 풀밭에서 달린다\na.jpg,한 남자\n"

ENCODED = [
    (GERMAN, "cp1252"), (GERMAN, "utf-16"), (GERMAN, "utf-16-le"), (GERMAN, "utf-16-be"), (CHINESE, "gb18030"),
    (JAPANESE, "shift_jis"), (JAPANESE, "euc-jp"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (KOREAN, "euc-kr"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name"), ENCODED)
def test_message_names_the_encoding_and_typing_it_reads_the_file(
    store: Store, tmp_path: Path, text: str, name: str
) -> None:
    path = written(tmp_path, "e.csv", text.encode(name))
    assert encoding.guess(path) == name
    with pytest.raises(SourceError, match=rf"e\.csv.*--encoding {name}`$"):
        taken(store, path)
    assert held(store) == []
    result = taken(store, path, encoding=name)
    assert {text for _, _, text in held(store)} == {line.split(",")[1] for line in text.splitlines()[1:]}
    assert not result.found("file-cut-off")


def test_encoded_file_is_the_same_version_as_its_copy_in_utf_8(store: Store, tmp_path: Path) -> None:
    plain = taken(store, written(tmp_path, "u.csv", GERMAN), language="de")
    encoded = taken(store, written(tmp_path, "l.csv", GERMAN.encode("latin-1")), encoding="latin-1")
    assert plain.frame["version"].item() == encoded.frame["version"].item()
    assert encoded.frame["status"].item() == "unchanged"


def test_wrong_encoding_names_file_line_and_a_better_one(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "e.csv", CHINESE.encode("gb18030"))
    with pytest.raises(SourceError, match=r"e\.csv:\d: not shift_jis \(byte 0x..\); try --encoding gb18030"):
        taken(store, path, encoding="shift_jis")
    with pytest.raises(UsageError, match="--encoding klingon: unknown encoding; try cp1252"):
        taken(store, path, encoding="klingon")
    with pytest.raises(AuditorError, match="unknown encoding"):
        taken(store, path, encoding="rot13")
    assert held(store) == []


def test_encoding_of_what_is_no_text_is_a_mistake(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "e.parquet", b"PAR1\0\0\0\0PAR1")
    with pytest.raises(SourceError, match="remove --encoding"):
        taken(store, path, encoding="latin-1", file_format="table")


def test_errors_of_an_encoded_file_name_the_file_itself(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "e.csv", "wer,was\na,größer\n".encode("latin-1"))
    with pytest.raises(SourceError, match=str(path)):
        taken(store, path, encoding="latin-1", image_col="image")


def test_encoded_files_keep_the_splits_of_their_names(store: Store, tmp_path: Path) -> None:
    for name in ("train", "test"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "c.csv", GERMAN.replace("a.jpg", f"{name}.jpg").encode("cp1252"))
    taken(store, tmp_path / "train" / "c.csv", tmp_path / "test" / "c.csv", encoding="cp1252", max_rejected=1.0)
    found = dict(store.query("select image, split from membership where image <> 'b.jpg'").rows())
    assert found == {"train.jpg": "train", "test.jpg": "test"}


@pytest.mark.parametrize(
    "content",
    [
        {"a.jpg": ["one", "two"], "b.jpg": ["x"]},
        {"a.jpg": [{"caption": "one"}, {"caption": "two"}], "b.jpg": [{"caption": "x"}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_json_of_captions_by_image_is_recognized(
    store: Store, tmp_path: Path, content: dict[str, Any], indent: int | None
) -> None:
    result = taken(store, written(tmp_path, "m.json", json.dumps(content, indent=indent)))
    assert held(store) == [("a.jpg", 0, "one"), ("a.jpg", 1, "two"), ("b.jpg", 0, "x")]
    assert result.notes[0].startswith('q: detected format "table": image ← (key); caption ← caption')


def test_one_caption_an_image_may_stand_alone(store: Store, tmp_path: Path) -> None:
    taken(store, written(tmp_path, "m.json", '{"a.jpg": "one", "b.jpg": "x"}'))
    assert held(store) == [("a.jpg", 0, "one"), ("b.jpg", 0, "x")]


def test_a_record_with_a_list_of_captions_stays_one_of_a_table(store: Store, tmp_path: Path) -> None:
    result = taken(store, written(tmp_path, "t.jsonl", '{"captions": ["one", "two"], "image": "a"}\n'))
    assert result.notes[0].startswith('q: detected format "table": image ← image; caption ← captions')


@pytest.mark.parametrize(
    ("value", "reason"),
    [("[]", "no caption"), ("[3]", "caption is not a string"), ("7", "not a string")],
)
def test_json_by_image_refuses_what_is_no_caption(store: Store, tmp_path: Path, value: str, reason: str) -> None:
    path = written(tmp_path, "m.json", f'{{"a.jpg": ["one", "two"], "b.jpg": {value}}}')
    with pytest.raises(SourceError, match=rf"1 of 3 records were rejected.*m\.json, record 3: .*{reason}"):
        taken(store, path)


COCO = {
    "images": [{"id": 7, "file_name": "a.jpg"}, {"id": 8, "file_name": "b.jpg"}],
    "annotations": [{"id": n, "image_id": 7 + n // 2, "caption": f"caption {n}"} for n in range(4)],
}


def test_coco_images_go_by_file_name_where_asked_for(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "c.json", json.dumps(COCO))
    taken(store, path)
    assert {image for image, *_ in held(store)} == {"7", "8"}
    ingest(store, "named", files=[path], options=["image_key=file_name"])
    images = store.query("select distinct image from membership where dataset = 'named' order by all")["image"]
    assert images.to_list() == ["a.jpg", "b.jpg"]


def test_coco_key_that_no_image_has_is_a_mistake(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "c.json", json.dumps(COCO))
    with pytest.raises(SourceError, match=r'c\.json: no image has the key "name"; correct image_key'):
        taken(store, path, options=["image_key=name"])
    lacking = COCO | {"images": [{"id": 7, "file_name": "a.jpg"}, {"id": 8}]}
    with pytest.raises(SourceError, match="image 8 has no name in the file's list of images"):
        taken(store, written(tmp_path, "d.json", json.dumps(lacking)), options=["image_key=file_name"])


def language(store: Store) -> str:
    return str(store.query("select language from dataset").item())


def test_language_that_is_said_is_kept_also_when_the_file_is_read_again(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "u.csv", GERMAN)
    taken(store, path, language="de")
    assert language(store) == "de"
    taken(store, path)
    assert language(store) == "de"
    taken(store, path, language="de-AT")
    assert language(store) == "de-AT"


@pytest.mark.parametrize(
    ("text", "seen"), [(RUSSIAN, "und-Cyrl"), (CHINESE, "zh"), (JAPANESE, "ja"), (KOREAN, "ko"), (GERMAN, "en")]
)
def test_language_that_nobody_says_is_seen_by_its_letters(store: Store, tmp_path: Path, text: str, seen: str) -> None:
    result = taken(store, written(tmp_path, "u.csv", text))
    assert language(store) == seen
    assert any(f"language {seen}, detected from the script" in note for note in result.notes) is (seen != "en")


def test_language_that_is_none_is_a_mistake(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--language Deutsch!: expected a BCP 47 tag"):
        taken(store, written(tmp_path, "u.csv", GERMAN), language="Deutsch!")
    with pytest.raises(UsageError, match="add --from FILE"):
        ingest(store, "flickr8k", language="de")
