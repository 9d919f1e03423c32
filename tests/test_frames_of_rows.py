"""Frames of arrays and lists say that rows are rows: Polars would guess from the shape, and a square can be either."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from auditor.arrays import frame_of

HERE = Path(__file__).parent.parent

#: What makes frames of data whose orientation Polars may guess.
MAKERS = {"DataFrame", "LazyFrame", "from_numpy", "from_records"}

#: Types that name their columns, or are columns already.
NAMED = ("dict", "Mapping", "DataFrame", "ArrowStream")


class Module:
    """The calls of a module that leave the orientation of their data to Polars."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.returned = {
            node.name: ast.unparse(node.returns)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef) and node.returns
        }

    def guesses(self) -> Iterator[ast.Call]:
        """Yield calls without `orient`, unless their data are known to name their columns."""
        for scope in ast.walk(self.tree):
            if isinstance(scope, ast.FunctionDef | ast.Module):
                for call in _within(scope):
                    if isinstance(call, ast.Call) and self._is_guess(call, scope):
                        yield call

    def _is_guess(self, call: ast.Call, scope: ast.AST) -> bool:
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        data = call.args[0] if call.args else named.get("data")
        if _called(call) not in MAKERS or data is None or "orient" in named:
            return False
        return not (isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in ("pd", "pandas")) and not (
            self._names_columns(data, scope)
        )

    def _names_columns(self, data: ast.expr, scope: ast.AST) -> bool:
        match data:
            case ast.Dict() | ast.DictComp():
                return True
            case ast.BinOp(left, ast.BitOr(), right):
                return self._names_columns(left, scope) or self._names_columns(right, scope)
            case ast.ListComp(elt) | ast.GeneratorExp(elt):
                return self._names_columns(elt, scope)
            case ast.List(elts):
                return all(self._names_columns(element, scope) for element in elts)
            case ast.Call():
                return any(name in self.returned.get(_called(data), _called(data)) for name in NAMED)
            case ast.Name(name):
                given = [*self._assigned(name, scope), *self._assigned(name, self.tree)]
                return bool(given) and all(given)
        return False

    def _assigned(self, name: str, scope: ast.AST) -> Iterator[bool]:
        """Yield for each annotation, assignment and `append` of a name whether its value names columns."""
        for node in _within(scope):
            match node:
                case ast.arg(arg, annotation) if arg == name and annotation:
                    yield any(known in ast.unparse(annotation) for known in NAMED)
                case ast.AnnAssign(ast.Name(target), annotation) if target == name:
                    yield any(known in ast.unparse(annotation) for known in NAMED)
                case ast.Assign([ast.Name(target)], value) if target == name:
                    yield self._names_columns(value, scope)
                case ast.Call(ast.Attribute(ast.Name(target), "append"), [value]) if target == name:
                    yield self._names_columns(value, scope)


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield what a function or module has, without the functions in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, ast.FunctionDef):
            yield from _within(node)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.mark.parametrize("folder", ["auditor", "tests", "benchmarks", "docs"])
def test_no_frame_leaves_it_to_polars_which_axis_is_rows(folder: str) -> None:
    guesses = [
        f"{path.relative_to(HERE)}:{call.lineno}: {ast.unparse(call)}"
        for path in sorted((HERE / folder).rglob("*.py"))
        for call in Module(path.read_text("utf-8")).guesses()
    ]
    assert not guesses, "name the columns, say orient=, or use auditor.arrays.frame_of:\n" + "\n".join(guesses)


@pytest.mark.parametrize(
    ("text", "is_guess"),
    [
        ("def f(rows):\n    return pl.DataFrame(rows.astype(float), schema=list(NAMES))", True),
        ("def f(rows: Floats):\n    return pl.DataFrame(rows, NAMES)", True),
        ("rows = [[1, 2], [3, 4]]\npl.DataFrame(rows)", True),
        ("pl.LazyFrame(data=np.ones((2, 2)))", True),
        ("pl.from_numpy(made)", True),
        ("def f(rows):\n    rows = [{}]\n    rows = np.ones((2, 2))\n    pl.DataFrame(rows)", True),
        ("rows = {}\ndef f(rows: Floats):\n    return pl.DataFrame(rows)", True),
        ("rows = []\nfor k in range(2): rows.append((k, k))\npl.DataFrame(rows, ['a', 'b'])", True),
        ("pl.DataFrame(made, schema=NAMES, orient='row')", False),
        ("pl.DataFrame({'a': made})", False),
        ("pl.DataFrame(schema=NAMES)", False),
        ("def f(rows: list[dict[str, object]]):\n    return pl.DataFrame(rows, schema=NAMES)", False),
        ("rows = []\nfor k in range(2): rows.append({'k': k})\npl.DataFrame(rows, ['k'])", False),
    ],
)
def test_guess_is_seen(text: str, is_guess: bool) -> None:
    assert bool([*Module(text).guesses()]) == is_guess


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (1, 3), (3, 1), (2, 3), (3, 2), (3, 3), (21, 21)])
def test_rows_of_an_array_are_rows_whatever_its_shape_and_order(shape: tuple[int, int], order: str) -> None:
    array = np.array(np.arange(shape[0] * shape[1], dtype=np.float64).reshape(shape), order=order)  # type: ignore[call-overload]
    names = [f"c{column}" for column in range(shape[1])]
    frame = frame_of(array, names)
    assert frame.columns == names
    assert [list(row) for row in frame.rows()] == array.tolist()
