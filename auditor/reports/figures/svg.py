"""SVG as it leaves the house: what matplotlib writes, with names that do not clash, words for readers, and no styles.

Properties become attributes, so that a page needs no inline styles and may set its own colours; ids stay only where
something refers to them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

from auditor.reports.figures.panels import INK

_FONT = "DejaVu Sans, Verdana, Noto Sans, sans-serif"

_XMLNS, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def standalone(drawn: tuple[str, Mapping[str, str]], title: str, description: str) -> str:
    """Give a file of its own, on white."""
    root = _cleaned(*drawn, "", title, description)
    root.set("color", INK)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _text(root)


def inline(drawn: tuple[str, Mapping[str, str]], prefix: str, title: str, description: str) -> str:
    """Give an element of a page: without ground, in the page's colour, every id beginning with `prefix`."""
    root = _cleaned(*drawn, prefix, title, description)
    for ground in list(root.iter("path")):
        if ground.get("class") == "ground":
            ground.set("fill", "none")
    return _text(root)


def _cleaned(source: str, says: Mapping[str, str], prefix: str, title: str, description: str) -> ET.Element:
    root = ET.fromstring(source)  # noqa: S314  what matplotlib wrote, not what a user did
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _attributes(element)
    _mark_ground(root)
    for parent in list(root.iter()):
        for style in parent.findall("style"):
            parent.remove(style)
    _name(root, says, prefix)
    root.attrib.pop("version", None)
    labels = {"role": "img", "aria-labelledby": f"{prefix}title {prefix}description"}
    plain = {"font-family": _FONT, "stroke-linejoin": "round", "stroke-linecap": "butt"}
    root.attrib |= {"xmlns": _XMLNS, "xmlns:xlink": _XLINK} | labels | plain
    for tag, text in (("desc", description), ("title", title)):
        named = ET.Element(tag, {"id": f"{prefix}{'title' if tag == 'title' else 'description'}"})
        named.text = text
        root.insert(0, named)
    return root


def _attributes(element: ET.Element) -> None:
    """Write styles as attributes, ink as the current colour, coordinates on one line."""
    for declaration in filter(None, element.attrib.pop("style", "").split(";")):
        key, _, value = declaration.partition(":")
        if key.strip() != "font-family":
            element.set(key.strip(), value.strip())
    for key, value in list(element.attrib.items()):
        if key == f"{{{_XLINK}}}href":
            del element.attrib[key]
            key = "xlink:href"  # noqa: PLW2901
        element.set(key, "currentColor" if value == INK else " ".join(value.split()))


def _mark_ground(root: ET.Element) -> None:
    ground = root.find("./g/g/path")
    if ground is not None:
        ground.set("class", "ground")


def _name(root: ET.Element, says: Mapping[str, str], prefix: str) -> None:
    """Keep the ids that are referred to, and make of each mark a group that says its number."""
    references = {value for element in root.iter() for value in _references(element)}
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own in says:
            element.set("class", "mark")
            said = ET.Element("title")
            said.text = says[own]
            element.insert(0, said)
        elif own and own in references:
            element.set("id", prefix + own)
        for key, value in element.attrib.items():
            if key == "xlink:href":
                element.set(key, "#" + prefix + value[1:])
            elif "url(#" in value:
                element.set(key, _REFERENCE.sub(rf"url(#{prefix}\1)", value))


def _references(element: ET.Element) -> list[str]:
    found = [one for value in element.attrib.values() for one in _REFERENCE.findall(value)]
    return [*found, element.get("xlink:href", "#")[1:]]


def _text(root: ET.Element) -> str:
    for element in root.iter():
        if element.text is not None and not element.text.strip():
            element.text = None
        element.tail = None
    return ET.tostring(root, encoding="unicode") + "\n"
