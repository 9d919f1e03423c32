"""Write docs/findings.md: every kind of finding, of `auditor/findings/kinds.toml`.

`python docs/make_findings.py` writes the page. Don't edit it by hand.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from auditor.findings import DIMENSIONS, KINDS, Kind

PAGE = Path(__file__).parent / "findings.md"

_HEAD = """\
# Findings

Look up a kind of finding: what it means, how it is measured, how often it is wrong, and what to do.

Findings are structured data. Every result has a list of `findings`, in Python (`result.findings`,
`result.found("copied-slots")`) and in JSON (`"auditor.duplicates/v3": {"findings": [...]}`). A finding has these
fields:

- `kind`: one of the codes below, which are stable. Wording can change, so filter by `kind`.
- `severity`: see the table.
- `about`: the subject, such as dataset, version, split, slot or metric.
- `values`: the numbers, by name. Kinds that list captions or images have their number (`captions` or `images`) and
  `share`. Sections name other values.
- `n`: the number of captions, images or other units that were checked.
- `sentence`: the text in reports and terminals.
- `examples`: some of the affected captions, each with `image`, `slot`, `text` and `why`.

The `notes` of a result describe how its numbers were computed.

| severity | meaning |
| --- | --- |
| `info` | not a problem: the finding answers the question |
| `notice` | worth knowing: something was skipped or is unusual |
| `warning` | check it before you use the data |
| `error` | certain, or scores on this dataset are invalid: fix it |

Problems of captions, by what captions should be:
"""


def page() -> str:
    """Return the text of the page."""
    problems = "\n".join(f"- **{name}**: {_links(name)}" for name in DIMENSIONS)
    sections = "\n".join(_section(code, kind) for code, kind in KINDS.items())
    return f"{_HEAD}\n{problems}\n\nFacts about a dataset, a metric or a benchmark: {_links('')}\n\n{sections}"


def _links(dimension: str) -> str:
    """Return the codes of a dimension in the order of the alphabet; "" is for kinds without one."""
    return " · ".join(f"[`{code}`](#{code})" for code in sorted(KINDS) if KINDS[code].dimension == dimension)


def _section(code: str, kind: Kind) -> str:
    values = [f"- `{name}`: {meaning}" for name, meaning in kind.values.items()]
    commands = ", ".join(f"`{command}`" for command in kind.commands)
    parts = [
        f"## {code}",
        _filled(kind.meaning),
        _filled(f"**How it is measured.** {kind.measured}"),
        *(["Values:\n\n" + "\n".join(values)] if values and not kind.phrase else []),
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
