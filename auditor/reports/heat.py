"""Colours of a number between two ends, and the ink that can be read on them."""

from __future__ import annotations

Colour = tuple[int, int, int]

_COLD: Colour = (33, 102, 172)
_PALE: Colour = (247, 247, 247)
_WARM: Colour = (178, 24, 43)


def cell_colours(value: float, low: float, high: float) -> tuple[str, str]:
    """Give ground and ink: pale to blue, or from blue over pale to red where 0 lies between the ends."""
    if low < 0 < high:
        far = min(abs(value) / max(-low, high), 1.0)
        ground = _mixed(_PALE, _WARM if value >= 0 else _COLD, far)
    else:
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        ground = _mixed(_PALE, _COLD, share)
    light = _luminance(ground)
    # The ink with the greater contrast (WCAG 2.2): never below 4.5.
    black = (light + 0.05) / 0.05 >= 1.05 / (light + 0.05)
    return "#{:02x}{:02x}{:02x}".format(*ground), "#000000" if black else "#ffffff"


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(first + (last - first) * share) for first, last in zip(one, other, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    """Give the relative luminance of WCAG 2.2, 0 for black, 1 for white."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
