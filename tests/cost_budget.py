"""Names the tests and folders that have become dearer, by their ratio to the floor of the same run.

    pytest -n auto --dist loadgroup --costs=costs.json
    python tests/cost_budget.py costs.json             # names what grew by a quarter; exit code 1 if something did
    python tests/cost_budget.py costs.json --accept    # these are the costs from now on

The floor is the median cost of a test that opens one store and ingests once, so that a slow machine changes no ratio.
`benchmarks/test_costs.json` has the accepted ratios: of each folder, and of each test file above fifty floors.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ACCEPTED = Path(__file__).parents[1] / "benchmarks" / "test_costs.json"

#: A cost may grow by this factor.
ALLOWED = 1.25

#: The floors from which a file has a limit of its own.
_DEAR = 50


def ratios(records: list[dict[str, Any]]) -> dict[str, float]:
    """Return the cost of each folder and each dear file in floors. Raises `ValueError` without a floor."""
    floors = [one["cpu"] for one in records if one["opens"] == one["ingests"] == 1 and not one["processes"]]
    if not floors:
        raise ValueError("no test opens one store and ingests once, so there is no floor")
    floor, sums = statistics.median(floors), dict[str, float]()
    for one in records:
        file = one["test"].partition("::")[0]
        for place in (str(Path(file).parent), file):
            sums[place] = sums.get(place, 0.0) + one["cpu"] / floor
    return {place: round(cost, 1) for place, cost in sorted(sums.items()) if not place.endswith(".py") or cost > _DEAR}


def grown(before: Mapping[str, float], after: Mapping[str, float]) -> list[str]:
    """List what costs more than is accepted; a new file or folder has no limit yet."""
    return [
        f"{place}: {after[place]:,.0f} floors, {after[place] / before[place] - 1:+.0%}"
        for place in after
        if after[place] > ALLOWED * before.get(place, float("inf"))
    ]


def main(arguments: list[str]) -> int:
    """Compare costs with the accepted ones, or accept them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("costs", type=Path, help="what pytest --costs wrote")
    parser.add_argument("--accept", action="store_true", help="write these costs to benchmarks/test_costs.json")
    asked = parser.parse_args(arguments)
    found = ratios(json.loads(asked.costs.read_text(encoding="utf-8")))
    if asked.accept:
        ACCEPTED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    dearer = grown(json.loads(ACCEPTED.read_text(encoding="utf-8")), found)
    print("\n".join(dearer) or "nothing grew by a quarter")
    return 1 if dearer else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
