"""Questions for raters as files: one that hides who wrote what, and its key, which undoes the random order.

Which of two captions is closer to a third, or better? (Vedantam et al. 2015, section 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, get_args

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.called import call
from auditor.errors import UsageError
from auditor.files import printable
from auditor.files import rows as row_files
from auditor.model import Selection
from auditor.result import Finding, Result, Table, about, counted, listed
from auditor.result.views import EMPTY, View, filled
from auditor.scoring.references import as_references
from auditor.store import versions
from auditor.store.captions import stamp
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.versions import content_at_work, images, resolve
from auditor.store.workspace import Workspace

Form = Literal["triplets", "pairs", "sets"]

#: The questions for raters, in the wording of section 3 and, for pairs, of appendix I; sets are of van Miltenburg 2018.
QUESTIONS: dict[str, str] = {
    "triplets": "Which of the two sentences, B or C, is more similar to A?",
    "pairs": "Which of the two sentences, B or C, describes the image better?",
    "sets": "Which of the two lists, B or C, describes these similar images in a more varied way?",
}

#: Candidates that are not datasets: a held-out caption of the image, and a caption of another image.
HUMAN, INTRA = "human", "intra"

_SIDES = {HUMAN: "side_human", INTRA: "side_intra"}

_SHOWN = 6

#: The images of a set, and the sets unless --images asks for more or fewer.
_SIZE, _SETS = 5, 50


Candidates = Annotated[
    Sequence[str],
    p.Parameter(
        "What is compared: datasets, human (a held-out caption), intra (one of another image), or a dataset of pairs; "
        "repeat for more, compared two by two; default: human and human."
    ),
]

Kind = Annotated[
    Form, p.Parameter("triplets: closer to a reference; pairs: better for the image; sets: more varied.", "kind")
]

Images = Annotated[
    int | None, p.Parameter("Number of images, sampled with the seed; default: all.", least=1, most=2**31 - 1)
]

References = Annotated[int | None, replace(get_args(p.References)[1], needs="form=triplets")]

Judges = Annotated[
    int,
    p.Parameter("Raters, each with a column for votes; the paper: 3, for pairs 11.", least=1, most=100, needs="file"),
]

File = Annotated[
    Path | None,
    p.Output("Write the questions to FILE.csv or FILE.jsonl, and their key to FILE.key.csv.", "output", "o"),
]

Force = Annotated[bool, p.Parameter("Replace existing files.")]


@question
def tasks(
    store: Store,
    ref: p.Described,
    *,
    candidates: Candidates = (),
    form: Kind = "triplets",
    split: p.Split = None,
    images: Images = None,
    references: References = None,
    seed: p.Seed = 1,
    judges: Judges = 3,
    file: File = None,
    force: Force = False,
) -> Result:
    """Make questions for raters: which caption is better?

    Each question shows two candidates for an image: next to one of its references (triplets) or alone (pairs).
    `--candidates` are datasets, human (a held-out caption of the image) and intra (a caption of another image). One
    candidate is compared with human; without any, two human captions are compared. Three or more are compared two by
    two. A dataset of pairs, as the only candidate, brings its pairs. Images and references are sampled with the seed.

    `--kind sets` asks which candidate describes five similar images in a more varied way. The protocol is by van
    Miltenburg, Elliott & Vossen 2018, section 5.2. Images are similar if their captions share rare words. B and C are
    numbered lists, and the question names the images. The default is 50 sets. `wins` of `auditor agree` evaluates the
    votes.

    How to read it: -o writes two files. FILE has the questions, with a column for each rater's votes. FILE.key.csv
    undoes the random order of B and C; raters must not see it. `auditor ingest NAME --format votes` imports the filled
    file, `auditor agree NAME` evaluates it.

    Limits: recruiting, instructions and payment are up to you. Do not change texts in the file. A question with a
    changed text is rejected, with its line.

    A row is a question: dataset, version, split, task, kind, image, question, a, b, c, category, origin_b, origin_c,
    swapped, reference, seed, drawn_from. `task` is a hash of what the question shows. `origin_b` and `origin_c` are the
    authors of B and C. `swapped` is true if the first candidate is shown as C. `reference` is the slot of A.

    Raises `UsageError` if there is nothing to ask.

    Example: auditor tasks pascal50s --candidates midge --candidates babytalk --images 100 --references 20 -o tasks.csv
    """
    if file is not None:
        check_path(file, force=force)
    selection = resolve(store, ref, split)
    odd = as_references(selection)
    workspace = Workspace(store, dataset=selection.version.dataset, seed=seed)
    workspace.take("content", content_at_work(store, selection), "content")
    drawn_from, contests = _contests(store, workspace, selection, candidates)
    if form == "sets":
        workspace.bind("set_member", asked_images=images or _SETS, set_size=_SIZE)
        workspace.bind("set_pair")
        workspace.take("task_pair", workspace, "set_pair")
    asked = "triplets" if form == "triplets" else "pairs"  # votes on two texts, whatever they are
    rows = workspace.rows("judge_question", kind=asked, asked_images=images, asked_references=references)
    obstacles = [] if form == "sets" else _obstacles(store, selection, contests, rows, form, references, images)
    if rows.is_empty():
        why = "; ".join([*odd, *map(str, obstacles)]) or "it has no images"
        single = (versions.images(store, selection)["captions"] < 2).all()
        pairs = call("tasks", ref, candidates=["intra"], form="pairs")
        more = f"; `{pairs}` needs one caption per image" if single else ""
        raise UsageError(f"{selection.label}: no questions: {why}{more}")
    questions = rows.select(
        "task",
        pl.lit(form).alias("kind"),
        "image",
        _question(workspace, form, rows["image"]),
        *("a", "b", "c", "category", "origin_b", "origin_c", "swapped", "reference"),
        pl.lit(seed, pl.Int64).alias("seed"),
        pl.lit(" ".join(selection.pinned_name for selection in drawn_from) or None, pl.String).alias("drawn_from"),
    )
    frame = stamp(selection, questions)
    result = Result(
        "tasks",
        frame,
        selections=(selection, *drawn_from),
        tables=_tables(selection, frame),
        notes=tuple(odd),
        findings=tuple(obstacles),
        lead=(f"{selection.label}: {counted(frame.height, 'question', 'questions')} for raters.",),
    )
    return result if file is None else write(result, file, judges, force=force)


def _question(workspace: Workspace, form: str, of_rows: pl.Series) -> pl.Series:
    """Return the question of each row; that of a set names its images."""
    if form != "sets":
        return pl.Series("question", [QUESTIONS[form]] * len(of_rows), pl.String)
    named = workspace.query("select image, string_agg(member, ', ' order by place) from set_member group by image")
    members = of_rows.replace_strict(*named.get_columns(), return_dtype=pl.String)
    return pl.select(pl.format("{} ({})", pl.lit(QUESTIONS[form]), members)).to_series().alias("question")


def _contests(
    store: Store, workspace: Workspace, selection: Selection, candidates: Sequence[str]
) -> tuple[list[Selection], pl.DataFrame]:
    """Bind relation `task_pair` to the pairs of captions that are compared, and return them."""
    named = {name: resolve(store, name) for name in candidates if name not in (HUMAN, INTRA)}
    for name, candidate in named.items():
        if candidate.version.dataset == selection.version.dataset:
            why = f"its captions are the references; use --candidates {HUMAN} for a held-out one of them"
            raise UsageError(f"{name}: {why}")
        match(store, candidate, selection, name)
    known = [name for name, selection in named.items() if selection.version.kind in ("pairs", "triplets", "judgements")]
    if known:
        kind = named[known[0]].version.kind
        if kind != "pairs":
            raise UsageError(f"{known[0]}: is of kind {kind}; expected a dataset of pairs")
        if len(candidates) > 1:
            raise UsageError(f"{known[0]}: brings its own pairs; name it alone, or name two datasets of captions")
        pairs = content_at_work(store, named[known[0]])
        workspace.take("annotated", pairs, "annotated")
        workspace.take("answer", pairs, "content")
        workspace.bind("task_pair", "declared_task_pair")
    else:
        _bind_sides(store, workspace, named, candidates)
        workspace.bind("task_pair")
    return list(named.values()), workspace.query("select image, place, b, c from task_pair")


def _bind_sides(store: Store, workspace: Workspace, named: dict[str, Selection], candidates: Sequence[str]) -> None:
    """Bind relation `side_at_work` to the captions of each candidate."""
    sides = [*candidates, HUMAN] if len(candidates) == 1 else list(candidates) or [HUMAN, HUMAN]
    for name in named:
        if sides.count(name) > 1:
            raise UsageError(f"{name}: named twice; a candidate cannot be compared with itself")
    if sides.count(HUMAN) == 0 and sides.count(INTRA) > 1:
        raise UsageError(f"--candidates {INTRA} {INTRA}: neither describes the image; name {HUMAN} or a dataset")
    workspace.forget("side_at_work")
    for number, name in enumerate(sides, 1):
        if name in _SIDES:
            workspace.append("side_at_work", _SIDES[name], side_no=number, rank=sides[:number].count(HUMAN))
        else:
            version = named[name].version
            workspace.take("answer", content_at_work(store, named[name]), "content")
            author = "machine" if version.kind == "candidates" else "human"
            workspace.append("side_at_work", "side_system", side_no=number, system=version.dataset, author=author)


def _obstacles(
    store: Store,
    selection: Selection,
    contests: pl.DataFrame,
    rows: pl.DataFrame,
    form: str,
    references: int | None,
    images_asked: int | None,
) -> list[Finding]:
    """Return which images and pairs give no question, and why."""
    described = images(store, selection)["image"]
    lacking = described.filter(~described.is_in(contests["image"].implode()))
    blank = pl.any_horizontal(pl.col("b", "c").str.strip_chars() == "")
    equal = (pl.col("b").str.strip_chars() == pl.col("c").str.strip_chars()) & ~blank
    counts = contests.select(blank=blank.sum(), equal=equal.sum()).row(0, named=True)
    findings = []

    def add(kind: str, sentence: str, n: int, **values: int) -> None:
        findings.append(Finding(kind, sentence, about(selection), dict(values), n, "notice"))

    if number := len(lacking):
        sentence = f"{counted(number, 'image does', 'images do')} not have two candidates: {listed(lacking, 3)}"
        add("images-without-question", sentence, len(described), images=number)
    if number := counts["blank"]:
        sentence = f"{counted(number, 'pair', 'pairs')} with an empty caption skipped"
        add("pairs-left-out", sentence, contests.height, empty=number)
    if number := counts["equal"]:
        sentence = f"{counted(number, 'pair', 'pairs')} of equal captions skipped: they leave no choice"
        add("pairs-left-out", sentence, contests.height, equal=number)
    if form == "triplets" and images_asked is None:
        sound = contests.filter(~blank, ~equal)["image"].unique()
        without = sound.filter(~sound.is_in(rows["image"].implode())).sort()
        if number := len(without):
            fewer = f"fewer than {references}" if references else "no"
            sentence = f"{counted(number, 'image has', 'images have')} {fewer} other captions: {listed(without, 3)}"
            add("images-without-question", sentence, len(described), images=number)
    asked_about = rows["image"].n_unique()
    if images_asked is not None and 0 < asked_about < images_asked:
        sentence = f"--images {images_asked}: only {counted(asked_about, 'image has', 'images have')} questions"
        add("fewer-questions-than-asked", sentence, len(described), images=asked_about, images_asked=images_asked)
    return findings


def _tables(selection: Selection, frame: pl.DataFrame) -> tuple[Table, ...]:
    """Count the questions of each pair of candidates, and show the first ones."""
    who = pl.concat_list("origin_b", "origin_c").list.eval(pl.element().fill_null("?")).list.sort().list.join(" / ")
    size = {"images": pl.col("image").n_unique(), "questions": pl.len(), "swapped": pl.col("swapped").sum()}
    counts = frame.group_by("category", candidates=who).agg(**size)
    examples = View(
        Table(frame["question"][0], EMPTY, name="examples"),
        columns=("image", *_texts(frame)),
        top=_SHOWN,
        rest="more: -o FILE.csv or FILE.jsonl writes them and their key",
    )
    summary = Table(
        f"questions about images of {selection.label}",
        counts.sort("category", "candidates", nulls_last=True),
        caption="swapped: questions that show the first candidate as C (random order, by the seed)",
        name="questions",
    )
    return (summary, *filled([examples], frame))


def _texts(frame: pl.DataFrame) -> list[str]:
    """Return the columns of what raters compare, after a reference if they see one."""
    return ["a", "b", "c"] if frame["kind"][0] == "triplets" else ["b", "c"]


#: The columns of the key; format `votes` reads them.
KEY = ("task", "category", "origin_b", "origin_c", "swapped", "reference", "seed", "dataset", "version", "drawn_from")


def key_of(path: Path) -> Path:
    """Return the path of the key of a file of questions: `tasks.key.csv` for `tasks.csv`."""
    return path.with_name(f"{path.stem}.key.csv")


def check_path(path: Path, *, force: bool = False) -> None:
    """Raise `UsageError` for a file that is neither CSV nor JSON lines, or that may already contain votes."""
    row_files.check_path(path, "questions", key_of(path), force=force, holding=", and may hold votes")


def write(result: Result, path: Path, judges: int, *, force: bool = False) -> Result:
    """Write the questions of `tasks`, with an empty column for the votes of each rater, and their key.

    Returns the result with a note on how to import votes. Raises `UsageError` for a file that cannot be written.
    """
    check_path(path, force=force)
    rows = result.frame
    choices = [pl.lit(None, pl.String).alias(f"judge_{number}") for number in range(1, judges + 1)]
    shown = rows.select("task", "kind", "image", "question", *_texts(rows), *choices, "dataset", "version")
    key = key_of(path)
    row_files.write_rows(shown, path)
    row_files.write_rows(rows.select(KEY), key)
    read_by = ["raters: B or C in the column of each rater", "ingest"]
    files = pl.DataFrame({"file": [printable(path), printable(key)], "for": read_by})
    votes = call("ingest", "NAME", files=[path], file_format="votes", options=[f"key_file={key}"])
    tables = (*result.tables, Table("written", files, name="written"))
    return replace(result, tables=tables, notes=(*result.notes, f"to import votes: `{votes}`"))
