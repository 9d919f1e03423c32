"""Write docs/commands: a page for each command, of its docstring, its signature and a run on the bundled sample.

`python docs/make_commands.py` writes them all, with names of commands those. Nothing in them is written by hand: what a
page lacks is added to the docstring of its study, or to `EXAMPLES` here.
"""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import threading
import types
import typing
import unittest.mock
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from auditor.asked import GIVEN
from auditor.cli import app, derived, verbosity
from auditor.cli.commands import demo, sql
from auditor.studies import GROUPS, STUDIES, Group

PAGES = Path(__file__).parent / "commands"

README = Path(__file__).parents[1] / "README.md"

SAMPLE = Path(app.__file__).parents[1] / "sample"

#: Lines of a run that a page shows.
SHOWN = 40

#: What is run for each page, on a store that holds the bundled sets, and `system`, `stars`, `votes` (`_invented`).
EXAMPLES: dict[str, tuple[str, ...]] = {
    "fetch": ("auditor fetch sample-narrow --config sample/datasets.toml",),
    "ingest": (
        "auditor ingest mine --from captions.csv --image-col file --max-rejected 0.5",
        "auditor ingest --formats coco",
    ),
    "export": (
        "auditor export sample-narrow -o bundle",
        "auditor export sample-flawed --format coco -o captions.json --without notice",
    ),
    "datasets": ("auditor datasets", "auditor datasets sample-narrow"),
    "diff": (
        "auditor diff sample-varied sample-flawed",
        "auditor diff sample-narrow sample-varied --depth drift",
    ),
    "profile": ("auditor profile sample-narrow sample-varied sample-flawed",),
    "duplicates": ("auditor duplicates sample-flawed", "auditor duplicates sample-flawed --exact --within"),
    "templates": ("auditor templates sample-narrow sample-varied",),
    "outliers": ("auditor outliers sample-flawed",),
    "diversity": ("auditor diversity sample-narrow sample-varied --shuffles 3",),
    "words": (
        "auditor words sample-narrow --against sample-varied",
        "auditor words system --against sample-flawed --eval sample-varied --by training --number 6",
        "auditor words system --against sample-varied --by image --importance 3 --minimum 1 --number 4",
    ),
    "syntax": ("auditor syntax sample-narrow sample-varied",),
    "perplexity": ("auditor perplexity sample-narrow sample-varied sample-flawed",),
    "bounds": ("auditor bounds sample-narrow sample-varied -m bleu-4 -m cider -c human -c intra -c inter",),
    "compare": ("auditor compare sample-narrow sample-varied -m rouge-1 -m cider",),
    "score": (
        "auditor score sample-varied --candidates system -m bleu-4 -m cider-d",
        "auditor score sample-varied --candidates system --preset sacrebleu",
        "auditor score sample-flawed --rank -m cider",
    ),
    "correlate": ("auditor correlate sample-varied -m bleu-1 -m bleu-4 -m cider",),
    "references": ("auditor references sample-varied -m bleu-4 -m cider",),
    "probe": ("auditor probe sample-varied -m bleu-1 -m cider -m cider-d -c order -c repeated-word -c padding",),
    "distractors": (
        "auditor ingest phrases --config phrases.toml",
        "auditor distractors phrases:val --task switch-people --task replace-person --task just-scene-plus",
    ),
    "objects": (
        "auditor ingest things --from things.json --option none=- --kind objects",
        "auditor ingest names --from names.txt",
        "auditor objects system sample-varied --objects things --synonyms names --mentions mentions.csv",
    ),
    "choices": (
        "auditor ingest pairs --from pairs.csv",
        "auditor choices pairs --against sample-varied --train sample-narrow -m bleu-1 -m cider",
    ),
    "metrics": ("auditor metrics cider-d",),
    "agree": (
        "auditor agree stars -m bleu-1 -m cider --statistic spearman",
        "auditor agree votes -m bleu-1 -m cider",
    ),
    "tasks": ("auditor tasks sample-varied --candidates human --candidates intra --kind pairs --images 3",),
    "report": (
        "auditor report sample-narrow sample-flawed -m cider -o audit.html",
        "auditor report sample-flawed --format card -m cider",
    ),
    "check": ("cat datasets.toml", "auditor check sample-narrow sample-flawed"),
    "reproduce": ("auditor reproduce wang2016",),
    "demo": ("auditor demo",),
    "sql": (
        "auditor sql \"select images, gram from ngram_frequency('sample-narrow') where n = 2 order by all desc\""
        " --limit 5",
        "auditor sql \"select gram, count(*) as n from ngrams('sample-narrow', 3) group by gram order by n desc, gram\""
        " --limit 3",
        "auditor sql --schema captions",
    ),
    "store": (
        'auditor store tag sample-narrow camera-ready --note "as sent to the reviewers"',
        "auditor store verify sample-narrow",
        "auditor store drop sample-flawed --yes",
        "auditor store gc",
    ),
}

