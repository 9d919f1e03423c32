"""A dataset's card as a badge: the number of findings, and the color of the worst. It loads no font or image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape

from auditor.dataset_card import DatasetCard
from auditor.findings import worst
from auditor.result import Severity, counted

#: White text on each has a contrast of 4.5 or more.
_COLORS: Mapping[Severity, str] = {"error": "#b3261e", "warning": "#9a5b00", "notice": "#0b63b5", "info": "#1a7f37"}

_DARK = "#3d444d"

#: The average width of a character in a sans-serif of 11 pixels; every text is drawn with the width computed from it.
_SIGN, _AROUND = 6.4, 6


def render(card: DatasetCard) -> str:
    """Draw `auditor | 0 errors, 2 warnings`, in the color of the worst finding."""
    number = Counter(finding.severity for finding in card.findings)
    counts = f"{counted(number['error'], 'error', 'errors')}, {counted(number['warning'], 'warning', 'warnings')}"
    color = _COLORS[worst(card.findings) or "info"]
    (selection,) = card.selections
    titled = escape(f"auditor, {selection.label}, version {selection.version.version[:12]}: {counts}")
    left, right = (round(len(text) * _SIGN) + 2 * _AROUND for text in ("auditor", counts))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{titled}">\n<title>{titled}</title>\n'
        f'<rect width="{left + right}" height="20" rx="3" fill="{_DARK}"/>\n'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{color}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">\n'
        f"{_text('auditor', 0, left)}{_text(counts, left, right)}</g>\n</svg>\n"
    )


def _text(text: str, x: int, width: int) -> str:
    return f'<text x="{x + _AROUND}" y="14" textLength="{width - 2 * _AROUND}">{text}</text>\n'
