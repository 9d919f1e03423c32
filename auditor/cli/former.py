"""Removed commands and options. An old call does not run: the error shows the new call with its arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from auditor.errors import UsageError

#: Options without a value, of any removed command.
_SWITCHES = ("all-images", "as-text", "as-published", "delete", "force", "yes", "watch", "json", "quiet", "no-color",
             "debug", "help", "pairs")  # fmt: skip


#: The words that `keyness --watch` counted, which systems find hard (van Miltenburg et al. 2018, section 3.3).
_WATCHED = " ".join(f"--word {shlex.quote(word)}" for word in ("'s", "n't", "not", "no", "thrown", "elderly", "toast"))


@dataclass(frozen=True)
class _New:
    """The replacement of a removed command.

    `call` is the new call: `{0}` is the first argument, `{more}` are all arguments that it does not name. An option
    after them is left out if the user gave it. `options` maps old options to new words, in which `{value}` is the
    value; empty words remove an option. A call that is `whole` takes no argument from the old one.
    """

    call: str
    options: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False


#: The replacement of each old call.
FORMER: Mapping[str, _New] = {
    "formats": _New("ingest --formats {more}"),
    "log": _New("datasets {more}"),
    "shell": _New("sql"),
    "tag": _New("store tag {more}"),
    "note": _New("store tag {0} --note {1}"),
    "drop": _New("store drop {more}"),
    "verify": _New("store verify {more}", {"receipt": "{value}", "card": "{value}"}),
    "keyness": _New("words {0} --against {1}", {"watch": _WATCHED}),
    "omitted": _New("words {more} --by training"),
    "missed": _New("words {more} --by image", {"eval": "--against {value}", "floor": "--minimum {value}"}),
    "robustness": _New("diversity {more} --robustness --statistic all"),
    "identical": _New("duplicates {more} --exact --within"),
    "rank": _New("score {more} --rank", {"image": ""}),
    "stages": _New("bounds {more} --executor here", {"output": "--scores {value}", "o": "--scores {value}"}),
    **{
        f"card --format {name}": _New(f"report {{more}}{file}", {"format": "--format card"})
        for name, file in {"md": "", "html": " -o card.html", "latex": " -o card.tex", "json": " -o card.json"}.items()
    },
    "card": _New("report {more} --format card"),
    "compare --pairs": _New("compare {more}", {"pairs": ""}),
    "store migrate": _New("datasets"),
    "agree --as-published": _New("reproduce elliott2014", whole=True),
    "agree --protocol clipscore2021": _New("reproduce clipscore2021", whole=True),
    "consensus --protocol clipscore2021": _New("reproduce clipscore2021", whole=True),
    "consensus --as-published": _New("reproduce vedantam2015", whole=True),
    "consensus --versus": _New("reproduce vedantam2015", whole=True),
    "consensus": _New("agree {more}"),
    "diversity --as-published": _New("reproduce miltenburg2018", whole=True),
    "bounds --pool-idf": _New("reproduce wang2016", whole=True),
}


def refuse_former(name: str, words: Sequence[str]) -> None:
    """Raise `UsageError` with the new call for a removed command or option."""
    for word in (*_options(words), ""):
        old = f"{name} {word}".strip()
        is_renamed = word == "--profile" and name not in FORMER
        new = _New(f"{name} {{more}}") if is_renamed else FORMER.get(old)
        if new is not None:
            raise UsageError(f"{old} is now: auditor {_filled(new, words)}")


def _options(words: Sequence[str]) -> Iterator[str]:
    """Yield the options of a call: each alone, and with its value."""
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        if word.startswith("--"):
            option, equals, value = word.partition("=")
            yield option
            yield f"{option} {value if equals else after}"


def _filled(new: _New, words: Sequence[str]) -> str:
    """Return the new call with the arguments and options of the old one."""
    if new.whole:
        return new.call
    arguments, options, renamed = list[str](), list[str](), {"profile": "--tokenizer {value}", **new.options}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        option, equals, value = word.partition("=")
        option = option.lstrip("-")
        if not equals and not option.startswith("no-") and option not in (*_SWITCHES, "q", "h"):
            value = next(rest, "")
        given = [word] if equals or not value else [word, value]
        options.append(renamed[option].format(value=shlex.quote(value)) if option in renamed else shlex.join(given))
    named = [shlex.quote(each) for each in arguments]
    count = sum(f"{{{position}}}" in new.call for position in range(2))
    filled = (named + [each.upper() for each in ("dataset", "text")[len(named) :]])[:count]
    call, more, after = new.call.partition("{more}")
    given_ones = {re.split("[ =]", each)[0].replace("--output", "-o") for each in options}
    call += more if given_ones & {*after.split()} else more + after
    call = call.format(*filled, more=" ".join(named[count:]))
    return " ".join(" ".join([call, *options]).split())
