"""Files as they are found: each shape is read right without options, or refused with a command that reads it.

The captions are those of the bundled sample.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import tarfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError, UsageError
from auditor.store.connection import Store
from auditor.studies.ingest.study import ingest

_SAMPLE = json.loads((Path(sources.__file__).parents[1] / "sample" / "flawed.json").read_text(encoding="utf-8"))[:60]
_CAPTIONS = [(record["image_id"], record["caption"]) for record in _SAMPLE]

#: Five captions for each of twelve images, and the first of each image.
FIVE = [(f"{image}.jpg", text) for image, text in _CAPTIONS]
ONE = FIVE[::5]
IDS = [(str(1000 + number), text) for number, (_, text) in enumerate(ONE)]

Rows = list[tuple[str, str]]


class Shape(NamedTuple):
    """A file: its name, its content, its captions in order, and words of the sentence on how it was read."""

    name: str
    content: bytes
    rows: Rows
    says: str


def table(header: str, rows: list[list[str]], delimiter: str = ",") -> bytes:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    writer.writerows([header.split(","), *rows] if header else rows)
    return written.getvalue().encode()


def by_image(rows: Rows) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for image, text in rows:
        held.setdefault(image, []).append(text)
    return held


def lines(*records: object) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def column(name: str, kind: str = "jpg") -> Shape:
    rows = [(f"{image[:-4]}.{kind}", text) for image, text in FIVE]
    return Shape(
        "c.csv",
        table(f"{name},caption", [[*row] for row in rows]),
        rows,
        f"{name if name in ('sound', 'video') else 'image'} ← {name}",
    )


def shard(*members: tuple[str, str]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, text in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return written.getvalue()


def parquet(**columns: list[object]) -> bytes:
    written = io.BytesIO()
    pl.DataFrame({**columns}).write_parquet(written)
    return written.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return written.getvalue()


URLS = [(f"https://example.org/{number}/image.jpg", text) for number, (_, text) in enumerate(ONE)]
WIDE = [[image, *texts] for image, texts in by_image(FIVE).items()]
SOUNDS = [[f"{row[0][:-4]}.wav", *row[1:]] for row in WIDE]
KEYS = [(str(number), text) for number, (_, text) in enumerate(ONE, 1)]
STEMS = [(image[:-4], text) for image, text in ONE]

READ = {
    "CSV": Shape("c.csv", table("image,caption", [[*row] for row in FIVE]), FIVE, "image ← image; caption ← caption"),
    "semicolons": Shape("c.csv", table("image,caption", [[*row] for row in FIVE], ";"), FIVE, "caption ← caption"),
    "bars, as Flickr30k of Kaggle": Shape(
        "c.csv",
        "".join(["image_name| comment_number| comment\n", *(f"{i}| {n % 5}| {t}\n" for n, (i, t) in enumerate(FIVE))]).encode(),
        FIVE,
        "image ← image_name; caption ← comment; slot ← the order of comment_number",
    ),
    "a byte order mark and CRLF": Shape(
        "c.csv", b"\xef\xbb\xbf" + table("Image,Caption", [[*row] for row in FIVE]).replace(b"\n", b"\r\n"), FIVE, "image ← Image"
    ),
    "no header, caption before URL": Shape(
        "train.tsv", table("", [[text, url] for url, text in URLS], "\t"), URLS, "image ← column 2; caption ← column 1"
    ),
    "no header, in a CSV": Shape("c.csv", table("", [[*row] for row in FIVE]), FIVE, "image ← column 1; caption ← column 2"),
    "no header, several captions": Shape(
        "c.tsv", table("", WIDE, "\t"), FIVE, "caption ← column 2, column 3, column 4, column 5, column 6"
    ),
    "no header, numbers as images": Shape("c.txt", table("", [[*row] for row in IDS], "\t"), IDS, "image ← column 1"),
    "IMAGE#N and a tab": Shape(
        "c.token", "".join(f"{image}#{n % 5}\t{text}\n" for n, (image, text) in enumerate(FIVE)).encode(), FIVE,
        "image ← IMAGE of IMAGE#N; caption ← the text after the tab; slot ← N",
    ),
    "IMAGE#N and a space": Shape(
        "c.txt", "".join(f"{image}#{n % 5} {text}\n" for n, (image, text) in enumerate(FIVE)).encode(), FIVE,
        "image ← IMAGE of IMAGE#N; caption ← the text after the space; slot ← N",
    ),
    "IMAGE and a space": Shape(
        "descriptions.txt", "".join(f"{image} {text}\n" for image, text in STEMS).encode(), STEMS,
        "image ← the first word; caption ← the text after the space",
    ),
    "a caption per line": Shape(
        "captions.txt", "".join(f"{text}\n" for _, text in ONE).encode(), KEYS, "image ← the number of the line"
    ),
    "JSON by id": Shape("c.json", json.dumps(dict(IDS)).encode(), IDS, "image ← (key); caption ← caption"),
    "JSON by id, over lines": Shape("c.json", json.dumps(dict(IDS), indent=4).encode(), IDS, "image ← (key)"),
    "JSON by file, lists": Shape("c.json", json.dumps(by_image(FIVE)).encode(), FIVE, "slot ← the "),
    "JSON list of one-key objects": Shape(
        "c.json", json.dumps([{image: text} for image, text in IDS], indent=2).encode(), IDS, "image ← (key)"
    ),
    "JSON objects one after the other": Shape(
        "c.json",
        "\n".join(json.dumps({"question_id": n, "prompt": "Describe the image.", "text": t, "image": i, "metadata": {}}, indent=4)
                  for n, (i, t) in enumerate(ONE)).encode(),
        ONE, "image ← image; caption ← text; slot ← the order of the rows; no split; not read: question_id, prompt, metadata",
    ),
    "output of a VLM": Shape(
        "answers.jsonl", lines(*({"question_id": n, "text": t, "image": i} for n, (i, t) in enumerate(ONE))), ONE,
        "image ← image; caption ← text",
    ),
    "output of a VLM without the image": Shape(
        "answers.jsonl", lines(*({"question_id": int(i), "prompt": "Describe.", "text": t} for i, t in IDS)), IDS,
        "image ← question_id; caption ← text",
    ),
    "COCO results": Shape(
        "c.json", json.dumps([{"image_id": int(i), "caption": t} for i, t in IDS]).encode(), IDS, "image ← image_id"
    ),
    "COCO annotations": Shape(
        "c.json",
        json.dumps({
            "images": [{"id": int(i)} for i, _ in IDS],
            "annotations": [{"id": n, "image_id": int(i), "caption": t} for n, (i, t) in enumerate(IDS)],
        }).encode(),
        IDS, "image ← image_id; caption ← caption; slot ← the order of id",
    ),
    "Karpathy": Shape(
        "c.json",
        json.dumps({"images": [
            {"filename": i, "split": "test", "sentences": [{"raw": t, "sentid": f"{i} {n}"} for n, t in enumerate(texts)]}
            for i, texts in by_image(FIVE).items()
        ]}).encode(),
        FIVE, "split ← split",
    ),
    "records in an object": Shape(
        "c.json", json.dumps({"data": [{"file_name": i, "text": t} for i, t in FIVE], "version": 1}).encode(), FIVE,
        "image ← file_name; caption ← text",
    ),
    "records in an object, after others": Shape(
        "c.json", json.dumps({"version": "1", "info": {"of": "c"}, "items": [{"file_name": i, "text": t} for i, t in FIVE]}, indent=1).encode(),
        FIVE, "image ← file_name; caption ← text",
    ),
    "conversations of LLaVA": Shape(
        "c.json",
        json.dumps([
            {"id": i[:-4], "image": i, "conversations": [{"from": "human", "value": "<image>\nDescribe."}, {"from": "gpt", "value": t}]}
            for i, t in ONE
        ]).encode(),
        ONE, "image ← image; caption ← conversations",
    ),
    "conversations in Parquet": Shape(
        "c.parquet",
        parquet(image=[i for i, _ in ONE], conversations=[[{"from": "human", "value": "Describe."}, {"from": "gpt", "value": t}] for _, t in ONE]),
        ONE, "image ← image; caption ← conversations",
    ),
    "messages in JSON lines": Shape(
        "c.jsonl",
        lines(*({"image": i, "messages": [{"role": "user", "content": "Describe."}, {"role": "assistant", "content": t}]} for i, t in ONE)),
        ONE, "image ← image; caption ← messages",
    ),
    "JSON lines with lists of objects": Shape(
        "c.jsonl", lines(*({"image": i, "captions": [{"caption": t} for t in ts]} for i, ts in by_image(FIVE).items())), FIVE,
        "image ← image; caption ← captions",
    ),
    "JSON lines": Shape("metadata.jsonl", lines(*({"file_name": i, "text": t} for i, t in FIVE)), FIVE, "image ← file_name"),
    "Parquet with lists": Shape(
        "c.parquet", parquet(image=[*by_image(FIVE)], captions=[*by_image(FIVE).values()]), FIVE, "slot ← the position in the list"
    ),
    "numbered columns": Shape("c.csv", table("image,caption_1,caption_2,caption_3,caption_4,caption_5", WIDE), FIVE, "(0 to 4)"),
    "Clotho": Shape(
        "c.csv", table("file_name,caption_1,caption_2,caption_3,caption_4,caption_5", SOUNDS),
        [(f"{image[:-4]}.wav", text) for image, text in FIVE], "sound ← file_name",
    ),
    "AudioCaps": Shape(
        "c.csv", table("audiocap_id,youtube_id,start_time,caption", [[str(n), i[:-4], "30", t] for n, (i, t) in enumerate(FIVE)]),
        [(image[:-4], text) for image, text in FIVE], "image ← youtube_id; caption ← caption",
    ),
    "alt texts of web pages": Shape(
        "c.csv", table("filename,url,caption", [["image.jpg", *row] for row in URLS]), URLS,
        "image ← url, which has the most distinct values: 12; filename has 1",
    ),
    "alt texts of web pages in Parquet": Shape(
        "c.parquet", parquet(filename=["image.jpg"] * 12, URL=[url for url, _ in URLS], TEXT=[text for _, text in URLS]), URLS,
        "image ← URL, which has the most distinct values: 12; filename has 1",
    ),
    "alt texts of web pages in JSON": Shape(
        "c.jsonl", lines(*({"filename": "image.jpg", "url": url, "caption": text} for url, text in URLS)), URLS,
        "image ← url, which has the most distinct values: 12; filename has 1",
    ),
    "WebDataset with texts": Shape(
        "c.tar", shard(*(pair for key, text in STEMS for pair in ((f"{key}.jpg", "x"), (f"{key}.txt", text)))), STEMS, "image ← KEY"
    ),
    "WebDataset of sounds with JSON": Shape(
        "c.tar", shard(*(pair for key, text in STEMS for pair in ((f"{key}.flac", "x"), (f"{key}.json", json.dumps({"text": text}))))),
        STEMS, "image ← KEY",
    ),
    "lists of other keys": Shape(
        "c.json", json.dumps([{"id": n, "img": i, "sentence": t} for n, (i, t) in enumerate(FIVE)]).encode(), FIVE, "image ← img"
    ),
    "columns with other names": Shape("c.csv", table("pic,says", [[*row] for row in FIVE]), FIVE, "image ← pic, the only column of files or ids"),
    "other names in Parquet": Shape(
        "c.parquet", parquet(pic=[i for i, _ in FIVE], says=[t for _, t in FIVE], score=[0.5] * 60), FIVE, "the only column of texts"
    ),
    "other names in JSON lines": Shape("c.jsonl", lines(*({"pic": i, "says": t} for i, t in FIVE)), FIVE, "caption ← says"),
    "numbered columns of another name": Shape("c.tsv", table(",seq,img_path,d1,d2,d3,d4,d5", [["0", "1", *row] for row in WIDE], "\t"), FIVE, "caption ← d1, d2, d3, d4, d5"),
    "Python lists": Shape("c.csv", table("id,captions", [[i, repr(ts)] for i, ts in by_image(FIVE).items()]), FIVE, "captions holds Python lists"),
    "lists as NumPy writes them": Shape(
        "c.csv", table("id,captions", [[i, f"[{chr(10).join(map(repr, ts))}]"] for i, ts in by_image(FIVE).items()]), FIVE, "captions holds Python lists"
    ),
    "a tab and a blank": Shape("c.txt", "".join(f"{i}\t {t}\n" for i, t in STEMS).encode(), STEMS, "image ← column 1"),
    "no header, a short first caption": Shape(
        "c.csv", table("", [["PIC_7", "a dog"], *([f"PIC_{i}", t] for i, t in IDS)]), [("PIC_7", "a dog"), *((f"PIC_{i}", t) for i, t in IDS)],
        "the first line is not a header",
    ),
    "results with lists": Shape(
        "c.json", json.dumps([{"image_id": i, "caption": ts} for i, ts in by_image(FIVE).items()]).encode(), FIVE, "the position in the list"
    ),
    "an image in several records": Shape(
        "c.json", json.dumps([{"image": i, "captions": ts[at:to]} for at, to in ((0, 2), (2, 5)) for i, ts in by_image(FIVE).items()]).encode(),
        FIVE, "the position in the list",
    ),
    "MSR-VTT": Shape(
        "c.json",
        json.dumps({"info": {}, "videos": [{"video_id": i, "id": 5} for i, _ in ONE], "sentences": [{"sen_id": n, "video_id": i, "caption": t} for n, (i, t) in enumerate(FIVE)]}).encode(),
        FIVE, "without captions, not read: info, videos",
    ),
    "ActivityNet": Shape(
        "c.json",
        json.dumps({i: {"duration": 9.5, "timestamps": [[n, n + 1.5] for n in range(5)], "sentences": ts} for i, ts in by_image(FIVE).items()}).encode(),
        [(f"{i}@{n % 5}-{n % 5 + 1.5}", t) for n, (i, t) in enumerate(FIVE)], "the image is (key)@timestamps",
    ),
    "predictions for segments": Shape(
        "c.json",
        json.dumps({"version": "1", "results": {i: [{"sentence": t, "timestamp": [n, 9]} for n, t in enumerate(ts)] for i, ts in by_image(FIVE).items()}}).encode(),
        [(f"{i}@{n % 5}-9", t) for n, (i, t) in enumerate(FIVE)], "image ← (key)@timestamp",
    ),
    "moments of videos": Shape(
        "c.jsonl", lines(*({"desc_id": n, "desc": t, "vid_name": i, "ts": [n, n + 2]} for n, (i, t) in enumerate(FIVE))),
        [(f"{i}@{n}-{n + 2}", t) for n, (i, t) in enumerate(FIVE)], "image ← vid_name@ts",
    ),
    "kohya's metadata": Shape("c.json", json.dumps({i: {"caption": t, "tags": "a, b"} for i, t in ONE}).encode(), ONE, "image ← (key)"),
    "regions of images": Shape(
        "c.json",
        json.dumps([{"id": n, "regions": [{"region_id": r, "image_id": i, "phrase": t, "x": 1} for r, t in enumerate(ts)]} for n, (i, ts) in enumerate(by_image(FIVE).items())]).encode(),
        FIVE, "image ← image_id; caption ← phrase",
    ),
    "lists by split": Shape(
        "c.json", json.dumps({"train": [{"file": i, "text": t} for i, t in FIVE[:30]], "val": [{"file": i, "text": t} for i, t in FIVE[30:]]}).encode(),
        FIVE, "split ← split",
    ),
    "descriptions as objects": Shape(
        "c.jsonl", lines(*({"vid_name": i, "descs": [{"desc": t} for t in ts]} for i, ts in by_image(FIVE).items())), FIVE, "image ← vid_name"
    ),
    "a zip archive": Shape("c.zip", zipped({"data/c.csv": table("image,caption", [[*row] for row in FIVE]), "README.md": b"x"}), FIVE, "caption ← caption"),
    **{f"column {name}": column(name) for name in ("src", "photo", "url", "file_name", "image/key", "Image ID", "file", "id")},
    "column video": column("video", "mp4"),
    "column sound": column("sound", "wav"),
}  # fmt: skip

REFUSED = {
    "two columns of captions": Shape(
        "c.csv", table("image,caption,text", [row[:3] for row in WIDE]), [row for n, row in enumerate(FIVE) if n % 5 < 2],
        "caption, text may all hold captions",
    ),
    "two columns, several rows": Shape(
        "c.csv", table("image,caption,text", [[i, t, "same"] for i, t in FIVE]), FIVE, "caption, text may all hold captions",
    ),
    "texts without images": Shape("c.json", json.dumps([t for _, t in ONE]).encode(), KEYS, 'no column "image"'),
    "prompts without images": Shape(
        "c.tsv", table("Prompt,Category", [[t, "art"] for _, t in ONE], "\t"), [(str(n), t) for n, (_, t) in enumerate(ONE, 2)], 'no column "image"'
    ),
    "another encoding": Shape(
        "c.csv", table("image,caption", [[i, f"{t} Füße über Straßen"] for i, t in FIVE]).decode().encode("cp1252"),
        [(i, f"{t} Füße über Straßen") for i, t in FIVE], "not UTF-8",
    ),
    "markup around each line": Shape(
        "c.txt", "".join(f"<s>{text}</s>\n" for _, text in ONE).encode(), [(n, f"<s>{t}</s>") for n, t in KEYS],
        "unknown format; its first line: <s>A woman chops carrots",
    ),
}  # fmt: skip


def held(store: Store, dataset: str = "q") -> Rows:
    select = "select image, text from membership join caption using (caption_id) where dataset = $dataset"
    return store.query(f"{select} order by image, slot", {"dataset": dataset}).rows()


def in_order(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: row[0])


@pytest.mark.parametrize("name", READ)
def test_shape_is_read_right_without_options(store: Store, tmp_path: Path, name: str) -> None:
    shape = READ[name]
    (tmp_path / shape.name).write_bytes(shape.content)
    result = ingest(store, "q", files=[tmp_path / shape.name], config={})
    assert held(store) == in_order(shape.rows)
    assert shape.says in " · ".join(result.sentences)
    image, text = shape.rows[0]
    assert any(note.startswith(f"q: the first caption: {image} “{text[:60]}") for note in result.notes)


@pytest.mark.parametrize("name", REFUSED)
def test_shape_is_refused_with_a_command_that_reads_it(store: Store, tmp_path: Path, name: str) -> None:
    shape = REFUSED[name]
    (tmp_path / shape.name).write_bytes(shape.content)
    with pytest.raises(SourceError, match=shape.says) as refusal:
        ingest(store, "q", files=[tmp_path / shape.name], config={})
    assert held(store) == []
    command = shlex.split(str(refusal.value).partition("; try `")[2].removesuffix("`"))
    assert command[:5] == ["auditor", "ingest", "q", "--from", str(tmp_path / shape.name)]
    given: dict[str, list[str]] = {}
    for option, value in zip(command[5::2], command[6::2], strict=True):
        given.setdefault(option.removeprefix("--").replace("-", "_").replace("format", "file_format"), []).append(value)
    ingest(store, "q", files=[tmp_path / shape.name], config={}, **{
        option: values if option == "caption_col" else values[0] for option, values in given.items()
    })  # fmt: skip
    assert held(store) == in_order(shape.rows)


def test_option_of_a_single_format_implies_it(store: Store, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_bytes(table("image,caption,correct,fluent", [[*row, "4", "5"] for row in FIVE]))
    ask: Any = {"files": [tmp_path / "c.csv"], "config": {}}
    with pytest.raises(SourceError, match=r"correct, fluent; try `.*--format judgements --option score_col=correct`$"):
        ingest(store, "q", **ask, file_format="judgements")
    with pytest.raises(UsageError, match='"table" has no option score_col; set --format judgements'):
        ingest(store, "q", **ask, file_format="table", options=["score_col=correct"])
    ingest(store, "q", **ask, options=["score_col=correct"])
    assert store.query("select distinct score from judgement").rows() == [(4.0,)]


def _workbook() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("c.json", b'[{"image_id": 1, "caption": "a dog"}, {"image_id": 2 "caption": "a cat"}]', "byte 54"),
        ("c.json", '{"ä": "a dog runs", "b": }'.encode(), "byte 27"),
        (
            "c.json",
            b'{"name": "cats", "year": 2014}',
            "first line: .*name the keys of the image and the caption, among name, year",
        ),
        (
            "c.csv",
            "image,caption\na.jpg,Un café.\n".encode() + "b.jpg,Une fenêtre.\n".encode("latin-1"),
            "line 2 is UTF-8 and line 3 is not: convert these lines, .* fits both$",
        ),
        ("c.xlsx", _workbook(), "an Excel workbook: save it as CSV"),
        ("c.csv", b"1000.jpg,12\n1001.jpg,13\n", "first line: 1000.jpg,12; .*--columns image,caption"),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_place(
    store: Store, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as refusal:
        ingest(store, "q", files=[tmp_path / name], config={})
    assert re.search(words, str(refusal.value))


def test_names_of_columns_read_a_table_without_a_header(store: Store, tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_bytes(table("", [[text, url] for url, text in URLS], "\t"))
    result = ingest(store, "q", files=[tmp_path / "c.tsv"], column_names="caption,url", config={})
    assert held(store) == in_order(URLS)
    assert "image ← url; caption ← caption" in " · ".join(result.sentences)
    with pytest.raises(SourceError, match="--columns names 3 columns, but the first line has 2"):
        ingest(store, "r", files=[tmp_path / "c.tsv"], column_names="caption,url,more", config={})


def test_equally_distinct_columns_go_by_their_names(store: Store, tmp_path: Path) -> None:
    rows = [[f"https://example.org/{image}", image, text] for image, text in ONE]
    (tmp_path / "c.csv").write_bytes(table("url,filename,caption", rows))
    result = ingest(store, "q", files=[tmp_path / "c.csv"], config={})
    assert "image ← filename; caption ← caption; slot ← the order of the rows; no split; not read: url" in " · ".join(
        result.sentences
    )


def test_questions_are_no_captions(store: Store, tmp_path: Path) -> None:
    asked = ({"question_id": n, "image": i, "text": "Is there a dog?", "label": "yes"} for n, (i, _) in enumerate(ONE))
    (tmp_path / "c.jsonl").write_bytes(lines(*asked))
    with pytest.raises(SourceError, match=r"holds questions.*question_col=text --option answer_col=label`$"):
        ingest(store, "q", files=[tmp_path / "c.jsonl"], config={})


def test_captions_of_which_some_are_false_by_design_are_noticed(store: Store, tmp_path: Path) -> None:
    true_or_false = [[image, text, str(n % 2), "near"] for n, (image, text) in enumerate(ONE)]
    (tmp_path / "c.csv").write_bytes(table("image,caption,label,relation", true_or_false))
    note = "looks like VSR: column label marks false captions, which are imported, too"
    assert f"q: {note}" in ingest(store, "q", files=[tmp_path / "c.csv"], config={}).sentences
    (tmp_path / "d.csv").write_bytes(
        table("image,caption,label,relation", [[i, t, "dog", r] for i, t, _, r in true_or_false])
    )
    assert note not in " ".join(ingest(store, "r", files=[tmp_path / "d.csv"], config={}).sentences)


def test_advice_that_does_not_work_is_not_given(store: Store, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_bytes(table("image,question,answer", [[i, t, "a man here"] for i, t in ONE]))
    with pytest.raises(SourceError, match=r"set --caption-col$"):
        ingest(store, "q", files=[tmp_path / "c.csv"], config={})
    archive = zipped({"a.csv": b"image,caption\n", "b.csv": b"image,caption\n"})
    (tmp_path / "c.zip").write_bytes(archive)
    with pytest.raises(SourceError, match=r"c.zip: holds 2 tables: a.csv, b.csv; unpack it, and name one"):
        ingest(store, "q", files=[tmp_path / "c.zip"], config={})


@pytest.mark.parametrize(
    ("header", "winners"),
    [("caption1,caption2,winner", ("1", "caption2")), ("caption_a,caption_b,preference", ("A", "B"))],
)
def test_preferences_are_votes(store: Store, tmp_path: Path, header: str, winners: tuple[str, str]) -> None:
    rows = [["a.jpg", "a dog", "a cat", winners[0]], ["b.jpg", "a man", "a boy", winners[1]]]
    (tmp_path / "c.csv").write_bytes(table(f"image,{header}", rows))
    result = ingest(store, "q", files=[tmp_path / "c.csv"], config={})
    assert 'detected format "votes"' in " ".join(result.notes)


def test_ratings_with_their_references_are_judgements(store: Store, tmp_path: Path) -> None:
    rated = [{"image_path": "a.jpg", "caption": "a dog", "rating": r} for r in (4, 3)]
    held = {"1": {"image_path": "a.jpg", "ground_truth": ["one dog", "the dog"], "human_judgement": rated}}
    (tmp_path / "c.json").write_bytes(json.dumps(held).encode())
    ingest(store, "q", files=[tmp_path / "c.json"], config={})
    assert store.query("select score from judgement order by score").rows() == [(3.0,), (4.0,)]
    ingest(store, "r", files=[tmp_path / "c.json"], config={}, file_format="table", caption_col=["ground_truth"])
    assert store.query("select image from membership where dataset = 'r'").height == 2
