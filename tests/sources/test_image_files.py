"""Image files become small pictures, or a line that says why not: found by id, whatever their format, never a traceback."""

from __future__ import annotations

import io
import os
import random
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import MissingExtraError, SourceError
from auditor.model import Picture
from auditor.sources.pictures import pictures

Image = pytest.importorskip("PIL.Image", reason="Pillow is not here: pip install 'auditor[images]'")

RED, WHITE = (220, 20, 30), (255, 255, 255)


def write(path: Path, mode: str = "RGB", size: tuple[int, int] = (64, 48), color: object = RED, **how: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, color).save(path, **how)
    return path


def seen(picture: Picture) -> Any:
    return Image.open(io.BytesIO(picture.jpeg))


def near(found: object, wanted: tuple[int, int, int], by: int = 12) -> bool:
    return all(abs(one - other) <= by for one, other in zip(found, wanted, strict=True))


def only(folder: Path, image: str) -> tuple[Picture | None, list[str]]:
    made, said = pictures(folder, [image])
    return made.get(image), said


@pytest.mark.parametrize(
    ("file", "image"),
    [
        ("a.jpg", "a.jpg"),
        ("a.jpg", "a"),
        ("a.PNG", "a"),
        ("train/a.jpg", "train/a.jpg"),
        ("train/a.jpg", "a.jpg"),
        ("train/deep/a.jpg", "a"),
        ("COCO_val2014_000000391895.jpg", "391895"),
        ("000000391895.jpg", "391895"),
        ("naïve – 写真.jpg", "naïve – 写真"),
    ],
)
def test_file_is_found_by_the_id_of_its_image(tmp_path: Path, file: str, image: str) -> None:
    write(tmp_path / file)
    picture, said = only(tmp_path, image)
    assert picture is not None
    assert said == []


@pytest.mark.parametrize(
    "image", ["../out.jpg", "/etc/passwd", "91895", "1", "a.jpeg", "*", "", "999999999999999999999"]
)
def test_other_ids_find_nothing(tmp_path: Path, image: str) -> None:
    write(tmp_path / "in" / "COCO_val2014_000000391895.jpg")
    write(tmp_path / "in" / "a.jpg")
    write(tmp_path / "in" / "a_1.jpg")
    write(tmp_path / "out.jpg")
    picture, said = only(tmp_path / "in", image)
    assert picture is None
    assert said == [f"no file found for 1 image: {image}"]


def test_closest_name_wins_and_of_equals_the_first_by_path_is_taken_and_said(tmp_path: Path) -> None:
    write(tmp_path / "b" / "7.jpg", color=RED)
    write(tmp_path / "a" / "7.png", color=WHITE)
    write(tmp_path / "000000000007.jpg", color=(0, 0, 0))
    (tmp_path / "a" / "7.txt").write_text("a caption beside its picture")
    picture, said = only(tmp_path, "7")
    assert picture is not None
    assert near(seen(picture).getpixel((5, 5)), WHITE)
    assert said == ["7 has 2 files; the first is shown: a/7.png, b/7.jpg"]
    exact, said = only(tmp_path, "7.jpg")
    assert exact is not None
    assert said == []


def test_pattern_takes_only_what_it_meets(tmp_path: Path) -> None:
    write(tmp_path / "train" / "a.jpg")
    write(tmp_path / "test" / "b.jpg")
    write(tmp_path / "b.png")
    made, said = pictures(tmp_path / "t*" / "*.jpg", ["a", "b"])
    assert sorted(made) == ["a", "b"]
    assert said == []


def test_brackets_in_the_name_of_a_folder_are_no_pattern(tmp_path: Path) -> None:
    write(tmp_path / "data [old]" / "photos" / "a.jpg")
    for place in ("data [old]/photos", "data [old]/photos/*.jpg", "data [[]old]/*/*.jpg"):
        made, said = pictures(tmp_path / place, ["a"])
        assert [*made] == ["a"]
        assert said == []


