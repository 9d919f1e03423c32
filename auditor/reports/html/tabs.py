"""The tabs of a page, and the sections under each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from auditor.findings import tally
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
    """Return the links to the tabs, and the drawn sections under them. A single section has no tabs.

    A section without a result is left out: the first one lists what was not checked, and why.
    """
    if len(sections) < 2:
        return "", "".join(drawn for _, drawn in sections)
    under: dict[str, list[str]] = {tab: [] for tab in TABS}
    for section, drawn in sections:
        is_shown = drawn and (section is sections[0][0] or not section.absent)
        under[_OF.get(section.name, _NUMBERS)] += [drawn] if is_shown else []
    findings = [finding for section, _ in sections for finding in section.findings]
    bad = tally(finding for finding in findings if finding.severity in ("error", "warning"))
    shown = {tab: "".join(parts) for tab, parts in under.items() if parts}
    beside = {"Findings": f" <small>{write(bad)}</small>"} if bad else {}
    links = "".join(
        f'<a href="#tab-{tab.lower()}" id="to-{tab.lower()}">{tab}{beside.get(tab, "")}</a>\n' for tab in shown
    )
    panels = "".join(
        f'<div class="panel" id="tab-{tab.lower()}" aria-labelledby="to-{tab.lower()}">\n{drawn}</div>\n'
        for tab, drawn in shown.items()
    )
    return f'<nav aria-label="Parts">\n<div class="tabs">\n{links}</div>\n</nav>\n', panels
