"""`make gate` fails where something is 30% slower, and does not where nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
from conftest import ROOT

BENCHMARKS = ROOT / "benchmarks"

USUAL = {"one": {"ingest": 2.0, "report": 100.0}, "two": {"ingest": 2.2}, "three": {"ingest": 2.4}}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gate

    return gate


def test_slowdown_of_30_percent_fails_and_what_is_usual_passes(gate: ModuleType) -> None:
    for here in ("one", "another"):
        expected = gate.usual(USUAL, here)
        for noise in (-0.03, 0.0, 0.03):
            found = {"ingest": [expected["ingest"][0] * (1 + noise + more) for more in (-0.02, 0.0, 0.02)]}
            slowed = {"ingest": [1.3 * ratio for ratio in found["ingest"]]}
            assert gate.judged(found, expected)["ingest"][0] == "passes"
            assert gate.judged(slowed, expected)["ingest"][0] == "fails"


def test_unknown_machine_is_compared_with_the_median_of_the_known_ones(gate: ModuleType) -> None:
    assert gate.usual(USUAL, "another") == {"ingest": (2.2, gate.OTHER), "report": (100.0, gate.OTHER)}
    assert gate.usual(USUAL, "one") == {"ingest": (2.0, gate.KNOWN), "report": (100.0, gate.KNOWN)}
    assert gate.usual(USUAL, "two") == {"ingest": (2.2, gate.KNOWN), "report": (100.0, gate.OTHER)}


def test_kernel_on_an_unknown_machine_fails_at_twice_the_median(gate: ModuleType) -> None:
    expected = gate.usual({"one": {"ter: kernel": 5.5}, "two": {"ter: kernel": 8.5}}, "another")
    assert gate.judged({"ter: kernel": [11.0]}, expected)["ter: kernel"][0] == "passes"
    assert gate.judged({"ter: kernel": [14.1]}, expected)["ter: kernel"][0] == "fails"


def test_measurements_that_differ_too_much_bring_no_verdict(gate: ModuleType) -> None:
    assert gate.verdict([1.0, 2.0, 3.0], 1.0, 0.12) == ("no verdict", 1.0)
    assert gate.verdict([2.0, 2.0, 2.1], 1.0, 0.12)[0] == "fails"


def test_what_fails_once_is_measured_again_and_judged_by_all_runs(
    gate: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: Iterator[dict[str, list[float]]] = iter([{"a": [1.2], "b": [1.0]}, {"a": [1.0]}])
    asked: list[tuple[str, ...]] = []

    def measured(_: object, names: list[str]) -> dict[str, list[float]]:
        asked.append(tuple(names))
        return next(runs)

    monkeypatch.setattr(gate, "measured", measured)
    found = gate.confirmed(ROOT, [], {"a": (1.0, 0.12), "b": (1.0, 0.12)})
    assert found == {"a": [1.2, 1.0], "b": [1.0]}
    assert asked == [(), ("a",)]


def test_floor_counts_only_where_it_ran_beside_the_work(gate: ModuleType) -> None:
    from gate_floor import ratios

    done = [("sql", 0.0, 1.0, 9.0), ("sql", 1.1, 1.2, 2.0), ("sql", 1.2, 1.4, 4.0), ("kernel", 1.2, 1.4, 7.0)]
    assert ratios([(1.0, 2.0, 6.0)], "sql", done) == [2.0]
    assert ratios([(5.0, 6.0, 6.0)], "sql", done) == []


def test_every_work_has_a_usual_ratio(gate: ModuleType, tmp_path: object) -> None:
    from gate_work import works

    kept = json.loads((BENCHMARKS / "gate.json").read_text(encoding="utf-8"))
    assert {work.name for work in works(tmp_path)} <= gate.usual(kept, "another").keys()


def test_bundled_captions_are_some_16000_and_most_differ(gate: ModuleType) -> None:
    from gate_work import TILES, captions

    rows = captions(TILES)
    assert len(rows) == 15_960
    assert len({text for *_, text in rows}) > 13_000


@pytest.mark.full
def test_work_that_is_done_1_3_times_has_1_3_times_the_ratio(gate: ModuleType, tmp_path: object) -> None:
    from gate_floor import Floor, ratios
    from gate_work import TILES, Work, captions, measured, write

    def numbers() -> int:
        return sum(number * number % 7 for number in range(400_000))

    def times(count: int) -> Callable[[], Iterator[Callable[[], object]]]:
        def prepare() -> Iterator[Callable[[], object]]:
            yield lambda: [numbers() for _ in range(count)]

        return prepare

    floor, found = Floor(write(captions(TILES), tmp_path / "set.token")), {}
    for count in (10, 13):
        found[count] = measured(Work(str(count), "kernel", times(count)), floor)
    done = floor.done()
    plain, slowed = (sorted(ratios(found[count], "kernel", done))[len(found[count]) // 2] for count in (10, 13))
    assert slowed / plain == pytest.approx(1.3, rel=0.1)


def test_readme_names_every_program_and_is_short() -> None:
    text = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in sorted(BENCHMARKS.glob("*.py")) if f"`{path.name}`" not in text] == []
    assert len(text.splitlines()) <= 150
