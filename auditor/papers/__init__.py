"""What papers print, measured again: `PAPER.toml` has the figures, bands and sources, `PAPER.py` what measures them.

`PAPERS` lists ours; another package adds its own by entry points of group `auditor.papers`, each a `PaperModule`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from auditor.errors import UsageError
from auditor.papers.figures import Paper, read_paper
from auditor.plugins import added


@dataclass(frozen=True)
class PaperModule:
    """A module whose function `measure` measures a paper again; the file of its name, in TOML, is beside it."""

    module: str

    def load(self) -> ModuleType:
        """Import the module."""
        return importlib.import_module(self.module)

    def figures(self) -> str:
        """Read the file of figures. Raises `FileNotFoundError` where there is no such module, or no such file."""
        spec = importlib.util.find_spec(self.module)
        if spec is None or spec.origin is None:
            raise FileNotFoundError(f"no module {self.module}")
        return Path(spec.origin).with_suffix(".toml").read_text(encoding="utf-8")


PAPERS = {
    "clipscore2021": PaperModule("auditor.papers.clipscore2021"),
    "elliott2014": PaperModule("auditor.papers.elliott2014"),
    "hodosh2016": PaperModule("auditor.papers.hodosh2016"),
    "hsieh2023": PaperModule("auditor.papers.hsieh2023"),
    "miltenburg2018": PaperModule("auditor.papers.miltenburg2018"),
    "vedantam2015": PaperModule("auditor.papers.vedantam2015"),
    "wang2016": PaperModule("auditor.papers.wang2016"),
}


@functools.cache
def of_others() -> dict[str, PaperModule]:
    """List the papers of other packages; a warning names one whose figures cannot be read."""
    found = added("auditor.papers", PaperModule, PAPERS, check=_check)
    return {name: one for name, one, _ in found}


def known() -> dict[str, PaperModule]:
    """List every paper, sorted by name: ours, which keep their names, and those of other packages."""
    return dict(sorted((PAPERS | of_others()).items()))


def paper(name: str) -> Paper:
    """Read the checks of a paper, sorted by item.

    Raises `UsageError` for one that is not here, `ValueError` for a check without a band or with one that is wider than
    its figure's rounding for no reason.
    """
    modules = known()
    if name not in modules:
        raise UsageError(f"{name}: no such paper; known are {', '.join(modules)}")
    return _read(name, modules[name])


def _read(name: str, module: PaperModule) -> Paper:
    return read_paper(name, module.figures())


def _check(name: str, module: PaperModule) -> None:
    _read(name, module)
