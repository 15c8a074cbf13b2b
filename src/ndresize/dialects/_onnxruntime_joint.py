"""Linear interpolation whose last bit depends on how the products of all axes are summed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Plan

__all__ = ["JointPlan"]


@dataclass(frozen=True, repr=False)
class JointPlan(Plan):
    """A plan whose passes, of two taps each, are computed together, as ONNX Runtime does.

    A sample is the sum of 2**k products of one coefficient and one input sample each, a coefficient
    being the product of k weights, all in float32 and without fused operations. Integers are
    truncated, so sums of 3 and of 2.9999998 differ by one. A weight of zero reads nothing.

    Parameters
    ----------
    halved : tuple of (ndarray of bool, shape (n_out,))
        Per pass: the samples that read one input sample twice, by a half each.
    """

    halved: tuple[NDArray[np.bool_], ...] = ()

    def __call__(self, x: Any, out: Any = None, threads: int | None = None) -> Any:
        """Run the plan, as `Plan.__call__` does."""
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise ResizeError(f"threads must be an integer of at least 1, got {threads!r}")
        if not portable.is_foreign(x):
            x = np.asarray(x)
        if tuple(x.shape) != self.input_shape:
            raise ResizeError(f"the plan is for shape {self.input_shape}, got {tuple(x.shape)}")
        if portable.element_type_of(x) != self.input_dtype:
            raise ResizeError(f"the plan is for type {self.input_dtype}, got {x.dtype}")
        if out is not None:
            if not isinstance(x, np.ndarray):
                raise ResizeError(
                    f"out can be given for NumPy arrays alone; got an array of {type(x).__module__}"
                )
            self._check_out(x, out)
        y = self._joint(x, portable.namespace(x))
        if out is None:
            return y
        out[...] = y
        return out

    def _joint(self, x: Any, xp: Any) -> Any:
        total = None
        samples = xp.astype(x, xp.float32)
        # The last axis changes fastest; the passes begin with it.
        for slow_to_fast in itertools.product((0, 1), repeat=len(self.passes)):
            taps = slow_to_fast[::-1]
            part, coefficient = samples, None
            for step, halved, tap in zip(self.passes, self.halved, taps, strict=True):
                operator = step.operator
                weights = np.zeros(operator.n_out)
                if tap < operator.taps:
                    weights = operator.weights[:, tap]
                weights = np.where(halved, 0.5, weights)
                index = np.where(halved, operator.starts, operator.starts + tap)
                index = np.minimum(index, operator.n_in - 1)
                part = xp.take(part, portable._constant(index, x, xp), axis=step.axis)
                shape = tuple(-1 if a == step.axis else 1 for a in range(len(self.input_shape)))
                factor = portable._constant(weights.astype(np.float32), x, xp)
                factor = xp.reshape(factor, shape)
                coefficient = factor if coefficient is None else coefficient * factor
                part = xp.where(factor == 0, xp.zeros_like(part), part)
            product = coefficient * part
            total = product if total is None else total + product
        return portable._fill(self, portable._store(self, total, xp, x.dtype), xp)

    def crop(self, slices: Sequence[slice]) -> tuple[Plan, tuple[slice, ...]]:
        """Return a plan for one window of the output, as `Plan.crop` does."""
        cropped, window = super().crop(slices)
        parts = (slices,) if isinstance(slices, slice) else tuple(slices)
        halved = tuple(
            mask[parts[step.axis]] if step.axis < len(parts) else mask
            for step, mask in zip(self.passes, self.halved, strict=True)
        )
        assert isinstance(cropped, JointPlan)  # it is made by `replace`
        return replace(cropped, halved=halved), window

    def _key(self) -> tuple[Any, ...]:
        masks = tuple(mask.tobytes() for mask in self.halved)
        _, fields = Plan.__reduce__(self)
        return (*fields, masks)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, JointPlan) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        _, fields = super().__reduce__()
        return JointPlan, (*fields, self.halved)

    def __repr__(self) -> str:
        return super().__repr__() + "\n  all axes at once, in float32"
