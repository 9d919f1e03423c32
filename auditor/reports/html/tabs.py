"""The tabs of a page, and the sections under each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from auditor.findings import tally
from auditor.result import Finding
from auditor.result.document import Section

Written = Callable[[str], str]

_NUMBERS = "Numbers"

#: The sections of each tab, by name. All others are numbers, folded to their titles.
TABS: Mapping[str, tuple[str, ...]] = {
    "Summary": ("summary", "single"),
    "Compare": ("comparison", "words"),
    "Findings": ("findings",),
    "Browse": ("browse",),
    _NUMBERS: (),
    "Method": ("method",),
}

_OF = {section: tab for tab, sections in TABS.items() for section in sections}


def is_folded(section: Section) -> bool:
    """Return whether a section of a report is shown as its title until it is opened."""
    return section.name not in _OF


def arranged(sections: Sequence[tuple[Section, str]], write: Written) -> tuple[str, str]:
    """Return the links to the tabs, and the drawn sections under them. A single section has no tabs."""
    if len(sections) < 2:
        return "", "".join(drawn for _, drawn in sections)
    under: dict[str, list[str]] = {tab: [] for tab in TABS}
    for section, drawn in sections:
        under[_OF.get(section.name, _NUMBERS)] += [drawn] if drawn else []
    findings = [finding for section, _ in sections for finding in section.findings]
    shown = {tab: "".join(parts) for tab, parts in under.items() if parts}
    beside = {"Findings": _tally(findings, write)}
    links = "".join(
        f'<a href="#tab-{tab.lower()}" id="to-{tab.lower()}">{tab}{beside.get(tab, "")}</a>\n' for tab in shown
    )
    panels = "".join(
        f'<div class="panel" id="tab-{tab.lower()}" aria-labelledby="to-{tab.lower()}">\n{drawn}</div>\n'
        for tab, drawn in shown.items()
    )
    return f'<nav aria-label="Parts">\n<div class="tabs">\n{links}</div>\n</nav>\n', panels


def _tally(findings: Sequence[Finding], write: Written) -> str:
    """Count the kinds with errors and those with warnings, as the table has a row for each."""
    worst = {finding.kind: finding for finding in reversed(findings)}
    bad = tally(finding for finding in worst.values() if finding.severity in ("error", "warning"))
    return f" <small>{write(bad)}</small>" if bad else ""