def test_pattern_that_climbs_out_shows_nothing(tmp_path: Path) -> None:
    write(tmp_path / "secret" / "a.jpg")
    (tmp_path / "photos" / "in").mkdir(parents=True)
    made, said = pictures(tmp_path / "photos" / "*" / ".." / ".." / "secret" / "*.jpg", ["a"])
    assert made == {}
    assert "a link to a file outside the folder" in said[0]


@pytest.mark.parametrize(
    ("place", "words"), [("none", "none: no such folder"), ("*.gif", "no file matches this pattern")]
)
def test_place_without_files_is_said(tmp_path: Path, place: str, words: str) -> None:
    write(tmp_path / "a.jpg")
    with pytest.raises(SourceError, match=words):
        pictures(tmp_path / place, ["a"])


def test_without_pillow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "auditor.sources.pictures.shrinking", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[images\]'"):
        pictures(tmp_path, ["a"])


@pytest.mark.parametrize(
    ("name", "mode", "color", "wanted"),
    [
        ("a.jpg", "RGB", RED, RED),
        ("a.jpg", "L", 90, (90, 90, 90)),
        ("a.jpg", "CMYK", (0, 255, 255, 0), (255, 0, 0)),
        ("a.png", "P", 0, (0, 0, 0)),
        ("a.png", "1", 1, WHITE),
        ("a.png", "LA", (90, 0), WHITE),
        ("a.png", "RGBA", (*RED, 0), WHITE),
        ("a.png", "RGBA", (*RED, 255), RED),
        ("a.png", "I;16", 32768, (127, 127, 127)),
        ("a.tif", "I;16", 65535, WHITE),
        ("a.tif", "F", 0.5, (0, 0, 0)),
        ("a.tif", "CMYK", (0, 255, 255, 0), (255, 0, 0)),
        ("a.webp", "RGB", RED, RED),
        ("a.bmp", "RGB", RED, RED),
        ("a.gif", "P", 0, (0, 0, 0)),
        ("a.ppm", "RGB", RED, RED),
    ],
)
def test_every_mode_becomes_a_picture(
    tmp_path: Path, name: str, mode: str, color: object, wanted: tuple[int, int, int]
) -> None:
    write(tmp_path / name, mode, color=color)
    picture, said = only(tmp_path, "a")
    assert said == []
    assert picture is not None
    opened = seen(picture)
    assert (opened.format, opened.mode, opened.size) == ("JPEG", "RGB", (64, 48))
    assert (picture.width, picture.height) == (64, 48)
    assert near(opened.getpixel((30, 20)), wanted)


@pytest.mark.parametrize("ending", ["gif", "png", "webp"])
def test_animation_is_its_first_frame(tmp_path: Path, ending: str) -> None:
    frames = [Image.new("RGB", (40, 40), color) for color in (RED, WHITE, (0, 0, 0))]
    frames[0].save(tmp_path / f"a.{ending}", save_all=True, append_images=frames[1:], duration=50)
    picture, said = only(tmp_path, "a")
    assert said == []
    assert picture is not None
    assert near(seen(picture).getpixel((20, 20)), RED)


def test_large_picture_becomes_small_and_a_small_one_stays(tmp_path: Path) -> None:
    write(tmp_path / "large.jpg", size=(3000, 1500))
    write(tmp_path / "long.png", size=(9000, 2))
    write(tmp_path / "dot.png", size=(1, 1))
    made, said = pictures(tmp_path, ["large", "long", "dot"])
    assert said == []
    assert {name: (one.width, one.height) for name, one in made.items()} == {
        "large": (240, 120), "long": (240, 1), "dot": (1, 1)
    }  # fmt: skip


