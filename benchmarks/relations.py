"""Where does the counting behind `auditor score` spend its CPU time? By relation, on a store without kept counts.

Every relation that the engine materialises and every SELECT whose rows it gives is charged its own time, without that
of what it had to materialise first.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_SCORING = "scoring"


def charge(owner: Any, name: str, costs: dict[str, float], label: Callable[[tuple[Any, ...]], str]) -> None:
    """Let every call of `owner.name` add its own CPU seconds to `costs`, by the label that its arguments get."""
    called = getattr(owner, name)

    def charged(*arguments: Any, **named: Any) -> Any:
        start, before = time.process_time(), sum(costs.values())
        try:
            return called(*arguments, **named)
        finally:
            inside = sum(costs.values()) - before
            costs[label(arguments)] += time.process_time() - start - inside

    setattr(owner, name, charged)


def main(arguments: Sequence[str]) -> None:
    """Score, write nothing, and print CPU seconds: of counting, of turning counts into scores, of every relation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("metrics", nargs="+")
    asked = parser.parse_args(arguments)

    from auditor.metrics.candidates import HUMAN
    from auditor.registry import MetricRequest, requests
    from auditor.scoring import scores
    from auditor.store.connection import Store
    from auditor.store.versions import resolve
    from auditor.store.workspace import Workspace

    costs: dict[str, float] = defaultdict(float)
    charge(Store, "hold", costs, lambda given: given[1])
    charge(Workspace, "rows", costs, lambda given: f"{given[1]} (rows)")
    charge(MetricRequest, "scores", costs, lambda _: _SCORING)
    with Store.open(asked.store) as store:
        wanted = requests(asked.metrics)
        start = time.process_time()
        scores.score_candidates(store, resolve(store, "set"), "bare", [HUMAN], wanted)
        whole = time.process_time() - start
        store.on_close.clear()
    scoring = costs.pop(_SCORING)
    costs["kernels and frames"] = whole - scoring - sum(costs.values())
    print(json.dumps({"counting": whole - scoring, "scoring": scoring, "relations": costs}))


if __name__ == "__main__":
    main(sys.argv[1:])
