"""NumPy and SciPy at their first use: importing NumPy takes a tenth of a second, and most commands do without.

Kernels import it themselves, since numba compiles no stand-in.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import numpy as np
    import scipy  # type: ignore[import-untyped]
    from numpy.typing import NDArray
else:

    class _AtFirstUse(ModuleType):
        def __getattr__(self, name: str) -> Any:
            value = getattr(importlib.import_module(self.__name__), name)
            setattr(self, name, value)
            return value

    class NDArray:
        """What annotations name, without NumPy."""

        def __class_getitem__(cls, kind: object) -> type:
            return cls

    np, scipy = _AtFirstUse("numpy"), _AtFirstUse("scipy")

__all__ = ["NDArray", "frame_of", "np", "scipy"]


def frame_of(rows: NDArray[Any], names: Sequence[str]) -> pl.DataFrame:
    """Make a frame of an array: its rows are rows, also if it is square, where Polars by itself may take columns."""
    return pl.DataFrame(rows, schema=list(names), orient="row")
