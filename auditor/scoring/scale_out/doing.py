"""Running the stages of a plan one after another by an executor; finished tasks are not repeated."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from auditor.files import sweep
from auditor.model import Progress, silent
from auditor.scoring.scale_out.executors import Execute
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.stage import P, Stage
from auditor.scoring.scale_out.tasks import STAGES
from auditor.scoring.scale_out.work import Work
from auditor.store.engine import resident


def do(plan: Plan, work: Work, execute: Execute, progress: Progress = silent) -> dict[str, int]:
    """Run the missing tasks of a plan of scores, and return their number by stage."""
    return do_stages(STAGES, plan, work, execute, progress)


def do_stages(
    stages: Mapping[str, Stage[P]], plan: P, work: Work, execute: Execute, progress: Progress
) -> dict[str, int]:
    """Run the missing tasks of a plan, stage by stage, and return their number by stage."""
    made = {}
    for name, stage in stages.items():
        if not (parts := stage.parts(plan)):
            continue
        missing = [number for number in range(parts) if not work.whole(name, number)]
        pace = _Pace(f"{plan.dataset}: {stage.title}", parts, plan.captions / max(1, parts), parts - len(missing))
        progress(*pace.report())
        for done in execute(work.folder, name, missing) if missing else ():
            pace.add(done.memory)
            progress(*pace.report())
        made[name] = len(missing)
    sweep(work.folder)  # of workers that were killed
    return made


def files(plan: Plan) -> Iterator[tuple[str, int]]:
    """Yield every file that the stages of a plan write, in order."""
    for name, stage in STAGES.items():
        for number in range(stage.parts(plan)):
            yield name, number


@dataclass
class _Pace:
    """The progress and speed of a stage: of `parts` tasks with so many `captions` each, `done` before it began."""

    title: str
    parts: int
    captions: float
    done: int
    began: float = field(default_factory=time.monotonic)
    made: int = 0
    memory: int = field(default_factory=resident)

    def add(self, memory: int) -> None:
        """Count a task of a worker that now uses so many bytes of memory."""
        self.made, self.memory = self.made + 1, max(self.memory, memory)

    def report(self) -> tuple[str, int, int]:
        """Return the arguments of a progress report."""
        took = time.monotonic() - self.began
        pace = f"{self.made * self.captions / took:,.0f} captions/s, " if self.made and took else ""
        return f"{self.title}; {pace}{self.memory / 2**30:.1f} GiB", self.done + self.made, self.parts
