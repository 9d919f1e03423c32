"""Count how many of the 174 items of the five papers have a command: python benchmarks/checklist.py [TOML].

`checklist.toml` lists the items. The figures of each are those of auditor/papers/*.toml.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

from auditor.cli import app
from auditor.studies import STUDIES

ITEMS = Path(__file__).with_name("checklist.toml")

PAPERS = Path(app.__file__).parents[1] / "papers"

STATES = ("done", "imported", "partly", "open")


def items(path: Path = ITEMS) -> dict[str, tuple[str, str, str]]:
    """Read the items by number: what each is, the command, and its state, with a reason unless it is done."""
    listed = {}
    for paper, entries in tomllib.loads(path.read_text(encoding="utf-8")).items():
        for number, (what, command, *state) in entries.items():
            listed[f"{paper}-{number}"] = (what, command, *(state or ["done"]))
    return listed


def figures() -> Counter[str]:
    """Count the published figures of each item."""
    counted: Counter[str] = Counter()
    for path in sorted(PAPERS.glob("*.toml")):
        paper = tomllib.loads(path.read_text(encoding="utf-8"))
        for kind, checks in paper["checks"].items():
            counted.update(
                str(check.get("item") or paper.get("kinds", {}).get(kind, {}).get("item")) for check in checks
            )
    return counted


def faults(listed: dict[str, tuple[str, str, str]]) -> list[str]:
    """List items whose command does not exist, unknown states, and figures of items that are not listed."""
    commands = {*STUDIES, *app.OTHERS}
    wrong = [f"{number}: no command {command}" for number, (_, command, _) in listed.items()
             if command.removeprefix("auditor ") not in commands]  # fmt: skip
    wrong += [f"{number}: no state {state}" for number, (*_, state) in listed.items() if _state(state) not in STATES]
    of_papers = {number for number in figures() if number.partition("-")[0] in ("000", "001", "002", "003", "004")}
    return wrong + [f"{number}: has figures, but is not listed" for number in sorted(of_papers - listed.keys())]


def _state(text: str) -> str:
    return text.partition(":")[0]


def main(path: Path = ITEMS) -> int:
    """Print the tally, and what is not done."""
    listed, of = items(path), figures()
    rows = Counter((number[:3], _state(state)) for number, (*_, state) in listed.items())
    print("paper " + " ".join(f"{name:>9}" for name in (*STATES, "items", "figures")))
    for paper in (*sorted({number[:3] for number in listed}), "all"):
        numbers = [sum(n for (of_paper, state), n in rows.items() if paper in (of_paper, "all") and state == name)
                   for name in STATES]  # fmt: skip
        shown = sum(n for number, n in of.items() if number in listed and paper in (number[:3], "all"))
        print(f"{paper:5} " + " ".join(f"{number:>9}" for number in (*numbers, sum(numbers), shown)))
    for number, (what, command, state) in listed.items():
        if state != "done":
            print(f"{number} {what} (`{command}`): {state}")
    for fault in (wrong := faults(listed)):
        print(f"wrong: {fault}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
