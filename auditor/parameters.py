"""The vocabulary of parameters: what a study may be told, said once for command line, library and page.

A study's signature is annotated with these and with those of its own; `auditor.cli.derived` makes options of them,
`auditor.api` methods. A parameter that only one study has is beside that study.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from auditor.errors import UsageError
from auditor.model import Source

#: How a metric is asked for: by name, with parameters, or as a function of the user's own.
MetricName = str | Callable[..., Any]

#: What the engine can number: seeds, with the draws that follow them, and captions of an image.
_SEEDS = 2**62

_CAPTIONS = 2**31 - 2


@dataclass(frozen=True)
class Parameter:
    """What a parameter means, and how it is typed on the command line.

    `option` is its name there, where that is not its own, and `short` a letter for it; an argument has a `metavar`.
    An argument of any number is `optional` where there may be none. `least` and `most` bound a number. `check` raises
    `UsageError` for what no study can use. `panel` is the part of the help that it stands in. `typed` is its type on
    the command line where that is another, and `read` makes of it what the study takes, before a store is opened.
    `completes` says what a shell offers for it: one of `auditor.cli.completions.OFFERS`.
    """

    help: str
    option: str | None = None
    short: str | None = None
    metavar: str | None = None
    optional: bool = False
    least: float | None = None
    most: float | None = None
    check: Callable[[Any], None] | None = None
    panel: str | None = None
    typed: Any = None
    read: Callable[[Any], Any] | None = None
    completes: str | None = None


def bound(study: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """Return what a study is told by name, with the defaults of what is not said."""
    given = inspect.signature(study).bind(*args, **kwargs)
    given.apply_defaults()
    return given


def finite(option: str) -> Callable[[float | None], None]:
    """Refuse what compares with no score or rating."""

    def check(value: float | None) -> None:
        if value is not None and not math.isfinite(value):
            raise UsageError(f"--{option} {value:g}: expected a number")

    return check


def seconds(option: str) -> Callable[[float | None], None]:
    """Refuse a length of time that never ends, or is none."""

    def check(value: float | None) -> None:
        if value is not None and not 0 <= value < math.inf:
            raise UsageError(f"--{option} {value:g}: expected a number of seconds, 0 or more")

    return check


def _rated(value: float) -> None:
    if not 0 <= value < math.inf:
        raise UsageError(f"--min-rate {value:g}: expected a number of bytes per second, 0 or more")


def _numbered(seed: int) -> None:
    if abs(seed) > _SEEDS:
        raise UsageError(f"--seed {seed}: expected a whole number from -2^62 to 2^62")


def _drawable(references: int | None) -> None:
    if references is not None and references > _CAPTIONS:
        raise UsageError(f"--references {references}: no image has so many captions; {_CAPTIONS:,} is the most")


def _declared(config: Path | None) -> Mapping[str, Source]:
    """Read what datasets.toml declares: a mistake in the file comes before one about the store."""
    from auditor.config import sources  # noqa: PLC0415  # TOML is read where it is asked for alone

    return sources(config)


def _each_alone(texts: Sequence[MetricName] | None) -> list[MetricName]:
    """Part what is typed as `bleu-4,cider:n=1,idf=none`: a part with `=` before any colon is a setting of the last."""
    names: list[MetricName] = []
    for text in texts or ():
        if not isinstance(text, str) or text.startswith(("sql:", "python:")) or "=file:" in text:
            names.append(text)
            continue
        first, *further = text.split(",")
        names.append(first)
        for part in further:
            if "=" in part.partition(":")[0]:
                names[-1] = f"{names[-1]},{part}"
            else:
                names.append(part)
    return names


Ref = Annotated[
    str,
    Parameter(
        "Dataset, with version and split where wanted: flickr8k@v2:test; or files: 'captions/*.parquet', s3://…",
        metavar="DATASET",
        completes="dataset",
    ),
]

Refs = Annotated[
    str,
    Parameter(
        "Dataset, with version and split where wanted: flickr8k@v2:test; or files: 'captions/*.parquet', s3://…",
        metavar="DATASET…",
        completes="dataset",
    ),
]

Described = Annotated[
    str, Parameter("Dataset whose captions are the references.", metavar="DATASET", completes="dataset")
]

Rated = Annotated[
    str, Parameter("Ratings, pairs or triplets: flickr8k-expert, or your own.", metavar="NAME…", completes="dataset")
]

Metrics = Annotated[
    Sequence[MetricName] | None,
    Parameter(
        "Metric, with parameters: cider-d:sigma=4, or your own: python:MODULE.FUNCTION, sql:FILE. Several: a,b or "
        "repeat; default: all.",
        "metric",
        "m",
        typed=list[str] | None,
        read=_each_alone,
        completes="metric",
    ),
]

Tokenizer = Annotated[
    str,
    Parameter(
        "How captions become tokens: bare, char, ptb, 13a, spacy or whitespace; auto: bare, or char where captions are "
        "written without blanks between words.",
        short="t",
        completes="tokenizer",
    ),
]

Split = Annotated[str | None, Parameter("Split of every dataset that names none.", completes="split")]

References = Annotated[
    int | None,
    Parameter("References of each caption, drawn by the seed; default: all there are.", least=1, check=_drawable),
]

Distinct = Annotated[
    bool, Parameter("Beside raw numbers, those of each text once per image: captions that repeat another are left out.")
]

Draws = Annotated[int, Parameter("Draw everything that is drawn so often, by the seed and those after it.", least=1)]

Others = Annotated[
    Sequence[str],
    Parameter("Dataset that inter draws from; repeat for more; default: the other datasets.", completes="dataset"),
]

Corpus = Annotated[str | None, Parameter("Corpus whose sentences and words are substitutes; default: brown.")]

Resamples = Annotated[int, Parameter("Bootstrap resamples of images behind each interval; 0: no intervals.")]

Confidence = Annotated[float, Parameter("Confidence of the intervals.")]

Against = Annotated[
    str | None, Parameter("Captions to score against; default: the first related dataset.", completes="dataset")
]

Training = Annotated[str | None, Parameter("Training data, for novelty and coverage.", "against", completes="dataset")]

Evaluation = Annotated[
    str | None, Parameter("People's captions of the same images, for coverage, recall, precision.", "eval")
]

WithoutOwn = Annotated[
    bool, Parameter("Leave out what is word for word a reference of its own image, and so scored against itself.")
]

AsText = Annotated[bool, Parameter("Compare letter for letter: case, punctuation and blanks count.")]

FunctionWords = Annotated[Path | None, Parameter("File of function words, one a line; default: an English list.")]

MinRate = Annotated[
    float, Parameter("Bytes per second that a download must bring over a minute; 0: no minimum.", check=_rated)
]

Deadline = Annotated[float, Parameter("Seconds that a download may take; 0: no limit.", check=seconds("deadline"))]

Seed = Annotated[int, Parameter("Seed of every random draw.", check=_numbered)]

Config = Annotated[
    Path | Mapping[str, Source] | None,
    Parameter("A datasets.toml in place of the shipped one.", typed=Path | None, panel="Store", read=_declared),
]

#: The same for a study to which the file itself matters: its gates, where images are, or the lock beside it.
ConfigFile = Annotated[
    Path | Mapping[str, Source] | None,
    Parameter("A datasets.toml in place of the shipped one.", typed=Path | None, panel="Store", check=_declared),
]
