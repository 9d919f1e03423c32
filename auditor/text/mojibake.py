"""Text that was decoded wrongly: UTF-8 read in a one-byte encoding, and invisible characters. Decodes it again.

A pattern of `sql/facts/signs.toml` finds what is surely wrong. Its groups are decoded, and nothing else is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

_HIGH = range(0x80, 0x100)


def _bytes_of(encoding: str) -> Mapping[str, int]:
    """Return the byte of each character from 0x80 on; Windows-1252 has Latin-1 where it has none."""
    made = {bytes([byte]).decode(encoding, errors="ignore") or chr(byte): byte for byte in _HIGH}
    return made | ({chr(byte): byte for byte in _HIGH} if encoding == "cp1252" else {})


#: The encodings that UTF-8 is read in, the most frequent first.
_ENCODINGS = tuple(map(_bytes_of, ("cp1252", "cp1251", "cp437", "mac_roman", "cp850")))

_FOLLOWING = "".join(re.escape(sign) for sign, byte in _ENCODINGS[0].items() if byte < 0xC0)

#: Characters in UTF-8: the first byte, and those that follow it.
_ENCODED = re.compile(f"[\xc2-\xdf][{_FOLLOWING}]|[\xe0-\xef][{_FOLLOWING}]{{2}}")

_CONTROL = re.compile("[\x80-\x9f]")

#: Scripts without spaces between words, where a zero-width space separates them.
_SCRIPTS = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"

_MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069"

#: Invisible characters that join what is beside them, and others, in whose place words need a blank.
_JOINING = re.compile(f"[\xad\u2060-\u2065\u206a-\u206f{_MARKS}]")

_PARTING = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]+|(?<![{_SCRIPTS}])\u200b+(?![{_SCRIPTS}])")

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


def decoded_again(text: str, wrong: re.Pattern[str]) -> str:
    """Return a text with what `wrong` finds decoded again, and without invisible characters.

    What is not UTF-8 stays, and so does U+FFFD, whose character is lost.
    """
    while True:
        again = _CONTROL.sub(_of_windows, _of_scripts(text, wrong.sub(_decoded, text)))
        if again == text:
            return _visible(text)
        text = again


def _decoded(found: re.Match[str]) -> str:
    run, whole = found[found.lastindex or 0], found[0]
    made = next(_readings(run), run)
    return whole.replace(run, made, 1)


def _readings(run: str) -> Iterator[str]:
    """Yield what a run of characters is in UTF-8, for each encoding that it can be read in."""
    if run == "â€":  # Windows-1252 has no character for the last byte of ”
        yield "”"
    if run.startswith("锘"):  # a byte order mark read as GBK, with the first letter
        yield run.encode("gb18030").decode(errors="ignore").lstrip("\ufeff")
    for byte_of in _ENCODINGS:
        if all(sign in byte_of for sign in run):
            try:
                made = bytes(byte_of[sign] for sign in run).decode()
            except UnicodeDecodeError:
                continue
            if all(unicodedata.category(sign) not in ("Cn", "Co", "Mn") for sign in made):
                yield made.replace("\ufeff", "")


def _of_scripts(before: str, text: str) -> str:
    """Decode the rest of a text whose certain part is in another script: single letters of that script."""
    scripts = {_script(sign) for sign in text if sign not in before and sign.isalpha()} - {"LATIN"}
    if not scripts:
        return text

    def decoded(found: re.Match[str]) -> str:
        made = next(_readings(found[0]), found[0])
        return made if {_script(sign) for sign in made} <= scripts else found[0]

    return _ENCODED.sub(decoded, text)


def _script(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0]


def _of_windows(found: re.Match[str]) -> str:
    return bytes([ord(found[0])]).decode("cp1252", errors="ignore")


def _visible(text: str) -> str:
    """Remove invisible characters; between two letters or digits, a parting one becomes a blank."""
    if not _RIGHT_TO_LEFT.search(text):
        text = _JOINING.sub("", text)

    def parted(found: re.Match[str]) -> str:
        ends = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        return " " if all(end.isalnum() for end in ends) else ""

    return _PARTING.sub(parted, text)
