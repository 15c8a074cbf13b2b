"""The pass: one axis, its operator, and the arithmetic that its sums are computed in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.products import Products

__all__ = ["Arithmetic", "Pass", "how_in_words"]

Accumulator = Literal["element", "float32", "float64", "fixed"]


@dataclass(frozen=True)
class Arithmetic:
    """How a pass computes.

    Parameters
    ----------
    accumulator : {"element", "float32", "float64", "fixed"}
        Type of weights and sums. "element": samples are picked and never change type. "fixed":
        integers that count units of a power of two, so that sums are exact.
    store : {"wide", "element"}
        Whether the sums stay as they are for the next pass, or are rounded into the element type.
        Fixed point keeps all its bits when it stays wide: its sums have as many fractional bits as
        the samples and the weights together.
    fused : bool
        Of floats: whether a product and the sum it is added to may round once together. If not,
        each rounds, as in systems that are compiled without fused multiply-add.
    sums : {"chain", "lerp", "joint"}
        Of floats: in which order products are added. "chain": tap by tap. "lerp": of two samples a
        and b with weights 1 - w and w, ``a + (b - a) * w``. "joint": neighbouring passes along
        different axes are one sum; each sample is multiplied by the product of its weights, of
        which that of the first pass comes first, and these products are added one by one, the
        first pass's taps changing fastest.
    bits : int
        Of "fixed": fractional bits of the weights, each of which is a multiple of ``2**-bits``.
    cut : tuple of int, optional
        Of "fixed": (fractional bits that each sample keeps, fractional bits that each product
        keeps); what is beyond them is cut off, towards minus infinity. All are kept if not given.
    limits : tuple of int, optional
        Of "fixed" stored as an element: what the rounded sum is clamped to before it wraps into the
        element type; the type's own limits if not given.
    """

    accumulator: Accumulator = "float32"
    store: Literal["wide", "element"] = "wide"
    fused: bool = True
    sums: Literal["chain", "lerp", "joint"] = "chain"
    bits: int = 0
    cut: tuple[int, int] | None = None
    limits: tuple[int, int] | None = None

    @classmethod
    def for_dtype(cls, dtype: np.dtype[Any]) -> Arithmetic:
        """Return what sums of `dtype` are computed in: float32 up to 16 bits, float64 above."""
        wide = dtype.kind in "fciu" and dtype.itemsize > (8 if dtype.kind == "c" else 4)
        if dtype.kind in "iu" and dtype.itemsize == 4:
            wide = True
        return cls("float64" if wide else "float32")


@dataclass(frozen=True)
class Pass:
    """One axis, its operator, and how the sums are computed.

    Parameters
    ----------
    axis : int
        Along which samples are summed.
    operator : AxisOperator
        What each sum is of.
    arithmetic : Arithmetic
        How it is computed: tap by tap, from the first to the last.
    products : Products, optional
        Of float32: the products of the operator in an order of their own, which is then taken.
    """

    axis: int
    operator: AxisOperator
    arithmetic: Arithmetic
    products: Products | None = None

    @classmethod
    def of(cls, axis: int, operator: AxisOperator, arithmetic: Arithmetic) -> Pass:
        """Return a pass; one whose operator picks samples has no sums of one product each."""
        if operator.is_selection:
            arithmetic = replace(arithmetic, accumulator="element")
        return cls(axis, operator, arithmetic)

    @classmethod
    def of_products(cls, axis: int, products: Products) -> Pass:
        """Return a pass that adds products in their order."""
        return cls(axis, products.operator(), Arithmetic("float32"), products)

    def crop(self, start: int, stop: int) -> tuple[Pass, int, int]:
        """Return the pass to outputs ``start:stop`` alone and the input window that it reads."""
        if self.products is None:
            operator, first, last = self.operator.crop(start, stop)
            return replace(self, operator=operator), first, last
        products, first, last = self.products.crop(start, stop)
        return replace(self, operator=products.operator(), products=products), first, last

    def widened(self, before: int, n_in: int) -> Pass:
        """Return the pass for an input of `n_in` samples that has so many more before its own."""
        if self.products is None:
            op = self.operator
            return replace(self, operator=AxisOperator(op.starts + before, op.weights, n_in))
        own = self.products
        products = Products(own.index + before, own.weights, own.trees, n_in)
        return replace(self, operator=products.operator(), products=products)


def how_in_words(step: Pass) -> str:
    """Return how a pass computes, as the end of a sentence; nothing where it picks samples."""
    how = step.arithmetic
    if how.accumulator == "element":
        return ""
    if step.products is not None:
        words = ", in float32 sums of an order of their own"
    elif how.accumulator != "fixed":
        order = {
            "chain": "",
            "lerp": " of a + (b - a) * w",
            "joint": " over all axes at once",
        }[how.sums]
        words = f", {how.accumulator} sums{order}" + ("" if how.fused else ", products rounded")
    else:
        words = f", fixed point of {how.bits} bits"
        if how.cut is not None:
            words += f", samples cut to {how.cut[0]} and products to {how.cut[1]}"
        words += f", clamped to {how.limits[0]}..{how.limits[1]}" if how.limits else ""
    return words + (", rounded" if how.store == "element" else "")
