"""Global diversity of one selection: counts by `sql/diversity`, and walks through captions in random orders.

There is one row for each statistic, averaged over lists and orders.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from auditor.arrays import np
from auditor.errors import MetricError, SourceError
from auditor.model import Selection, Source
from auditor.result import Finding, Said, Signature, about
from auditor.scoring.single_captions import Lists, parallel_lists
from auditor.sources import guess, read
from auditor.sources.reading import files
from auditor.sources.reading.declared import named_files
from auditor.statistics import diversity as scored
from auditor.statistics.diversity import CONFIDENCE, RESAMPLES, STATISTICS, Walk
from auditor.statistics.sameness import SAMENESS, measured_sameness, sameness
from auditor.statistics.studentized import INTERVAL
from auditor.store.connection import Store
from auditor.store.versions import params_of
from auditor.store.workspace import Workspace
from auditor.studies.diversity.settings import CURVE, EVERY, Asked, DiversitySettings, Known

_DECIMALS = 12


def summary(measured: pl.DataFrame, lists: Lists) -> pl.DataFrame:
    """Average over lists, then over draws; a statistic is null if it is null for one of the lists.

    `measured` has a row for each list, draw (null without random orders) and statistic: value, reason. `low` and `high`
    are the range over random orders (`spread` is `draws`) or parallel lists (`spread` is `lists`).
    """
    named = pl.DataFrame({"statistic": list(STATISTICS)}).with_row_index("number")
    value, reason = pl.col("value"), pl.col("reason").drop_nulls().first()
    whole = value.null_count() == 0
    mean = pl.when(whole).then(value.mean())
    by_list = measured.group_by("statistic", "draw", maintain_order=True)
    by_draw = by_list.agg(value=mean, low=value.min(), high=value.max(), reason=reason)
    drawn = whole & pl.col("draw").is_not_null().any() & (pl.len() > 1)
    several = whole & pl.lit(lists.number > 1) & pl.col("draw").is_null().all()
    rows = by_draw.group_by("statistic", maintain_order=True).agg(
        position=pl.lit(None, pl.Int64),
        low=pl.when(drawn).then(value.min()).when(several).then(pl.col("low").first()),
        high=pl.when(drawn).then(value.max()).when(several).then(pl.col("high").first()),
        spread=pl.when(drawn).then(pl.lit("draws")).when(several).then(pl.lit("lists")),
        reason=reason + (", in a parallel list" if lists.number > 1 else ""),
        value=mean,
    )
    ordered = rows.join(named, on="statistic").sort("number")
    return ordered.select("statistic", "position", *_rounded(), "spread", pl.lit(lists.number).alias("lists"), "reason")


def curve_rows(curve: pl.DataFrame, walks: int, lists: Lists) -> pl.DataFrame:
    """Average the curves of `walks` walks over lists, then draws, at the positions that all walks reach."""
    types, several = pl.col("types"), pl.when(pl.col("draws") > 1)
    every = curve if curve.height else pl.DataFrame(schema=scored.CURVE)
    common = every.filter(pl.len().over("tokens") == walks)
    by_draw = common.group_by("tokens", "draw", maintain_order=True).agg(types.mean())
    by_tokens = by_draw.group_by("tokens", maintain_order=True)
    rows = by_tokens.agg(value=types.mean(), low=types.min(), high=types.max(), draws=pl.len()).sort("tokens")
    return rows.with_columns(several.then(pl.col("low", "high"))).select(
        pl.lit(CURVE).alias("statistic"),
        pl.col("tokens").alias("position"),
        *_rounded(),
        several.then(pl.lit("draws")).alias("spread"),
        pl.lit(lists.number).alias("lists"),
        pl.lit(None, pl.String).alias("reason"),
    )


def _rounded() -> list[pl.Expr]:
    return [pl.col(name).cast(pl.Float64).round(_DECIMALS) for name in ("value", "low", "high")]


_PRESSED = "compression-ratio"

_MOST_TYPES = 2**21 - 1  # three numbers of types fit in 63 bits


#: The kind of finding on captions with an unknown order in their file.
FILE_ORDER = "file-order-unknown"


@dataclass(frozen=True)
class GlobalStatistics:
    """The rows of a selection: statistic, position, value, low, high, spread, lists, reason, signature, seed.

    `position` is the number of tokens at which a curve is read, null for other statistics.

    `low` and `high` are the smallest and the largest value over random orders (`spread` is `draws`) or parallel lists
    (`lists`); for sdsl, they are an interval over resampled `images`. They are null for a single value.
    """

    rows: pl.DataFrame
    notes: tuple[Said, ...]


def workspace(store: Store, settings: DiversitySettings, known: Known) -> Workspace:
    """Open a workspace with counts of the training and the evaluation data."""
    workspace = Workspace(
        store, tokenizer=settings.resolved_tokenizer, as_written=settings.as_written, draws=settings.draws,
        seed=settings.seed, all_images=settings.all_images,
    )  # fmt: skip
    if known.training:
        trained = use(workspace, known.training)
        trained.bind("trained_form", "normalized_form")
        if known.training.version.kind == "wordlist":
            trained.bind("annotated", "annotation_as_of")
            trained.bind("trained_word", "weighted_word")
        else:
            trained.bind("trained_word", "token_count")
    if known.evaluation:
        evaluated = use(workspace, known.evaluation)
        evaluated.bind("evaluated_image_word", "word_of_image")
        evaluated.bind_rows("evaluated_image", evaluated.query("select distinct image from reference"))
    return workspace


def use(workspace: Workspace, selection: Selection) -> Workspace:
    """Return the workspace with its relations bound to another selection."""
    other = workspace.given(**params_of(selection))
    other.bind("reference")
    return other


def global_statistics(
    workspace: Workspace,
    selection: Selection,
    settings: DiversitySettings,
    known: Known,
    words: pl.DataFrame,
    declared: Mapping[str, Source],
    asked: Asked = EVERY,
) -> GlobalStatistics:
    """Measure a selection; its tokens must be there. `words` is the vocabulary (token_id, token)."""
    workspace = use(workspace, selection)
    lists = parallel_lists(workspace, selection, settings.lists, full=settings.full_lists)
    workspace = workspace.given(lists=lists.asked)
    exact = _exact(workspace, known, asked).with_columns(draw=pl.lit(None, pl.Int32))
    walks, why_not = _ordered(workspace, selection, settings, declared, asked)
    walked, curve = scored.walk(walks, settings.segment, settings.positions if asked.any_of(CURVE) else [], asked.names)
    pressed = [_compressed(walk, words) for walk in walks if walk.draw == 0 and asked.any_of(_PRESSED)]
    ratios = pl.DataFrame(pressed, schema=scored.WALKED, orient="row")
    measured = pl.concat([exact.select(*scored.WALKED), walked, ratios])
    rows = pl.concat([summary(measured, lists), curve_rows(curve, len(walks), lists)])
    key = (settings.seed, *selection.content)
    resampled = {}
    if asked.any_of("sdsl"):
        resampled["sdsl"] = scored.measured_sdsl(workspace.rows("image_length"))
    if asked.any_of(SAMENESS):
        resampled[SAMENESS] = measured_sameness(workspace.rows("image_sameness"), workspace.rows("sameness"))
    for statistic, interval in scored.intervals(resampled, key).items():
        rows = _with_interval(rows, statistic, interval)
    signed = {name: _signature(name, settings, known, why_not is None) for name in rows["statistic"].unique()}
    signatures = [signed[name] for name in rows["statistic"]]
    named = rows.with_columns(
        pl.Series("signature", [*map(str, signatures)], pl.String),
        pl.Series("seed", [signature.parameters.get("seed") for signature in signatures], pl.Int64),
    )
    missing = workspace.rows("missing_image").row(0) if known.evaluation else (0, 0)
    findings = _notes(selection, known, why_not, missing, all_images=settings.all_images)
    return GlobalStatistics(named, (*lists.notes, *findings))


def _with_interval(rows: pl.DataFrame, statistic: str, interval: tuple[float, float] | None) -> pl.DataFrame:
    """Set the interval of a statistic: over images instead of the range over lists."""
    low, high = interval or (None, None)
    ends = {"low": pl.lit(low, pl.Float64), "high": pl.lit(high, pl.Float64)}
    ends["spread"] = pl.lit(None if low is None else "images", pl.String)
    own = pl.when(statistic=statistic)
    return rows.with_columns(own.then(end).otherwise(name).alias(name) for name, end in ends.items())


def _exact(workspace: Workspace, known: Known, asked: Asked) -> pl.DataFrame:
    """Compute the statistics that do not depend on order. Columns of `scored.MEASURED`."""
    longest = 4 if asked.any_of("ngram-diversity") else 2 if asked.any_of("distinct-2") else 1
    workspace = workspace.given(longest=longest)
    lists = workspace.rows("list_length")
    cards = [card for card in STATISTICS.values() if asked.any_of(card.name) and known.answers(card.needs)]
    wanted = {card.counts for card in cards}
    made_of: Mapping[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
        "list_gram_count": lambda rows: scored.gram_ratios(rows, lists),
        "frequency_spectrum": lambda rows: scored.spectrum(rows, lists),
        "self_repetition": scored.self_repetition,
        "distinct_caption": lambda rows: scored.shares(rows, lists, "unique", "distinct_captions"),
        "sameness": sameness,
        "novel_type": lambda rows: scored.novel_types(rows, lists),
        "coverage": lambda rows: scored.coverage(rows, lists),
    }
    parts = [pl.DataFrame(schema=scored.MEASURED), *([scored.lengths(lists)] if "list_length" in wanted else [])]
    parts += [make(workspace.rows(relation)) for relation, make in made_of.items() if relation in wanted]
    if known.training and "novel_caption" in wanted:
        parts.append(_novel(workspace, lists, known.training))
    columns = [pl.col(name).cast(kind) for name, kind in scored.MEASURED.items()]
    return asked.rows_of(pl.concat(part.select(columns) for part in parts))


def _novel(workspace: Workspace, lists: pl.DataFrame, training: Selection) -> pl.DataFrame:
    if training.version.kind != "wordlist":
        return scored.shares(workspace.rows("novel_caption"), lists, "novel", "novel")
    reason = pl.lit(f"{training.label} is a word list: it has no captions")
    return lists.select("list_no", statistic=pl.lit("novel"), value=pl.lit(None, pl.Float64), reason=reason)


def _ordered(
    workspace: Workspace,
    selection: Selection,
    settings: DiversitySettings,
    declared: Mapping[str, Source],
    asked: Asked,
) -> tuple[list[Walk], str | None]:
    """Return the walks for the selected statistics, and why they are not in the order of the file."""
    if not asked.any_of(_PRESSED, *(card.name for card in STATISTICS.values() if card.walks)):
        return [], None
    captions = workspace.rows("list_tokens")
    if not settings.as_written:
        return _walks(captions, workspace.rows("caption_order")), None
    images, why_not = image_order(selection, declared)
    places = captions.select("list_no", "image", "place")
    if images is not None:
        places = places.join(images, on="image", how="left").sort("list_no", "position", "place")
    return _walks(captions, places.with_columns(draw=pl.lit(0, pl.Int32))), why_not


def _walks(captions: pl.DataFrame, orders: pl.DataFrame) -> list[Walk]:
    """Return the walks of lists (list_no, tokens) in their orders (list_no, draw, place)."""
    made = []
    for number in captions["list_no"].unique(maintain_order=True):
        tokens = captions.filter(list_no=number)["tokens"]
        flat = tokens.filter(tokens.list.len() > 0).explode().to_numpy()
        known = np.zeros(int(flat.max(initial=0)) + 1, np.bool_)
        known[flat] = True
        ids, codes = np.flatnonzero(known).astype(flat.dtype), (np.cumsum(known, dtype=np.uint32) - 1)[flat]
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(tokens.list.len().to_numpy(), dtype=np.int64)))
        if len(ids) > _MOST_TYPES:
            raise MetricError(f"{len(ids):,} different tokens: at most {_MOST_TYPES:,} are supported")
        for (draw,), order in orders.filter(list_no=number).group_by("draw", maintain_order=True):
            places = (order["place"] - 1).cast(pl.UInt32).to_numpy()
            made.append(Walk(number, int(str(draw)), codes, starts, ids, places))
    return made


def _compressed(walk: Walk, words: pl.DataFrame) -> tuple[object, ...]:
    spelled = pl.DataFrame({"token_id": walk.types}).join(words, on="token_id", how="left", maintain_order="left")
    return walk.list_no, None, _PRESSED, *scored.compression_ratio(walk, spelled["token"])


def _signature(name: str, settings: DiversitySettings, known: Known, in_file_order: bool) -> Signature:
    """Return the signature of a statistic."""
    card = STATISTICS[name]
    lists = "full" if settings.full_lists and settings.lists == "mean" else settings.lists
    shown: dict[str, str | int | float | bool] = {"tok": settings.resolved_tokenizer, "lists": lists}
    if card.walks or name == _PRESSED:
        shown["order"] = "md5" if not settings.as_written else "file" if in_file_order else "image"
    if shown.get("order") == "md5":
        shown |= {"draws": settings.draws if card.walks else 1, "seed": settings.seed}
    if name in ("ttr-1", "ttr-2", "ttr-3"):
        shown["segment"] = settings.segment
    if name in ("unique", "novel"):
        shown["equal"] = "text" if settings.as_written else "tokens"
    if card.over_images:
        shown |= {"ci": f"{CONFIDENCE:.0%}-{INTERVAL}-{RESAMPLES}", "seed": settings.seed}
    if "training" in card.needs and known.training:
        shown["train"] = known.training.pinned_name
    if "evaluation" in card.needs and known.evaluation:
        shown["eval"] = known.evaluation.pinned_name
    if card.needs == "training and evaluation":
        shown["images"] = "all" if settings.all_images else "shared"
    return Signature(name, shown, card.version)


def _notes(
    selection: Selection, known: Known, why_not: str | None, missing: Sequence[int], *, all_images: bool
) -> Iterator[Finding]:
    if why_not:
        sentence = (
            f"{selection.label}: the file order is not available ({why_not}). Captions are read by image id,"
            " so ttr, mattr, mtld and the curve differ from published values"
        )
        yield Finding(FILE_ORDER, sentence, about(selection), severity="notice")
    if known.evaluation and missing[1]:
        follows = "fewer captions recall fewer words" if all_images else "they do not count on either side"
        images = f"{missing[1]:,} of {missing[0]:,} images of {known.evaluation.label}"
        sentence = f"{images} have no caption in {selection.label}: {follows}"
        where = about(selection, against=known.evaluation.label)
        yield Finding("images-not-shared", sentence, where, {"images": missing[1]}, missing[0], "warning")


def image_order(selection: Selection, declared: Mapping[str, Source]) -> tuple[pl.DataFrame | None, str | None]:
    """Return image and position (from 0, of its first caption) as the files that were ingested have them.

    If those files are not available, return no frame but the reason.
    """
    version = selection.version
    source = declared.get(version.dataset)
    if source is None:
        return None, "datasets.toml does not declare it"
    try:
        if files.sha256(named_files(source)) != version.source_sha256:
            return None, "its files are not those that were ingested"
        source = source if source.format else dataclasses.replace(source, format=guess(source.parts[0]))
        batches = chain.from_iterable(read(part, source.format) for part in source.parts)
        images = pl.concat(batch.filter(pl.col("reason").is_null()).select("image") for batch in batches)
    except SourceError as error:
        return None, str(error)
    return images.unique(maintain_order=True).with_row_index("position"), None
