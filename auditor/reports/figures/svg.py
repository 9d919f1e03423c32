"""SVG as it leaves the house: what matplotlib writes, with words for readers, and no styles.

Properties become attributes, so that a page that takes the picture in needs no inline styles; ids stay where something
refers to them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

_FONT = "DejaVu Sans, Verdana, Noto Sans, sans-serif"

_XMLNS, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def cleaned(source: str, says: Mapping[str, str], title: str, description: str) -> str:
    """Give a file of its own; `says` are the words of its marks, by id."""
    root = ET.fromstring(source)  # noqa: S314  what matplotlib wrote, not what a user did
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _attributes(element)
    for parent in list(root.iter()):
        for style in parent.findall("style"):
            parent.remove(style)
    _name(root, says)
    root.attrib.pop("version", None)
    labels = {"role": "img", "aria-labelledby": "title description"}
    plain = {"font-family": _FONT, "stroke-linejoin": "round", "stroke-linecap": "butt"}
    root.attrib |= {"xmlns": _XMLNS, "xmlns:xlink": _XLINK} | labels | plain
    for tag, name, text in (("desc", "description", description), ("title", "title", title)):
        named = ET.Element(tag, {"id": name})
        named.text = text
        root.insert(0, named)
    for element in root.iter():
        if element.text is not None and not element.text.strip():
            element.text = None
        element.tail = None
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _attributes(element: ET.Element) -> None:
    """Write styles as attributes, coordinates on one line."""
    for declaration in filter(None, element.attrib.pop("style", "").split(";")):
        key, _, value = declaration.partition(":")
        if key.strip() != "font-family":
            element.set(key.strip(), value.strip())
    for key, value in list(element.attrib.items()):
        if key == f"{{{_XLINK}}}href":
            del element.attrib[key]
            key = "xlink:href"  # noqa: PLW2901
        element.set(key, " ".join(value.split()))


def _name(root: ET.Element, says: Mapping[str, str]) -> None:
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
            element.set("id", own)


def _references(element: ET.Element) -> list[str]:
    found = [one for value in element.attrib.values() for one in _REFERENCE.findall(value)]
    return [*found, element.get("xlink:href", "#")[1:]]
