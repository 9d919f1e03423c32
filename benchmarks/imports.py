"""The picture of the imports in words: rooms with their lines, arrows between them, circles.

python benchmarks/imports.py [CHECKOUT]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import grimp


def room(module: str) -> str:
    """Name the room of a module: what stands directly below `auditor`; each question is a room of its own."""
    parts = module.split(".")
    return ".".join(parts[1:3]) if parts[1:2] == ["studies"] and len(parts) > 2 else ".".join(parts[1:2]) or "auditor"


def house(name: str) -> str:
    """Name the room with all questions in one."""
    return name.partition(".")[0]


def main(checkout: Path) -> None:
    """Print lines by room, arrows between rooms with the number of imports, and circles between modules."""
    sys.path.insert(0, str(checkout))
    graph = grimp.build_graph("auditor")
    lines: Counter[str] = Counter()
    for path in sorted((checkout / "auditor").rglob("*.py")):
        name = ".".join(path.relative_to(checkout).with_suffix("").parts).removesuffix(".__init__")
        lines[room(name)] += len(path.read_text(encoding="utf-8").splitlines())
    lines["sql"] = sum(len(path.read_text().splitlines()) for path in (checkout / "sql").rglob("*.sql"))
    arrows: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            if room(module) != room(imported):
                arrows[room(module), room(imported)] += 1
    for name in sorted(lines):
        into = ", ".join(f"{there} ({count})" for (here, there), count in sorted(arrows.items()) if here == name)
        print(f"{name}: {lines[name]:,} lines; imports {into or 'nothing'}")
    print(f"in all: {sum(lines.values()):,} lines")
    coarse = {(house(here), house(there)) for here, there in arrows if house(here) != house(there)}
    rooms = {house(name) for name in lines if name != "sql"}
    print(f"{len(rooms)} rooms, {len(coarse)} arrows between them, where all questions are one room")
    circles = sorted({tuple(sorted(pair)) for pair in arrows if pair[::-1] in arrows})
    print(f"rooms that import each other: {', '.join(' and '.join(pair) for pair in circles) or 'none'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
