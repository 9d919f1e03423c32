"""Law: the number of captions that a finding tells is that of its rows."""

from __future__ import annotations

import pytest
from asked import Result
from looked_at import Asked

pytestmark = pytest.mark.slow


def test_a_finding_counts_its_rows(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        if not (isinstance(answer, Result) and {"kind", "text", "severity"} <= {*answer.frame.columns}):
            continue
        rows = answer.frame.drop_nulls("image")
        for finding in answer.findings:
            counted = finding.values.get("captions")
            listed = rows.filter(kind=finding.kind, dataset=finding.about["dataset"])
            if isinstance(counted, int) and finding.kind in rows["kind"]:
                assert listed.select("image", "slot").n_unique() == counted, (command, finding)