#: Files that runs read: captions with a fault, names of objects, and a declaration of ratings and gates.
FILES = {
    "names.txt": "person, man, woman, boy, girl, child\nboat, canoe, ferry\nbicycle, bike\ntraffic light\nlight, lamp\n"
    "dog, puppy\ncat, kitten\nbird, heron\nhorse, pony\ntable\n",
    "captions.csv": "file,caption\na.jpg,A dog runs across a field.\na.jpg,The dog is running.\n"
    "b.jpg,A man in a red shirt waves.\nb.jpg,\n",
    "datasets.toml": """[check]
captions_per_image.min = 5
duplicates_across_images.max = 0.05

[stars] # invented for these pages
kind = "judgements"
format = "judgements"
path = "stars.csv"
options = { image_col = "image", caption_col = "text", judge_col = "judge", score_col = "stars" }
related = ["sample-varied"]
""",
    "phrases.toml": """[phrases] # invented for these pages
kind = "captions"
format = "entities"
path = "phrases"
splits = { train = "train.txt", val = "val.txt" }
split_suffix = ".jpg"
""",
}

#: Captions with phrases: of the images to ask about, and of those that distractors are drawn from.
PHRASES = {
    "val": (
        "[/EN#1/people A nurse] in [/EN#2/clothing green] helps [/EN#3/people a farmer] into [/EN#4/scene a barn] .",
        "[/EN#1/people A painter] waves at [/EN#2/people a group of children] near [/EN#3/scene the old harbour] .",
    ),
    "train": (
        "[/EN#1/people A farmer] feeds hens in [/EN#2/scene the old barn] .",
        "[/EN#1/people A tall singer] bows on [/EN#2/scene a stage] .",
        "[/EN#1/people Two painters] rest in [/EN#2/scene a park] .",
    ),
}


@dataclass(frozen=True)
class Command:
    """A command: how it is called, its group, and the functions that say what it does: one, or one a subcommand."""

    name: str
    group: Group
    line: str
    functions: dict[str, Callable[..., Any]]
    documented: dict[str, Callable[..., Any]]


def commands() -> dict[str, Command]:
    """List every command: those made of studies, with subcommands under the first word, and the two that are not."""
    listed: dict[str, Command] = {}
    for name, study in STUDIES.items():
        first = name.partition(" ")[0]
        line = study.line if first == name else app.STORE
        of = listed.setdefault(first, Command(first, study.group, line, {}, {}))
        of.functions[name], of.documented[name] = derived.command(name, study), study.load()
    for name, function in (("demo", demo.command), ("sql", sql.command)):
        _, group, line = app.OTHERS[name]
        listed[name] = Command(name, typing.cast("Group", group), line, {name: function}, {name: function})
    return listed


