"""Datasets of other shapes, made of real captions, with faults in them: what is found of these?

Of the captions of images that are drawn by md5, it makes

- RSICD-like: captions are repeated until there are five, as often as in RSICD (five different ones in 724 of 10,921
  images, four in 1,495, three in 2,182, two in 1,667, one in 4,853);
- Clotho-like: a second round rephrases the first: of every other image the fourth and fifth caption are the first and
  second with other words;
- AudioCaps-like: of train one caption an image, of the other splits five;
- Chinese-like: every word is written with one or two Han characters, always the same, without blanks.

Into each: 5 % of the test captions stand in train as they are, three captions in a thousand are German, as many are
placeholders; in one image in ten, but for the first and the third shape, the captions from the third on are the second.
Recall is of what was planted; precision of what is named and was not named before the planting.

Of a leaked caption that its image says twice or nearly, each is named, and is in train: hence the low precision of
leaks where captions repeat. Of a copied slot both captions are named. Captions said to be of another image are the
German ones, placeholders and leaks; slots said to copy each other are those that padding made equal; Flickr8k's
captions are sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl
from measuring import table
from planted_faults import FOREIGN, number, pick, with_synonym
from planted_wholes import KEYS, as_it_is, drawn, images_of, ingested, leaked, listed, named_by, padded, worst

from auditor import config
from auditor.result import SEVERITIES
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.duplicates import LEAK, TRAIN
from auditor.studies.findings import findings
from auditor.studies.ingest.sources import ingest_sources

#: Of how many of RSICD's 10,921 images so many captions differ.
_DIFFERENT = ((5, 724), (4, 1495), (3, 2182), (2, 1667), (1, 4853))

_PLACEHOLDERS = ("N/A", "no caption", "XXXX", "<unk>", "null", "test caption", "image not available")

_REWORDED = {"a": "one", "the": "this", "in": "inside", "on": "atop", "with": "having", "is": "seems", "and": "plus"}

Made = tuple[pl.DataFrame, pl.DataFrame]


def _rsicd(captions: pl.DataFrame) -> Made:
    """Repeat the first captions in the place of the last."""
    ends = {image: _different(number("rsicd", image) % 10_921) for image in captions["image"].unique()}
    place = pl.int_range(pl.len()).over("image")
    most = pl.col("image").replace_strict(ends, return_dtype=pl.Int64)
    first = pl.col("text").gather(pl.int_range(pl.len()) % most.first()).over("image")
    return captions.with_columns(text=first), captions.filter(place >= most).select(KEYS)


def _different(of: int) -> int:
    for different, images in _DIFFERENT:
        if of < images:
            return different
        of -= images
    raise ValueError(of)


def _clotho(captions: pl.DataFrame) -> Made:
    """Let the fourth and fifth caption of every other image be the first and second in other words."""
    place = pl.int_range(pl.len()).over("image")
    chosen = pl.col("image").is_in(images_of(captions, 0.5, "clotho")) & (place >= 3)
    before = pl.col("text").shift(3).over("image").map_elements(_reworded, return_dtype=pl.String)
    made = captions.with_columns(text=pl.when(chosen).then(before).otherwise("text"))
    return made, captions.filter(chosen).select(KEYS)


def _reworded(text: str) -> str:
    """Say a synonym, and one small word otherwise."""
    words = with_synonym(text).split()
    places = [place for place, word in enumerate(words) if word.lower() in _REWORDED]
    at = pick(places, "reworded", text) if places else None
    return " ".join(_REWORDED[word.lower()] if place == at else word for place, word in enumerate(words))


def _audiocaps(captions: pl.DataFrame) -> Made:
    """Keep the first caption of every image in train: nothing is wrong with that."""
    first = pl.int_range(pl.len()).over("image") == 0
    return captions.filter(first | (pl.col("split") != TRAIN)), captions.head(0).select(KEYS)


def _chinese(captions: pl.DataFrame) -> Made:
    """Write every word with one or two of two thousand Han characters."""
    made = captions.with_columns(pl.col("text").map_elements(_in_han, return_dtype=pl.String))
    return made, captions.head(0).select(KEYS)


def _in_han(text: str) -> str:
    return "".join(_character(word.lower(), 1) + _character(word.lower(), 2) * (len(word) > 3) for word in text.split())


def _character(word: str, place: int) -> str:
    return "。" if not word.isalnum() else chr(0x4E00 + number(f"han {place}", word) % 2000)


#: Faults in whose place no caption is left, so that other kinds find them too.
_GARBLED = ("other-language", "other-script", "placeholders")

#: What is made of captions, and the kind that its own changes should be found as, where they are faults.
SHAPES: Mapping[str, tuple[Callable[[pl.DataFrame], Made], str | None]] = {
    "RSICD-like": (_rsicd, "padded-images"),
    "Clotho-like": (_clotho, "copied-slots"),
    "AudioCaps-like": (_audiocaps, None),
    "Chinese-like": (_chinese, None),
}


def of_dataset(dataset: str, images: int, only: Sequence[str] | None) -> Iterator[str]:
    """Make every shape of a dataset, plant, look, and write what was found."""
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources()[dataset]])
        captions = drawn(content(store, resolve(store, dataset)), images)
        for shape in only or SHAPES:
            yield from (*_of_shape(store, dataset, captions, shape), "")


def _of_shape(store: Store, dataset: str, captions: pl.DataFrame, shape: str) -> Iterator[str]:
    make, kind = SHAPES[shape]
    made, own = make(captions)
    faulty, planted = _planted(made, shape)
    sides = {"plain": captions, "before": made, "after": faulty}
    for name, rows in sides.items():
        ingested(store, dataset, rows, f"{shape}-{name}")
    found = {name: findings(store, f"{shape}-{name}") for name in sides}
    garbled = pl.concat([planted[one] for one in _GARBLED if one in planted])
    if kind:
        planted[kind] = pl.concat([own, planted[kind]]).unique() if kind in planted else own
    rows = []
    for one, places in planted.items():
        by = {LEAK: "leaks", "copied-slots": "duplicates"}.get(one)
        earlier, later = (
            listed(found[name], one) if by is None else named_by(store, f"{shape}-{name}", by).unique()
            for name in ("plain" if one == kind else "before", "after")
        )
        new = later.join(earlier, on=KEYS, how="anti")
        if one not in _GARBLED:
            new = new.join(garbled, on=KEYS, how="anti")
        caught, right = (frame.join(places, on=KEYS, how="semi").height for frame in (later, new))
        if one == "other-script":
            right = new.join(garbled, on=KEYS, how="semi").height
        told = worst(found["after"].found(one))
        rows.append((
            f"`{one}`", f"{places.height:,}", f"{caught:,}", f"{caught / places.height:.2f}", f"{new.height:,}",
            f"{right / new.height:.2f}" if new.height else "–", told.severity if told else "–",
        ))  # fmt: skip
    yield from (f"## {shape}, of {dataset}: {made['image'].n_unique():,} images, {made.height:,} captions", "")
    yield from table(("kind", "planted", "found", "recall", "named", "precision", "severity"), rows)
    others = [one for one in found["after"].findings if one.severity in SEVERITIES[:2] and one.kind not in planted]
    yield from (
        "",
        "Other kinds told, a warning or worse:",
        "",
        *(f"- {one.severity}: {one.sentence}" for one in others),
    )
    if not others:
        yield "none."


def _planted(captions: pl.DataFrame, shape: str) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Give captions with faults, and by kind which should be named."""
    foreign = "other-script" if shape == "Chinese-like" else "other-language"
    made, planted = captions, dict[str, pl.DataFrame]()
    if shape not in ("RSICD-like", "AudioCaps-like"):
        made, planted["padded-images"] = padded(made)
    made, planted[LEAK] = leaked(as_it_is, "leak")(made)
    order = sorted(range(made.height), key=lambda row: number(shape, "{} {}".format(*made.row(row)[:2])))
    few = round(0.003 * made.height)
    texts = made["text"].to_list()
    for kind, rows, said in (
        (foreign, order[:few], FOREIGN["german"]),
        ("placeholders", order[few : 2 * few], _PLACEHOLDERS),
    ):
        for place, row in enumerate(rows):
            texts[row] = said[place % len(said)]
        planted[kind] = made[sorted(rows)].select(KEYS)
    taken = pl.concat([planted[foreign], planted["placeholders"]])
    kept = {kind: rows.join(taken, on=KEYS, how="anti") for kind, rows in planted.items()}
    return made.with_columns(text=pl.Series(texts)), kept | {kind: planted[kind] for kind in (foreign, "placeholders")}
