"""Archives: shards of webdataset, zips of corpora and word lists, folders in a tar; whole, cut, crafted."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

from broken.case import Broken, Content, as_json, gz, header, repeated, tarred, zipped, zst
from broken.whole import ENTITIES, SHARD, TAGGED

GOOD = ("a.txt", b"A kite .")
ZIP = zipped(("brown/ca01", TAGGED), ("brown/ca02", TAGGED))
WORDS = zipped(("words.txt", b"kite\t5\nmug\t2\n"), ("more.txt", b"boat\t1\n"))
ENTITIES_TAR = tarred(("Sentences/1.txt", ENTITIES), ("Sentences/2.txt", ENTITIES))

TRAVERSAL = {
    "a name that climbs": "../../harm.txt",
    "a name that climbs in its middle": "a/../../harm.txt",
    "an absolute name": "/etc/harm.txt",
    "a name with a drive": "C:\\harm.txt",
}
DEVICES = {
    "a symbolic link": tarfile.SYMTYPE,
    "a hard link": tarfile.LNKTYPE,
    "a character device": tarfile.CHRTYPE,
    "a block device": tarfile.BLKTYPE,
    "a pipe": tarfile.FIFOTYPE,
}


def _shard(name: str, content: bytes, says: str, captions: int = 0, rejected: int = 0, *arguments: str) -> Broken:
    return Broken(f"webdataset: {name}", "webdataset", {"a.tar": content}, says, captions, rejected, arguments)


def _link_in_zip() -> bytes:
    link = zipfile.ZipInfo("brown/ca03")
    link.external_attr = 0o120777 << 16
    return zipped(("brown/ca01", TAGGED), (link, b"/etc/passwd"))


def _zip_of(block: bytes, times: int, name: str = "ca01", names: int = 1) -> Content:
    """Write a zip with a large file, which may have many names."""

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
            with opened.open(name, "w") as file:
                for _ in range(times):
                    file.write(block)
            opened.filelist += opened.filelist * (names - 1)

    return make


def _tar_of(size: int, packed: str, kind: bytes = tarfile.REGTYPE) -> Content:
    """Write a packed tar of one file of blanks, or of one long name."""
    entry = tarfile.TarInfo("a.txt")
    entry.type, entry.size = kind, size
    return repeated(b" " * (1 << 20), size >> 20, entry.tobuf(tarfile.GNU_FORMAT), bytes(1024), packed)


def _lying(content: bytes) -> bytes:
    """Let a zip say that its first file unpacks to less than it does."""
    with_size = bytearray(content)
    at = with_size.rindex(b"PK\x01\x02", 0, with_size.rindex(b"PK\x01\x02")) + 24
    with_size[at : at + 4] = (3).to_bytes(4, "little")
    return bytes(with_size)


def _twice() -> bytes:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that a zip has already
        return zipped(("ca01", b"A/at kite/nn\n"), ("ca01", b"Two/cd mugs/nns\n"))


CASES: tuple[Broken, ...] = (
    *(_shard(f"{name}", tarred(GOOD, (path, b"harm")), r"harm.txt: its name leads out of the archive", 1, 1) for name, path in TRAVERSAL.items()),
    *(_shard(f"{name}", tarred(GOOD, header("b.txt", kind)), r"b\.txt: a link or device", 1, 1) for name, kind in DEVICES.items()),
    _shard("a text that is not UTF-8", tarred(GOOD, ("b.txt", b"caf\xe9")), r"b\.txt: not UTF-8 \(byte 0xe9 at 4\)", 1, 1),
    _shard("a text that is UTF-16", tarred(GOOD, ("b.txt", "A mug".encode("utf-16"))), r"b\.txt: not UTF-8", 1, 1),
    _shard("an empty text", tarred(GOOD, ("b.txt", b"")), r"(empty|no) caption", 1, 1),
    _shard("a text with a NUL", tarred(GOOD, ("b.txt", b"A \0 mug")), r"contains a NUL character", 1, 1),
    _shard("a text of 10 MB", tarred(GOOD, ("b.txt", b"a dog " * 1_700_000)), r"longer than 1,048,576", 1, 1),
    _shard("a text of 17 MiB", tarred(GOOD, ("b.txt", bytes(17 << 20))), r"b\.txt: longer than 16 MiB", 1, 1),
    _shard("JSON that is none", tarred(GOOD, ("b.json", b"{")), r"b\.json: not JSON", 1, 1),
    _shard("JSON nested 200,000 deep", tarred(GOOD, ("b.json", b"[" * 200_000)), r"b\.json: not JSON", 1, 1),
    _shard("JSON with NaN", tarred(GOOD, ("b.json", b'{"caption": NaN}')), r"b\.json: no .caption. in the JSON", 1, 1),
    _shard("JSON that is a list", tarred(GOOD, ("b.json", b"[1]")), r'b\.json: no "caption" in the JSON', 1, 1),
    _shard("JSON with a number as a caption", tarred(GOOD, ("b.json", b'{"caption": 7}')), r"b\.json: caption 0 is not a string", 1, 1),
    _shard("JSON with a lone surrogate", tarred(GOOD, ("b.json", b'{"caption": "\\ud800"}')), r"b\.json: caption 0 is not UTF-8", 1, 1),
    _shard("JSON with a number of 5000 digits", tarred(GOOD, ("b.json", b'{"caption": ' + b"9" * 5000 + b"}")), r"b\.json: not JSON", 1, 1),
    _shard("a caption twice", tarred(GOOD, GOOD), "duplicate key a#0", 1, 1),
    _shard("a slot of nine digits and of ten", tarred(("a.999999999.txt", b"A ."), ("a.9999999999.txt", b"B .")), ".", 1, 0),
    _shard("a name that is not UTF-8", tarred(GOOD, ("caf\udce9.txt", b"A .")), "its name is not UTF-8", 1, 1),
    _shard("a name with a line break", tarred(GOOD, ("b\nc.json", b"{")), "not JSON", 1, 1),
    _shard("pictures only", tarred(("a.jpg", b"\xff\xd8"), ("b.jpg", b"\xff\xd8")), r"a\.tar: no captions: .*the shard holds \.jpg"),
    _shard("files without a sample's name", tarred(("README", b"hello"), (".hidden", b"x")), r"a\.tar: no captions"),
    _shard("nothing", tarred(), r"a\.tar: no captions"),
    _shard("a tar that was cut", SHARD[:700], r"a\.tar: cannot be read as an archive"),
    _shard("a tar that was cut at a block", SHARD[:1024], r"a\.tar: cannot be read as an archive"),
    _shard("a tar of which a half is zeros", SHARD[:1500] + bytes(len(SHARD) - 1500), r"a\.tar"),
    _shard("a tar with a broken header", SHARD.replace(b"b.txt", b"X.txt", 1), r"a\.tar: cannot be read as an archive: a header is broken"),
    _shard("two tars in one", SHARD + SHARD, r"a\.tar: cannot be read as an archive: data after"),
    _shard("a tar.gz that was cut", gz(SHARD)[:-30], r"a\.tar"),
    _shard("a tar.zst that was cut", zst(SHARD)[:-30], r"a\.tar"),
    _shard("a zip", ZIP, r"a\.tar: no captions"),
    _shard("a key that no JSON has", tarred(("a.json", as_json({"caption": "A ."}))), 'no "text" in the JSON', 0, 0, "--option", "caption_key=text"),
    Broken("webdataset: a tar.gz bomb", "webdataset", {"a.tar": _tar_of(100 << 20, "gz")}, r"a\.tar: expands to more than 200 times", dangerous=True),
    Broken("webdataset: a tar.zst bomb", "webdataset", {"a.tar": _tar_of(100 << 20, "zst")}, r"a\.tar: expands to more than 200 times", dangerous=True),
    Broken("webdataset: a header of gigabytes", "webdataset", {"a.tar": _tar_of(1 << 30, "zst", tarfile.GNUTYPE_LONGNAME)}, r"a\.tar", dangerous=True),
    Broken("brown: a zip that was cut", "brown", {"a.zip": ZIP[:-30]}, r"a\.zip: cannot be read as an archive"),
    Broken("brown: the second half of a zip", "brown", {"a.zip": b"PK\x03\x04" + ZIP[len(ZIP) // 2 :]}, r"a\.zip: cannot be read as an archive"),
    Broken("brown: a zip with a wrong checksum", "brown", {"a.zip": zipped(("ca01", b"A/at kite/nn\n"), stored=True).replace(b"kite", b"mite")}, r"Bad CRC-32"),
    Broken("brown: a zip that lies about a size", "brown", {"a.zip": _lying(ZIP)}, r"a\.zip"),
    Broken("brown: a zip bomb", "brown", {"a.zip": _zip_of(b"a/b\n" * (1 << 18), 90)}, "a zip bomb", dangerous=True),
    Broken("brown: a zip whose files share their bytes", "brown", {"a.zip": _zip_of(b"a/b\n" * (1 << 18), 60, names=50)}, "a zip bomb", dangerous=True),
    Broken("brown: an empty zip", "brown", {"a.zip": zipped()}, "it holds no record"),
    Broken("brown: a zip without documents", "brown", {"a.zip": zipped(("README", b"read me"))}, "it holds no record"),
    Broken("brown: a link in a zip", "brown", {"a.zip": _link_in_zip()}, "ca03: a link", captions=2, rejected=1),
    Broken("brown: a name in a zip that climbs", "brown", {"a.zip": zipped(("ca01", TAGGED), ("../../ca02", TAGGED))}, "its name leads out of the archive", captions=2, rejected=1),
    Broken("brown: a document twice in a zip", "brown", {"a.zip": _twice()}, "duplicate key ca01#0", captions=1, rejected=1),
    Broken("brown: a folder without documents", "brown", {"corpus": lambda path: path.mkdir()}, "it holds no record"),
    Broken("entities: a tar that was cut", "entities", {"a.tar": ENTITIES_TAR[:900]}, r"a\.tar: cannot be read as an archive"),
    Broken("entities: a tar with a name that climbs", "entities", {"a.tar": tarred(("1.txt", b"A dog .\n"), ("../2.txt", b"A cat .\n"))}, "its name leads out of the archive", captions=1, rejected=1),
    Broken("entities: a tar with a name that climbs with backslashes", "entities", {"a.tar": tarred(("1.txt", b"A dog .\n"), ("..\\..\\2.txt", b"A cat .\n"))}, "its name leads out of the archive", captions=1, rejected=1),
    Broken("entities: a tar with a link", "entities", {"a.tar": tarred(("1.txt", b"A dog .\n"), header("2.txt", tarfile.SYMTYPE))}, "a link or device", captions=1, rejected=1),
    Broken("entities: a tar of pictures", "entities", {"a.tar": tarred(("a.jpg", b"x"))}, "it holds no record"),
    Broken("entities: a folder without sentences", "entities", {"Sentences": lambda path: path.mkdir()}, "it holds no record"),
    Broken("wordlist: a zip of two lists", "wordlist", {"a.zip": WORDS}, r"a\.zip: name its word list"),
    Broken("wordlist: a member that is not there", "wordlist", {"a.zip": WORDS}, r"a\.zip: name its word list", arguments=("--option", "member=none.txt")),
    Broken("wordlist: a member that occurs twice", "wordlist", {"a.zip": zipped(("a/w.txt", b"kite\n"), ("b/w.txt", b"mug\n"))}, "the archive has several w.txt; name it with its folder", arguments=("--option", "member=w.txt")),
    Broken("wordlist: a member that climbs", "wordlist", {"a.zip": zipped(("../w.txt", b"kite\n"))}, "its name leads out of the archive", arguments=("--option", "member=w.txt")),
    Broken("wordlist: a zip bomb", "wordlist", {"a.zip": _zip_of(b"kite\n" * (1 << 18), 90, "w.txt")}, "a zip bomb", arguments=("--option", "member=w.txt"), dangerous=True),
)  # fmt: skip
