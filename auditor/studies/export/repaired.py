"""The changes of `export --fix`, by one rule: only what `findings` lists is changed, and only if it stays whole.

Each round lists the captions, by kind, and repairs the listed ones, each by one kind. The next round lists the changed
ones again, until nothing changes. A text is written only if it is `sound`; else the caption stays as it is, and is
reported as not repaired. A caption is left out only if nothing usable remains of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import polars as pl

from auditor.errors import UsageError, suggested
from auditor.findings import CAPTION_KINDS, not_kept, of_caption, searched_by_default
from auditor.model import Progress, Selection, Source, silent
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import MEMORY, Store
from auditor.store.signs import replacements
from auditor.store.versions import content
from auditor.store.workspace import Workspace
from auditor.studies.export.sound import sound
from auditor.studies.findings import CONTAMINATED, findings
from auditor.text import AT_INGEST
from auditor.text.mojibake import decoded_again

#: The word for every kind with a safe fix.
ALL = "all"

#: Kinds of datasets with independent captions: a pair or triplet needs all of its captions.
_KINDS = ("captions", "candidates")

BLANKS, BROKEN, TWICE, MARKUP, DOUBLED = "whitespace", "broken-characters", "repeated-words", "markup", "doubled-words"

REFUSALS, ERRORS, PLACEHOLDERS, WORDLESS, REPEATS = (
    "refusals", "api-errors", "placeholders", "captions-without-word", "padded-images",
)  # fmt: skip

#: Kinds that are repaired in the text.
MENDED = (
    BROKEN, "chat-tokens", "assistant-texts", "markdown-or-json", MARKUP, "meta-sentences", TWICE, DOUBLED, BLANKS,
)  # fmt: skip

#: Kinds that are repaired only if they are named: spaces and repeats are usable.
NAMED = (BLANKS, REPEATS)

#: Every kind with a fix, in the order of repair: reasoning and roles go before the rest is read.
FIXABLE = (BROKEN, "chat-tokens", REFUSALS, ERRORS, PLACEHOLDERS, *MENDED[2:], WORDLESS, REPEATS)

KEYS = ["image", "slot"]

#: Kinds that are reported if they are left, except for that which needs another dataset.
_REPORTED = tuple(
    kind
    for kind in searched_by_default()
    if (entry := CAPTION_KINDS.get(kind)) and kind != CONTAMINATED and not entry.of_dataset and entry.of == "captions"
)

#: A repair: captions (image, slot, text) that are listed → image, slot, before, after.
Rule = Callable[[pl.DataFrame], pl.DataFrame]

#: Marks of a conversation: after a repair, a leak that no pattern might find any more.
_ASKED = r"(?:^|\W)(?:(?i:question|user|assistant)(?: ?\d+)?|[QA]\d*):"

_ENTITY, _ESCAPE = re.compile(r"&(?:#\w+|[a-zA-Z]{2,8}\d{0,2});"), re.compile(r"\\u((?![dD][89a-fA-F])[0-9a-fA-F]{4})")

#: A sentence.
_END = r"(?s).+?(?:[.!?]+[\"”’)]*\s+|\n\s*|$)"

#: The beginning of a sentence that describes, even if it ends with “that I can't identify”.
_DESCRIBES = r"(?i)^\W*(?:an?|two|three|four|several|some|many|people)\s"

_IMAGE = r"(?i)^\W*(?:\w+ ){1,2}(?:image|photo|picture|video|clip|audio|caption|description|request|answer)s?\b"

_STEPS = {"image": pl.String, "slot": pl.UInt32, "kind": pl.String, "before": pl.String, "after": pl.String}


@dataclass(frozen=True)
class Repaired:
    """The result of a repair.

    `captions` (image, slot, split, text) are those that remain. `changes` (image, slot, kind, before, after) has a row
    for each kind that changes a caption, in order; `after` is null for a caption that is left out. `left` (kind,
    captions, has_fix) counts the captions that `findings` still lists.
    """

    captions: pl.DataFrame
    changes: pl.DataFrame
    left: pl.DataFrame


def checked(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds to fix, in the order of their repair. Raises `UsageError` for a kind without a fix."""
    for kind in kinds:
        if kind not in (ALL, *FIXABLE):
            known = "this kind has no safe fix" if kind in CAPTION_KINDS else "unknown kind"
            raise UsageError(f"--fix {kind}: {known}; {suggested(kind, (ALL, *FIXABLE))}")
    return tuple(kind for kind in FIXABLE if kind in kinds or (ALL in kinds and kind not in NAMED))


