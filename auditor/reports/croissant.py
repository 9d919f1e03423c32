"""A dataset's card as Croissant 1.1: JSON-LD for catalogues, with the fields on responsible AI. It holds no caption."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from auditor.dataset_card import DatasetCard, spdx
from auditor.findings import KINDS
from auditor.result import Finding

_CROISSANT = "http://mlcommons.org/croissant/"

#: The context that the specification wants, with the prefix of its fields on responsible AI.
_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": _CROISSANT,
    "dct": "http://purl.org/dc/terms/",
    "rai": f"{_CROISSANT}RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        term: f"cr:{term}"
        for term in (
            "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject",
            "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5",
            "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate",
            "separator", "source", "subField", "transform",
        )
    },
}  # fmt: skip

#: What is no fault of single captions but a lean of many: a style, a language, an annotator who wrote more.
_BIASES = frozenset({
    "copied-slots", "other-language", "other-script", "sorted-captions", "templated-captions", "templated-slots",
    "uneven-captions", "unlike-slot",
})  # fmt: skip

_PERSONAL = frozenset({"personal-data"})

#: The media type of a file by its ending; where its name is not known, the card has that of its format.
_ENDINGS: Mapping[str, str] = {
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".txt": "text/plain", ".token": "text/plain",
    ".json": "application/json", ".jsonl": "application/jsonlines", ".parquet": "application/x-parquet",
    ".gz": "application/gzip", ".zst": "application/zstd", ".tar": "application/x-tar", ".zip": "application/zip",
}  # fmt: skip

#: What a caption's record has: the name of the field, its column in a bundle, its type, what it is.
_FIELDS = (
    ("image", "image", "sc:Text", "The image that the caption describes, by the id that the source gives it."),
    ("slot", "slot", "sc:Integer", "The place of the caption among those of its image: 0, 1, 2, …"),
    ("split", "split", "sc:Text", "The part of the dataset that the image is in, where there are several."),
    ("caption", "text", "sc:Text", "One sentence that somebody, or a system, wrote of the image."),
)


def render(card: DatasetCard) -> str:
    """Write the card as one JSON-LD object."""
    (selection,) = card.selections
    images, captions = card.value("profile/images"), card.value("profile/captions")
    said = f"{captions:,.0f} captions of {images:,.0f} images, as {card.program} counted them: {card.identifier}"
    facts = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": selection.label,
        "description": said,
        "conformsTo": [f"{_CROISSANT}1.1", f"{_CROISSANT}RAI/1.0"],
        "identifier": card.identifier,
        "version": f"{selection.version.seq}.0.0+{selection.version.version}",
        "inLanguage": card.language,
        "license": _license(card),
        "citeAs": card.citation,
        "keywords": ["image captioning"] if selection.version.kind == "captions" else None,
        "rai:annotationsPerItem": _per_image(card),
        **_responsible(card),
        "distribution": [_file(card), _bundle(card)],
        "recordSet": [_records()],
        "additionalProperty": [{"@type": "sc:PropertyValue", **entry} for entry in card.properties()],
    }
    known = {key: value for key, value in facts.items() if value}
    return json.dumps(known, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _license(card: DatasetCard) -> str | None:
    name = spdx(card.license or "")
    return f"https://spdx.org/licenses/{name}.html" if name else card.license


def _per_image(card: DatasetCard) -> str:
    least, mean, most = (card.value(f"profile/captions-per-image-{what}") for what in ("min", "mean", "max"))
    return f"{least:,.0f}" if least == most else f"{least:,.0f} to {most:,.0f}, {mean:,.2f} on average"


def _responsible(card: DatasetCard) -> dict[str, list[str]]:
    """Part what was found: what leans, what is personal, and what else limits a use of the captions."""
    bad = [finding for finding in card.findings if finding.severity != "info"]
    return {
        "rai:dataLimitations": [
            *(_told(character) for character in bad if character.kind not in _BIASES | _PERSONAL),
            *(f"{why}." for why in card.unasked),
            f"Found by {card.program} in the words alone; no picture was looked at.",
        ],
        "rai:dataBiases": [_told(character) for character in bad if character.kind in _BIASES],
        "rai:personalSensitiveInformation": [_told(character) for character in bad if character.kind in _PERSONAL],
    }


def _told(finding: Finding) -> str:
    return f"{finding.severity}: {finding.sentence}. {KINDS[finding.kind].consequence}".strip()


def _file(card: DatasetCard) -> dict[str, str]:
    """Name the file that was read, by its hash; by its address too, where that is known to lead to the same bytes."""
    (selection,) = card.selections
    version = selection.version
    name = PurePosixPath(unquote(urlsplit(card.url).path)).name if card.url else version.dataset
    return {
        "@type": "cr:FileObject",
        "@id": "source",
        "name": name,
        "description": f"What was read, as format {version.format}: the hash is of its bytes; of several files, of "
        "their names and hashes.",
        "contentUrl": card.url or name,
        "encodingFormat": _ENDINGS.get(
            PurePosixPath(name).suffix.lower(), card.media_type or "application/octet-stream"
        ),
        "sha256": version.source_sha256,
    }


def _bundle(card: DatasetCard) -> dict[str, str]:
    """Name the file that `auditor export` writes, whatever the captions were read from: records are taken from it."""
    return {
        "@type": "cr:FileSet",
        "@id": "bundle",
        "description": f"What `auditor export {card.identifier}` writes.",
        "encodingFormat": _ENDINGS[".parquet"],
        "includes": "captions.parquet",
    }


def _records() -> dict[str, Any]:
    key = [{"@id": "captions/image"}, {"@id": "captions/slot"}]
    return {"@type": "cr:RecordSet", "@id": "captions", "name": "captions", "key": key, "field": [*_fields()]}


def _fields() -> Iterator[dict[str, Any]]:
    for name, column, kind, said in _FIELDS:
        source = {"fileSet": {"@id": "bundle"}, "extract": {"column": column}}
        facts = {"@type": "cr:Field", "@id": f"captions/{name}", "name": name, "description": said, "dataType": kind}
        yield {**facts, "source": source}
