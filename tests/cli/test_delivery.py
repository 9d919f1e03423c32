"""What a command cannot write is refused before it counts anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.cli.options import refuse_formats
from auditor.errors import UsageError


@pytest.mark.parametrize(
    ("command", "output", "fault"),
    [
        ("report", "report.docx", r"report\.docx: unsupported report format"),
        ("report", "report.html", None),
        ("profile", "profile.docx", r"profile\.docx: unknown file ending"),
        ("profile", "profile.csv", None),
        ("log", "log.png", "log has no figures to write as png"),
    ],
)
def test_a_file_of_no_format_is_refused_at_once(command: str, output: str, fault: str | None) -> None:
    if fault is None:
        refuse_formats(command, {"output": Path(output)})
    else:
        with pytest.raises(UsageError, match=fault):
            refuse_formats(command, {"output": Path(output)})
