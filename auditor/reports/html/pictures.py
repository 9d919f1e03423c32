"""The images of a page: each next to the example that names it, until the page is full."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence

from auditor.model import Pictures
from auditor.result import Finding, Table, counted

#: The most bytes of a page for images, and of the whole page.
_ROOM, _PAGE = 3_000_000, 5_000_000

#: Bytes of the markup around an image.
_AROUND = 64

#: The most characters of a caption in the alternative text; the whole caption is next to the image.
_NAMED = 300

_MEGA = 1_000_000

Written = Callable[[str], str]


class Album:
    """Draws the images of one page, in the order of calls, and counts them."""

    def __init__(self, pictures: Pictures, write: Written, beside: int = 0) -> None:
        """Set the images, how to write text into an attribute, and the bytes of the page without images."""
        self._pictures, self._write = pictures, write
        self._room = max(0, min(_ROOM, _PAGE - beside))
        self._asked = self._drawn = 0

    def drawn(self, dataset: object, image: object, caption: object, *, counts: bool = True) -> str:
        """Draw an image of a dataset, with its caption as text; nothing without a file, or without room.

        The notes report how many are drawn of those that count.
        """
        if dataset not in self._pictures.datasets or image is None:
            return ""
        self._asked += counts
        picture = self._pictures.shown.get((str(dataset), str(image)))
        if picture is None:
            return ""
        text = str(caption or image)
        named = text if len(text) <= _NAMED else f"{text[:_NAMED].rstrip()}…"
        # Eager: no request can be deferred, and paper shows parts that were never scrolled to.
        tag = (
            f'<img class="picture" src="data:image/jpeg;base64,{base64.b64encode(picture.jpeg).decode()}"'
            f' data-image="{self._write(str(image))}" alt="{self._write(named)}"'
            f' width="{picture.width}" height="{picture.height}"'
            ' loading="eager" decoding="async">'
        )
        takes = len(tag.encode()) + _AROUND
        if takes > self._room:
            return ""
        self._room -= takes
        self._drawn += counts
        return tag

    def of_example(self, finding: Finding, example: Mapping[str, str | int | None], which: str = "") -> str:
        """Draw the image of a finding's example, or with `other_` the one compared with it, unless it is the same."""
        image = example.get(f"{which}image")
        if which and image == example.get("image"):
            return ""
        return self.drawn(finding.about.get("dataset"), image, example.get(f"{which}text"))

    def of_rows(self, table: Table) -> Mapping[str, Sequence[str]]:
        """Draw the images of a table's rows, by column; an image that its row already shows is left out."""
        return {column: [*self._column(table, number)] for number, (column, _, _) in enumerate(table.pictured)}

    def _column(self, table: Table, number: int) -> Iterator[str]:
        _, dataset, images = table.pictured[number]
        before = [(of, rows) for _, of, rows in table.pictured[:number]]
        captions = _captions(table, number)
        for row, image in enumerate(images):
            twice = any((of, rows[row]) == (dataset, image) for of, rows in before)
            yield "" if twice else self.drawn(dataset, image, captions[row] if captions else None)

    def notes(self) -> list[str]:
        """Return how many examples show their image, and the problems with files."""
        if not self._asked:
            return []
        examples = counted(self._asked, "example", "examples")
        verb = "shows its image" if self._drawn == 1 else "show their images"
        limits = f"at most {self._pictures.most:,} images and {_ROOM // _MEGA} MB of them, {_PAGE // _MEGA} MB per page"
        return [f"{self._drawn:,} of {examples} with an image name {verb}: {limits}.", *self._pictures.notes]


def _captions(table: Table, number: int) -> list[str] | None:
    """Return the texts that belong to a column of images."""
    of_column = {"image": ("text", "caption", "text_a"), "item": ("right",)}
    column = table.pictured[number][0]
    names = of_column.get(column, (column.replace("image", "text"),))
    known = next((name for name in names if name in table.frame.columns), None)
    return None if known is None else table.frame[known].to_list()
