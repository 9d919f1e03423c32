"""Names the dead links of the built site, to files and to headings: what zensical does not look at.

    python tests/site_links.py build/site    # exit code 1 if a link is dead

zensical checks links between pages. A link to a folder, or to a file outside of `docs/`, works in the repository and is dead on the site.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links of a page, and the names that a link can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names, self.links = set[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep `id`, `href` and `src`."""
        for name, value in attrs:
            if name == "id" and value:
                self.names.add(value)
            elif name in {"href", "src"} and value:
                self.links.append(value)


def dead(site: Path) -> Iterator[str]:
    """Yield a line `PAGE: LINK` for each dead link of the pages below a folder. Raises `ValueError` if it has none."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        raise ValueError(f"{site} has no pages")
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = (site if link.startswith("/") else path.parent) / unquote(parts.path).lstrip("/")
            target = target.resolve() / "index.html" if target.is_dir() else target.resolve()
            known = pages[target].names if target in pages else None
            if not target.exists() or (parts.fragment and known is not None and unquote(parts.fragment) not in known):
                yield f"{path.relative_to(site)}: {link}"


def main() -> int:
    """Print the dead links."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    found = [*dead(parser.parse_args().site.resolve())]
    print("\n".join([*found, f"{len(found)} dead links"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
