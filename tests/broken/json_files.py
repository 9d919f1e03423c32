"""JSON: files that are none, records that are no captions, values of every wrong type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from broken.case import Broken, as_json, repeated
from broken.whole import COCO, KARPATHY, LIST, RECORDS, TRIPLETS

DEEP = b"[" * 200_000
WHOLE: Mapping[str, Any] = {"coco": COCO, "table": LIST, "karpathy": KARPATHY, "triplets": TRIPLETS}


BLANKS = b" " * (1 << 20)

#: What makes no JSON of a whole file of any format: its text, and what the error says.
NOT_JSON: Mapping[str, tuple[Any, str]] = {
    "is cut in the middle": (lambda text: text[: len(text) // 2], r"a\.json:1: not JSON at column \d+"),
    "lacks its last bracket": (lambda text: text[:-1], r"a\.json:1: not JSON at column \d+"),
    "has more behind it": (lambda text: text + b" {}", r"a\.json:1: not JSON at column \d+: Extra data"),
    "has a comma too many": (lambda text: text[:-1] + b"," + text[-1:], r"a\.json:1: not JSON at column \d+"),
    "is in single quotes": (lambda text: text.replace(b'"', b"'"), r"a\.json:1: not JSON at column \d+"),
    "is a string": (lambda _: b'"captions"', r"a\.json: not of format|a\.json: .*expected"),
    "is null": (lambda _: b"null", r"a\.json: not of format|a\.json: .*expected"),
    "is an empty object": (lambda _: b"{}", r"a\.json: .*(expected|no record)"),
    "is an empty list": (lambda _: b"[]", r"a\.json: .*(expected|no record)"),
    "is UTF-16": (lambda text: text.decode().encode("utf-16"), r"a\.json"),
    "has a raw line break in a string": (lambda text: text.replace(b" .", b"\n."), r"a\.json:1: not JSON at column \d+: Invalid control character"),
    "is nested 200,000 deep": (lambda _: b'{"images": ' + DEEP, r"a\.json: JSON cannot be read|a\.json:1: not JSON"),
    "is a list nested 200,000 deep": (lambda _: DEEP, r"a\.json: JSON cannot be read|a\.json:1: not JSON"),
    "has a number of 5000 digits": (lambda text: text.replace(b": 0", b": " + b"9" * 5000, 1), r"a\.json"),
}  # fmt: skip


def _whole(file_format: str, value: Any) -> list[Broken]:
    text = as_json(value)
    return [
        Broken(f"{file_format}: a file that {name}", file_format, {"a.json": spoil(text)}, says)
        for name, (spoil, says) in NOT_JSON.items()
    ]


def _record(file_format: str, name: str, record: Any, says: str, **more: Any) -> Broken:
    """Put a record behind the sound ones."""
    value = json.loads(json.dumps(WHOLE[file_format]))
    held = value["annotations"] if file_format == "coco" else value["images"] if file_format == "karpathy" else value
    held = value["HC"] if file_format == "triplets" else held
    kept = len(held) * (2 if file_format == "triplets" else 1)
    held.append(record)
    return Broken(
        f"{file_format}: {name}", file_format, {"a.json": as_json(value)}, says, captions=kept, rejected=1, **more
    )


WRONG_IMAGES = {
    "null": None,
    "a list": [1],
    "an object": {"id": 1},
    "true": True,
    "a fraction": 1.5,
    "an empty text": "",
}
WRONG_TEXTS = {"null": None, "a number": 7, "a list": ["a"], "an object": {"raw": "a"}, "true": True}


def _typed() -> list[Broken]:
    cases = []
    for name, image in WRONG_IMAGES.items():
        says = r"no image|image_id is (a list|neither a string nor a number)"
        cases += (
            []
            if name == "a fraction"
            else [_record("table", f"list: an image_id that is {name}", {"image_id": image, "caption": "A ."}, says)]
        )
        says = r"filename is missing, or neither a whole number nor a string"
        record = {"filename": image, "sentences": [{"raw": "A ."}]}
        cases += [_record("karpathy", f"a filename that is {name}", record, says)]
    for name, text in WRONG_TEXTS.items():
        says = r"no caption|caption is (a list|not a string)"
        cases += (
            []
            if name == "an object"
            else [_record("table", f"list: a caption that is {name}", {"image_id": 9, "caption": text}, says)]
        )
        says = r"caption is missing, or not a string"
        cases += [_record("coco", f"a caption that is {name}", {"id": 90, "image_id": 2, "caption": text}, says)]
        record = {"filename": "z.jpg", "sentences": [{"raw": text}]}
        cases += [_record("karpathy", f"a sentence that is {name}", record, "raw is missing, or not a string")]
        record = {"image": "z.jpg", "captions": ["A .", text], "label": 0}
        cases += [
            _record("triplets", f"a caption that is {name}", record, "the second caption is missing, or not a string")
        ]
    return cases


def _grown(path: Path) -> None:
    path.write_bytes(as_json([{"image_id": 1, "caption": "a" * (17 << 20)}]))


CASES: tuple[Broken, ...] = (
    *(case for file_format, value in WHOLE.items() if file_format != "table" for case in _whole(file_format, value)),
    *_typed(),
    *(_record(f, "a record that is a number", 7, "a.json:4: |a.json:7: ") for f in ("coco", "table", "karpathy", "triplets")),
    *(_record(f, "a record that is null", None, "a.json:4: |a.json:7: ") for f in ("coco", "table", "karpathy", "triplets")),
    _record("table", "list: an empty caption", {"image_id": 9, "caption": ""}, r"a\.json:7: empty caption"),
    _record("table", "list: a NUL in a caption", {"image_id": 9, "caption": "a \0 b"}, r"a\.json:7: contains a NUL character"),
    _record("table", "list: a lone surrogate", {"image_id": 9, "caption": "a \ud800 b"}, r"a\.json:7: not UTF-8 \(a broken byte or a lone surrogate\)"),
    _record("table", "list: a lone surrogate in an image's name", {"image_id": "\udfff", "caption": "a b"}, r"a\.json:7: not UTF-8"),
    _record("table", "list: a caption of 10 MB", {"image_id": 9, "caption": "a dog " * 1_700_000}, r"a\.json:7: longer than 1,048,576"),
    _record("table", "list: no caption", {"image_id": 9}, r"a\.json:7: no caption"),
    _record("table", "list: no image", {"caption": "A ."}, r"a\.json:7: no image"),
    _record("coco", "an image that the file does not list", {"id": 90, "image_id": 99, "caption": "A ."}, r"a\.json:7: image 99 is not in the file's list of images"),
    _record("coco", "an id twice", {"id": 1, "image_id": 2, "caption": "A ."}, r"a\.json:7: id 1 occurs before"),
    _record("coco", "a lone surrogate in an id", {"id": "\ud800", "image_id": 2, "caption": "\ud800"}, r"a\.json:7: not UTF-8"),
    _record("karpathy", "no sentences", {"filename": "z.jpg", "sentences": []}, r"a\.json:4: sentences is missing, empty"),
    _record("karpathy", "sentences that are a text", {"filename": "z.jpg", "sentences": "A ."}, r"a\.json:4: sentences is missing, empty"),
    _record("karpathy", "a split that is a number", {"filename": "z.jpg", "split": 7, "sentences": [{"raw": "A ."}]}, r"a\.json:4: split is not a string"),
    _record("karpathy", "a sentid twice", {"filename": "z.jpg", "sentences": [{"raw": "A .", "sentid": 1}]}, r"a\.json:4: sentid 1 occurs before"),
    _record("karpathy", "a sentid that is a list", {"filename": "z.jpg", "sentences": [{"raw": "A .", "sentid": [1]}]}, r"a\.json:4: sentence 1: sentid is neither"),
    _record("karpathy", "a lone surrogate in a split", {"filename": "z.jpg", "split": "\ud800", "sentences": [{"raw": "A ."}]}, r"a\.json:4: not UTF-8"),
    _record("karpathy", "a lone surrogate in a sentence", {"filename": "z.jpg", "sentences": [{"raw": "\udc00"}]}, r"a\.json:4: sentence 1: not UTF-8"),
    _record("triplets", "three captions", {"image": "z.jpg", "captions": ["a", "b", "c"], "label": 0}, "not an image with two captions"),
    _record("triplets", "a label of 2", {"image": "z.jpg", "captions": ["a", "b"], "label": 2}, "label 2; expected 0"),
    _record("triplets", "a label that is true", {"image": "z.jpg", "captions": ["a", "b"], "label": True}, "label true; expected 0"),
    _record("triplets", "a label that is a list", {"image": "z.jpg", "captions": ["a", "b"], "label": [0]}, r"label \[0\]; expected 0"),
    _record("triplets", "a blank caption", {"image": "z.jpg", "captions": ["a", " "], "label": 0}, "the second caption is empty"),
    Broken("table: list: a byte that is not UTF-8", "table", {"a.json": as_json(LIST)[:-1] + b', {"image_id": 9, "caption": "caf\xe9"}]'}, r"a\.json:7: not UTF-8", captions=6, rejected=1),
    Broken("table: list: an overlong encoding", "table", {"a.json": as_json(LIST)[:-1] + b', {"image_id": 9, "caption": "\xc0\xaf"}]'}, r"a\.json:7: not UTF-8", captions=6, rejected=1),
    Broken("table: list: an image_id of 4000 digits", "table", {"a.json": as_json(LIST)[:-1] + b', {"image_id": ' + b"9" * 4000 + b', "caption": "A ."}]'}, ".", captions=7),
    Broken("table: list: keys that occur twice", "table", {"a.json": b'[{"image_id": 1, "image_id": 2, "caption": "A .", "caption": "B ."}, {"image_id": 2, "caption": "C ."}]'}, ".", captions=2),
    Broken("table: list: a record longer than 8 MiB", "table", {"a.json": _grown}, r"a\.json:1: not JSON at column \d+: a record longer than 8 MiB"),
    Broken("table: list: keys and values swapped", "table", {"a.json": as_json([{"A dog .": "caption", "7": "image_id"}])}, r"a\.json.*no column"),
    Broken("table: list: names of images as captions", "table", {"a.json": as_json([{"image_id": "A dog .", "caption": "a.jpg"}])}, "names of image files: are columns swapped"),
    Broken("coco: annotations that are an object", "coco", {"a.json": as_json({"images": [], "annotations": {"id": 1}})}, r"a\.json: not of format"),
    Broken("coco: annotations without captions", "coco", {"a.json": as_json({"annotations": [{"id": n, "image_id": n, "bbox": [1, 2]} for n in range(3)]})}, r"a\.json, record 1: caption is missing"),
    Broken("coco: images that are numbers", "coco", {"a.json": as_json({"images": [1, 2], "annotations": COCO["annotations"]})}, r"a\.json, record 1: image 0 is not in the file's list"),
    Broken("coco: a list of images without ids", "coco", {"a.json": as_json({"images": [{}], "annotations": COCO["annotations"]})}, r"a\.json, record 1: image 0 is not in the file's list"),
    Broken("coco: ids of every kind", "coco", {"a.json": as_json([{"id": value, "image_id": n, "caption": "A ."} for n, value in enumerate([10**30, -1, 1.5, [1], {"a": 1}, None, "x", True])])}, ".", captions=8),
    Broken("coco: the key annotations twice", "coco", {"a.json": b'{"annotations": [{"id": 1, "image_id": 1, "caption": "A ."}], "annotations": [{"id": 2, "image_id": 1, "caption": "B ."}]}'}, ".", captions=2),
    Broken("karpathy: another key of images", "karpathy", {"a.json": as_json(KARPATHY)}, "cocoid is missing", arguments=("--option", "image_key=cocoid")),
    Broken("karpathy: images that are an object", "karpathy", {"a.json": as_json({"images": {"a": 1}})}, "holds no record|expected"),
    Broken("triplets: a list of another name", "triplets", {"a.json": as_json({**TRIPLETS, "XX": [{"image": "a", "captions": ["a", "b"], "label": 0}]})}, r'in list "XX"; expected', captions=6, rejected=1),
    Broken("coco: 100 MB of blanks, zipped", "coco", {"a.json": repeated(BLANKS, 100, b'{"images": [', b"]}", "gz")}, "expands to more than 200 times", dangerous=True),
    Broken("coco: 100 MB of blanks", "coco", {"a.json": repeated(BLANKS, 100, b'{"images": [', b"]}")}, "not of format|no record", dangerous=True),
    Broken("table: list: 20 million brackets", "table", {"a.json": repeated(b"[" * 1_000_000, 20)}, "JSON cannot be read", dangerous=True),
    Broken("table: list: a string without end", "table", {"a.json": repeated(b"a" * (1 << 20), 60, b'[{"image_id": "')}, r"a\.json:1: not JSON at column", dangerous=True),
    Broken("table: 100 MB of blanks as JSONL", "table", {"a.jsonl": repeated(BLANKS, 100, b'{"image":', b"1}")}, r"a\.jsonl:1: a line longer than 16 MiB", dangerous=True),
    Broken("table: list: a record of a million lists", "table", {"a.json": repeated(b"[]," * 10_000, 100, b'[{"image_id": 1, "caption": "A ."}, [', b"[]]]")}, r"a\.json:2: not an object", captions=1, rejected=1, dangerous=True),
    Broken("karpathy: an image of 400,000 blank sentences", "karpathy", {"a.json": repeated(b'{"raw":""},' * 10_000, 40, b'{"images": [{"filename": "a.jpg", "sentences": [', b'{"raw": "A ."}]}]}')}, "records were (refused|rejected)", dangerous=True),
    Broken("table: a JSON list nested 200,000 deep", "table", {"a.json": b'[{"image": "a.jpg", "caption": ' + DEEP}, r"a\.json"),
    Broken("table: a JSONL line nested 200,000 deep", "table", {"a.jsonl": RECORDS + b'{"image": "a.jpg", "caption": ' + DEEP + b"\n"}, r"a\.jsonl:5: JSON cannot be read", captions=4, rejected=1),
    Broken("table: a JSONL line that is cut", "table", {"a.jsonl": RECORDS + b'{"image": "x.jpg", "capt'}, r"a\.jsonl:5: not JSON at column", captions=4, rejected=1),
    Broken("table: JSONL with NaN", "table", {"a.jsonl": RECORDS + b'{"image": NaN, "caption": "A ."}\n'}, r"a\.jsonl:5: no image", captions=4, rejected=1),
    Broken("table: JSONL with a list among the records", "table", {"a.jsonl": RECORDS + b"[1, 2]\n"}, r"a\.jsonl:5: not an object", captions=4, rejected=1),
    Broken("table: JSONL with a record without caption", "table", {"a.jsonl": RECORDS + b'{"image": "x.jpg"}\n'}, r"a\.jsonl:5: no caption", captions=4, rejected=1),
    Broken("table: JSONL with a caption that is a number", "table", {"a.jsonl": RECORDS + b'{"image": "x.jpg", "caption": 7}\n'}, r"a\.jsonl:5: caption is not a string", captions=4, rejected=1),
    Broken("table: JSONL with a list as an image", "table", {"a.jsonl": RECORDS + b'{"image": ["x.jpg"], "caption": "A ."}\n'}, r"a\.jsonl:5: image is a list", captions=4, rejected=1),
    Broken("table: JSONL with a list as a caption, unlike the rest", "table", {"a.jsonl": RECORDS + b'{"image": "x.jpg", "caption": ["A ."]}\n'}, r"a\.jsonl:5: caption is a list, but", captions=4, rejected=1),
    Broken("table: JSONL with a lone surrogate", "table", {"a.jsonl": RECORDS + b'{"image": "x.jpg", "caption": "\\ud800"}\n'}, r"a\.jsonl:5: not UTF-8", captions=4, rejected=1),
    Broken("table: JSONL with a broken byte", "table", {"a.jsonl": RECORDS + b'{"image": "x.jpg", "caption": "\xff"}\n'}, r"a\.jsonl:5: not UTF-8", captions=4, rejected=1),
    Broken("table: JSONL with a caption of 10 MB", "table", {"a.jsonl": RECORDS + as_json({"image": "x.jpg", "caption": "a dog " * 1_700_000}) + b"\n"}, r"a\.jsonl:5: longer than 1,048,576", captions=4, rejected=1),
    Broken("table: JSONL in UTF-16", "table", {"a.jsonl": RECORDS.decode().encode("utf-16")}, r"a\.jsonl:1: UTF-16"),
    Broken("table: JSONL without the keys of a table", "table", {"a.jsonl": b'{"a": 1, "b": 2}\n'}, r'a\.jsonl:1: no column "image"; the columns are a, b'),
    Broken("table: a JSON list of lists", "table", {"a.json": b'[["a.jpg", "A ."]]'}, r"a\.json, record 1: no column"),
)  # fmt: skip
