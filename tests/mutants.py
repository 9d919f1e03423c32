"""Changes one thing in a file of `sql/` and asks its cases whether they notice.

`python tests/mutants.py --number 300 --seed 7` draws mutants over all folders, runs the case of the file and then the
cases of the files that read it, and lists the mutants that survive. A survivor whose rows equal the original's on all
cases and on generated stores is equivalent: no test could kill it. One mutant takes about 0.1 s of CPU.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from sqlcases import every_file, holds, load, order_of, returned

from auditor.store import people, sqlfiles
from auditor.store.sqlfiles import SqlFile, catalogue, reads_of

#: Stands for the first argument of what is changed.
FIRST = r"\1"

#: What is changed, and into what.
RULES: Mapping[str, tuple[tuple[str, str | Callable[[str], str]], ...]] = {
    "equality": ((r"(?<![<>!:])=(?!>)", "<>"), (r"<>", "=")),
    "limit": ((r"<=", "<"), (r">=", ">"), (r"(?<![-<])<(?![=>])", "<="), (r"(?<![-<=])>(?!=)", ">=")),
    "null": ((r"\bis null\b", "is not null"), (r"\bis not null\b", "is null")),
    "arithmetic": ((r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * ")),
    "logic": ((r"\band\b", "or"), (r"\bor\b", "and"), (r"\bnot (?!in\b|null\b|exists\b|materialized\b|distinct\b)", "")),
    "constant": ((r"(?<![\w.$\[:])[0-9]+(?![\w.])", lambda number: str(int(number) + 1)), (r"(?<![\w.])[0-9]+\.[0-9]+", lambda number: f"{float(number) + 0.01:g}")),
    "join": ((r"\bleft join\b", "join"), (r"(?<!left )(?<!cross )(?<!semi )(?<!anti )(?<!full )(?<!asof )\bjoin\b", "left join")),
    "aggregate": (
        (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"\bsum\(", "max("), (r"\barg_min\(", "arg_max("),
        (r"\barg_max\(", "arg_min("), (r"\bleast\(", "greatest("), (r"\bgreatest\(", "least("),
        (r"\bdense_rank\(", "rank("), (r"\bbool_or\(", "bool_and("), (r"\bbool_and\(", "bool_or("),
    ),
    "distinct": ((r"\bdistinct (?!from\b|on\b)", ""), (r"\blist_distinct\(", "(")),
    "condition": ((r"\n +and [^\n]*(?=\n)", ""),),
    "filter": ((r" filter \(where [^()]*(?:\([^()]*\)[^()]*)*\)", ""),),
    "order": ((r"(?m)^order by [\s\S]*\Z", ""), (r" desc\b", "")),
    "union": ((r"\bunion all\b", "union"), (r"\bunion\b(?! all)", "union all")),
    "default": ((r"\bcoalesce\(((?:[^(),]|\([^()]*\))+), [^()]*\)", FIRST), (r"\belse 1\b", "else 0"), (r"\belse 0\b", "else 1")),
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    file: SqlFile
    rule: str
    line: int
    before: str
    after: str
    statement: str

    def __str__(self) -> str:
        where = f"{self.file.path.parent.name}/{self.file.path.name}:{self.line}"
        return f"{where} [{self.rule}] {' '.join(self.before.split())!r} -> {self.after!r}"


def mutants(file: SqlFile) -> list[Mutant]:
    """List every change of a file that the engine parses; comments and texts are left alone."""
    hidden = re.sub(r"--[^\n]*|'[^']*'", lambda found: "\1" * len(found[0]), file.statement)
    made = []
    for rule, changes in RULES.items():
        for pattern, into in changes:
            for found in re.finditer(pattern, hidden):
                before = file.statement[found.start() : found.end()]
                after = (
                    into(before) if callable(into) else file.statement[slice(*found.span(1))] if into == FIRST else into
                )
                statement = file.statement[: found.start()] + after + file.statement[found.end() :]
                if _parses(statement):
                    line = file.statement.count("\n", 0, found.start() + before.startswith("\n")) + 1
                    made.append(Mutant(file, rule, line, before, after, statement))
    return made


def _parses(statement: str) -> bool:
    try:
        return len(duckdb.extract_statements(statement)) == 1
    except duckdb.Error:
        return False


def drawn(number: int, seed: int) -> list[Mutant]:
    """Draw mutants, each rule as often as another, so that frequent operators do not crowd out rare ones."""
    by_rule: dict[str, list[Mutant]] = {}
    for file in every_file():
        for mutant in mutants(file):
            by_rule.setdefault(mutant.rule, []).append(mutant)
    dice, chosen = random.Random(seed), []
    while len(chosen) < number and any(by_rule.values()):
        for rule in sorted(by_rule):
            if by_rule[rule] and len(chosen) < number:
                chosen.append(by_rule[rule].pop(dice.randrange(len(by_rule[rule]))))
    return chosen


@contextmanager
def in_place(mutant: Mutant) -> Iterator[SqlFile]:
    """Let the mutant stand in the catalogue, for its own case and for those of its readers."""
    changed = dataclasses.replace(mutant.file, statement=mutant.statement)
    held = catalogue()
    relations = people.relations()
    name = mutant.file.name
    if name in relations:
        relations[name], before = dataclasses.replace(relations[name], file=changed), relations[name]
        try:
            yield changed
        finally:
            relations[name] = before
        return
    held[name] = changed
    sqlfiles.fingerprint.cache_clear()
    try:
        yield changed
    finally:
        held[name] = mutant.file
        sqlfiles.fingerprint.cache_clear()


def readers(file: SqlFile) -> list[SqlFile]:
    """List the files whose cases run a file: those that read it, directly or through others."""
    return [reader for reader in catalogue().values() if file.name in reads_of(reader.name)]


def is_killed(mutant: Mutant) -> bool:
    """Return whether the case of the file, or of a file that reads it, notices the mutant."""
    with in_place(mutant) as changed:
        if order_of(changed.statement) != changed.order:
            return True
        return any(not _passes(file) for file in (changed, *readers(mutant.file)))


def _passes(file: SqlFile) -> bool:
    case = load(file)
    try:
        return not holds(file, case)
    except Exception:  # noqa: BLE001  whatever a mutant makes the engine raise, a test would fail with it
        return False


def is_equivalent(mutant: Mutant, stores: int = 200) -> bool:
    """Return whether the rows equal the original's on generated stores: the case, with its rows drawn anew."""
    dice, case = random.Random(mutant.statement), load(mutant.file)
    for _ in range(stores):
        varied = _varied(case, dice)
        expected = _rows(mutant.file, varied)
        if expected is None:
            continue
        with in_place(mutant) as changed:
            if _rows(changed, varied) != expected:
                return False
    return True


