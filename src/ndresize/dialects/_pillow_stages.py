"""Plans with what Pillow does around its passes: premultiplied alpha, the reduce, odd types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.engine import portable
from ndresize.engine.alpha import divide_alpha, multiply_alpha
from ndresize.errors import ResizeError
from ndresize.plan import Plan, thread_count

__all__ = ["StagedPlan", "premultiply", "reduce_blocks", "unpremultiply"]


@dataclass(frozen=True, repr=False)
class StagedPlan(Plan):
    """A plan whose passes run between exact stages, each of one sample (or one block) alone.

    Parameters
    ----------
    premultiplied : bool
        Colours are multiplied by the last channel before the passes and divided by it after.
    factors : (int, int) or None
        Columns and rows of the blocks of `Image.reduce`, which are then the first two passes.
        They round as Pillow does, which sums alone cannot.
    """

    premultiplied: bool = False
    factors: tuple[int, int] | None = None
    _inner: list[Plan] = field(default_factory=list, init=False, compare=False, hash=False)

    def __call__(self, x: Any, out: Any = None, threads: int | None = None) -> Any:
        """Run the plan, as `Plan.__call__` does."""
        most = 0 if threads is None else thread_count(threads)
        if not portable.is_foreign(x):
            x = np.asarray(x)
            if not x.dtype.isnative:
                x = x.astype(x.dtype.newbyteorder("="))
        if tuple(x.shape) != self.input_shape:
            raise ResizeError(f"the plan is for shape {self.input_shape}, got {tuple(x.shape)}")
        if portable.element_type_of(x) != self.input_dtype:
            raise ResizeError(f"the plan is for type {self.input_dtype}, got {x.dtype}")
        xp = portable.namespace(x)
        if self.dtype != self.input_dtype:
            with np.errstate(over="ignore"):  # a double too large for a float is infinite in C too
                x = xp.astype(x, getattr(xp, self.dtype.name))
            if self.input_dtype == np.int8:
                x = x & 255  # Pillow reads signed bytes as unsigned ones
        if self.premultiplied:
            x = premultiply(x, xp, most)
        if self.factors is not None:
            columns, rows = self.passes[:2]
            x = reduce_blocks(x, columns.operator, rows.operator, self.factors, xp)
        if not self._inner:
            rest = self.passes[2 if self.factors else 0 :]
            self._inner.append(
                Plan(
                    tuple(x.shape),
                    self.dtype,
                    rest,
                    self.output_shape,
                    self.dtype,
                    self.rounding,
                    self.fill,
                )
            )
        y = self._inner[0](x, out=out, threads=threads)
        if not self.premultiplied:
            return y
        return unpremultiply(y, xp, most)

    def crop(self, slices: Sequence[slice]) -> tuple[Plan, tuple[slice, ...]]:
        """Return a plan for one window of the output, as `Plan.crop` does; channels stay whole."""
        cropped, window = super().crop(slices)
        if self.premultiplied and cropped.input_shape[-1] != self.input_shape[-1]:
            raise ResizeError(
                f"the channels of an image with alpha cannot be cropped, got {slices!r}; crop the "
                "result"
            )
        return cropped, window

    def __reduce__(self) -> tuple[Any, ...]:
        _, fields = super().__reduce__()
        return StagedPlan, (*fields, self.premultiplied, self.factors)

    def __repr__(self) -> str:
        lines = super().__repr__().split("\n")
        if self.premultiplied:
            lines.insert(1, "  colours times alpha")
            lines.append("  colours divided by alpha")
        return "\n".join(lines)


def premultiply(x: Any, xp: Any, threads: int = 0) -> Any:
    """Return colours times alpha over 255, rounded as Pillow's MULDIV255 does."""
    if xp is np:
        return multiply_alpha(x, threads)
    alpha = x[..., -1:]
    product = xp.astype(x[..., :-1], xp.int32) * xp.astype(alpha, xp.int32) + 128
    return xp.concat([xp.astype(((product >> 8) + product) >> 8, x.dtype), alpha], axis=-1)


