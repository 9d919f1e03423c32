"""A dataset's card as Croissant 1.1: JSON-LD for catalogs, with the fields on responsible AI, without captions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from auditor.dataset_card import DatasetCard, spdx
from auditor.findings.wording import kind_for
from auditor.result import Finding

_CROISSANT = "http://mlcommons.org/croissant/"

#: The context that the specification requires, with the prefix of its fields on responsible AI.
_CONTEXT: Mapping[str, Any] = json.loads(
    files("auditor.reports").joinpath("croissant_context.json").read_text(encoding="utf-8")
)

#: Findings that are a bias of many captions, not a fault of single ones: a style, a language, an unequal annotator.
_BIASES = frozenset({
    "copied-slots", "other-language", "other-script", "sorted-captions", "templated-captions", "templated-slots",
    "uneven-captions", "unlike-slot",
})  # fmt: skip

_PERSONAL = frozenset({"personal-data"})

#: The media type of a file by its ending; if its name is unknown, the card has the media type of its format.
_ENDINGS: Mapping[str, str] = {
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".txt": "text/plain", ".token": "text/plain",
    ".json": "application/json", ".jsonl": "application/jsonlines", ".parquet": "application/x-parquet",
    ".gz": "application/gzip", ".zst": "application/zstd", ".tar": "application/x-tar", ".zip": "application/zip",
}  # fmt: skip

#: The fields of a caption's record: name, column in a bundle, type, description.
_FIELDS = (
    ("image", "image", "sc:Text", "The image that the caption describes, by its ID in the source."),
    ("slot", "slot", "sc:Integer", "The position of the caption within its image: 0, 1, 2, …"),
    ("split", "split", "sc:Text", "The part of the dataset that contains the image, if it has splits."),
    ("caption", "text", "sc:Text", "A text that describes the image, written by an annotator or a system."),
)


def render(card: DatasetCard) -> str:
    """Write the card as one JSON-LD object."""
    (selection,) = card.selections
    images, captions = card.value("profile/images"), card.value("profile/captions")
    description = f"{captions:,.0f} captions of {images:,.0f} images, counted by {card.program}: {card.identifier}"
    facts = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": selection.label,
        "description": description,
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
    known = _merged(card.hub, known) if card.hub else known
    return json.dumps(known, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _merged(hub: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Add our fields on responsible AI and our numbers to a file that a hub made; its own values stay."""
    merged = dict(hub)
    context = hub.get("@context")
    if isinstance(context, dict):
        merged["@context"] = {"rai": _CONTEXT["rai"], **context}
    for key, value in ours.items():
        if key in ("conformsTo", "additionalProperty") or key.startswith("rai:"):
            before, added = ([*each] if isinstance(each, list) else [each] for each in (hub.get(key, []), value))
            kept = [each for each in before if each]
            new = [each for each in added if each not in kept]
            if key == "conformsTo":  # the version of Croissant is the hub's
                new = [each for each in new if "/RAI/" in each or not kept]
            merged[key] = value if not kept else [*kept, *new] if new else hub[key]
    return merged


def _license(card: DatasetCard) -> str | None:
    name = spdx(card.license or "")
    return f"https://spdx.org/licenses/{name}.html" if name else card.license


def _per_image(card: DatasetCard) -> str:
    least, mean, most = (card.value(f"profile/captions-per-image-{what}") for what in ("min", "mean", "max"))
    return f"{least:,.0f}" if least == most else f"{least:,.0f} to {most:,.0f}, {mean:,.2f} on average"


def _responsible(card: DatasetCard) -> dict[str, list[str]]:
    """Divide the findings into biases, personal data, and other limits on the use of the captions."""
    bad = [finding for finding in card.findings if finding.severity != "info"]
    return {
        "rai:dataLimitations": [
            *(_sentence(finding) for finding in bad if finding.kind not in _BIASES | _PERSONAL),
            *(f"{why}." for why in card.unasked),
            f"Found by {card.program} in the text alone; the images were not examined.",
        ],
        "rai:dataBiases": [_sentence(finding) for finding in bad if finding.kind in _BIASES],
        "rai:personalSensitiveInformation": [_sentence(finding) for finding in bad if finding.kind in _PERSONAL],
    }


def _sentence(finding: Finding) -> str:
    return f"{finding.severity}: {finding.sentence}. {kind_for(finding).consequence}".strip()


def _file(card: DatasetCard) -> dict[str, str]:
    """Return the imported file, by its hash, and by its URL if that has the same bytes."""
    (selection,) = card.selections
    version = selection.version
    name = PurePosixPath(unquote(urlsplit(card.url).path)).name if card.url else version.dataset
    return {
        "@type": "cr:FileObject",
        "@id": "source",
        "name": name,
        "description": f"The imported file, format {version.format}. The hash is of its bytes, or of the names and "
        "hashes of several files.",
        "contentUrl": card.url or name,
        "encodingFormat": _ENDINGS.get(
            PurePosixPath(name).suffix.lower(), card.media_type or "application/octet-stream"
        ),
        "sha256": version.source_sha256,
    }


def _bundle(card: DatasetCard) -> dict[str, str]:
    """Return the file that `auditor export` writes, from which the records are taken, whatever the source format."""
    return {
        "@type": "cr:FileSet",
        "@id": "bundle",
        "description": f"The output of `auditor export {card.identifier}`.",
        "encodingFormat": _ENDINGS[".parquet"],
        "includes": "captions.parquet",
    }


def _records() -> dict[str, Any]:
    key = [{"@id": "captions/image"}, {"@id": "captions/slot"}]
    return {"@type": "cr:RecordSet", "@id": "captions", "name": "captions", "key": key, "field": [*_fields()]}


def _fields() -> Iterator[dict[str, Any]]:
    for name, column, kind, description in _FIELDS:
        source = {"fileSet": {"@id": "bundle"}, "extract": {"column": column}}
        facts = {"@type": "cr:Field", "@id": f"captions/{name}", "name": name, "description": description}
        yield {**facts, "dataType": kind, "source": source}
