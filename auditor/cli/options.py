"""Options that commands share, and how a command opens the store.

Kept light: rooms are imported inside functions, so that `auditor --help` answers at once.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.delivery import deliver as deliver  # noqa: PLC0414
from auditor.cli.delivery import deliver_document as deliver_document  # noqa: PLC0414
from auditor.cli.delivery import deliver_rows as deliver_rows  # noqa: PLC0414
from auditor.cli.delivery import refuse_formats
from auditor.cli.targets import refuse_targets
from auditor.cli.verbosity import MANNERS, Debug, NoColor, Quiet
from auditor.cli.verbosity import narrate as narrate  # noqa: PLC0414
from auditor.cli.verbosity import progressing as progressing  # noqa: PLC0414

if TYPE_CHECKING:
    from auditor.model import Option
    from auditor.store.connection import Store

#: What the engine can number: seeds, with the draws that follow them, and captions of an image.
_SEEDS = 2**62

_CAPTIONS = 2**31 - 2


def _numbered(seed: int) -> int:
    """Refuse a seed that the engine cannot hold, before anything is counted for it."""
    if abs(seed) > _SEEDS:
        from auditor.errors import UsageError

        raise UsageError(f"--seed {seed}: expected a whole number from -2^62 to 2^62")
    return seed


def _drawable(references: int | None) -> int | None:
    """Refuse more references than an image can have."""
    if references is not None and references > _CAPTIONS:
        from auditor.errors import UsageError

        raise UsageError(f"--references {references}: no image has so many captions; {_CAPTIONS:,} is the most")
    return references


def _seconds(parameter: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse a length of time that never ends, or is none."""
    if value is not None and not 0 <= value < math.inf:
        from auditor.errors import UsageError

        raise UsageError(f"--{parameter.name} {value:g}: expected a number of seconds, 0 or more")
    return value


def finite(parameter: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse what compares with no score or rating."""
    if value is not None and not math.isfinite(value):
        from auditor.errors import UsageError

        raise UsageError(f"--{parameter.name} {value:g}: expected a number")
    return value


Refs = Annotated[
    list[str],
    typer.Argument(metavar="REF…", help="Dataset, with version and split where wanted: flickr8k, flickr8k@v2:test."),
]

StorePath = Annotated[
    Path, typer.Option("--store", envvar="AUDITOR_STORE", help="The store, a DuckDB file.", rich_help_panel="Store")
]

Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        help="Seconds to wait for a store that another process uses.",
        rich_help_panel="Store",
        callback=_seconds,
    ),
]

Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds after which a statement is stopped.", callback=_seconds)
]

GateTimeout = Annotated[
    float,
    typer.Option("--timeout", help="Seconds after which a gate's own statement is stopped.", callback=_seconds),
]

Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="Metric, with parameters: cider-d:sigma=4. Repeat for more; default: all."),
]

TextProfile = Annotated[
    str,
    typer.Option(
        "--profile",
        help="Text profile, how captions become tokens: bare, char, ptb, spacy or whitespace; auto: bare, or char "
        "where captions are written without blanks between words.",
    ),
]

Split = Annotated[str | None, typer.Option("--split", help="Split of every REF that names none.")]

References = Annotated[
    int | None,
    typer.Option(
        "--references",
        min=1,
        help="References of each caption, drawn by the seed; default: all there are.",
        callback=_drawable,
    ),
]

Draws = Annotated[
    int,
    typer.Option("--draws", min=1, help="Draw everything that is drawn so often, by the seed and those after it."),
]

Others = Annotated[
    list[str] | None,
    typer.Option("--others", help="Dataset that inter draws from; repeat for more; default: the other REFs."),
]

Corpus = Annotated[
    str | None,
    typer.Option("--corpus", help="Corpus whose sentences and words stand in; default: brown."),
]

Resamples = Annotated[
    int, typer.Option("--resamples", help="Bootstrap resamples of images behind each interval; 0: no intervals.")
]

Confidence = Annotated[float, typer.Option("--confidence", help="Share of the resamples inside an interval.")]

Against = Annotated[
    str | None, typer.Option("--against", help="Captions to score against; default: the first related dataset.")
]

WithoutOwn = Annotated[
    bool,
    typer.Option(
        "--without-own-references",
        help="Leave out what is word for word a reference of its own image, and so scored against itself.",
    ),
]

FunctionWords = Annotated[
    Path | None,
    typer.Option("--function-words", help="File of function words, one a line; default: an English list."),
]

Seed = Annotated[int, typer.Option("--seed", help="Seed of every random draw.", callback=_numbered)]


def _known(name: str | None) -> str | None:
    """Refuse a format that nobody knows, before anything is counted for it."""
    if name is not None:
        from auditor import reports

        reports.chosen_format(name, Path("any file"))
    return name


def _writable(output: Path | None) -> Path | None:
    """Refuse a file that cannot be, before anything is counted for it."""
    if output is None:
        return None
    try:
        output.resolve()
        why = "it is a folder" if output.is_dir() else f"there is no folder {output.parent}"
        if not output.is_dir() and output.parent.is_dir():
            return output
    except (OSError, RuntimeError, ValueError) as error:  # too long a name, a ring of links
        why = getattr(error, "strerror", None) or str(error)
    from auditor.errors import UsageError

    raise UsageError(f"{output}: cannot be written: {why}")


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, json, csv, md, latex, html, svg, png or parquet.",
        rich_help_panel="Output",
        callback=_known,
    ),
]

VerdictFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, json, csv, md, latex, html, parquet; junit or github.",
        rich_help_panel="Output",
        callback=_known,
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Same as --format json.", rich_help_panel="Output")]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write to a file; its ending chooses the format.",
        rich_help_panel="Output",
        callback=_writable,
    ),
]

DEFAULT_STORE = Path("audit.duckdb")

#: Exit code of a command that was asked a question and found something.
FINDING = 1


def mannered(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that every command has."""

    @functools.wraps(command)
    def run(*, quiet: bool, no_color: bool, debug: bool, **arguments: object) -> None:
        MANNERS.set(quiet=quiet, no_color=no_color, debug=debug)
        name = command.__module__.rpartition(".")[2]
        refuse_formats(name, arguments)
        refuse_targets(name, arguments)
        command(**arguments)

    common = {"quiet": Quiet, "no_color": NoColor, "debug": Debug}
    own = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        for name, option in common.items()
    ]
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **common}
    return run


def settings(pairs: Sequence[str], named: Mapping[str, Option | None]) -> dict[str, Option]:
    """Read KEY=VALUE pairs as a format's settings, and add those that have an option of their own.

    A key that ends in `_file` is a path; `true` and `false` are what they say; a repeated key has several values.
    Raises `UsageError` for what is no pair.
    """
    from auditor.errors import UsageError

    read: dict[str, Option] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--option {pair}: expected KEY=VALUE")
        given: Option = {"true": True, "false": False}.get(value.lower(), value)
        given = Path(value) if key.endswith("_file") else given
        before = read.get(key, ())
        read[key] = (*(before if isinstance(before, tuple) else (str(before),)), value) if key in read else given
    return read | {key: value for key, value in named.items() if value is not None}


@contextmanager
def opened(path: Path, *, write: bool = False, wait: float = 10.0, files: Path | None = None) -> Iterator[Store]:
    """Open the store for the length of a command; its statements may read the files of one folder, or none."""
    from auditor.store.connection import Store

    with Store.open(path, write=write, wait=wait, files=files, narrate=narrate) as store:
        yield store
