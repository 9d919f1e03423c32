"""Progress on a terminal: one line that is drawn over, and a lasting line for each step that took long."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

from auditor.model import Progress as Report
from auditor.reports.escaping import harmless
from auditor.steps import Work

#: Seconds below which a step needs no line of its own when it is finished.
SHORT = 2.0

_BAR_CELLS = 10


class _HowFar(ProgressColumn):
    """Percent, parts done of all parts, and the remaining time; the elapsed time if that is unknown."""

    def render(self, task: Task) -> Text:
        """Return the text of the column."""
        took, left = (_clock(seconds) for seconds in (task.elapsed or 0.0, task.time_remaining or 0.0))
        if task.total is None:
            return Text(f"{task.completed:,.0f}, {took}" if task.completed else took)
        far = f"{task.percentage:.0f}%, {task.completed:,.0f} of {task.total:,.0f}"
        return Text(f"{far}, {left} left" if task.time_remaining is not None else f"{far}, {took}")


@contextmanager
def drawn(console: Console) -> Iterator[Report]:
    """Draw a line with the progress of a command; it is removed at the end."""
    words = TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True))
    with Progress(words, BarColumn(_BAR_CELLS), _HowFar(), console=console, transient=True, expand=True) as bar:
        task, step, began, known = bar.add_task("", total=None), "", time.monotonic(), 0

        def finish() -> None:
            took = time.monotonic() - began
            if step and took >= SHORT:
                console.print(harmless(f"{step}: {_clock(took)}"), style="dim", soft_wrap=True)

        def report(what: str, done: int, total: int) -> None:
            nonlocal step, began, known
            if (named := what.step if isinstance(what, Work) else what.partition("; ")[0]) != step:
                finish()
                step, began = named, time.monotonic()
            if done < bar.tasks[0].completed or (total != known and done < total):
                bar.reset(task)
            known = total
            # All of it is done: this is the end, or the total is unknown.
            bar.tasks[0].total = total if done < total else None
            bar.update(task, description=set_cell_size(what, min(cell_len(what), console.width // 2)), completed=done)

        yield report
        finish()


def _clock(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))
