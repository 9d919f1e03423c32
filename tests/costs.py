"""Measures what each test costs: `pytest --costs FILE` writes one JSON record per test, under xdist too.

A record counts the stores opened, datasets ingested, processes started and SQL files run during the test, and sums the
seconds of CPU (of the process and the children that ended) and the seconds spent compiling kernels.
A session or module fixture is charged to the first test that asks for it, as `setup`.
"""

from __future__ import annotations

import json
import resource
import subprocess
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.store.sqlfiles import SqlFile
from auditor.store.workspace import Workspace

_KEY = "costs"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", help="write what each test costs to a JSON file")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--costs"):
        config.pluginmanager.register(_Costs(config), "costs-of-tests")


class _Costs:
    def __init__(self, config: pytest.Config) -> None:
        self.path = Path(config.getoption("--costs")).absolute()
        self.is_worker = hasattr(config, "workerinput")
        self.counts: Counter[str] = Counter()
        self.files: set[str] = set()
        self.records: list[dict[str, Any]] = []
        self.begun: dict[str, float] = {}
        from numba.core import event

        self.compiling = event.TimingListener()
        event.register("numba:compile", self.compiling)
        self._watch()

    def _watch(self) -> None:
        """Count calls for the whole session: a patch per test would cost more than many tests."""
        patched = pytest.MonkeyPatch()
        for owner, name, counted in (
            (Store, "open", "opens"),
            (ingestion, "write", "ingests"),
            (subprocess.Popen, "__init__", "processes"),
        ):
            patched.setattr(owner, name, self._counting(getattr(owner, name), counted))
        select = Workspace._select

        def noted(at_work: Workspace, file: SqlFile) -> str:
            self.files.add(file.name)
            return select(at_work, file)

        patched.setattr(Workspace, "_select", noted)

    def _counting(self, call: Any, counted: str) -> Any:
        def counting(*arguments: Any, **named: Any) -> Any:
            self.counts[counted] += 1
            return call(*arguments, **named)

        return counting

    def _compiled(self) -> float:
        return self.compiling.duration if self.compiling.done else 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.counts.clear()
        self.files.clear()
        self.begun = {"cpu": _cpu(), "compile": self._compiled()}
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "setup":
            self.begun["setup"] = _cpu() - self.begun["cpu"]
        if call.when == "teardown":
            cost = {
                "test": item.nodeid,
                "cpu": round(_cpu() - self.begun["cpu"], 4),
                "setup": round(self.begun["setup"], 4),
                "compile": round(self._compiled() - self.begun["compile"], 4),
                **{name: self.counts[name] for name in ("opens", "ingests", "processes")},
                "sql": sorted(self.files),
            }
            report.user_properties.append((_KEY, cost))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not self.is_worker:
            self.records += [
                cost for name, cost in report.user_properties if name == _KEY and report.when == "teardown"
            ]

    def pytest_sessionfinish(self) -> None:
        if not self.is_worker:
            self.path.write_text(json.dumps(self.records, indent=0), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(f"{sum(one['cpu'] for one in self.records):.0f} CPU s: {self.path}")
        for cost in sorted(self.records, key=lambda cost: -cost["cpu"])[:20]:
            terminalreporter.write_line("{cpu:8.2f} s  {test}".format_map(cost))


def _cpu() -> float:
    """Return the seconds of CPU of this process and of its children that ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)
