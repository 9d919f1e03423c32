"""Text that was decoded wrongly: UTF-8 read in a one-byte encoding, and invisible characters. Decodes it again.

A pattern of `sql/facts/signs.toml` finds what is surely wrong. Its groups are decoded, and nothing else is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping


def _bytes_of(encoding: str) -> Mapping[str, int]:
    """Return the byte of each character from 0x80 on; Windows-1252 has Latin-1 where it has none."""
    high = range(0x80, 0x100)
    made = {bytes([byte]).decode(encoding, errors="ignore") or chr(byte): byte for byte in high}
    return made | ({chr(byte): byte for byte in high} if encoding == "cp1252" else {})


#: The encodings that UTF-8 is read in, the most frequent first.
_ENCODINGS = tuple(map(_bytes_of, ("cp1252", "cp1251", "cp437", "mac_roman", "cp850")))

_CONTROL = re.compile("[\x80-\x9f]")

#: Scripts where a zero-width space separates words, and those where direction marks are needed.
_UNSPACED, _RIGHT_TO_LEFT = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff", re.compile("[\u0590-\u08ff]")

#: Invisible characters that join what is beside them, and others, in whose place words need a blank.
_JOINING = re.compile("[\xad\u2060-\u206f\u200e\u200f\u202a-\u202e]")

_PARTING = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]+|(?<![{_UNSPACED}])\u200b+(?![{_UNSPACED}])")


def decoded_again(text: str, wrong: re.Pattern[str]) -> str:
    """Return a text with what `wrong` finds decoded again, and without invisible characters.

    What is not UTF-8 stays, and so does U+FFFD, whose character is lost.
    """
    again = _CONTROL.sub(_of_windows, wrong.sub(_decoded, text))
    while again != text:
        text, again = again, _CONTROL.sub(_of_windows, wrong.sub(_decoded, again))
    text = text if _RIGHT_TO_LEFT.search(text) else _JOINING.sub("", text)
    return _PARTING.sub(lambda found: " " * all(map(str.isalnum, _beside(text, found))), text)


def _decoded(found: re.Match[str]) -> str:
    run = found[found.lastindex or 0]
    return found[0].replace(run, next(_readings(run), run), 1)


def _readings(run: str) -> Iterator[str]:
    """Yield what a run of characters is in UTF-8, for each encoding that it can be read in."""
    if run.rstrip() == "Â":  # the rest was a no-break space
        yield ""
    if run == "â€":  # Windows-1252 has no character for the last byte of ”
        yield "”"
    if run.startswith("锘"):  # a byte order mark read as GBK, with the first letter
        yield run.encode("gb18030").decode(errors="ignore").lstrip("\ufeff")
    for byte_of in _ENCODINGS:
        if all(sign in byte_of for sign in run):
            made = bytes(byte_of[sign] for sign in run).decode(errors="replace")
            if all(unicodedata.category(sign) not in ("Cn", "Co", "Mn") and sign != "\ufffd" for sign in made):
                yield made.replace("\ufeff", "")


def _of_windows(found: re.Match[str]) -> str:
    return bytes([ord(found[0])]).decode("cp1252", errors="ignore")


def _beside(text: str, found: re.Match[str]) -> tuple[str, str]:
    return text[: found.start()][-1:], text[found.end() :][:1]
