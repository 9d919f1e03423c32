"""HTML, Markdown links and escapes in a text, as plain text."""

from __future__ import annotations

import html
import re

_BLOCK = (
    "blockquote|body|br|center|code|dd|div|dl|dt|figcaption|figure|footer|h[1-6]|head|header|hr|html|img|li|ol|p|pre"
)
_TAG = re.compile(
    rf"(?i)<!--.*?-->|</?(?P<block>{_BLOCK}|section|table|tbody|td|th|thead|title|tr|ul)(?:\s[^<>]*)?/?>"
    r"|</?(?:a|abbr|b|big|em|font|i|small|span|strike|strong|sub|sup|tt|u)(?:\s[^<>]*)?/?>",
    re.DOTALL,
)
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]{2,8}\d{0,2});")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(https?://[^\s()]*(?:\s+\"[^\"]*\")?\)")
_QUOTED = re.compile(r'(^|[\s(])""([^"\s](?:[^"]*[^"\s])?)""(?=[\s).,;:!?]|$)')
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([ntr"]))')
_NOT_ESCAPED = re.compile(
    r"\\(?:text|times|theta|tau|nu\b|rho|neq|right|nabla|rm\b|to\b|tilde|not\b|unit)|\b[A-Za-z]:\\"
)


def plain(text: str) -> str:
    """Return a text without tags, with entities and escapes decoded, and with the text of links."""
    while True:
        again = _LINK.sub(r"\1", _TAG.sub(_blank, _ENTITY.sub(_character, text)))
        again = _QUOTED.sub(r'\1"\2"', again if _NOT_ESCAPED.search(again) else _ESCAPE.sub(_unescaped, again))
        if again == text:
            return text
        text = again


def apart(text: str) -> str:
    """Return a text with a blank in the place of each tag and escape, so that no words are joined."""
    text = _TAG.sub(" ", _LINK.sub(r" \1 ", _ENTITY.sub(_character, text)))
    return text if _NOT_ESCAPED.search(text) else _ESCAPE.sub(_unescaped, text)


def _blank(found: re.Match[str]) -> str:
    return " " if found["block"] or found[0].startswith("<!--") else ""


def _character(found: re.Match[str]) -> str:
    made = html.unescape(found[0])
    return " " if made == "\xa0" else found[0] if "\ufffd" in made else made


def _unescaped(found: re.Match[str]) -> str:
    code, letter = found.groups()
    if letter:
        return '"' if letter == '"' else " "
    return found[0] if 0xD800 <= int(code, 16) < 0xE000 else chr(int(code, 16))
