"""Every refusal is one line that says what was given and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ndresize
from ndresize import ResizeError
from ndresize.dialects import onnx

X = np.zeros((3, 4), np.float32)
CROP = "tf_crop_and_resize"
NAN, INF = float("nan"), float("inf")


def case(message: str, **words: Any) -> Any:
    return pytest.param(words, message, id=message[:60])


BAD = [
    # scales
    case("scales must have 2 entries, one per axis of X, got 1", scales=[2]),
    case("scales must have 2 entries, one per axis of X, got 3", scales=[2, 2, 2]),
    case("scales must have 1 entries, one per entry of axes, got 2", scales=[2, 2], axes=[0]),
    case("scales must be finite and greater than 0, got 0 at position 1", scales=[1, 0]),
    case("scales must be finite and greater than 0, got -2.0 at position 0", scales=[-2.0, 1]),
    case("scales must be finite and greater than 0, got nan at position 0", scales=[NAN, 1.0]),
    case("scales must be finite and greater than 0, got inf at position 1", scales=[1.0, INF]),
    case("scales must be finite and greater than 0, got 1e-60 at position 1", scales=[1, 1e-60]),
    case("scales must be finite and greater than 0, got 1e+60 at position 1", scales=[1, 1e60]),
    case("scales must be a one-dimensional list of numbers, got 2.0", scales=2.0),
    case("scales must be a one-dimensional list of numbers, got [[1, 2]]", scales=[[1, 2]]),
    case("scales must be a one-dimensional list of numbers, got ['a', 'b']", scales=["a", "b"]),
    case("scales must be a one-dimensional list of numbers, got [1, [2]]", scales=[1, [2]]),
    # sizes
    case("sizes must have 2 entries, one per axis of X, got 1", sizes=[2]),
    case("sizes must be greater than 0, got 0 (axis 1)", sizes=[3, 0]),
    case("sizes must be greater than 0, got -1 (axis 0)", sizes=[-1, 4]),
    case("sizes must be integers, got 2.5 at position 0", sizes=[2.5, 4]),
    case("sizes must be a one-dimensional list of numbers, got True", sizes=True),
    case("sizes must be a one-dimensional list of numbers, got 'ab'", sizes="ab"),
    # both and neither
    case("give scales or sizes; got neither"),
    case("give scales or sizes; got neither", scales=[], sizes=None),
    case(
        "give scales or sizes, not both; got scales=[2, 2], sizes=[3, 3]",
        scales=[2, 2],
        sizes=[3, 3],
    ),
    # axes
    case("axes must not repeat, got [1, 1] for rank 2", sizes=[5, 5], axes=[1, 1]),
    case("axes must not repeat, got [1, -1] for rank 2", sizes=[5, 5], axes=[1, -1]),
    case("axes must lie in [-2, 1] for rank 2, got 2", sizes=[5], axes=[2]),
    case("axes must lie in [-2, 1] for rank 2, got -3", sizes=[5], axes=[-3]),
    case("axes must lie in [-2, 1] for rank 2, got 0.5", sizes=[5], axes=[0.5]),
    # roi
    case(
        "roi must be given with coordinate_transformation_mode tf_crop_and_resize",
        sizes=[5, 5],
        coordinate_transformation_mode=CROP,
    ),
    case(
        "roi must have 4 entries, a start per axis of X and then an end per",
        roi=[0, 0, 1],
        sizes=[5, 5],
        coordinate_transformation_mode=CROP,
    ),
    case(
        "roi must be a finite number, got nan",
        roi=[0, 0, 1, NAN],
        sizes=[5, 5],
        coordinate_transformation_mode=CROP,
    ),
    # words
    case("got 'bilinear'; did you mean 'linear'?", sizes=[5, 5], mode="bilinear"),
    case("mode must be one of nearest, linear, cubic, got 3", sizes=[5, 5], mode=3),
    case(
        "got 'half_pixels'; did you mean 'half_pixel'?",
        sizes=[5, 5],
        coordinate_transformation_mode="half_pixels",
    ),
    case(
        "nearest_mode must be one of round_prefer_floor, round_prefer_ceil",
        sizes=[5, 5],
        nearest_mode="round",
    ),
    case(
        "policy must be one of stretch, not_larger, not_smaller, got 'fit'",
        sizes=[5, 5],
        keep_aspect_ratio_policy="fit",
    ),
    case(
        "keep_aspect_ratio_policy 'not_larger' needs sizes, got scales",
        scales=[2, 2],
        keep_aspect_ratio_policy="not_larger",
    ),
    case("antialias must be 0 or 1, got 2", sizes=[5, 5], mode="linear", antialias=2),
    case("antialias must be 0 or 1, got 'yes'", sizes=[5, 5], mode="linear", antialias="yes"),
    case("got nearest, which picks samples", sizes=[5, 5], antialias=1),
    case("exclude_outside must be 0 or 1, got -1", sizes=[5, 5], exclude_outside=-1),
    case("extrapolation_value must be a number, got 'x'", sizes=[5, 5], extrapolation_value="x"),
    case(
        "cubic_coeff_a must be a finite number, got nan",
        sizes=[5, 5],
        mode="cubic",
        cubic_coeff_a=NAN,
    ),
]

UNKNOWN = case(
    "unknown attribute align_corners=True; Resize-19 has: coordinate",
    sizes=[5, 5],
    align_corners=True,
)


def refuse(message: str, call: Callable[[], Any]) -> str:
    with pytest.raises(ResizeError, match=re.escape(message)) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert isinstance(caught.value, ValueError)
    return text


@pytest.mark.parametrize(("words", "message"), [*BAD, UNKNOWN])
def test_onnx_resize(words: dict[str, Any], message: str) -> None:
    said = refuse(message, lambda: onnx.resize(X, **words))
    # The twin that takes no data says the same.
    assert refuse(message, lambda: onnx.resize.plan(X.shape, X.dtype, **words)) == said


@pytest.mark.parametrize(("words", "message"), [b for b in BAD if "mode" not in b.values[1][:5]])
def test_the_public_resize(words: dict[str, Any], message: str) -> None:
    refuse(message, lambda: ndresize.resize(X, **words))


def test_the_public_resize_names_its_own_modes() -> None:
    refuse(
        "mode must be one of nearest, linear, cubic, lanczos3, area, box, hamming, mitchell, "
        "gaussian, got 'bicubic'; did you mean 'cubic'?",
        lambda: ndresize.resize(X, sizes=[5, 5], mode="bicubic"),
    )
    with pytest.raises(TypeError, match="unexpected keyword argument 'filter'"):
        ndresize.resize(X, sizes=[5, 5], filter="box")


def test_policies_need_samples() -> None:
    refuse(
        "keep_aspect_ratio_policy must be stretch for empty axes, got 'not_larger'",
        lambda: onnx.resize(X[:0], sizes=[0, 4], keep_aspect_ratio_policy="not_larger"),
    )
    refuse(
        "sizes must be 0, as the axis is empty, got 3 (axis 0)",
        lambda: onnx.resize(X[:0], sizes=[3, 4]),
    )


def test_sizes_that_overflow() -> None:
    refuse(
        f"of shape ({2**31}, {2**31}) would take {2**64} bytes, more than 2**63-1",
        lambda: onnx.resize.plan((1, 1), np.float32, sizes=[2**31, 2**31]),
    )
    refuse(
        f"output length {2**40} (axis 0) needs {2**44} bytes for its weights alone",
        lambda: onnx.resize(X, sizes=[2**40, 4]),
    )
    refuse(
        f"sizes must fit into 64 bits, got [{2**64}, 4]",
        lambda: onnx.resize(X, sizes=[2**64, 4]),
    )


def test_more_than_the_memory_is_refused_before_it_is_asked_for() -> None:
    x = np.zeros((100, 100, 100), np.uint8)
    said = refuse(
        "make it window by window with plan.crop",
        lambda: ndresize.resize(x, sizes=[10**5, 10**5, 10**5]),
    )
    assert f"takes {10**15} bytes" in said
    plan = ndresize.resize.plan(x.shape, x.dtype, sizes=[10**5, 10**5, 10**5])
    piece, need = plan.crop((slice(7, 9),) * 3)  # as the message says
    assert piece(x[need]).shape == (2, 2, 2)


@pytest.mark.parametrize("name", ["onnx", "ndresize"])
def test_plans_of_what_is_no_shape_or_type(name: str) -> None:
    plan = onnx.resize.plan if name == "onnx" else ndresize.resize.plan
    refuse("shape must be a sequence of integers, got 5", lambda: plan(5, "f4", sizes=[1]))
    refuse(
        "shape must be a sequence of integers, got (1.5,)", lambda: plan((1.5,), "f4", sizes=[1])
    )
    refuse("shape must not have negative lengths, got (-1,)", lambda: plan((-1,), "f4", sizes=[1]))
    refuse("dtype must be a NumPy element type, got", lambda: plan((1,), "float33", sizes=[1]))


def test_arrays_of_objects_that_are_numbers_are_picked_alone() -> None:
    x = np.array([1, 2], object)
    assert ndresize.resize(x, scales=[2]).tolist() == [1, 1, 2, 2]
    refuse(
        "mode must be nearest for elements of type object",
        lambda: ndresize.resize(x, scales=[2], mode="lanczos3"),
    )


def test_what_is_no_list_and_what_is_no_type_of_the_operator() -> None:
    x = np.zeros(2, np.float32)
    for scales in (np.array(2.0), 2.0, [[1, 2], [3]]):
        with pytest.raises(ResizeError, match="scales must be a one-dimensional list"):
            onnx.resize(x, scales=scales)
    for dtype in (ml_dtypes.float8_e5m2, ml_dtypes.int4):
        with pytest.raises(ResizeError, match="X must have an element type of the operator"):
            onnx.resize(np.zeros(2, dtype), scales=[2])
