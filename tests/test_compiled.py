"""Kernels are compiled once, and kept for as long as no kernel changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from auditor import compiled
from auditor.errors import UsageError
from auditor.metrics.card import Kernel
from auditor.metrics.kernels import lcs
from auditor.metrics.kernels.columns import Sides, Texts, meetings, offsets
from auditor.scoring import first_use
from auditor.scoring.registry import METRICS
from auditor.statistics import diversity
from auditor.statistics.kernels import discordance

_USE = """
import numpy as np
from auditor.metrics.kernels.columns import Sides, Texts, meetings
from auditor import compiled
from auditor.compiled import is_kept

compiled.little = -1
before = is_kept("lcs._align")
from auditor.metrics.kernels.lcs import common_subsequences

text = Texts(np.array([1, 2, 3], np.uint32), np.array([0, 3], np.int64))
first, last, held = (np.array([place], np.int64) for place in (0, 1, -1))
both = Sides(text, text, first, last, held)
print(before, common_subsequences(both, meetings(both)).tolist(), is_kept("lcs._align"))
"""


def use(cache: Path) -> str:
    around = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(compiled.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", _USE], env=around, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_compiled_kernel_is_kept_for_the_next_process(tmp_path: Path) -> None:
    assert use(tmp_path) == "False [3] True"
    assert use(tmp_path) == "True [3] True"
    assert len(list(tmp_path.glob("kernels-*"))) == 1


@pytest.mark.slow
def test_kernel_runs_where_its_folder_cannot_be_made(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")
    assert use(taken) == "False [3] False"


@pytest.mark.slow
def test_part_is_compiled_once_for_all_its_integers() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    added = compiled.part(add)
    calling = compiled.compiled(lambda numbers: added(numbers[0], 1) + added(2, 3) + added(len(numbers), numbers[0]))
    assert calling(np.array([5], np.int32)) == 6 + 5 + 6
    assert len(added.dispatcher.signatures) == 1


def _made_of(draw: np.random.Generator) -> list[bytes]:
    """Everything that kernels make of drawn texts and numbers, to the last bit."""
    lengths = draw.integers(0, 90, 12)
    texts = Texts(draw.integers(0, 9, int(lengths.sum())).astype(np.uint32), offsets(lengths))
    first, last = np.zeros(12, np.int64), np.full(12, 12, np.int64)
    both = Sides(texts, texts, first, last, draw.integers(-1, 12, 12))
    met = meetings(both)
    arrays = [lcs.common_subsequences(both, met), *lcs.weighted_subsequences(both, met, 1.2)]
    rankings = [discordance.ranking(draw.integers(0, most, 40)) for most in (3, 12, 1000)]
    arrays += [array for ranking in rankings for array in ranking]
    walked = diversity.Walk(1, 0, texts.tokens, texts.starts, np.arange(9, dtype=np.uint32), np.arange(12)[::-1])
    rows = [table.write_json().encode() for table in diversity.walk([walked], 7, [1, 5, 90])]
    pairs = discordance.discordances(rankings, [(0, 1), (0, 2), (1, 2)])
    return [
        *(array.dtype.str.encode() + array.tobytes() for array in arrays),
        *rows,
        *(repr(n).encode() for two in pairs for n in two),
    ]


@pytest.mark.parametrize("seed", range(12))
def test_little_work_gives_the_same_bits_without_compilation(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled._Kernel, "spent", -(10**9))
    as_python = _made_of(np.random.default_rng(seed))
    monkeypatch.setattr(compiled, "little", -1)
    assert as_python == _made_of(np.random.default_rng(seed))


def test_part_that_returns_an_array_is_refused() -> None:
    def first(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows[:1]

    with pytest.raises(TypeError, match="first returns an array, whose references must be counted: use array_part"):
        compiled.part(first)


def test_first_use_is_told_of_kernels_that_are_not_compiled_yet(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiled, "_folder", lambda: tmp_path)
    assert not Kernel("ter", lambda rows, _: rows["none"], compiles="ter._edits").is_compiled
    assert Kernel("plain", lambda rows, _: rows["none"]).is_compiled
    (tmp_path / "kernels_0" / "ter._edits-1.nbc").mkdir(parents=True)
    assert Kernel("ter", lambda rows, _: rows["none"], compiles="ter._edits").is_compiled


def test_kernel_has_the_name_of_its_metric() -> None:
    kernels = {name: metric.kernel for name, metric in METRICS.items() if metric.kernel and metric.kernel.compiles}
    assert {name: kernel.name for name, kernel in kernels.items()} == {name: name for name in kernels}


@pytest.mark.slow
def test_other_kernels_are_compiled_by_another_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiled, "_folder", compiled._folder.__wrapped__)
    first, second = (METRICS[name].kernel for name in ("ter", "chrf"))
    assert first is not None
    assert second is not None
    with first_use.compiled_meanwhile([first, second]) as wait_for:
        wait_for(first)
        assert not first.is_compiled
        wait_for(second)
        assert second.is_compiled


def test_process_that_fails_to_compile_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiled, "_folder", lambda: tmp_path)
    monkeypatch.setattr(first_use, "_SCORES", "raise SystemExit(1)")
    kernels = [Kernel(name, lambda rows, _: rows["none"], compiles=name) for name in ("first", "second")]
    with first_use.compiled_meanwhile(kernels) as wait_for:
        wait_for(kernels[1])
    assert not kernels[1].is_compiled


@pytest.mark.parametrize("count", [0, 1])
def test_one_kernel_needs_no_other_process(count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiled, "_folder", lambda: tmp_path)
    monkeypatch.setattr(first_use, "_started", lambda _: pytest.fail("started"))
    kernels = [Kernel(name, lambda rows, _: rows["none"], compiles=name) for name in ("first", "second")]
    with first_use.compiled_meanwhile(kernels[:count]) as wait_for:
        wait_for(kernels[1])


def test_kernels_that_cannot_be_kept_need_no_other_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr(compiled, "_folder", lambda: tmp_path / "file")
    monkeypatch.setattr(first_use, "_started", lambda _: pytest.fail("started"))
    kernels = [Kernel(name, lambda rows, _: rows["none"], compiles=name) for name in ("first", "second")]
    with first_use.compiled_meanwhile(kernels):
        pass


def test_settings_that_lie_in_the_working_folder_are_refused() -> None:
    Path(".numba_config.yaml").write_text("disable_jit: 1\n")
    with pytest.raises(UsageError, match=r"numba_config.yaml: numba would read its settings from this file"):
        compiled.compiled(len)("")
