"""What a file names is neither run nor opened: cards, gates, plans of work, receipts, kept results may be a stranger's."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import asked, ingest_rows

from auditor.errors import MetricError
from auditor.scoring.registry import METRICS, request_of_file
from auditor.scoring.scale_out.plan import Plan
from auditor.store.connection import Store
from auditor.store.versions import resolve

ROWS = [("a", 0, "a dog"), ("a", 1, "the dog"), ("b", 0, "a cat"), ("b", 1, "the cat")]

#: What runs code or opens a file where a user asks for it.
NAMES = [
    "python:evil.f",
    "python:shutil.rmtree",
    "sql:secret",
    "cider:idf=file:secret",
    "cider-d:sigma=2,idf=file:secret#0123456789ab",
]

_touched: list[str] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("open", "import", "os.system", "subprocess.Popen"):
        _touched.append(str(arguments[0]))


@pytest.fixture(scope="session", autouse=True)
def _hook() -> None:
    sys.addaudithook(_note)


@pytest.fixture
def touched() -> Iterator[list[str]]:
    """The files that were opened and the modules that were imported; a stranger's lie in the working folder."""
    Path("evil.py").write_text("open('PWNED', 'w').close()\nf = lambda candidate, references: 1.0\n")
    Path("secret").write_text("gram,images\n,9\n")
    _touched.clear()
    yield _touched
    assert not [name for name in _touched if Path(name).name in ("evil", "evil.py", "secret", "PWNED")]
    assert str(Path.cwd()) not in sys.path


@pytest.mark.parametrize("name", METRICS)
def test_no_setting_that_a_file_names_opens_a_file(name: str, touched: list[str]) -> None:
    for key in METRICS[name].parameters:
        for value in ("file:secret", "secret", "./secret", f"{Path.cwd()}/secret", "sql:secret", "python:evil.f"):
            try:
                made = request_of_file(f"{name}:{key}={value}")
            except MetricError:
                continue
            assert made.metric.sees_images, "the name of a dataset in the store"


@pytest.mark.parametrize("name", NAMES)
def test_card_never_runs_or_opens_what_it_names(
    name: str, touched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(Path("s.duckdb"), write=True) as store:
        ingest_rows(store, ROWS)
        version = resolve(store, "set").version.version
    setting = {"propertyID": "settings/metrics", "value": ["bleu-1", name]}
    number = {"propertyID": "profile/asl", "value": 2.0}
    Path("card.json").write_text(
        json.dumps({"identifier": f"set@{version}", "additionalProperty": [setting, number]}), encoding="utf-8"
    )
    assert asked("store", "verify", "card.json", "--store", "s.duckdb") == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert f"card.json: {name}: would " in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("name", NAMES)
def test_gate_never_runs_or_opens_what_it_names(
    name: str, touched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(Path("s.duckdb"), write=True) as store:
        ingest_rows(store, ROWS)
    Path("gates.toml").write_text(f'[check]\nhomogeneity."{name}".high.max = 1\n')
    assert asked("check", "set", "--config", "gates.toml", "--store", "s.duckdb") == 2
    assert f"{name}: would " in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_plan_of_work_never_runs_or_opens_what_it_names(name: str, touched: list[str]) -> None:
    plan = Plan("set", 1, "0" * 64, None, "bare", (name,), {}, 1, 1, ((1, 1),), 0, {}, "0")
    with pytest.raises(MetricError, match="would "):
        plan.requests  # noqa: B018  asked for is read