def unpremultiply(x: Any, xp: Any, threads: int = 0) -> Any:
    """Return colours over alpha times 255, cut, at most 255; those without alpha stay.

    A NumPy array is changed in place.
    """
    if xp is np:
        divide_alpha(x, threads)
        return x
    colours, alpha = x[..., :-1], xp.astype(x[..., -1:], xp.int32)
    some = xp.where(alpha == 0, xp.ones_like(alpha), alpha)
    straight = xp.clip(xp.astype(colours, xp.int32) * 255 // some, 0, 255)
    straight = xp.where(alpha == 0, colours, xp.astype(straight, x.dtype))
    return xp.concat([straight, x[..., -1:]], axis=-1)


def reduce_blocks(
    x: Any, columns: AxisOperator, rows: AxisOperator, factors: tuple[int, int], xp: Any
) -> Any:
    """Return the mean of each block, rounded as ``src/libImaging/Reduce.c`` rounds.

    Parameters
    ----------
    x : array, shape (height, width) or (height, width, channels)
        8-bit channels, int32 or float32.
    columns, rows : AxisOperator
        Which samples each block has; blocks at the end may be smaller.
    factors : (int, int)
        Columns and rows of a whole block.
    """
    deep = len(x.shape) == 3
    counts = rows.counts[:, None] * columns.counts[None, :]
    if deep:
        counts = counts[..., None]
    if str(x.dtype).endswith("uint8"):
        total = _block_sums(xp.astype(x, xp.int32), columns, rows, xp)
        # division_UINT32 in C floats; 24 fractional bits, cut.
        multiplier = (np.float32(2.0**32) / (256 * counts).astype(np.float32)).astype(np.int64)
        sums = xp.astype(total, xp.int64) + portable._constant(counts // 2, x, xp)
        return xp.astype((sums * portable._constant(multiplier, x, xp)) >> 24, x.dtype)
    paired = _paired_sums(x, columns, rows, factors, xp)
    single = _block_sums(xp.astype(x, xp.float64), columns, rows, xp)
    whole = (rows.counts == factors[1])[:, None] & (columns.counts == factors[0])[None, :]
    total = xp.where(portable._constant(whole, x, xp), paired, single)
    mean = total * portable._constant(1.0 / counts, x, xp)
    if str(x.dtype).endswith("int32"):
        mean = xp.trunc(mean + xp.where(mean < 0, -0.5 * xp.ones_like(mean), 0.5))
    return xp.astype(mean, x.dtype)


def _block_sums(x: Any, columns: AxisOperator, rows: AxisOperator, xp: Any) -> Any:
    """Return the sum of each block, row by row."""
    total = None
    for i in range(rows.taps):
        for j in range(columns.taps):
            part = _tap(_tap(x, rows, i, 0, xp), columns, j, 1, xp)
            total = part if total is None else total + part
    return total


def _paired_sums(
    x: Any, columns: AxisOperator, rows: AxisOperator, factors: tuple[int, int], xp: Any
) -> Any:
    """Return the sum of each whole block: pairs of samples of pairs of rows in the image's type.

    That is how the compiler reads ``ss += a + b + c + d``: four floats (or ints, which wrap), and
    then a double.
    """
    across, down = factors
    total = 0.0
    for i in range(0, down, 2):
        lines = [_tap(x, rows, k, 0, xp) for k in range(i, min(i + 2, down))]
        for j in range(0, across, 2):
            few = range(j, min(j + 2, across))
            parts = [_tap(line, columns, k, 1, xp) for line in lines for k in few]
            part = parts[0]
            for other in parts[1:]:
                part = part + other
            total = total + xp.astype(part, xp.float64)
    return total


def _tap(x: Any, operator: AxisOperator, tap: int, axis: int, xp: Any) -> Any:
    """Return sample `tap` of each block along an axis; 0 where a block is shorter."""
    index = np.minimum(operator.starts + tap, operator.n_in - 1)
    samples = xp.take(x, portable._constant(index, x, xp), axis=axis)
    inside = operator.counts > tap
    if inside.all():
        return samples
    shape = tuple(-1 if a == axis else 1 for a in range(len(x.shape)))
    mask = xp.reshape(portable._constant(inside, x, xp), shape)
    return xp.where(mask, samples, xp.zeros_like(samples))
