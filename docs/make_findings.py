"""Write docs/findings.md: every kind of finding, of `auditor/findings/kinds.toml`.

`python docs/make_findings.py` writes it. Nothing in it is written by hand.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from auditor.findings import KINDS, Kind

PAGE = Path(__file__).parent / "findings.md"

_HEAD = """\
# Findings

What `auditor` finds is data before it is a sentence. Every result has `findings`, in Python (`result.findings`,
`result.found("copied-slots")`) and in JSON (`"auditor.duplicates/v2": {"findings": [...]}`): `kind`, one of the codes
below; `severity`; `about`, what it is of (dataset, version, split, slot, metric, …); `values`, its numbers; `n`, how
many things were looked at; `sentence`, what reports and terminals say. Codes stay as they are; sentences may be worded
anew, so that programs should select by `kind`. How numbers were made is no finding: that is said in `notes`.

| severity | what it asks for |
| --- | --- |
| `info` | nothing: it answers the question |
| `notice` | to be known: something was left out or is not as usual |
| `warning` | a look, before numbers are used |
| `error` | to be mended: something is wrong for certain |
"""


def page() -> str:
    """Give the page's text."""
    contents = "\n".join(f"- [`{code}`](#{code})" for code in KINDS)
    return "\n".join([_HEAD, contents, "", *(_section(code, kind) for code, kind in KINDS.items())]).rstrip("\n") + "\n"


def _section(code: str, kind: Kind) -> str:
    values = [f"- `{name}`: {meaning}" for name, meaning in kind.values.items()]
    commands = ", ".join(f"`{command}`" for command in kind.commands)
    parts = [
        f"## {code}",
        _filled(kind.meaning),
        _filled(f"**How it is measured.** {kind.measured}"),
        *(["Values:\n\n" + "\n".join(values)] if values else []),
        _filled(f"**What to do.** {kind.fix}"),
        *([_filled(f"**Tested.** {kind.tested} {kind.error_rate}".rstrip())] if kind.tested else []),
        f"Example, of {commands}:",
        _filled(f"> {kind.example}", "> "),
    ]
    return "\n\n".join(parts) + "\n"


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
