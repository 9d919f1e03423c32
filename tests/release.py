"""What a release must say of itself: `python tests/release.py TAG REPOSITORY` lists what is missing, and fails."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_STATED = re.compile(r'^VERSION = "(.+)"\nDATED = "(.+)"$', re.MULTILINE)


def missing() -> Iterator[str]:
    """Yield what the files of a version lack: one version and one date."""
    (version, dated), citation = stated(), (ROOT / "CITATION.cff").read_text()
    for line in (f"version: {version}", f"date-released: {dated}"):
        if f"\n{line}\n" not in citation:
            yield f"CITATION.cff: {line}"
    if not re.match(rf"# Changelog\n\n## {re.escape(version)} \((unreleased|{dated})\)\n", _read("CHANGELOG.md")):
        yield f"CHANGELOG.md: ## {version} ({dated})"


def missing_for_release(tag: str, repository: str) -> Iterator[str]:
    """Yield what a release lacks beyond: its tag, its date, its public address."""
    version, dated = stated()
    yield from missing()
    if tag != f"v{version}":
        yield f"tag v{version}: {tag}"
    if "(unreleased)" in _read("CHANGELOG.md"):
        yield f"CHANGELOG.md: ## {version} ({dated})"
    if f'\nrepository-code: "{repository}"\n' not in _read("CITATION.cff"):
        yield f'CITATION.cff: repository-code: "{repository}"'


def stated() -> tuple[str, str]:
    """Return the version and its date."""
    ((version, dated),) = _STATED.findall(_read("auditor/version.py"))
    return version, dated


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit("\n".join(missing_for_release(*sys.argv[1:])) or 0)