def page(command: Command, runs: str) -> str:
    """Write the page of a command. `runs` are its examples, as `examples` gives them."""
    parts = [f"# auditor {command.name}", command.line]
    for name, function in command.documented.items():
        parts += _explained(name, derived.paragraphs(function), command)
    parts += ["## Parameters"] if len(command.functions) == 1 else []
    for name, function in command.functions.items():
        parts += [f"## Parameters of `auditor {name}`"] if len(command.functions) > 1 else []
        parts.append(_parameters(function))
    brief = " `--brief` cuts JSON to 20 kB: see [JSON](../formats.md#json)."
    has_json = any(
        {"as_json", "format_name"} & {*inspect.signature(each).parameters} for each in command.functions.values()
    )
    parts.append(f"Every command has `--quiet`, `--verbose`, `--full`, `--no-color` and `--debug`.{brief * has_json}")
    studies = [name for name in command.functions if name in STUDIES]
    if studies:
        methods = "\n".join(_call(_face(name), [*_python(name)]) for name in studies)
        raises = [one for name in studies for one in derived.paragraphs(STUDIES[name].load()) if one[:7] == "Raises "]
        parts += ["## In Python", f"```python\n{methods}\n```", *raises]
    parts.append(f"## Example\n\n```console\n{runs}```" if runs else "")
    return "\n\n".join(one for one in parts if one) + "\n"


def _explained(name: str, paragraphs: list[str], command: Command) -> list[str]:
    """Put the paragraphs of a docstring under headings."""
    first, *rest = paragraphs
    method = [] if first == command.line else [first]
    headed = {"How to read it: ": [], "Limits: ": [], "Source: ": [], "Example": []}
    for one in rest:
        heading = next((each for each in headed if one.startswith(each)), None)
        if heading is not None:
            text = one.removeprefix(heading)
            headed[heading].append(text[:1].upper() + text[1:])
        elif not one.startswith("Raises "):
            method.append(one)
    title = "## Method" if len(command.functions) == 1 else f"## `auditor {name}`"
    told = [title, *(_listed(one) for one in method)] if method else []
    for heading, title in (("How to read it: ", "## How to read it"), ("Limits: ", "## Limits")):
        told += [title, *headed[heading]] if headed[heading] else []
    return told + (["## Source", *headed["Source: "]] if headed["Source: "] else [])


def _listed(paragraph: str) -> str:
    """Give a paragraph to Markdown, which wants a list to stand apart."""
    lead, *points = paragraph.split("\n- ")
    return "\n".join([lead, *([""] if points and not lead.startswith("- ") else []), *(f"- {one}" for one in points)])


def _parameters(function: Callable[..., Any]) -> str:
    """Write the options of a command as a table."""
    rows = ["| option | type | default | meaning |", "| --- | --- | --- | --- |"]
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("context", "quiet", "verbose", "full", "no_color", "debug", "brief"):
            continue
        kind, info, *_ = get_args(hints[name])
        if getattr(info, "hidden", False):
            continue
        words = [one for one in (info.default, *(info.param_decls or ())) if isinstance(one, str)]
        shown = ", ".join(words) or info.metavar
        required = parameter.default is inspect.Parameter.empty
        default = "" if required else _default(parameter.default, info.help)
        panel, meaning = info.rich_help_panel or "", info.help.replace("\\[", "[")
        meaning += f" {panel}." if panel.startswith("For ") and panel != f"For {words[0]}" else ""
        cells = (f"`{shown}`", _kind(kind), "required" if required else default, meaning)
        rows.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _default(default: Any, meaning: str) -> str:
    if default is None or default in ((), ""):
        return "see right" if "default" in meaning else ""
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"`{default}`"


_KINDS = {str: "text", int: "whole number", float: "number", bool: "switch", Path: "path"}


def _kind(kind: Any) -> str:
    """Name a type in words."""
    if get_origin(kind) is Annotated:
        return _kind(get_args(kind)[0])
    if get_origin(kind) in (typing.Union, types.UnionType):
        return _kind(next(one for one in get_args(kind) if one is not types.NoneType))
    if get_origin(kind) is list:
        return f"{_kind(get_args(kind)[0])}, repeatable"
    if get_origin(kind) is tuple:
        return " and ".join(_kind(one) for one in get_args(kind))
    return _KINDS[kind]


def _face(name: str) -> str:
    method = name.rpartition(" ")[2]
    return f"auditor.{method}" if method in ("fetch", "metrics") else f"audit.{method}"


