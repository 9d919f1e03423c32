"""The pictures of a page: each beside the example that names its image, as long as there is room for another."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence

from auditor.model import Pictures
from auditor.result import Finding, Table, counted

#: Bytes of a page that pictures take at most, and those of the whole page that they never exceed.
_ROOM, _PAGE = 3_000_000, 5_000_000

#: Bytes of what is put around a picture.
_AROUND = 64

#: Signs of a caption that a picture is named by; all of it is beside the picture.
_NAMED = 300

_MEGA = 1_000_000

Written = Callable[[str], str]


class Album:
    """Draws the pictures of one page, in the order in which it is asked, and counts them."""

    def __init__(self, pictures: Pictures, write: Written, beside: int = 0) -> None:
        """Take the pictures, how text is written into an attribute, and the bytes of the page without them."""
        self._pictures, self._write = pictures, write
        self._room = max(0, min(_ROOM, _PAGE - beside))
        self._asked = self._drawn = 0

    def drawn(self, dataset: object, image: object, caption: object) -> str:
        """Draw an image of a dataset, named by its caption; nothing where there is no picture, or no room."""
        if dataset not in self._pictures.datasets or image is None:
            return ""
        self._asked += 1
        picture = self._pictures.shown.get((str(dataset), str(image)))
        if picture is None:
            return ""
        said = str(caption or image)
        named = said if len(said) <= _NAMED else f"{said[:_NAMED].rstrip()}…"
        # Eager: there is no request to put off, and paper shows what nobody has scrolled to.
        tag = (
            f'<img class="picture" src="data:image/jpeg;base64,{base64.b64encode(picture.jpeg).decode()}"'
            f' alt="{self._write(named)}" width="{picture.width}" height="{picture.height}"'
            ' loading="eager" decoding="async">'
        )
        takes = len(tag.encode()) + _AROUND
        if takes > self._room:
            return ""
        self._room -= takes
        self._drawn += 1
        return tag

    def of_example(self, finding: Finding, example: Mapping[str, str | int | None], which: str = "") -> str:
        """Draw the image of a finding's example, or with `other_` the one that it is beside, unless it is the same."""
        image = example.get(f"{which}image")
        if which and image == example.get("image"):
            return ""
        return self.drawn(finding.about.get("dataset"), image, example.get(f"{which}text"))

    def of_rows(self, table: Table) -> Mapping[str, Sequence[str]]:
        """Draw the images of a table's rows, by column, row by row; one that its row has already shown is left out."""
        return {column: [*self._column(table, place)] for place, (column, _, _) in enumerate(table.pictured)}

    def _column(self, table: Table, place: int) -> Iterator[str]:
        _, dataset, images = table.pictured[place]
        before = [(of, rows) for _, of, rows in table.pictured[:place]]
        captions = _captions(table, place)
        for number, image in enumerate(images):
            twice = any((of, rows[number]) == (dataset, image) for of, rows in before)
            yield "" if twice else self.drawn(dataset, image, captions[number] if captions else None)

    def told(self) -> list[str]:
        """Return how many examples have their picture, and what is wrong with files."""
        if not self._asked:
            return []
        examples = counted(self._asked, "example that names an image has its", "examples that name an image have their")
        limits = (
            f"at most {self._pictures.most:,} images and {_ROOM // _MEGA} MB of pictures, {_PAGE // _MEGA} MB a page"
        )
        return [f"{self._drawn:,} of {examples} picture: {limits}.", *self._pictures.notes]


def _captions(table: Table, place: int) -> list[str] | None:
    """Find the column of texts that belongs to a column of images."""
    of_column = {"image": ("text", "caption", "text_a"), "item": ("right",)}
    column = table.pictured[place][0]
    names = of_column.get(column, (column.replace("image", "text"),))
    known = next((name for name in names if name in table.frame.columns), None)
    return None if known is None else table.frame[known].to_list()
