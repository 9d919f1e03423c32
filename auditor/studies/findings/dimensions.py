"""What is wrong in six lines: for each dimension, the share of the captions that a warning or an error is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

import polars as pl

from auditor.findings import DIMENSIONS, KINDS, share_of, told
from auditor.findings.wording import kind_for
from auditor.model import Selection
from auditor.result import IMAGE, SEVERITIES, Finding, Table, about, listed, percent
from auditor.store.captions import Captions
from auditor.studies.duplicates import LEAK
from auditor.studies.findings.protected import CONTAMINATED

FORMULAIC, TABLE = "formulaic", "dimensions"

#: Most findings that a line names.
_AT_MOST = 3

_SCHEMA = {
    "dataset": pl.String,
    "captions should be": pl.String,
    "with problems": pl.String,
    "what was found": pl.String,
    "share": pl.Float64,
}


def formed(listed: pl.DataFrame) -> int:
    """Count the captions that some part of `formulaic` lists. Columns: kind, image, slot."""
    return listed.filter(pl.col("kind").is_in(KINDS[FORMULAIC].parts)).unique(["image", "slot"]).height


def formulaic(selection: Selection, found: Sequence[Finding], number: int) -> list[Finding]:
    """Return the finding on `number` captions with a common form, if two kinds found some; else none."""
    parts = [finding for finding in found if finding.kind in KINDS[FORMULAIC].parts]
    if len(parts) < 2 or not parts[0].n:
        return []
    n, share = parts[0].n, number / parts[0].n
    parts = sorted(parts, key=share_of, reverse=True)
    shares = ", ".join(f"{KINDS[part.kind].title.lower()} {percent(share_of(part))}" for part in parts)
    sentence = f"{selection.label}: formulaic captions: {number:,} of {n:,} ({percent(share)}): {shares}"
    worst = min((part.severity for part in parts), key=SEVERITIES.index)
    examples = tuple(part.examples[n % len(part.examples)] for n, part in enumerate(parts) if part.examples)
    values, headline = {"captions": number, "share": share}, f"{number:,} of {n:,} captions"
    return [Finding(FORMULAIC, sentence, about(selection), values, n, worst, examples, headline)]


def bad(found: Sequence[Finding]) -> list[str]:
    """Name the kinds of warnings and errors."""
    return [finding.kind for finding in found if finding.severity in SEVERITIES[:2]]


def affected(rows: pl.DataFrame, kinds: Collection[str], images: Callable[[], pl.DataFrame]) -> Counter[str]:
    """Count the captions that some of these kinds list, by dimension. All captions of a listed image count.

    `rows` has columns kind, image, slot; `images` returns each image with the number of its captions.
    """
    dimensions = {kind: KINDS[kind].dimension for kind in kinds}
    own = rows.filter(pl.col("kind").is_in([*dimensions])).select(
        "image", "slot", dimension=pl.col("kind").replace_strict(dimensions, return_dtype=pl.String)
    )
    of_images = own.filter(pl.col("slot").is_null()).select("image", "dimension").unique()
    single = own.filter(pl.col("slot").is_not_null()).unique().join(of_images, on=["image", "dimension"], how="anti")
    counts = Counter[str](dict(single.group_by("dimension").len().iter_rows()))
    if of_images.height:
        whole = of_images.join(images(), on="image").group_by("dimension").agg(pl.col("captions").sum())
        counts.update(dict(whole.iter_rows()))
    return counts


def rows(captions: Captions, found: Sequence[Finding], listed: Sequence[pl.DataFrame], item: str) -> pl.DataFrame:
    """Return a row for each dimension, the worst first, from the findings on captions of `item` and those they list.

    `share` is the number; null if nothing was checked.
    """
    counts, n = affected(pl.concat(listed), bad(found), captions.images), int(captions.images()["captions"].sum())
    lines = ordered(captions.selection, found, counts, n)
    return lines.with_columns(pl.col("captions should be").str.replace(IMAGE, item))


def ordered(selection: Selection, found: Sequence[Finding], counts: Counter[str], captions: int) -> pl.DataFrame:
    """Return a row for each dimension, the worst first. `counts` are those of `affected`, of so many `captions`."""
    lines = sorted(_lines(selection, found, counts, captions), key=lambda line: line[:2])
    return pl.DataFrame([line[2:] for line in lines], schema=_SCHEMA, orient="row")


def _lines(
    selection: Selection, found: Sequence[Finding], counts: Counter[str], captions: int
) -> Iterator[tuple[int, float, str, str, str, str, float | None]]:
    for dimension in DIMENSIONS:
        own = [one for one in told(found) if KINDS[one.kind].dimension == dimension and one.severity != "info"]
        named = sorted(own, key=lambda one: (SEVERITIES.index(one.severity), -share_of(one)))
        wrong = [one for one in named if one.severity in SEVERITIES[:2]]
        # A finding that lists no captions has a share of what it counts, or else is about all of them.
        of_all = [share_of(one) * _of(one, captions) for one in wrong if "share" in one.values or not one.examples]
        share = max([counts[dimension] / max(captions, 1), *of_all])
        noticed = listed([_named(one) for one in named if one.severity == "notice"], _AT_MOST)
        what = "; ".join(filter(None, [listed([*map(_named, wrong)], _AT_MOST), f"notices: {noticed}" * bool(noticed)]))
        is_checked = dimension != KINDS[LEAK].dimension or any(one.kind in (LEAK, CONTAMINATED) for one in found)
        if not named:
            what = "nothing" if is_checked else "not checked: needs splits test and train, or --against"
        order = SEVERITIES.index(named[0].severity) if named else len(SEVERITIES) + (not is_checked)
        shown = (percent(share) if share else "0%") if is_checked else ""
        yield order, -share, selection.label, dimension, shown, what, share if is_checked else None


def _of(finding: Finding, captions: int) -> float:
    """Return which share of the captions a finding counts: a leak counts those of the test split."""
    return (finding.n or captions) / max(captions, finding.n or 1)


def _named(finding: Finding) -> str:
    """Name a finding with its share; one without a share by its title."""
    title = kind_for(finding).title
    return f"{title} {percent(share_of(finding))}" if "share" in finding.values else title


def sentences(lines: pl.DataFrame) -> Iterator[str]:
    """Yield a sentence for each dimension."""
    for label, dimension, share, what in lines.drop("share").iter_rows():
        yield (
            f"{label}: {dimension}: {share} of the captions have problems; found: {what}."
            if share
            else (f"{label}: captions {dimension}: {what}.")
        )


def table(every: pl.DataFrame, found: Sequence[Finding]) -> Table:
    """Return the table of dimensions; of several datasets, a column for each with its share.

    Below it are the warnings and errors that are in no line, since they are about no dimension.
    """
    one, apart = every["dataset"].n_unique() < 2, list[str]()
    for finding in told(found):
        if finding.severity in SEVERITIES[:2] and not KINDS[finding.kind].dimension:
            label = "" if one else finding.about.get("dataset")
            apart.append(f"{f'{label}: ' if label else ''}{kind_for(finding).title} ({finding.headline})")
    caption = "with problems: the share of the captions that a warning or an error is about; notices do not count" * one
    below = f"not about single captions, so in no line: {', '.join(apart)}" if apart else ""
    caption = "; ".join(filter(None, [below, caption]))
    if one:
        return Table("what is wrong", every.drop("dataset", "share"), caption=caption, name=TABLE)
    shares = every.pivot("dataset", index="captions should be", values="with problems", aggregate_function="first")
    return Table("what is wrong: share of captions with problems", shares, caption=caption, name=TABLE)


def by_severity(found: Sequence[Finding]) -> Table:
    """Return the table of findings, the worst first."""
    told_of = [(finding.severity, finding.kind, finding.sentence, kind_for(finding).consequence) for finding in found]
    columns = dict.fromkeys(("severity", "kind", "finding", "consequence"), pl.String)
    frame = pl.DataFrame(told_of, schema=columns, orient="row")
    return Table("findings by severity", frame, sections="severity", name="findings", tells_findings=True)
