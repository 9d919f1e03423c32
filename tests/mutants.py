"""Changes one thing in a file of `sql/` and asks its cases whether they notice.

`python tests/mutants.py --number 300 --seed 7` draws mutants over all folders, runs the case of the file and then the
cases of the files that read it, and lists the mutants that survive. A survivor whose rows equal the original's on all
cases and on generated stores is equivalent: no test could kill it. One mutant takes about 0.1 s of CPU.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import os
import random
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from sqlcases import (
    CAPTIONS_OF,
    difference,
    every_file,
    holds,
    load,
    order_of,
    returned,
    rows_in,
    variants,
    workspace_of,
)
from templates import copied_stores

from auditor.store import sqlfiles, statements
from auditor.store.sqlfiles import SqlFile, catalogue, reads_of
from auditor.store.workspace import Workspace

#: Runs a file, or its mutant, on a store that is made: its columns and its rows.
Ask = Callable[[SqlFile], tuple[list[str], list[tuple[Any, ...]]]]

#: What a mutant may take; a graph that is drawn may have circles, in which recursion does not end.
_MOST_SECONDS, _MOST_MEMORY = 2, "1GB"

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
    relations = statements.relations()
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


def unnoticed(file: SqlFile, chosen: list[Mutant]) -> list[Mutant]:
    """List the mutants of a file that neither its case nor the case of a file that reads it notices."""
    alive = [mutant for mutant in chosen if order_of(mutant.statement) == file.order]
    for case in variants(load(file)):
        with _asked_of(file, case) as ask:
            alive = [mutant for mutant in alive if not _differs(mutant, ask, case["rows"])]
    return [mutant for mutant in alive if not _fails_readers(mutant)]


def unequal(file: SqlFile, chosen: list[Mutant], stores: int = 200) -> list[Mutant]:
    """List the mutants whose rows differ from the original's on generated stores: the case, with its rows drawn anew."""
    dice, cases = random.Random(file.name), variants(load(file))
    decided: list[Mutant] = []
    for _ in range(stores):
        left = [mutant for mutant in chosen if mutant not in decided]
        if not left:
            break
        with suppress(Exception), _asked_of(file, _varied(dice.choice(cases), dice)) as ask:
            _, expected = ask(file)
            decided += [mutant for mutant in left if _differs(mutant, ask, expected, in_order=False)]
    return [mutant for mutant in chosen if mutant in decided]


@contextmanager
def _asked_of(file: SqlFile, case: dict[str, Any]) -> Iterator[Ask]:
    """Make the store of a case once, for the file and all its mutants."""
    if file.name in statements.relations():
        yield lambda changed: returned(changed, case)
        return
    with workspace_of(file, case, may_fail=True) as workspace:
        yield lambda changed: _in_time(workspace, changed)


def _in_time(workspace: Workspace, changed: SqlFile) -> tuple[list[str], list[tuple[Any, ...]]]:
    connection = workspace._store._connection
    assert connection is not None
    end = threading.Timer(_MOST_SECONDS, connection.interrupt)
    end.start()
    try:
        return rows_in(workspace, changed)
    except KeyboardInterrupt as error:  # what an interrupted statement raises
        raise TimeoutError from error
    finally:
        end.cancel()


def _differs(mutant: Mutant, ask: Ask, expected: list[Any], *, in_order: bool = True) -> bool:
    """Compare the rows; those of generated stores in no order, as the order that a header declares may have ties."""
    with in_place(mutant) as changed:
        try:
            columns, rows = ask(changed)
            if not in_order:
                expected, rows = sorted(expected, key=repr), sorted(rows, key=repr)
            return bool(difference(mutant.file, expected, columns, rows))
        except Exception:  # noqa: BLE001  whatever a mutant makes the engine raise, a test would fail with it
            return True


def _fails_readers(mutant: Mutant) -> bool:
    with in_place(mutant):
        try:
            return any(holds(file, load(file)) for file in readers(mutant.file))
        except Exception:  # noqa: BLE001
            return True


def _varied(case: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Draw the captions, rows and params of a case anew: words, values and rows of its own, in other company."""
    varied = copy.deepcopy(case)
    for key in CAPTIONS_OF:
        if captions := varied.get(key):
            words = [word for row in captions for word in row[2].split(" ")]
            for row in captions:
                if dice.random() < 0.5:
                    row[2] = " ".join(dice.choices(words, k=dice.randrange(0, 9)))
                elif dice.random() < 0.3:
                    row[2] = dice.choice(captions)[2]
            further = [[row[0], row[1] + 50, *dice.choice(captions)[2:3], *row[3:]] for row in captions]
            captions += [row for row in further if dice.random() < 0.3]
    for table in varied.get("tables", {}).values():
        rows = table["rows"]
        are_distinct = len({repr(row) for row in rows}) == len(rows)
        drawn_rows = [
            [_other(value, rows, place, dice) for place, value in enumerate(row)]
            for row in (dice.choice(rows) if dice.random() < 0.3 else row for row in rows)
            if dice.random() < 0.9
        ]
        table["rows"] = [
            row for place, row in enumerate(drawn_rows) if not are_distinct or row not in drawn_rows[:place]
        ]
    for name in varied.get("params", {}):
        value = varied["params"][name]
        if isinstance(value, bool):
            varied["params"][name] = dice.choice((True, False))
        elif isinstance(value, int) and dice.random() < 0.3:
            varied["params"][name] = max(0, value + dice.choice((-1, 1)))
    return varied


def _other(value: Any, rows: list[Any], place: int, dice: random.Random) -> Any:
    """Return a value of a row, now and then that of another row or the number beside it."""
    if dice.random() < 0.2:
        return dice.choice(rows)[place]
    if isinstance(value, int) and not isinstance(value, bool) and dice.random() < 0.05:
        return max(0, value + dice.choice((-1, 1)))
    return value


def survivors(
    chosen: list[Mutant], report: Callable[[str], None] = lambda _: None, stores: int = 200
) -> tuple[list[Mutant], list[Mutant]]:
    """Return the mutants that no case notices: those that change rows somewhere, and those that seem equivalent."""
    alive: list[Mutant] = []
    equivalent: list[Mutant] = []
    for file in every_file():
        overlooked = unnoticed(file, [mutant for mutant in chosen if mutant.file is file])
        different = unequal(file, overlooked, stores)
        alive += different
        equivalent += [mutant for mutant in overlooked if mutant not in different]
        for mutant in overlooked:
            report(f"{'SURVIVES  ' if mutant in different else 'equivalent'} {mutant}")
    return alive, equivalent


def main() -> None:
    """Draw mutants, and print the survivors and the share that is killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stores", type=int, default=200, help="generated stores that decide what is equivalent")
    parser.add_argument("--folder", help="mutate every place of one folder of sql/ instead")
    asked = parser.parse_args()
    os.environ["AUDITOR_MEMORY"] = _MOST_MEMORY
    if asked.folder:
        chosen = [mutant for file in every_file() if file.path.parent.name == asked.folder for mutant in mutants(file)]
    else:
        chosen = drawn(asked.number, asked.seed)
    with tempfile.TemporaryDirectory() as folder, copied_stores(Path(folder)):
        alive, equivalent = survivors(chosen, print, asked.stores)
    judged = len(chosen) - len(equivalent)
    print(f"{judged - len(alive)} of {judged} killed, {len(equivalent)} of {len(chosen)} equivalent")


if __name__ == "__main__":
    main()
