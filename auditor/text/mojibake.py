"""Text that was decoded wrongly: UTF-8 read as Windows-1252 or Latin-1, and invisible characters. Decodes it again."""

from __future__ import annotations

import re

#: Characters that bytes from 0x80 on become in Windows-1252, and in Latin-1 where that has none.
_BYTE_OF = {bytes([byte]).decode("cp1252", errors="ignore") or chr(byte): byte for byte in range(0x80, 0x100)} | {
    chr(byte): byte for byte in range(0x80, 0x100)
}

_FOLLOWING = "".join(re.escape(sign) for sign, byte in _BYTE_OF.items() if byte < 0xC0)

#: The first byte of a character in UTF-8, and the bytes that follow it.
_ENCODED = re.compile(f"[\xc2-\xdf][{_FOLLOWING}]|[\xe0-\xef][{_FOLLOWING}]{{2}}|[\xf0-\xf4][{_FOLLOWING}]{{3}}")

_CONTROL = re.compile("[\x80-\x9f]")

#: Scripts without spaces between words, where a zero-width space separates them.
_SCRIPTS = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
    f"|(?<![{_SCRIPTS}])\u200b(?![{_SCRIPTS}])"
)


def decoded_again(text: str) -> str:
    """Return a text with wrongly decoded characters corrected and invisible ones removed.

    What is not UTF-8 stays, and so does U+FFFD, whose character is lost.
    """
    while True:
        again = _INVISIBLE.sub("", _CONTROL.sub(_of_windows, _ENCODED.sub(_decoded, text)))
        if again == text:
            return text
        text = again


def _decoded(found: re.Match[str]) -> str:
    try:
        return bytes(_BYTE_OF[sign] for sign in found[0]).decode("utf-8")
    except UnicodeDecodeError:
        return found[0]


def _of_windows(found: re.Match[str]) -> str:
    return bytes([ord(found[0])]).decode("cp1252", errors="ignore")