def repaired(
    store: Store, selection: Selection, kinds: Sequence[str], gone: pl.DataFrame | None, progress: Progress = silent
) -> Repaired:
    """Repair the captions of a selection, except those that are `gone` (image, slot) already.

    Raises `UsageError` for a kind without a fix, and for a dataset whose captions are not independent.
    """
    chosen = checked(kinds)
    if selection.version.kind not in _KINDS:
        raise UsageError(f"--fix: {selection.label} holds {selection.version.kind}; its captions belong together")
    captions = content(store, selection).select("image", pl.col("slot").cast(pl.UInt32), "split", "text")
    if gone is not None:
        captions = captions.join(gone, on=KEYS, how="anti")
    captions = captions.sort(KEYS)
    first = findings(store, selection.pinned_name, kinds=chosen, captions_only=True, config={}, progress=progress).frame
    listed = first.drop_nulls("slot").select(*KEYS, "kind").unique(maintain_order=True)
    after, steps = mended(store, captions, chosen, listed, progress)
    left = _listed(after, _REPORTED, progress).group_by("kind").agg(captions=pl.len())
    left = left.sort("captions", "kind", descending=[True, False])
    return Repaired(after, _joined(steps), left.with_columns(has_fix=pl.col("kind").is_in(FIXABLE)))


