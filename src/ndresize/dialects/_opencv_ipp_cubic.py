"""In which order IPP adds the products of INTER_CUBIC of integers.

Found by measuring: every order was tried on samples that come out near a half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.dialects import _opencv_ipp as ipp
from ndresize.dialects import _opencv_passes as steps
from ndresize.dialects import _opencv_taps as taps
from ndresize.dialects._opencv_axis import Axis
from ndresize.dialects._opencv_sums import Sums, around, nested
from ndresize.plan import Pass

__all__ = ["mapped", "resized"]


def resized(channels: int, dtype: np.dtype[Any], axes: tuple[Axis, Axis]) -> Sums:
    """Return sums of IPP's resize."""
    rows, columns = axes
    across, down = ipp.cubic(columns, None), ipp.cubic(rows, None)
    if dtype.itemsize == 1:
        return Sums(_bytes(channels, across, down, _inside(across)))
    return _words(channels, across, down)


def _inside(along: taps.Taps) -> NDArray[np.bool_]:
    """Return which output samples read nothing beyond an edge."""
    inside: NDArray[np.bool_] = (along.first >= 0) & (along.first + 4 <= along.n_in)
    return inside


def _span(along: taps.Taps) -> slice:
    """Return the output samples that read nothing beyond an edge, perhaps none."""
    inside = np.flatnonzero(_inside(along))
    return slice(int(inside[0]), int(inside[-1]) + 1) if len(inside) else slice(0, 0)


def _left_over(inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the last columns inside, up to three, where IPP sums four at a time."""
    columns = np.flatnonzero(inside)
    return columns[len(columns) - len(columns) % 4 :]


def _bytes(
    channels: int, across: taps.Taps, down: taps.Taps, inside: NDArray[np.bool_]
) -> list[Pass]:
    """Return passes in IPP's orders for uint8.

    With three channels all columns are chains. Else columns that read beyond an edge are, those
    inside are summed four at a time, and those left over in another order.
    """
    order = np.tile(np.arange(4), (len(inside), 1))
    trees = np.full(len(inside), steps.CHAIN)
    if channels == 1:
        order[_left_over(inside)] = 0, 2, 1, 3
        trees[inside] = steps.HALVES
    elif channels == 4:
        order[inside] = 0, 2, 1, 3
        order[_left_over(inside)] = 3, 0, 2, 1
        trees[inside] = steps.FUSED_HALVES
    return [
        steps.in_trees(1, across, order, trees),
        steps.in_trees(0, down, (1, 0, 3, 2), steps.FUSED_HALVES),
    ]


def _words(channels: int, across: taps.Taps, down: taps.Taps) -> Sums:
    """Return sums in IPP's orders for uint16 and int16.

    What reads beyond an edge has an order of its own. There IPP begins with the first product of
    a row in the outer two of its four rows, with the second in the inner two; a pass has one order
    for all rows: that of the inner ones, whose weights are larger.
    """
    edge = [
        steps.in_trees(1, across, (1, 0, 2, 3), steps.CHAIN),
        steps.in_trees(0, down, (0, 2, 1, 3), steps.HALVES),
    ]
    inner = _words_inside(channels, across, down, _inside(across))
    everything = slice(0, len(down.first)), slice(0, len(across.first))
    return nested([(everything, edge), ((_span(down), _span(across)), inner)], [])


def _words_inside(
    channels: int, across: taps.Taps, down: taps.Taps, inside: NDArray[np.bool_]
) -> list[Pass]:
    """Return passes for what reads nothing beyond an edge: the columns `inside`."""
    order = np.tile((0, 1, 2, 3) if channels == 1 else (2, 1, 3, 0), (len(inside), 1))
    if channels == 1:
        order[_left_over(inside)] = 0, 2, 1, 3
    halves = steps.HALVES if channels == 1 else steps.FUSED_HALVES
    return [
        steps.in_trees(1, across, order, halves),
        steps.in_trees(0, down, (1, 0, 3, 2), steps.FUSED_HALVES),
    ]


def mapped(channels: int, dtype: np.dtype[Any], axes: tuple[Axis, Axis]) -> Sums:
    """Return sums of IPP's affine map of integers, which resizes a block within large images.

    Columns of rows that read beyond an edge have coordinates of their own. Around the block one
    channel has one order. Else what reads beyond an edge has its own, and pixels
    inside are summed two at a time; one that is left over has an order of its own too.
    """
    rows, columns = axes
    by = ipp.Map(rows, columns, channels)
    down = ipp.mapped_cubic(rows, by)
    everything = slice(0, rows.n_out), slice(0, columns.n_out)
    inside = ipp.inside(rows), ipp.inside(columns)
    beyond, _, _ = _in_map(channels, ipp.mapped_cubic(columns, by, beyond=True), down)
    edge, inner, single = _in_map(channels, ipp.mapped_cubic(columns, by), down)
    layers = [(everything, beyond), ((inside[0], everything[1]), edge)]
    if channels > 1:
        layers.append((inside, inner))
    parts = [layers[-1][0]]  # where pixels are summed two at a time
    if (block := ipp.block(by)) is not None:
        across, down = ipp.cubic(columns, by), ipp.cubic(rows, by)
        in_block = np.zeros(columns.n_out, np.bool_)
        in_block[block[1]] = True
        make = _bytes if dtype.itemsize == 1 else _words_inside
        block = block[0], slice(block[1].start + 1, block[1].stop - 1)
        layers.append((block, make(channels, across, down, in_block)))
        parts = around(block, parts[0])
    left_over = [
        (part[0], slice(part[1].stop - 1, part[1].stop))
        for part in parts
        if channels > 1 and (part[1].stop - part[1].start) % 2
    ]
    return nested(layers, [(window, single) for window in left_over])


def _in_map(
    channels: int, across: taps.Taps, down: taps.Taps
) -> tuple[list[Pass], list[Pass], list[Pass]]:
    """Return passes in the orders of IPP's affine map: at edges, inside, for a single pixel."""
    straight, exchanged, outer = (0, 1, 2, 3), (1, 0, 3, 2), (1, 0, 2, 3)
    if channels == 1:
        first = steps.in_trees(0, down, exchanged, steps.FUSED_HALVES)
        passes = [first, steps.in_trees(1, across, straight, steps.HALVES)]
        return passes, passes, passes
    chains = [steps.in_trees(0, down, order, steps.CHAIN) for order in (outer, straight)]
    if channels == 3:
        last = steps.in_trees(1, across, straight, steps.HALVES)
        return [chains[0], last], [chains[1], last], [chains[0], last]
    last = steps.in_trees(1, across, exchanged, steps.FUSED_HALVES)
    single = [
        steps.in_trees(1, across, outer, steps.CHAIN),
        steps.in_trees(0, down, exchanged, steps.FUSED_HALVES),
    ]
    return [chains[0], last], [chains[1], last], single