@pytest.mark.parametrize(("orientation", "red_at"), [(1, (5, 5)), (3, (58, 42)), (6, (42, 5)), (8, (5, 58))])
def test_picture_is_upright_and_says_nothing_else(tmp_path: Path, orientation: int, red_at: tuple[int, int]) -> None:
    image = Image.new("RGB", (64, 48), "white")
    image.paste(RED, (0, 0, 16, 16))
    exif = Image.Exif()
    exif[0x0112], exif[0x010E], exif[0x8825] = orientation, "home of somebody", {1: "N", 2: (52.0, 22.0, 1.0)}
    image.save(tmp_path / "a.jpg", exif=exif, comment=b"a secret", quality=95)
    picture, _ = only(tmp_path, "a")
    assert picture is not None
    assert near(seen(picture).getpixel(red_at), RED, by=30)
    assert (picture.width, picture.height) == ((64, 48) if orientation in (1, 3) else (48, 64))
    assert dict(seen(picture).getexif()) == {}
    assert not any(word in picture.jpeg for word in (b"secret", b"somebody", b"Exif", b"ICC_PROFILE"))


def test_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    draw = random.Random(1)
    image = Image.frombytes("RGB", (300, 200), draw.randbytes(180_000))
    image.save(tmp_path / "a.png")
    assert pictures(tmp_path, ["a"]) == pictures(tmp_path, ["a"])


