"""Changes one thing in a module of `auditor/` and asks the nearest tests whether they notice.

`python tests/python_mutants.py --number 60 --seed 5` draws mutants over all rooms, each rule as often as another, runs
the test files that are nearest to the module, then the laws, and lists the mutants that survive. A mutant takes some
20 s of CPU, one that survives two minutes. Whether a survivor changes anything is for the reader to tell.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

#: What is changed, and into what.
SWAPS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip

#: The most test files that are asked about a mutant before the laws, of these by their words, and the seconds of a run.
_NEAREST, _CLOSE, _SECONDS = 6, 3, 600


@dataclass(frozen=True)
class Mutant:
    """One change of one module."""

    file: Path
    rule: str
    line: int
    source: str

    def __str__(self) -> str:
        before = self.file.read_text(encoding="utf-8").splitlines()[self.line - 1].strip()
        return f"{self.file.relative_to(ROOT)}:{self.line} [{self.rule}] {before[:90]}"


def rules_of(tree: ast.Module) -> dict[str, list[int]]:
    """List the nodes of a module that each rule changes, by their place in a walk."""
    found: dict[str, list[int]] = {}
    for at, node in enumerate(ast.walk(tree)):
        if (rule := _rule(node)) is not None:
            found.setdefault(rule, []).append(at)
    return found


def _rule(node: ast.AST) -> str | None:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        return "comparison"
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not isinstance(node.left, ast.JoinedStr):
        return "arithmetic"
    if isinstance(node, ast.BoolOp):
        return "logic"
    if isinstance(node, ast.If | ast.IfExp):
        return "condition"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return "constant"
    return "flag" if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def changed(file: Path, at: int) -> Mutant:
    """Change one node of a module."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    node: Any = [*ast.walk(tree)][at]
    rule = _rule(node)
    assert rule is not None
    if rule == "comparison":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif rule in ("arithmetic", "logic"):
        node.op = SWAPS[type(node.op)]()
    elif rule == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        node.value = not node.value if rule == "flag" else node.value + 1
    return Mutant(file, rule, node.lineno, ast.unparse(tree))


def drawn(number: int, seed: int) -> list[Mutant]:
    """Draw mutants: a room, a module of the room, a rule, a place."""
    dice, rooms = random.Random(seed), dict[str, list[Path]]()
    for file in sorted((ROOT / "auditor").rglob("*.py")):
        rooms.setdefault(file.relative_to(ROOT / "auditor").parts[0], []).append(file)
    chosen: list[Mutant] = []
    while len(chosen) < number:
        file = dice.choice(rooms[dice.choice(sorted(rooms))])
        found = rules_of(ast.parse(file.read_text(encoding="utf-8")))
        if found:
            chosen.append(changed(file, dice.choice(found[dice.choice(sorted(found))])))
    return chosen


def nearest(file: Path) -> list[Path]:
    """List the test files of a module: those that share its rarest words first, then those that name or import it."""
    package, _, name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__").rpartition(".")
    parent = package.rpartition(".")[2]
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    texts = {test: test.read_text(encoding="utf-8") for test in tests if test.parent.name != "laws"}
    held = {test: _words(text) for test, text in texts.items()}
    known, own = Counter(word for words in held.values() for word in words), _words(file.read_text(encoding="utf-8"))
    shared = {test: sum(1 / known[word] for word in words & own) / len(words) ** 0.5 for test, words in held.items()}
    close = sorted(texts, key=lambda test: -shared[test])
    imported = re.compile(rf"(from|import) {package}(\.| import .*\b){name}\b")
    by_name = [test for test in close if name in test.stem.split("_") or (name == "study" and parent in test.stem)]
    by_import = [test for test in close if imported.search(texts[test])]
    by_room = [test for test in close if parent in (test.parent.name, test.parent.name.rstrip("s"))]
    return list(dict.fromkeys([*close[:_CLOSE], *by_name, *by_import, *by_room]))[:_NEAREST]


def _words(text: str) -> set[str]:
    return {*re.findall(r"[a-z]\w{3,}", text.lower())}


def survives(mutant: Mutant) -> bool:
    """Return whether the nearest tests and the laws pass with a mutant in place."""
    before = mutant.file.read_bytes()
    try:
        mutant.file.write_text(mutant.source, encoding="utf-8")
        return all(_passes(tests) for tests in (nearest(mutant.file), [ROOT / "tests" / "laws"]) if tests)
    finally:
        mutant.file.write_bytes(before)


def _passes(tests: list[Path]) -> bool:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider", *map(str, tests)]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=_SECONDS, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> None:
    """Draw mutants, ask the tests about each, and print the survivors and the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=5)
    asked = parser.parse_args()
    if subprocess.run(["git", "diff", "--quiet", "--", "auditor"], cwd=ROOT, check=False).returncode:
        sys.exit("auditor/ has changes: commit them first, a mutant is written into its module for a while")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a mutant of the same size and second has the same bytecode
    alive = 0
    for number, mutant in enumerate(drawn(asked.number, asked.seed), start=1):
        is_alive = survives(mutant)
        alive += is_alive
        print(f"{'survived' if is_alive else 'killed  '} {mutant}", flush=True)
        print(f"{number - alive} of {number} killed", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