def mended(
    store: Store,
    captions: pl.DataFrame,
    kinds: Sequence[str],
    listed: pl.DataFrame | None = None,
    progress: Progress = silent,
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """Repair captions (image, slot, text) until no listed one changes. `listed` (image, slot, kind) is known at first.

    A caption that would still have questions or turns of a conversation remains as it was. Return the captions that
    remain, and the steps: image, slot, kind, before, after.
    """
    rules, steps, given, pending = _rules(Workspace(store)), [pl.DataFrame(schema=_STEPS)], captions, captions
    local = [kind for kind in kinds if kind != REPEATS]
    while pending.height:
        known = _listed(pending, local, progress) if listed is None else listed
        made = [pl.DataFrame(schema=_STEPS)]
        for done, kind in enumerate(local):
            progress(f"repairing: {CAPTION_KINDS[kind].title}", done, len(local))
            rows = pending.join(known.filter(kind=kind), on=KEYS, how="semi", maintain_order="left")
            rows = rows.join(pl.concat(made), on=KEYS, how="anti", maintain_order="left").select(*KEYS, "text")
            made.append(_sound(kind, rules[kind](rows)) if rows.height else made[0])
        step, listed = pl.concat(made), None
        steps.append(step)
        pending = pending.update(step.select(*KEYS, text="after"), on=KEYS).join(step, on=KEYS, how="semi")
        captions = captions.update(pending.select(*KEYS, "text"), on=KEYS, maintain_order="left")
        pending = pending.filter(pl.col("text") != "")
    asked = captions.filter(pl.col("text").str.contains(_ASKED)).join(pl.concat(steps), on=KEYS, how="semi")
    captions = captions.update(given.select(*KEYS, "text").join(asked, on=KEYS, how="semi"), on=KEYS)
    steps = [step.join(asked, on=KEYS, how="anti", maintain_order="left") for step in steps]
    emptied = pl.concat(steps).filter(pl.col("after") == "")
    captions = captions.join(emptied, on=KEYS, how="anti", maintain_order="left")
    if REPEATS in kinds:  # the only kind that depends on other captions of the image
        again = _listed(captions, [REPEATS], progress).join(captions, on=KEYS).sort(KEYS)
        steps.append(again.select(*KEYS, "kind", before="text", after=pl.lit("")))
        captions = captions.join(again, on=KEYS, how="anti", maintain_order="left")
    return captions, [step for step in steps if step.height]


def _sound(kind: str, made: pl.DataFrame) -> pl.DataFrame:
    """Return the changes that leave a sound text, or none; a text without a letter or a digit counts as none."""
    spaced = pl.col("after").str.replace_all("[ \t]{2,}", " ").str.strip_chars(" \t\r\n")
    closed = spaced.str.replace_all(r" +([.,;:!?])", "${1}")
    tidy = pl.when(pl.col("before").str.contains(" [.,;:!?]")).then(spaced).otherwise(closed)
    has_word = pl.col("after").str.contains(r"[\p{L}\p{N}\p{So}]")
    after = made.filter(pl.lit(kind == WORDLESS) | (pl.col("before") != pl.col("after")))
    after = after if kind == BROKEN else after.with_columns(after=tidy)
    after = after.with_columns(after=pl.when(has_word).then("after").otherwise(pl.lit("")))
    same = pl.col("before").str.strip_chars() == pl.col("after")
    emptied = pl.lit(kind == WORDLESS) & (pl.col("after") == "")
    changed = after.filter(emptied | (pl.col("before") != pl.col("after")) & (pl.lit(kind == BLANKS) | ~same))
    whole = [not made or sound(kind, before, made) for before, made in changed.select("before", "after").iter_rows()]
    sounds = changed.filter(pl.Series(whole, dtype=pl.Boolean))
    return sounds.select(*KEYS, pl.lit(kind).alias("kind"), "before", "after")


def _rules(workspace: Workspace) -> Mapping[str, Rule]:
    special: dict[str, Rule] = {
        BROKEN: partial(_by_text, pl.col("text").map_elements(decoded, return_dtype=pl.String)),
        MARKUP: partial(_without_markup, workspace),
        TWICE: partial(_by_text, pl.col("text").map_elements(_once, return_dtype=pl.String)),
        BLANKS: partial(_by_text, pl.col("text").str.replace_all("[ \t\r\n]+", " ").str.strip_chars(" ")),
        WORDLESS: partial(_by_text, pl.when(pl.col("text").str.contains(r"\p{So}")).then("text").otherwise(pl.lit(""))),
        REFUSALS: partial(_without_sentences, workspace, REFUSALS),
        ERRORS: partial(_without_sentences, workspace, ERRORS),
    }
    return {kind: special.get(kind, partial(_by_patterns, workspace, kind)) for kind in FIXABLE}


def _by_text(changed: pl.Expr, captions: pl.DataFrame) -> pl.DataFrame:
    return captions.select(*KEYS, before="text", after=changed)


@cache
def _wrong() -> re.Pattern[str]:
    """Return the pattern of wrongly decoded text, whose groups are decoded."""
    (pattern,) = (one["pattern"] for one in replacements() if one["kind"] == BROKEN and "(ï»¿)" in one["pattern"])
    return re.compile(pattern)


def decoded(text: str) -> str:
    """Return a text with wrongly decoded characters corrected."""
    return decoded_again(text, _wrong())


def _once(text: str) -> str:
    """Return what a text repeats, if its halves have the same words: at least three, as `findings` lists them."""
    words = [(found.end(), found[0].lower()) for found in re.finditer(r"[^\W_](?:[^\s]*[^\W_])?", text)]
    half = len(words) // 2
    plain = [re.sub(r"[^\w]|_", "", word) for _, word in words]
    if half < 3 or plain[:half] != plain[half:]:
        return text
    once = next(size for size in range(3, half + 1) if not len(plain) % size and plain[size:] == plain[:-size])
    return text[: words[once - 1][0]] + (re.match(r"\s*[.!?]?", text[words[once - 1][0] :]) or [""])[0]


def _by_patterns(workspace: Workspace, kind: str, captions: pl.DataFrame) -> pl.DataFrame:
    """Replace what the patterns of a kind find, one pattern after the other."""
    after = captions
    for one in replacements():
        if one["kind"] == kind and one["fixes"]:
            after = after.update(_matched(workspace, one, after).select(*KEYS, text="after"), on=KEYS)
    return captions.rename({"text": "before"}).join(after.rename({"text": "after"}), on=KEYS, maintain_order="left")


def _without_markup(workspace: Workspace, captions: pl.DataFrame) -> pl.DataFrame:
    """Decode entities and escapes of characters, then remove tags."""
    plain = captions.with_columns(pl.col("text").map_elements(_characters, return_dtype=pl.String))
    return _by_patterns(workspace, MARKUP, plain).with_columns(before=captions["text"])


def _characters(text: str) -> str:
    text = _ENTITY.sub(lambda found: html.unescape(found[0]).replace("\xa0", " "), text)
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _without_sentences(workspace: Workspace, kind: str, captions: pl.DataFrame) -> pl.DataFrame:
    """Leave out the sentences of a kind; if the first one is, the whole caption. Later errors stay."""
    parts = captions.with_columns(part=pl.col("text").str.extract_all(_END)).explode("part")
    numbered = parts.select(image=pl.int_range(pl.len()).cast(pl.String), slot=pl.lit(0, pl.UInt32), text="part")
    found = [_matched(workspace, one, numbered)["image"] for one in replacements() if one["kind"] == kind]
    describes = numbered["text"].str.contains(_DESCRIBES) & ~numbered["text"].str.contains(_IMAGE) & (kind == REFUSALS)
    bad = parts.with_columns(bad=numbered["image"].is_in(pl.concat(found).implode()) & ~describes)
    good = pl.col("part").filter(~pl.col("bad")).str.join("")
    firsts = {"before": pl.col("text").first(), "first": pl.col("bad").first()}
    kept = bad.group_by(KEYS, maintain_order=True).agg(after=good, **firsts)
    rest = "after" if kind == REFUSALS else "before"
    return kept.select(*KEYS, "before", after=pl.when("first").then(pl.lit("")).otherwise(rest))


def _matched(workspace: Workspace, replacement: Mapping[str, str], captions: pl.DataFrame) -> pl.DataFrame:
    workspace.bind_rows("caption_at_repair", captions.select(*KEYS, "text"))
    return workspace.rows("replaced", **replacement)


def _joined(steps: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the steps with one row for consecutive steps of one kind on a caption, in their order."""
    every = pl.concat([pl.DataFrame(schema=_STEPS), *steps]).sort(KEYS, maintain_order=True)
    run = (pl.col("kind") != pl.col("kind").shift()).fill_null(value=True).cum_sum().over(KEYS).alias("run")
    joined = every.with_columns(run).group_by(*KEYS, "run", "kind", maintain_order=True)
    rows = joined.agg(pl.col("before").first(), pl.col("after").last()).drop("run")
    emptied = pl.when(pl.col("after") != "").then("after").alias("after")
    return rows.with_columns(emptied).filter(pl.col("before").ne_missing(pl.col("after")))


def _listed(captions: pl.DataFrame, kinds: Sequence[str], progress: Progress) -> pl.DataFrame:
    """List what `findings` finds in captions that no store holds. Columns: image, slot, kind."""
    if captions.is_empty() or not kinds:
        return pl.DataFrame(schema={"image": pl.String, "slot": pl.UInt32, "kind": pl.String})
    with Store.open(MEMORY, write=True) as store:
        place = {"source": pl.lit("repaired"), "unit": pl.lit("line"), "line": pl.int_range(pl.len())}
        rows = captions.select(*KEYS, "text", **place)
        source = Source("repaired", "candidates", "literal", ())
        ingestion.write(store, source, iter([complete(rows)]), {}, AT_INGEST, "0" * 64)
        found = findings(store, "repaired", kinds=kinds, captions_only=True, config={}, progress=progress)
    return found.frame.drop_nulls("slot").select(*KEYS, "kind").unique(maintain_order=True)


def named_by_findings(store: Store, selection: Selection, without: Sequence[str], progress: Progress) -> pl.DataFrame:
    """List the captions that are left out. Columns: image, slot, split, text, kind, severity, why; a row per finding.

    `without` has kinds, severities (this or worse), or `findings` for errors and warnings; see `findings.not_kept`. The
    severity is that of one caption. Raises `UsageError` for a dataset whose captions are not independent.
    """
    if selection.version.kind not in _KINDS:
        held = f"{selection.label} holds {selection.version.kind}"
        raise UsageError(f"--without: {held}; its captions cannot be left out one by one")
    own = [word for word in without if word in CAPTION_KINDS]
    kinds = [kind for kind in not_kept(without, own) if kind != CONTAMINATED or kind in without]
    name = selection.pinned_name
    named = findings(store, name, kinds=kinds, captions_only=True, config={}, progress=progress).frame
    if PLACEHOLDERS not in without:  # of copies, the first stays, whatever its text is
        first = named.filter(kind="copied-captions").select(image="other_image", slot="other_slot")
        named = named.join(first.with_columns(kind=pl.lit(PLACEHOLDERS)), on=[*KEYS, "kind"], how="anti")
    texts = content(store, selection).select("image", "slot", "split", "text")
    of_image = pl.col("slot").is_null()
    whole = named.filter(of_image).drop("slot", "split", "text").join(texts, on="image")
    columns = ("image", "slot", "split", "text", "kind", "severity", "why")
    rows = pl.concat([named.filter(~of_image).select(columns), whole.select(columns)])
    bad = pl.col("kind").replace_strict({kind: of_caption(kind) for kind in kinds}, return_dtype=pl.String)
    return rows.with_columns(severity=bad).sort("image", "slot", "kind")