def png(width: int, height: int, rows: bytes = b"") -> bytes:
    """Write a PNG whose header says its size, whatever its data hold."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an image"),
        (b"<html>not found</html>", "not an image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "not an image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EOF\n", "not an image"),
        (b"\xff\xd8\xff\xe0", "not an image"),
        (png(10, 10), "a damaged image"),
        (png(9_000, 9_000), "more than 50 million pixels"),
        (png(12_000, 12_000), "more than 50 million pixels"),
        (png(60_000, 60_000), "more than 50 million pixels"),
        (png(2**31 - 1, 2**31 - 1), "more than 50 million pixels"),
    ],
)
def test_what_is_no_picture_is_named_and_left_out(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.png").write_bytes(content)
    write(tmp_path / "good.jpg")
    made, said = pictures(tmp_path, ["bad", "good"])
    assert [*made] == ["good"]
    assert len(said) == 1
    assert said[0].startswith(f"bad.png is left out: {words}")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xd8" + b"\xff\xfe\0\2" * 210_000, "more than 200,000 parts"),
        (png(10, 10)[:33] + (b"\0\0\0\0abCd" + zlib.crc32(b"abCd").to_bytes(4)) * 210_000, "more than 200,000 parts"),
        (b"P6" + b" " * 300_000 + b"1 1 255\n\0\0\0", "more than 200,000 parts"),
        (b"P3 9 9 255\n" + b"1 " * 243, "a plain-text PPM"),
        (b"\xff\xd8" + b"\xff\xda\0\2" * 101, "a JPEG of more than 100 scans"),
    ],
    ids=["comments of a JPEG", "chunks of a PNG", "blanks of a PPM", "digits of a PPM", "scans of a JPEG"],
)
def test_picture_that_takes_minutes_to_read_is_left_out(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.png").write_bytes(content)
    assert only(tmp_path, "bad")[1][0].startswith(f"bad.png is left out: {words}")


def test_truncated_picture_is_left_out(tmp_path: Path) -> None:
    draw = random.Random(2)
    Image.frombytes("RGB", (200, 200), draw.randbytes(120_000)).save(tmp_path / "whole.jpg")
    content = (tmp_path / "whole.jpg").read_bytes()
    for share in (0.1, 0.5, 0.9):
        (tmp_path / "cut.jpg").write_bytes(content[: int(len(content) * share)])
        picture, said = only(tmp_path, "cut")
        assert picture is None
        assert said == ["cut.jpg is left out: a damaged image"]


def test_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.jpg").open("wb") as file:
        file.truncate(1 << 31)
    assert only(tmp_path, "a")[1] == ["a.jpg is left out: larger than 64 MiB"]


def test_links_that_lead_outside_are_left_out_and_those_inside_are_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "secret.jpg")
    folder = tmp_path / "photos"
    inside = write(folder / "real" / "b.jpg")
    (folder / "a.jpg").symlink_to(outside)
    (folder / "c.jpg").symlink_to(inside)
    (folder / "ring.jpg").symlink_to(folder / "ring.jpg")
    (folder / "gone.jpg").symlink_to(folder / "nothing.jpg")
    (tmp_path / "link").symlink_to(folder)
    for place in (folder, tmp_path / "link", folder / "*.jpg"):
        made, said = pictures(place, ["a.jpg", "c.jpg", "ring.jpg", "gone.jpg"])
        assert [*made] == ["c.jpg"]
        assert "a.jpg is left out: a link to a file outside the folder" in said
        assert sorted(one.split(" ")[0] for one in said) == ["a.jpg", "gone.jpg", "ring.jpg"]


def test_link_to_a_folder_outside_is_not_walked(tmp_path: Path) -> None:
    write(tmp_path / "other" / "a.jpg")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "more").symlink_to(tmp_path / "other")
    made, _ = pictures(tmp_path / "photos", ["a"])
    assert made == {}
    made, said = pictures(tmp_path / "photos" / "*" / "*.jpg", ["a"])
    assert made == {}
    assert said == ["more/a.jpg is left out: a link to a file outside the folder"]


def test_pipes_and_what_may_not_be_read_are_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    closed = write(tmp_path / "closed.jpg")
    closed.chmod(0)
    made, said = pictures(tmp_path, ["pipe", "closed"])
    assert "pipe.jpg is left out: not a regular file" in said
    if os.access(closed, os.R_OK):  # root reads everything
        assert [*made] == ["closed"]
    else:
        assert "closed.jpg is left out: Permission denied" in said


def test_many_faults_are_counted(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.jpg").write_bytes(b"no")
    made, said = pictures(tmp_path, [str(number) for number in range(30)])
    assert made == {}
    assert len(said) == 10
    assert said[8] == "and 12 more left out"
    assert said[9].startswith("no file found for 10 images: 20, 21, ")


@given(st.data())
def test_damage_never_ends_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("damage")
    format_name = data.draw(st.sampled_from(["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "PPM"]))
    written = io.BytesIO()
    Image.frombytes("RGB", (16, 12), random.Random(3).randbytes(576)).save(written, format_name)
    content = bytearray(written.getvalue())
    for _ in range(data.draw(st.integers(1, 12))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (folder / "a.jpg").write_bytes(bytes(content[: data.draw(st.integers(1, len(content)))]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture, said = only(folder, "a")
    assert (picture is None) == bool(said)


def test_large_images_of_every_mode_are_shrunk(tmp_path: Path) -> None:
    for mode, color in (("RGB", RED), ("RGBA", (*RED, 99)), ("P", 0), ("I;16", 32768), ("1", 1)):
        write(tmp_path / f"{mode.replace(';', '')}.png", mode, (4000, 3000), color)
    names = ["RGB", "RGBA", "P", "I16", "1"]
    made, said = pictures(tmp_path, names)
    assert said == []
    assert {(made[name].width, made[name].height) for name in names} == {(240, 180)}


def test_compressed_tiff_is_named_and_a_plain_one_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "lzw.tif", compression="tiff_lzw")
    write(tmp_path / "raw.tif")
    content = bytearray((tmp_path / "raw.tif").read_bytes())
    content[content.index(b"\x15\x01\x03\x00") + 8] = 250  # samples a dot
    (tmp_path / "odd.tif").write_bytes(content)
    made, said = pictures(tmp_path, ["lzw", "raw", "odd"])
    assert [*made] == ["raw"]
    assert [one.partition(":")[0] for one in said] == ["lzw.tif is left out", "odd.tif is left out"]
    assert capfd.readouterr() == ("", "")
