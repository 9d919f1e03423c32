"""Shrink an image file to a small JPEG without metadata. The only module that uses Pillow."""

from __future__ import annotations

import logging
import warnings
from io import BytesIO
from typing import cast

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from auditor.model import Picture
from auditor.sources.pictures import UnreadableError

#: Pixels of the longer side: twice the size on a page, for high-resolution screens.
_SIDE = 240

_QUALITY = 80

#: The most pixels of an image that is decoded.
_MOST_DOTS = 50_000_000

#: The most scans of a JPEG, and the most reads of a file by Pillow: a photo has about ten and a thousand, a bomb
#: millions.
_MOST_SCANS, _MOST_READS = 100, 200_000

Image.init()

#: The formats that are opened, if Pillow supports them. It has more, some of which start other programs.
_FORMATS: list[str] = sorted({"JPEG", "MPO", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "PPM"} & Image.OPEN.keys())

# Without a handler, the log of Pillow about damaged files is printed to the terminal.
logging.getLogger("PIL").addHandler(logging.NullHandler())

#: Modes of 16 bits, which Pillow does not resize.
_DEEP = ("I;16", "I;16L", "I;16B", "I;16N")

#: Modes whose pixels are indices of colors, which cannot be averaged.
_PALETTES = ("P", "PA", "1")

_SCAN = b"\xff\xda"

_TOO_LARGE = f"more than {_MOST_DOTS // 1_000_000} million pixels: damaged, or a decompression bomb"


class _File(BytesIO):
    """A file in memory. Raises `UnreadableError` after too many reads."""

    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        if self.reads > _MOST_READS:
            raise UnreadableError(f"more than {_MOST_READS:,} parts: damaged, or a decompression bomb")
        return super().read(size)


def small(content: bytes) -> Picture:
    """Return a thumbnail of the first frame, upright.

    Raises `UnreadableError` for a file that is not an image, is damaged, or has too many pixels by its header.
    """
    if content.startswith(b"\xff\xd8") and content.count(_SCAN) > _MOST_SCANS:
        raise UnreadableError(f"a JPEG of more than {_MOST_SCANS} scans: damaged, or a decompression bomb")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about metadata, which is dropped
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(_File(content), formats=_FORMATS) as image:
                if image.width * image.height > _MOST_DOTS:
                    raise UnreadableError(_TOO_LARGE)
                if image.format == "TIFF" and image.info.get("compression") != "raw":
                    raise UnreadableError("a compressed TIFF, whose decoder would write to the terminal")
                if image.tile and image.tile[0][0] == "ppm_plain":
                    raise UnreadableError("a plain-text PPM, which takes minutes to read")
                return _shrunk(image)
    except UnreadableError:
        raise
    except UnidentifiedImageError as error:
        raise UnreadableError("not an image, or of an unsupported format") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableError(_TOO_LARGE) from error
    except Exception as error:  # decoders raise many errors for damaged files
        raise UnreadableError("a damaged image") from error


def _shrunk(image: Image.Image) -> Picture:
    image.draft(None, (2 * _SIDE, 2 * _SIDE))  # decodes a JPEG at a lower resolution
    image.load()
    turned = image.getexif().get(ExifTags.Base.Orientation, 1)
    small = _resizable(image)
    small.thumbnail((_SIDE, _SIDE), Image.Resampling.LANCZOS)
    plain = _plain(small)
    plain.info.clear()
    plain.getexif()[ExifTags.Base.Orientation] = turned
    upright = ImageOps.exif_transpose(plain)
    bare = Image.new("RGB", upright.size)
    bare.paste(upright)
    written = BytesIO()
    bare.save(written, "JPEG", quality=_QUALITY, optimize=True)
    return Picture(written.getvalue(), *bare.size)


def _resizable(image: Image.Image) -> Image.Image:
    if image.mode in _DEEP:
        return image.convert("I")
    return image.convert("RGBA") if image.mode in _PALETTES or image.has_transparency_data else image


def _plain(image: Image.Image) -> Image.Image:
    """Return an image with eight bits per color, and white behind transparent parts."""
    if image.mode == "I":
        return image.point(lambda value: value * (1 / 257)).convert("L")
    if image.mode == "F":  # values without a maximum
        low, high = cast("tuple[float, float]", image.getextrema())
        scale = 255 / (high - low) if high > low else 0.0
        return image.point(lambda value: value * scale + -low * scale).convert("L")
    if image.mode == "RGBA":
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    return image.convert("RGB")