def _rows(file: SqlFile, case: dict[str, Any]) -> Any:
    try:
        return returned(file, case)
    except Exception:  # noqa: BLE001  a store that the file refuses decides nothing
        return None


def _varied(case: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Draw the captions and rows of a case anew: words, values and rows of its own, in other company."""
    varied = copy.deepcopy(case)
    for key in ("captions", "system", "before"):
        if varied.get(key):
            words = [word for row in varied[key] for word in row[2].split(" ")]
            for row in varied[key]:
                if dice.random() < 0.5:
                    row[2] = " ".join(dice.choices(words, k=dice.randrange(0, 9)))
                elif dice.random() < 0.3:
                    row[2] = dice.choice(varied[key])[2]
    for table in varied.get("tables", {}).values():
        rows = table["rows"]
        if not rows:
            continue
        table["rows"] = [
            [dice.choice(rows)[place] if dice.random() < 0.2 else value for place, value in enumerate(row)]
            for row in (dice.choice(rows) if dice.random() < 0.3 else row for row in rows)
        ]
    return varied


def survivors(
    chosen: list[Mutant], report: Callable[[str], None] = lambda _: None
) -> tuple[list[Mutant], list[Mutant]]:
    """Return the mutants that no case notices: those that change rows somewhere, and those that seem equivalent."""
    alive = [mutant for mutant in chosen if not is_killed(mutant)]
    equivalent = []
    for mutant in alive:
        if is_equivalent(mutant):
            equivalent.append(mutant)
        report(f"{'equivalent' if mutant in equivalent else 'SURVIVES  '} {mutant}")
    return [mutant for mutant in alive if mutant not in equivalent], equivalent


def main() -> None:
    """Draw mutants, and print the survivors and the share that is killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="mutate every place of one folder of sql/ instead")
    asked = parser.parse_args()
    if asked.folder:
        chosen = [mutant for file in every_file() if file.path.parent.name == asked.folder for mutant in mutants(file)]
    else:
        chosen = drawn(asked.number, asked.seed)
    alive, equivalent = survivors(chosen, print)
    judged = len(chosen) - len(equivalent)
    print(f"{judged - len(alive)} of {judged} killed, {len(equivalent)} of {len(chosen)} equivalent")


if __name__ == "__main__":
    main()
