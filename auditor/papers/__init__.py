"""Recompute published figures: `PAPER.toml` has figures, bands and runs of studies, `PAPER.py` the rest.

`PAPERS` are the built-in papers. Other packages add theirs by entry points of group `auditor.papers`, each a
`PaperModule`.
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
    """A module whose function `measure` recomputes a paper, with a TOML file of the same name in its folder.

    If every figure is a cell of a declared run, the file is enough.
    """

    module: str

    def load(self) -> ModuleType:
        """Import the module, or the one for papers that have none."""
        return importlib.import_module(self.module if importlib.util.find_spec(self.module) else "auditor.papers.runs")

    def figures(self) -> str:
        """Read the file of figures. Raises `FileNotFoundError` if the folder or the file does not exist."""
        package, _, name = self.module.rpartition(".")
        spec = importlib.util.find_spec(self.module) or (importlib.util.find_spec(package) if package else None)
        if spec is None or spec.origin is None:
            raise FileNotFoundError(f"no module {self.module}")
        return (Path(spec.origin).parent / f"{name}.toml").read_text(encoding="utf-8")


#: A paper for each file of figures in this folder.
PAPERS = {
    path.stem.replace("_", "-"): PaperModule(f"auditor.papers.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("*.toml"))
}


@functools.cache
def of_others() -> dict[str, PaperModule]:
    """List the papers of other packages; a warning names each whose figures cannot be read."""
    return dict(added("auditor.papers", PaperModule, PAPERS, check=_read))


def known() -> dict[str, PaperModule]:
    """List every paper, sorted by name: the built-in ones, which keep their names, and those of other packages."""
    return dict(sorted((PAPERS | of_others()).items()))


def paper(name: str) -> Paper:
    """Read the checks of a paper, sorted by item.

    Raises `UsageError` for an unknown paper, `ValueError` for a check without a band, or with one wider than its
    figure's rounding without a reason.
    """
    modules = known()
    if name not in modules:
        raise UsageError(f"{name}: no such paper; known are {', '.join(modules)}")
    return _read(name, modules[name])


def _read(name: str, module: PaperModule) -> Paper:
    return read_paper(name, module.figures())
