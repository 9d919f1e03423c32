"""The stages of a plan one after another, by an executor: what is done stays done."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from auditor.model import Progress, silent
from auditor.scoring.scale_out.executors import Execute
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.tasks import SPILL, STAGES
from auditor.scoring.scale_out.work import Work
from auditor.store.bounded import resident


def do(plan: Plan, work: Work, execute: Execute, progress: Progress = silent) -> dict[str, int]:
    """Do what is missing of a plan, and say by stage how many tasks that were."""
    made = {}
    for name, stage in STAGES.items():
        parts = stage.parts(plan)
        missing = [number for number in range(parts) if not work.whole(name, number)]
        pace = _Pace(f"{plan.dataset}: {stage.says}", parts, plan.captions / max(1, parts), parts - len(missing))
        progress(*pace.told())
        for done in execute(work.folder, name, missing) if missing else ():
            pace.add(done.memory)
            progress(*pace.told())
        made[name] = len(missing)
    for left in work.folder.glob(f"{SPILL}*"):
        shutil.rmtree(left, ignore_errors=True)
    return made


def files(plan: Plan) -> Iterator[tuple[str, int]]:
    """Name every file that the stages of a plan make, in order."""
    for name, stage in STAGES.items():
        for number in range(stage.parts(plan)):
            yield name, number


@dataclass
class _Pace:
    """How far a stage is, and how fast: of `parts` tasks of so many `captions` each, `done` before it began."""

    says: str
    parts: int
    captions: float
    done: int
    began: float = field(default_factory=time.monotonic)
    made: int = 0
    memory: int = field(default_factory=resident)

    def add(self, memory: int) -> None:
        """Count a task that a worker has done, which has so many bytes of memory now."""
        self.made, self.memory = self.made + 1, max(self.memory, memory)

    def told(self) -> tuple[str, int, int]:
        """Say it as progress is told."""
        took = time.monotonic() - self.began
        pace = f"{self.made * self.captions / took:,.0f} captions/s, " if self.made and took else ""
        return f"{self.says}; {pace}{self.memory / 2**30:.1f} GiB", self.done + self.made, self.parts
