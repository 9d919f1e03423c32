"""One sound file of every format, and what befalls any file: it is cut, packed badly, another thing than its name says."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.io import savemat

from broken.case import Broken, Content, as_json, flickr, folder, gz, tarred, zst


class Sound(NamedTuple):
    """A file of a format, with what must be beside it and be said of it."""

    name: str
    content: bytes
    arguments: tuple[str, ...] = ()
    beside: Mapping[str, Content] = {}


def structs(fields: tuple[str, ...], *records: tuple[Any, ...]) -> Any:
    array = np.empty((1, len(records)), dtype=[(field, object) for field in fields])
    for place, record in enumerate(records):
        array[0, place] = record
    return array


def mat(path: Path) -> None:
    sentences = np.array([["A kite .", "A red kite ."]], dtype=object)
    savemat(path, {"refs": structs(("name", "sentences"), ("a.jpg", sentences), ("b.jpg", sentences))})


def mat_bytes() -> bytes:
    path = Path(f"{os.getpid()}.mat")
    mat(path)
    content = path.read_bytes()
    path.unlink()
    return content


FRAME = pl.DataFrame({"image": ["a.jpg", "a.jpg", "b.jpg"], "caption": ["A kite .", "A red kite .", "Two mugs ."]})
KARPATHY = {
    "images": [
        {"filename": f"{n}.jpg", "split": "train", "sentences": [{"raw": "A kite .", "sentid": n}]} for n in range(3)
    ]
}
COCO = {
    "images": [{"id": n} for n in range(3)],
    "annotations": [{"id": n, "image_id": n // 2, "caption": f"A kite {n} ."} for n in range(6)],
}
LIST = [{"image_id": n // 2, "caption": f"A kite {n} ."} for n in range(6)]
TRIPLETS = {"HC": [{"image": f"{n}.jpg", "captions": ["A kite .", "Two mugs ."], "label": n % 2} for n in range(3)]}
CSV = b"image,caption\na.jpg,A kite .\na.jpg,A red kite .\nb.jpg,Two mugs .\n"
RECORDS = b"".join(as_json({"image": f"{n}.jpg", "caption": f"A kite {n} ."}) + b"\n" for n in range(4))
VOTES = (
    b"image,a,b,c,judge_1,judge_2\na.jpg,A kite .,A red kite .,Two mugs .,B,C\nb.jpg,A mug .,A kite .,Two mugs .,C,\n"
)
SHARD = tarred(("a.jpg", b"\xff\xd8"), ("a.txt", b"A kite ."), ("b.txt", b"Two mugs ."))
BANK = b"# sent_id = 1\n# text = Rain falls .\n1\tRain\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
ENTITIES = b"[/EN#1/people A boy] flies [/EN#2/other a kite] .\nA plain sentence .\n"
TAGGED = b"A/at kite/nn flies/vbz ./.\n\nTwo/cd mugs/nns ./.\n"

SOUND: Mapping[str, Sound] = {
    "flickr": Sound("a.token", flickr(6)),
    "scenes": Sound("a.txt", b"1\t0\tA boy kicks .\n1\t1\tA girl runs .\n2\t0\tA dog .\n"),
    "parallel": Sound("a.en", b"A kite .\nTwo mugs .\n"),
    "conllu": Sound("a.conllu", BANK),
    "synonyms": Sound("a.txt", b"bicycle, bike\ncat, kitten, tom cat\n"),
    "wordlist": Sound("a.txt", b"kite\t5\nmug\t2\n"),
    "judgements": Sound(
        "a.txt",
        b"a.jpg\tb.jpg#0\t1\t2\t4\nb.jpg\tb.jpg#1\t4\t4\t4\n",
        ("--option", "captions_file=@c.token"),
        {"c.token": b"b.jpg#0\tA kite .\nb.jpg#1\tTwo mugs .\n"},
    ),
    "votes": Sound("a.csv", VOTES),
    "choices": Sound("a.csv", b"image,right,wrong\na.jpg,A kite .,A mug .\nb.jpg,Two mugs .,A kite .\n"),
    "entities": Sound("7.txt", ENTITIES),
    "brown": Sound("ca01", TAGGED),
    "table": Sound("a.csv", CSV),
    "coco": Sound("a.json", as_json(COCO)),
    "sidecars": Sound("a.txt", b"A kite .\nTwo mugs .\n"),
    "karpathy": Sound("a.json", as_json(KARPATHY)),
    "triplets": Sound("a.json", as_json(TRIPLETS)),
    "webdataset": Sound("a.tar", SHARD),
    "mat": Sound("a.mat", mat_bytes()),
}

#: Formats whose files are lines of text.
LINES = {name for name, sound in SOUND.items() if sound.content.isascii() and b"\n" in sound.content}

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 2342323\n"
PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head>\n<body>Not found</body></html>\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\n\xff\xd9"

#: What befalls a file, whatever its format: what becomes of its content, and what the error says of it.
FAULTS: Mapping[str, tuple[Callable[[bytes], Content], str]] = {
    "is empty": (
        lambda _: b"",
        "no record|not of format|not an archive|cannot be read as an archive|not JSON|empty caption",
    ),
    "has blank lines only": (
        lambda _: b"\n \n\r\n",
        "no record|not an archive|cannot be read as an archive|not JSON|not of format|records were (refused|rejected)",
    ),
    "is a gzip that was cut": (lambda content: gz(content)[:-9], "damaged compressed file"),
    "is a zst that was cut": (lambda content: zst(content)[:-5], "damaged compressed file"),
    "is a gzip with more behind it": (lambda content: gz(content) + b"more", "damaged compressed file"),
    "is a gzip in name only": (lambda _: b"\x1f\x8b not a gzip", "damaged compressed file"),
    "is a gzip in a gzip": (lambda content: gz(gz(content)), "."),
    "is a git-LFS pointer": (lambda _: POINTER, "git-LFS pointer"),
    "is a web page": (lambda _: PAGE, "web page"),
    "is a pickle": (lambda content: pickle.dumps([content, Bait()]), "."),
    "is a picture": (lambda _: PNG, "."),
    "is a PDF": (lambda _: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n", "."),
    "is a folder": (lambda _: folder, "."),
    "is not there": (lambda _: lambda path: None, "no such file"),
    "is a device": (lambda _: lambda path: path.symlink_to("/dev/zero"), "neither a file nor a folder"),
    "is a pipe": (lambda _: os.mkfifo, "neither a file nor a folder"),
    "links to itself": (lambda _: lambda path: path.symlink_to(path), "no such file|symbolic links"),
}
TEXT_FAULTS: Mapping[str, tuple[Callable[[bytes], Content], str]] = {
    "is UTF-16": (lambda content: content.decode().encode("utf-16"), "UTF-16"),
    "is UTF-16 without saying so": (lambda content: content.decode().encode("utf-16-be"), "."),
    "is UTF-32": (lambda content: content.decode().encode("utf-32"), "UTF-16|UTF-32"),
    "has lines that end in CR alone": (lambda content: content.replace(b"\n", b"\r"), "lines end in CR only"),
}


class Bait:
    """What a reader that unpickles would run."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("harm",)


def befallen() -> Iterator[Broken]:
    for file_format, sound in SOUND.items():
        faults = {**FAULTS, **(TEXT_FAULTS if file_format in LINES else {})}
        for name, (spoil, says) in faults.items():
            files = {sound.name: spoil(sound.content), **sound.beside}
            yield Broken(f"{file_format}: {name}", file_format, files, says, arguments=sound.arguments)
