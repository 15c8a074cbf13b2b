"""Colours times their alpha and back, of every colour and every alpha, on every instruction set."""

from __future__ import annotations

import numpy as np
import pytest

from ndresize.engine import _ext
from ndresize.engine.alpha import divide_alpha, multiply_alpha
from other_process import available_sets, run_python


def every_pair(channels: int) -> np.ndarray:
    """Return pixels with all pairs of colour and alpha, in an order that no vector has."""
    colour, alpha = np.divmod(np.random.default_rng(0).permutation(256 * 256), 256)
    colours = [(colour + 85 * k) % 256 for k in range(channels - 1)]
    return np.stack([*colours, alpha], axis=-1).astype(np.uint8)


def check_every_pair() -> None:
    for channels in (2, 4):
        pixels = every_pair(channels)
        wide = pixels.astype(np.int64)
        colours, alpha = wide[:, :-1], wide[:, -1:]
        times = np.concatenate([(2 * colours * alpha + 255) // 510, alpha], axis=1)
        np.testing.assert_array_equal(multiply_alpha(pixels, 1), times)
        over = np.where(alpha > 0, np.minimum(colours * 255 // np.maximum(alpha, 1), 255), colours)
        divided = pixels.copy()
        divide_alpha(divided, 1)
        np.testing.assert_array_equal(divided, np.concatenate([over, alpha], axis=1))


@pytest.mark.parametrize("instruction_set", available_sets())
def test_every_colour_and_alpha(instruction_set: str) -> None:
    run = run_python(
        "import test_alpha; test_alpha.check_every_pair()", NDRESIZE_ISA=instruction_set
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("channels", [2, 4])
def test_any_length_on_any_number_of_threads(channels: int) -> None:
    pixels = every_pair(channels)
    times = multiply_alpha(pixels, 1)
    divided = pixels.copy()
    divide_alpha(divided, 1)
    for length in [*range(1, 70), 40_001, 65_535]:
        part = pixels[:length]
        np.testing.assert_array_equal(multiply_alpha(part, 3), times[:length])
        part = part.copy()
        divide_alpha(part, 3)
        np.testing.assert_array_equal(part, divided[:length])


def test_pixels_with_gaps() -> None:
    pixels = every_pair(4).reshape(256, 256, 4)
    spread = np.zeros((512, 256, 4), np.uint8)[::2]
    spread[...] = pixels
    np.testing.assert_array_equal(multiply_alpha(spread, 0), multiply_alpha(pixels, 0))
    divide_alpha(spread, 0)
    divide_alpha(pixels, 0)
    np.testing.assert_array_equal(spread, pixels)


def test_pixels_without_alpha_are_refused() -> None:
    with pytest.raises(ValueError, match="channels"):
        _ext.divide_alpha(np.zeros((4, 3), np.uint8), 1)
    with pytest.raises(ValueError, match="output"):
        _ext.multiply_alpha(np.zeros((4, 4), np.uint8), np.zeros((3, 4), np.uint8), 1)