def _python(name: str) -> Iterator[str]:
    """Give the arguments of a study as a library's user writes them."""
    for one, parameter in inspect.signature(STUDIES[name].load()).parameters.items():
        if one in GIVEN:
            continue
        star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
        default = parameter.default
        yield f"{star}{one}" + ("" if default is inspect.Parameter.empty else f"={_literal(default)}")


def _literal(default: Any) -> str:
    if hasattr(default, "__dataclass_fields__"):
        return f"{type(default).__name__}()"
    return json.dumps(default) if isinstance(default, str) else repr(default).replace("'", '"')


def _call(method: str, arguments: list[str]) -> str:
    """Write a call in one line, or where that is too long with a line for each argument."""
    line = f"{method}({', '.join(arguments)})"
    return line if len(line) <= 120 else "\n".join([f"{method}(", *(f"    {one}," for one in arguments), ")"])


def index() -> str:
    """Write the page that lists the commands by group."""
    parts = ["# Commands", "`auditor COMMAND --help` says the same in a terminal."]
    for group in GROUPS:
        rows = ["| command | |", "| --- | --- |"]
        rows += [f"| [`{one.name}`]({one.name}.md) | {one.line} |" for one in commands().values() if one.group == group]
        parts += [f"## {group}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def readme(text: str) -> str:
    """Give the README with the commands in its table, each leading to its page."""
    for group in GROUPS:
        names = [one.name for one in commands().values() if one.group == group]
        row = " · ".join(f"[{name}](docs/commands/{name}.md)" for name in names)
        text = re.sub(rf"^(\| {group}: [^|]*\|) .* \|$", rf"\1 {row} |", text, flags=re.MULTILINE)
    return text


def examples(names: Collection[str] = ()) -> dict[str, str]:
    """Run every example, or those named, each in a folder of its own; give what a terminal of 100 columns shows."""
    if unknown := {*names} - {*commands()}:
        sys.exit(f"{', '.join(sorted(unknown))}: no such command; add it to STUDIES in auditor/studies/__init__.py")
    shown = {}
    with tempfile.TemporaryDirectory() as made, alone():
        began = Path(made) / "began"
        _invented(began)
        for name in names or commands():
            asked = EXAMPLES.get(name, (f"auditor {name} sample-flawed",))
            folder = Path(made) / name
            shutil.copytree(began, folder)
            with contextlib.chdir(folder):
                shown[name] = "".join(f"$ {line}\n{_cut(run(line))}" for line in asked)
    return shown


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Answer as on any machine: settings of the environment do not count, nor its speed, nor a terminal's width."""
    kept, pause = dict(os.environ), verbosity.PAUSE
    verbosity.PAUSE = threading.TIMEOUT_MAX  # how far a command is, is told after a while
    for name in [name for name in kept if name.startswith("AUDITOR_")]:
        del os.environ[name]
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1", "SOURCE_DATE_EPOCH": "1767268800"}
    try:
        yield
    finally:
        verbosity.PAUSE = pause
        os.environ.clear()
        os.environ.update(kept)


def _invented(folder: Path) -> None:
    """Ingest the sample; with the output of an invented system, invented ratings and invented votes."""
    shutil.copytree(SAMPLE, folder / "sample", ignore=shutil.ignore_patterns("*.lock"))
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    captions: dict[str, list[str]] = {}
    for one in json.loads((SAMPLE / "varied.json").read_text(encoding="utf-8"))["annotations"]:
        captions.setdefault(str(one["image_id"]), []).append(one["caption"])
    images = sorted(captions)
    said = [{"image_id": image, "caption": " ".join(captions[image][0].split()[:7])} for image in images]
    (folder / "system.json").write_text(json.dumps(said), encoding="utf-8")
    things = {image: _things(of_image, place) for place, (image, of_image) in enumerate(sorted(captions.items()))}
    (folder / "things.json").write_text(json.dumps(things), encoding="utf-8")
    _mark_up(folder)
    _paired(folder, [(image, captions[image]) for image in images])
    with (folder / "stars.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["image", "text", "judge", "stars"])
        for place, image in enumerate(images[:20]):
            other = captions[images[(place + 7) % len(images)]][1]
            for judge, least in (("ann", 0), ("bo", place % 2)):
                table.writerow([image, captions[image][0], judge, 4 + least])
                table.writerow([image, other, judge, 1 + least])
    sample = ("--config", "sample/datasets.toml")
    with contextlib.chdir(folder):
        run(shlex.join(["auditor", "ingest", "sample-narrow", "sample-varied", "sample-flawed", *sample]))
        run("auditor ingest system --from system.json --kind candidates")
        run("auditor ingest stars")
        _voted()


def _things(captions: Sequence[str], place: int) -> list[str]:
    """List the objects of an image: those that its captions name, but of each third image one is forgotten."""
    said = " ".join(captions).lower()
    lines = [line.split(", ") for line in FILES["names.txt"].splitlines()]
    return [line[0] for line in lines if any(f" {name}" in said for name in line)][place % 3 == 0 :]


def _mark_up(folder: Path) -> None:
    """Write captions with phrases, in the files of Flickr30k Entities: two images to ask about, twelve to draw from."""
    (folder / "phrases").mkdir()
    for split, sentences in PHRASES.items():
        named = [str(place) for place in (range(201, 213) if split == "train" else range(101, 103))]
        (folder / f"{split}.txt").write_text("\n".join(named), encoding="utf-8")
        for place, image in enumerate(named):
            told = sentences if split == "train" else sentences[place : place + 1]
            (folder / "phrases" / f"{image}.txt").write_text("\n".join(told), encoding="utf-8")


def _paired(folder: Path, described: list[tuple[str, list[str]]]) -> None:
    """Write forced-choice items: a caption of another image is wrong, or something is added that is not there."""
    with (folder / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["part", "image", "right", "wrong"])
        for (image, said), (_, other) in zip(described, described[7:] + described[:7], strict=True):
            table.writerow(["replaced", image, said[0], other[0]])
            table.writerow(["added", image, said[1], f"{said[1].rstrip(' .')} beside an elephant."])


def _voted() -> None:
    """Let three invented judges answer questions: two take the image's own caption, of the third each second time."""
    run("auditor tasks sample-varied --candidates human --candidates intra --kind pairs --images 15 -o votes.csv")
    with Path("votes.key.csv").open(encoding="utf-8") as file:
        own = {row["task"]: "BC"[row["origin_b"] != "human"] for row in csv.DictReader(file)}
    with Path("votes.csv").open(encoding="utf-8") as file:
        questions = [*csv.DictReader(file)]
    for place, question in enumerate(questions):
        right = own[question["task"]]
        question |= {"judge_1": right, "judge_2": right, "judge_3": right if place % 2 else "CB"["BC".index(right)]}
    with Path("votes.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, questions[0])
        table.writeheader()
        table.writerows(questions)
    run("auditor ingest votes --from votes.csv --format votes --option key_file=votes.key.csv")


def run(line: str) -> str:
    """Run a command line in this process; give stdout and stderr as they come."""
    program, *words = shlex.split(line)
    if program == "cat":
        return Path(words[0]).read_text(encoding="utf-8")
    if "<" in words:
        with Path(words[-1]).open(encoding="utf-8") as given, unittest.mock.patch("sys.stdin", given):
            return run(shlex.join([program, *words[:-2]]))
    vars(verbosity.VERBOSITY).update(vars(verbosity.Verbosity()))
    heard = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard), contextlib.suppress(SystemExit):
        app.main(words)
    text = typing.cast("io.BytesIO", heard.buffer).getvalue().decode()
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-01-01 12:00:00", text)
    lines = [each.rstrip() for each in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip("\n")) + "\n"


def _cut(text: str) -> str:
    lines = text.split("\n")
    return text if len(lines) <= SHOWN else "\n".join([*lines[:SHOWN], "…", ""])


def main(names: list[str]) -> None:
    """Write the pages, or those named, and what lists them."""
    PAGES.mkdir(exist_ok=True)
    runs, listed = examples(names), commands()
    (PAGES / "index.md").write_text(index(), encoding="utf-8")
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    for name, shown in runs.items():
        (PAGES / f"{name}.md").write_text(page(listed[name], shown), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
