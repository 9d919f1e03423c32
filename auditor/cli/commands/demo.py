"""`auditor demo`: what an audit finds in the bundled samples, as a summary, as a page, and files to try."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.called import call
from auditor.cli import options as o
from auditor.cli.commands.file import FIRST_METRICS
from auditor.cli.reader import DEFAULT_STORE, READER
from auditor.cli.verbosity import VERBOSITY

if TYPE_CHECKING:
    import polars as pl

    from auditor.result.document import Document

_SAMPLE = Path(__file__).parents[2] / "sample" / "datasets.toml"

_FOLDER = Path("auditor-demo")

#: A file of captions with problems of many kinds, and a captioner's output for the images of the varied dataset.
_FILES = ("captions.csv", "system.json")

_NARROW, _VARIED, _FLAWED = "sample-narrow", "sample-varied", "sample-flawed"


def command(
    folder: Annotated[
        Path, typer.Option("--folder", help="Folder for the page and the store, which are replaced, and for two files.")
    ] = _FOLDER,
) -> None:
    """Audit three bundled sample datasets.

    One dataset is narrow, one is varied, and one has planted faults. Also writes two files to try commands on:
    captions.csv has planted faults, and system.json has a captioner's output for sample-varied.

    How to read it: the summary has three numbers per dataset. The page has all numbers, with intervals, examples
    and the SELECT behind each.

    Limits: the datasets are small and invented. They show what auditor does, not how accurate it is.

    Example: auditor demo
    """
    from auditor import reports
    from auditor.config import sources
    from auditor.steps import Steps
    from auditor.studies import report
    from auditor.studies.ingest import ingest_sources

    declared, folder = sources(_SAMPLE, data=_SAMPLE.parent), _made(folder)
    READER.stand({"store": DEFAULT_STORE})  # the page is read in the folder, where the store is
    with o.opened(folder / DEFAULT_STORE, write=True) as opened, o.progressing() as progress:
        steps = Steps(progress, ("Reading", *report.steps_of()), 1)
        ingest_sources(opened, list(declared.values()), progress=steps)
        settings = report.ReportSettings(metrics=FIRST_METRICS)
        document = report.report(opened, *declared, settings=settings, config=declared, progress=steps)
    o.deliver_document(document, reports.document_format("html", None), folder / "audit.html")
    for name in _FILES:
        shutil.copyfile(_SAMPLE.parent / name, folder / name)
    typer.echo("\n".join([*_summary(document), *([] if VERBOSITY.quiet else _next(folder))]))


def _made(folder: Path) -> Path:
    from auditor.cli.file_arguments import refuse_link
    from auditor.errors import UsageError

    if folder == _FOLDER:
        refuse_link(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}; name another with --folder") from error
    for name in _FILES:
        if (file := folder / name).exists() and file.read_bytes() != (_SAMPLE.parent / name).read_bytes():
            raise UsageError(f"{file}: is another file; name another folder with --folder")
    return folder


def _summary(document: Document) -> list[str]:
    """List what the report found: three numbers of each dataset."""
    import polars as pl

    def rows(command: str) -> pl.DataFrame:
        results = [result for section in document.sections for result in section.results]
        frames = [result.frame for result in results if result.command == command]
        return pl.concat(frames, how="diagonal_relaxed")

    sizes, twice, formulaic = rows("profile"), rows("duplicates"), rows("templates")
    similarity = rows("compare").filter(metric="cider-d", statistic="homogeneity")
    at_others = twice.filter(dataset=_FLAWED, scope="across-images", statistic="captions", match="exact")["found"][0]

    def share(frame: pl.DataFrame, dataset: str, **where: str) -> str:
        return f"{frame.filter(dataset=dataset, **where)['value'][0]:.0%}"

    def count(dataset: str, statistic: str) -> str:
        return f"{sizes.filter(dataset=dataset, statistic=statistic)['value'][0]:,.0f}"

    def homogeneity(dataset: str) -> str:
        return f"{similarity.filter(dataset=dataset)['value'][0]:.3f}"

    elsewhere = {"scope": "across-images", "match": "any", "statistic": "captions"}
    swapped = rows("outliers").filter(dataset=_FLAWED, finding="swapped")["image"].sort()
    again = twice.filter(dataset=_FLAWED, scope="within-image", match="exact", statistic="captions")["found"][0]
    return [
        f"Three invented datasets: {count(_NARROW, 'captions')} captions of {count(_NARROW, 'images')} images each.",
        "",
        f"{_NARROW}: most captions follow one template.",
        f"  {share(formulaic, _NARROW, statistic='templated'):>6}  of the captions match a frequent template",
        f"  {share(twice, _NARROW, **elsewhere):>6}  have an exact or near-duplicate at another image",
        f"  {homogeneity(_NARROW):>6}  homogeneity by CIDEr-D (0: unique to an image; 1: fits any)",
        "",
        f"{_VARIED}: captions are specific to their image.",
        f"  {share(formulaic, _VARIED, statistic='templated'):>6}  of the captions match a frequent template",
        f"  {count(_VARIED, 'types'):>6}  different words; {_NARROW} has {count(_NARROW, 'types')}",
        f"  {homogeneity(_VARIED):>6}  homogeneity",
        "",
        f"{_FLAWED}: good captions, with planted faults.",
        f"  {at_others:>6}  captions also occur at another image, word for word",
        f"  {again:>6}  captions repeat an earlier caption of their image",
        f"  {len(swapped) // 2:>6}  pair of captions is swapped: {' and '.join(swapped)}, a surfer and a barber",
        f"  {count(_FLAWED, 'rejected'):>6}  records are empty: rejected, and listed with their line in the file",
    ]


def _next(folder: Path) -> list[str]:
    """Return where the page is, and the commands to try next."""
    commands = (
        call("findings", _FLAWED),
        call("compare", _NARROW, _VARIED, metrics=["rouge-1", "cider"]),
        call("score", _VARIED, candidates=["system.json"], preset="coco"),
    )
    return [
        "",
        f"The whole audit is on one page: {folder / 'audit.html'}",
        "",
        "Next:",
        f"  {shlex.join(['cd', str(folder)])}",
        *(f"  {READER.text(command)}" for command in commands),
        "  auditor captions.csv    a file with planted faults, or your own",
    ]
