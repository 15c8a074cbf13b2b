"""Resize tensors of any rank and type exactly as each framework defines it."""

from ndresize.axis import AxisOperator
from ndresize.errors import ResizeError
from ndresize.patch import Patch
from ndresize.plan import Arithmetic, Fill, Pass, Plan
from ndresize.resizing import MODES, resize

__version__ = "0.1.0"

__all__ = [
    "MODES",
    "Arithmetic",
    "AxisOperator",
    "Fill",
    "Pass",
    "Patch",
    "Plan",
    "ResizeError",
    "__version__",
    "resize",
]
