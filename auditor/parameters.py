"""Parameters that several studies share, defined once for the command line, the library and the documentation.

Studies annotate their signatures with them. `auditor.cli.derived` turns the annotations into options, `auditor.api`
into methods. A parameter of only one study is defined next to that study.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from auditor.errors import UsageError
from auditor.files.guards import Role
from auditor.model import Source

#: A metric in a request: its name with parameters, or a function of the user.
MetricName = str | Callable[..., Any]

#: The largest seed, with room for consecutive seeds, and the largest number of captions per image in the engine.
_SEEDS = 2**62

_CAPTIONS = 2**31 - 2

#: More resamples take hours, and gigabytes for the counts of images; intervals are precise with far fewer.
_RESAMPLES = 100_000


@dataclass(frozen=True)
class Parameter:
    """The meaning of a parameter, and its form on the command line.

    `option` is its name there if it differs, and `short` its letter. An argument has a `metavar`; one that takes any
    number of values is `optional` if it may have none. A number is at least `least` and at most `most`, or `above` and
    `below` others; a text is one of `choices`, which `listed` names if they are many. `needs` is the parameter without
    which it has no effect, alone or with a value: `level=image`. `check` raises `UsageError` for other values that no
    study can use. `panel` is its section in the help. `typed` is its type on the command line if it differs; `read`
    converts that to what the study takes. `completes` names its shell completion: one of
    `auditor.cli.completions.OFFERS`. Each path has a role: see `files.guards`.
    """

    help: str
    option: str | None = None
    short: str | None = None
    metavar: str | None = None
    optional: bool = False
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: Sequence[str] | Callable[[], Sequence[str]] = ()
    listed: str = ""
    needs: str = ""
    check: Callable[[Any], None] | None = None
    panel: str | None = None
    typed: Any = None
    read: Callable[[Any], Any] | None = None
    completes: str | None = None
    path: Role | None = None

    @property
    def limits(self) -> str:
        """The numbers that it can have, in words; empty if it has no limits."""
        if self.least is not None:
            most = "or more" if self.most is None else f"to {'2^62' if self.most == _SEEDS else f'{self.most:,}'}"
            return f"{self.least:,} {most}"
        low = "" if self.above is None else f"above {self.above:,}"
        high = (
            f"below {self.below:,}" if self.below is not None else "" if self.most is None else f"at most {self.most:,}"
        )
        return f"a number {', '.join(filter(None, (low, high)))}" if low or high else ""

    def holds(self, value: Any) -> bool:
        """Return whether a number is within the limits."""
        return not (
            (self.least is not None and value < self.least)
            or (self.most is not None and value > self.most)
            or (self.above is not None and value <= self.above)
            or (self.below is not None and value >= self.below)
        )


#: Parameters that are paths: a file that is read or written, a folder that is written, a place with its own guards.
Input, Output, Folder, Place = (partial(Parameter, path=role) for role in Role)


def check_resampling(resamples: int, confidence: float) -> None:
    """Raise `UsageError` for fewer resamples than a confidence needs."""
    fewest = math.ceil(round(2 / (1 - confidence), 6))
    if resamples != 0 and resamples < fewest:
        raise UsageError(
            f"--resamples {resamples}: an interval of {confidence:g} needs {fewest:,} or more; 0 turns intervals off"
        )


#: What counts for an item that one of two compared sets lacks.
COMMON, EMPTY, ERROR = "common", "empty", "error"


def _declared(config: Path | None) -> Mapping[str, Source]:
    """Read datasets.toml early, so that a mistake in it is reported before a problem with the store."""
    from auditor.config import sources  # noqa: PLC0415  # TOML is read only if needed

    return sources(config)


def each_metric(texts: Sequence[MetricName] | None) -> list[MetricName]:
    """Split `bleu-4,cider:n=1,idf=none` into metrics: a part with `=` before any colon is a setting of the last one."""
    names: list[MetricName] = []
    for text in texts or ():
        if not isinstance(text, str) or text.startswith(("sql:", "python:", "scores:")) or "=file:" in text:
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


_Dataset = partial(
    Parameter,
    "Dataset, with an optional version and split: flickr8k@v2:test; or files: 'captions/*.parquet', s3://…",
    completes="dataset",
)

Ref = Annotated[str, _Dataset(metavar="DATASET")]

Refs = Annotated[str, _Dataset(metavar="DATASET…")]

Described = Annotated[
    str, Parameter("Dataset whose captions are the references.", metavar="DATASET", completes="dataset")
]

Rated = Annotated[
    str, Parameter("Ratings, pairs or triplets: flickr8k-expert, or your own.", metavar="NAME…", completes="dataset")
]

Metrics = Annotated[
    Sequence[MetricName] | None,
    Parameter(
        "Metric, with parameters: cider-d:sigma=4, or your own: python:MODULE.FUNCTION, sql:FILE, scores:FILE. "
        "Several: a,b or repeat. Default: all.",
        "metric",
        "m",
        typed=list[str] | None,
        read=each_metric,
        completes="metric",
    ),
]

GivenScores = Annotated[
    Sequence[Path] | None,
    Input(
        "Scores computed elsewhere: columns image, caption (or slot), and one per metric. Same as -m scores:FILE.",
        "scores",
    ),
]

Tokenizer = Annotated[
    str,
    Parameter(
        "Tokenizer: bare, char, ptb, 13a, spacy or whitespace; auto: bare, or char for captions without spaces between "
        "words.",
        short="t",
        completes="tokenizer",
    ),
]

Split = Annotated[str | None, Parameter("Split of datasets that are named without one.", completes="split")]

References = Annotated[
    int | None, Parameter("References per caption, sampled with the seed; default: all.", least=1, most=_CAPTIONS)
]

Distinct = Annotated[
    bool, Parameter("Also compute the numbers without repeated captions: each text counts once per image.")
]

Draws = Annotated[int, Parameter("Repeat all random draws this many times, with consecutive seeds.", least=1)]

Others = Annotated[
    Sequence[str],
    Parameter(
        "Dataset from which inter draws captions; repeat for more; default: the other datasets.", completes="dataset"
    ),
]

Corpus = Annotated[str | None, Parameter("Corpus of unrelated sentences and words; default: brown.")]

Resamples = Annotated[
    int, Parameter("Bootstrap resamples of images for each interval; 0: no intervals.", least=0, most=_RESAMPLES)
]

Confidence = Annotated[float, Parameter("Confidence level of the intervals.", above=0, below=1)]

Against = Annotated[
    str | None, Parameter("Captions to score against; default: the first related dataset.", completes="dataset")
]

Training = Annotated[str | None, Parameter("Training data, for novelty.", "against", completes="dataset")]

Evaluation = Annotated[
    str | None, Parameter("Human captions of the same images, for coverage, recall and precision.", "eval")
]

Missing = Annotated[
    str,
    Parameter(
        "What one of two sets lacks: common (compare what both have), empty (count empty captions) or error.",
        choices=(COMMON, EMPTY, ERROR),
    ),
]

WithoutOwn = Annotated[bool, Parameter("Leave out captions that match a reference of their image word for word.")]

FunctionWords = Annotated[Path | None, Input("File of function words, one per line; default: an English list.")]

MinRate = Annotated[
    float, Parameter("Minimum download speed in bytes per second, over a minute; 0: no minimum.", least=0)
]

Deadline = Annotated[float, Parameter("Maximum duration of a download in seconds; 0: no limit.", least=0)]

Seed = Annotated[int, Parameter("Seed of every random draw.", least=0, most=_SEEDS)]

_Declarations = partial(
    Input,
    "Your own datasets.toml, which describes datasets; default: that of the current folder, and the bundled one.",
    typed=Path | None,
    panel="Store",
)

Config = Annotated[Path | Mapping[str, Source] | None, _Declarations(read=_declared)]

#: The same for a study that needs the file itself: its gates, the folders of images, or the lock next to it.
ConfigFile = Annotated[Path | Mapping[str, Source] | None, _Declarations(check=_declared)]

#: The part of the help on work in stages that exchange files.
BY_FILES = "By files"

Executor = Annotated[
    str | None,
    Parameter(
        "What computes the parts: here (threads), processes, or ray (extra ray); default: here.",
        choices=("here", "processes", "ray"),
        panel=BY_FILES,
    ),
]

Workers = Annotated[int | None, Parameter("By files: parallel tasks; default: one per core.", least=1, panel=BY_FILES)]

Address = Annotated[
    str | None,
    Parameter(
        "Ray cluster, as in auto or ray://HOST:10001; default: Ray on this machine.",
        needs="executor=ray",
        panel=BY_FILES,
    ),
]

WorkFolder = Annotated[
    Path | None,
    Folder(
        "Compute by files in this folder, which is kept; default: a folder next to the store or the output.",
        panel=BY_FILES,
    ),
]

ImageColumn = Annotated[str | None, Parameter("Column with the name of the image.")]

CaptionColumn = Annotated[
    Sequence[str],
    Parameter("Column with the caption; for captions in several columns, repeat or use a pattern: 'caption_*'."),
]

Without = Annotated[
    Sequence[str],
    Parameter("Leave out captions with this kind of fault, or this severity or worse; findings: errors and warnings."),
]
