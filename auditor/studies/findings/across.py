"""Kinds whose captions depend on all shards: counts of buckets are added, and a bucket is searched with the sums.

Some kinds depend on a form of each caption, such as its first three words, and on the numbers of captions by form. For
them, one caption of each form is searched, as often as the form occurs. For others, common table expressions of
their SELECTs are counted in buckets and added.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import polars as pl

from auditor.model import Version
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.subsets import excerpt
from auditor.store.workspace import Workspace
from auditor.studies.findings.captions import FINDERS, LISTED, MISSPELLED, Checked, bind_function_words
from auditor.studies.findings.cuts import cut_ones, cut_share
from auditor.text import tokenizer_of

_MEASURED = "concat_ws(' ', word, characters, words, tokens, is_open::int, stops::int, is_broken::int) as form from"

#: The form of each caption, or image, by kind: a SELECT, or the SQL file and common table expression that it is on.
FORMS: Mapping[str, tuple[str, str, str]] = {
    "other-script": (
        "", "script", "select image, slot, script || is_mixed as form from reference join script using (caption_id)",
    ),
    "uneven-captions": (
        "", "", "select image, 0 as slot, concat_ws(' ', count(*), min(split)) as form from reference group by image",
    ),
    "common-openings": (
        "", "text_tokens", "select image, slot, array_to_string(tokens[:3], ' ') as form from reference"
        " join text_tokens using (caption_id) where len(tokens) >= 3",
    ),
    "common-skeletons": (
        "common_skeleton", "skeleton_of", "select image, slot, skeleton as form from skeleton_of join reference using"
        " (caption_id)",
    ),
    "cut-at-limit": ("cut_at_limit", "measured", f"select image, slot, {_MEASURED} measured"),
}  # fmt: skip

#: The sums that other kinds need, of the first and of the second pass: see `sums`. Every bucket reads them.
SUMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "misspellings": (("near_word",), ("usual_before", "usual_behind")),
    "truncated-captions": (("rate", "open", "whole", "at_limit"), ("truncated",)),
}

ACROSS = (*FORMS, *SUMS)

#: What the chance of a caption to end where it does depends on. Its `characters` count only at a length limit.
_END = ("size", "before", "word", "characters")

_AN_END = "size, before, word, case when characters in (from at_limit) then characters end as characters"

_TEXTS = dict.fromkeys(("kind", "form", "split", "text"), pl.String())

_GROUPED = pl.Schema({**_TEXTS, "members": pl.UInt32(), "captions": pl.UInt32()})

#: The first caption of a form. The numbers of an image and its split are part of the form.
_ONE = {"text": pl.col("text").min(), "captions": pl.col("captions").first(), "split": pl.col("split").first()}

Frames = dict[str, pl.DataFrame]

Added = Callable[[str], pl.DataFrame]


def forms(checked: Checked, kind: str) -> pl.DataFrame:
    """Return the form of each caption that has one. Columns: image, slot, form; for images, the slot is 0."""
    file, relation, select = FORMS[kind]
    if kind == "common-skeletons":
        bind_function_words(checked)
    if file:
        return checked.workspace.part(file, {}, relation, select)
    if relation and relation not in checked.workspace.bound:
        checked.workspace.bind(relation)
    return checked.workspace.query(select)


def groups(checked: Checked, kinds: tuple[str, ...], records: pl.DataFrame) -> pl.DataFrame:
    """Count the captions of each form, or the images, each form with its first caption. Columns: `_GROUPED`."""
    made = [pl.DataFrame(schema=_GROUPED)]
    sizes = records.group_by("image").agg(captions=pl.len().cast(pl.UInt32), split=pl.col("split").min())
    texts = records.select("image", "slot", "text")
    for kind in kinds:
        rows = forms(checked, kind)
        if kind == "uneven-captions":
            described = rows.join(sizes, on="image").with_columns(text=pl.lit(""))
        else:
            every = texts.join(rows, on=["image", "slot"], how="left")
            described = every.with_columns(
                text=pl.when(pl.col("form").is_not_null()).then("text").otherwise(pl.lit("")),
                captions=pl.lit(1, pl.UInt32), split=pl.lit(None, pl.String),
            )  # fmt: skip
        counted = described.group_by("form").agg(members=pl.len().cast(pl.UInt32), **_ONE)
        made.append(counted.with_columns(kind=pl.lit(kind)).select(_GROUPED.names()).sort("form"))
    return pl.concat(made)


def judged(kind: str, grouped: pl.LazyFrame, tokenizer: str, share: Share) -> pl.DataFrame:
    """Search one caption of each form, as often as the form occurs. Columns: form, why."""
    one = grouped.group_by("form").agg(pl.col("members").sum(), **_ONE).sort("form").collect(engine="streaming")
    one = one.with_columns(tokens=tokenizer_of(tokenizer)(one["text"])).with_row_index("caption_id", offset=1)
    spoken = one.select(token=pl.col("tokens").explode()).drop_nulls().unique().sort("token").with_row_index("token_id")
    ids = (
        one.select("caption_id", "tokens").explode("tokens")
        .join(spoken, left_on="tokens", right_on="token", maintain_order="left")
        .group_by("caption_id", maintain_order=True).agg(tokens="token_id")
    )  # fmt: skip
    captions = (
        one.drop("tokens").join(ids, on="caption_id", how="left", maintain_order="left")
        .with_columns(pl.col("tokens").fill_null(pl.Series([[]], dtype=pl.List(pl.UInt32))))
        .with_columns(image=pl.col("caption_id").cast(pl.String), slot=pl.lit(0, pl.UInt32))
    )  # fmt: skip
    epoch = datetime.datetime.fromtimestamp(0, datetime.UTC)
    version = Version("forms", 1, "", epoch, "", "", (tokenizer,), one.height, one.height)
    given = captions.select("image", "slot", "split", "caption_id", "text", "tokens")
    with excerpt(given, spoken, version, tokenizer, share) as (store, selection):
        with store.registered("forms", captions.select("image", "split", "caption_id", "members", "captions")):
            store.execute("delete from membership")
            store.execute(
                "insert into membership by name select 'forms' as dataset,"
                " if(nth = 0, image, image || ' ' || nth) as image, "
                "unnest(range(captions))::uinteger as slot, split, caption_id, 1 as from_seq"
                " from (select *, unnest(range(members)) as nth from forms)"
            )
        workspace = Captions(store, selection, tokenizer).workspace(key=tokenizer)
        rows = FINDERS[kind](Checked(store, "forms", 1, workspace))
    why = rows.select(pl.col("image"), "why").unique("image")
    return captions.select("image", "form").join(why, on="image").select("form", "why").sort("form")


def first_counts(checked: Checked, kinds: tuple[str, ...]) -> Frames:
    """Count what depends on one bucket alone."""
    part, made = checked.workspace.part, Frames()
    if "misspellings" in kinds:
        made["counted"] = part("misspelled", {}, "counted")
    if "truncated-captions" in kinds:
        sizes = "select null::uinteger[] as tokens, size, is_open, count(*) as repeated from worded group by all"
        made["sizes"] = part("usual_end", {}, "worded", sizes)
        image = "null::varchar as image, null::uinteger as slot, null::uinteger[] as tokens"
        made["lengths"] = part(
            "truncated",
            {},
            "worded",
            f"select {image}, size, characters, is_open, count(*) as repeated from worded group by all",
        )
    return made


def second_counts(checked: Checked, kinds: tuple[str, ...], sums: Frames) -> Frames:
    """Count what depends on the first `sums`."""
    part, made = checked.workspace.part, Frames()
    if "misspellings" in kinds:
        keys = "0::uinteger as caption_id, token_id, before, behind"
        usual = f"select {keys}, sum(copies)::bigint as copies from placed group by all"
        made["usual"] = part("misspelled", {"near_word": sums["near_word"]}, "placed", usual)
    if "truncated-captions" in kinds:
        whole = "select * replace (ends::bigint as ends, round(expected * 1000000)::bigint as expected) from per_pair"
        made["per_pair"] = part("usual_end", {"rate": sums["rate"]}, "per_pair", whole)
        each = f"select {_AN_END}, count(*) as repeated from ending group by all"
        made["ending"] = part("truncated", {"at_limit": sums["at_limit"]}, "ending", each)
        made["placed"] = part("word_fragment", {}, "placed", "select *, count(*) as repeated from placed group by all")
    return made


def sums(merging: Workspace, added: Added, first: Frames) -> Mapping[str, Callable[[], pl.DataFrame]]:
    """Return what follows from the counts of all buckets, which `added` reads by name, and from the `first` sums."""
    part = merging.part

    def near_word() -> pl.DataFrame:
        words = added("counted").group_by("token_id", "token").agg(pl.col("captions").sum(), pl.col("is_known").any())
        return part("misspelled", {"counted": words}, "near_word")

    def usual(side: str) -> pl.DataFrame:
        placed = added("usual")
        meant = placed.join(first["near_word"], on="token_id").select(side, pl.col("meant_id").alias("token_id"))
        return part("misspelled", {"placed": placed}, f"usual_{side}").join(meant, on=[side, "token_id"], how="semi")

    return {
        "near_word": near_word,
        "rate": lambda: part("usual_end", {"worded": _bag(added("sizes"))}, "rate"),
        "open": lambda: part("usual_end", {"worded": _bag(added("sizes"))}, "whole"),
        "whole": lambda: part("truncated", {"worded": _bag(added("lengths"))}, "whole"),
        "at_limit": lambda: part("truncated", {"worded": _bag(added("lengths"))}, "at_limit"),
        "usual_before": lambda: usual("before"),
        "usual_behind": lambda: usual("behind"),
        "truncated": lambda: _ends_of_cuts(merging, added, first),
    }


def _ends_of_cuts(merging: Workspace, added: Added, first: Frames) -> pl.DataFrame:
    """List the ends of captions that are probably truncated. Columns: size, before, word, characters, why."""
    part, pairs = merging.part, added("per_pair")

    def expected(*keys: str) -> pl.DataFrame:
        counted = pairs.group_by(keys).agg(pl.col("times", "ends", "expected").sum())
        return counted.with_columns(pl.col("expected") / 10**6)

    ends = _bag(added("ending")).with_row_index("slot").with_columns(image=pl.lit(""))
    shares = first["rate"].select(pl.col("place").alias("size"), pl.col("share").cast(pl.Float64))
    regular = {
        "ending": ends.select("before", "word", "size").unique().join(shares, on="size"),
        "per_word": expected("word"),
        "per_pair": expected("before", "word"),
        "whole": first["open"],
    }
    merging.bind_rows("usual_end", part("usual_end", regular))
    merging.bind_rows("word_fragment", part("word_fragment", {"placed": _bag(added("placed"))}))
    limits = {name: first[name] for name in ("whole", "at_limit")}
    open_ended = part("truncated", {"ending": ends.drop("repeated"), **limits})
    share = cut_share(open_ended.join(ends.select("slot", "repeated"), on="slot"))
    return ends.join(cut_ones(open_ended, share), on="slot").select(*_END, "why").sort(_END)


def truncated(checked: Checked, sums: Frames) -> pl.DataFrame:
    """List the captions of a bucket that have one of the ends of cuts."""
    select = f"select image, slot, {_AN_END} from ending order by image, slot"
    rows = checked.workspace.part("truncated", {"at_limit": sums["at_limit"]}, "ending", select)
    return rows.join(sums["truncated"], on=_END, nulls_equal=True, maintain_order="left").select("image", "slot", "why")


def misspelled(checked: Checked, sums: Frames) -> pl.DataFrame:
    """List the misspellings of a bucket, with the counts of all shards."""
    given = {name: sums[name] for name in ("near_word", "usual_before", "usual_behind")}
    return checked.workspace.part("misspelled", {**given, "wanted": sums["near_word"].select("token_id").unique()})


def listed(checked: Checked, kind: str, verdicts: pl.DataFrame) -> pl.DataFrame:
    """List the captions of a bucket whose form is listed. Columns: image, slot, why."""
    if verdicts.is_empty():
        return pl.DataFrame(schema={name: LISTED[name] for name in ("image", "slot", "why")})
    rows = forms(checked, kind).join(verdicts, on="form", how="inner").select("image", "slot", "why")
    rows = rows.sort("image", "slot")
    return rows.with_columns(slot=pl.lit(None, pl.UInt32)) if kind == "uneven-captions" else rows


@contextmanager
def merging(words: pl.DataFrame, share: Share, *, is_english: bool) -> Iterator[Workspace]:
    """Open a workspace on the words of all shards, without captions."""
    with Store.open(MEMORY, share=share) as store:
        with store.registered("numbered", words):
            store.execute("insert into vocabulary select token_id, token from numbered")
        workspace = Workspace(store, is_english=is_english, **MISSPELLED)
        workspace.bind_rows("english_token", words.filter("english_token").select("token_id"))
        yield workspace


def _bag(rows: pl.DataFrame) -> pl.DataFrame:
    """Add up equal rows; each counts `repeated` times."""
    return rows.group_by(pl.exclude("repeated")).agg(pl.col("repeated").sum())
