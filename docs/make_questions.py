"""Write docs/questions.md: every question, of `auditor/cli/questions.toml`.

`python docs/make_questions.py` writes the page. Don't edit it by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

from auditor.cli.questions import table

PAGE = Path(__file__).parent / "questions.md"

_HEAD = """\
# Which question, which command

Find your question, paste the command, and find the answer as the third column describes. `auditor help WORD` finds it
on the terminal. `mine` and `other` are datasets of yours ([`auditor ingest mine --from captions.csv`](data.md)),
`system` has the output of a model, `ratings` human ratings, and `items` forced-choice items. The first column uses the
words of a search box. The [glossary](glossary.md) links them to ours.

Most commands take `-o FILE.csv` for all rows, and `--json`. Codes such as `web-address` are kinds of
[findings](findings.md), which explain how each kind is detected and how often it is wrong.
"""


def page() -> str:
    """Return the text of the page."""
    parts = [_HEAD]
    for section in table()["section"]:
        rows = [f"| {row['question']} | `{row['command']}` | {row['answer']} |\n" for row in section["row"]]
        parts.append(f"## {section['title']}\n\n| question | command | answer |\n| --- | --- | --- |\n{''.join(rows)}")
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
