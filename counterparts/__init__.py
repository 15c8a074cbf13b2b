"""Which function of ndresize stands for which callable of which library.

The one table behind the differential tests (``tests/test_counterparts.py``), the benchmarks of the
dialects (``python -m benchmarks --dialects``) and the table in ``docs/dialects.md``.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from counterparts.counterpart import Call, Counterpart, Drawn, make_data

__all__ = ["Call", "Counterpart", "Drawn", "counterparts", "make_data"]


@cache
def counterparts() -> dict[str, Counterpart]:
    """Return all counterparts by name, in the order of their systems' names."""
    found: dict[str, Counterpart] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        for entry in getattr(
            importlib.import_module(f"{__name__}.{module.name}"), "COUNTERPARTS", ()
        ):
            found[entry.name] = entry
    return found
