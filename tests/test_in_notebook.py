"""A notebook, run without a screen from its first cell to its last: ingest, findings, own metric, plot, report."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "ingest": """
import auditor
import pandas as pd

captions = pd.read_csv("captions.csv")
audit = auditor.open("audit.duckdb", write=True)
audit.ingest("mine", data=captions)
""",
    "audit": "audit",
    "findings": "audit.findings('mine')",
    "metric": """
@auditor.metric
def shared_words(candidate: str, references: list[str]) -> float:
    '''Share of the candidate's words that some reference has.'''
    words = candidate.lower().split()
    return sum(any(word in one.lower().split() for one in references) for word in words) / max(1, len(words))

bounds = audit.bounds("mine", metrics=["shared-words", "cider-d"])
bounds
""",
    "compare": """
audit.ingest("odd", data=captions.assign(caption=captions["caption"] + " today"))
audit.compare("mine", "odd", metrics=["shared-words", "cider-d"], resamples=100)
""",
    "plot": "bounds.plot()",
    "pandas": "bounds.to_pandas().head(2)",
    "again": """
@auditor.metric
def shared_words(candidate: str, references: list[str]) -> float:
    return 0.5

audit.bounds("mine", metrics=["shared-words"], candidates=["human"]).signatures
""",
    "report": """
report = audit.report("mine", sections=["bounds"])
report.save("report.html")
report
""",
    "close": "audit.close()",
}


@pytest.mark.full
@pytest.mark.filterwarnings("default")
def test_notebook_runs_from_frame_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(Path.cwd() / "ipython"))
    lines = [f"i{n}.jpg,a {w} dog {v} by the {n % 5}" for n in range(30) for w, v in zip("abc", "xyz", strict=True)]
    Path("captions.csv").write_text("image,caption\n" + "\n".join(lines) + "\n")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source.strip()) for source in CELLS.values()])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    shown = {
        name: {kind: text for output in cell.outputs for kind, text in output.get("data", {}).items()}
        for name, cell in zip(CELLS, book.cells, strict=True)
    }
    assert "mine@v1 (30 images, 90 captions)" in shown["audit"]["text/plain"]
    for name in ("ingest", "findings", "metric", "compare"):
        assert shown[name]["text/html"].startswith('<div class="auditor-result ')
        assert shown[name]["text/plain"].startswith("<Result ")
        assert "\n" not in shown[name]["text/plain"]
    assert "shared-words" in shown["metric"]["text/html"]
    assert "data:image/svg+xml;base64," in shown["plot"]["text/html"]
    first, second = (shown[name] for name in ("metric", "again"))
    assert "shared-words|tok:none|refs:loo|source:" in second["text/plain"]
    assert second["text/plain"].split("source:")[1][:12] not in first["text/html"], "another source, another signature"
    assert shown["report"]["text/html"].startswith("<iframe ")
    assert Path("report.html").read_text().startswith("<!doctype html>")
    assert not [output for cell in book.cells for output in cell.outputs if output.output_type == "stream"]
