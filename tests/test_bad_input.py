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
from ndresize.dialects import (
    jax,
    onnx,
    onnxruntime,
    openvino,
    pillow,
    scikit_image,
    scipy,
    tensorflow,
    tpu_mlir,
)

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


IMAGES = np.zeros((1, 3, 4, 1), np.float32)
RAGGED: Any = [[1], [2, 3]]
TEXTS = np.array(["a", "b"])
REFUSED: list[tuple[str, Callable[[], Any]]] = [
    # What is compared to words or numbers may be an array.
    ("opset must be one of 10, 11, 13, 18, 19, got", lambda: onnx.resize(X, opset=TEXTS)),
    ("opset must be one of 7, 9, got True", lambda: onnx.upsample(X, [2, 2], opset=True)),
    ("opset must be one of", lambda: onnxruntime.resize(X, opset=TEXTS)),
    ("opset must be one of 7, 9", lambda: onnxruntime.upsample(X, [2, 2], opset=TEXTS)),
    ("version must be one of 1, 4, 11, got", lambda: openvino.interpolate(X, version=TEXTS)),
    ("mode must be one of", lambda: openvino.interpolate(X, [5, 6], mode=TEXTS)),
    ("mode must be one of", lambda: scipy.zoom(X, 2, mode=TEXTS)),
    ("resample must be one of", lambda: pillow.resize(X, (5, 6), resample=np.array([2, 2]))),
    ("roi must be a one-dimensional list", lambda: tpu_roi(TEXTS)),
    ("roi must have 4 entries", lambda: tpu_roi(np.zeros(2))),
    # Text, and lists that are no array, are no numbers.
    (
        "cubic_coeff_a must be a number, got '1'",
        lambda: onnx.resize(X, sizes=[5, 5], mode="cubic", cubic_coeff_a="1"),
    ),
    (
        "extrapolation_value must be a number, got '1'",
        lambda: onnxruntime.resize(X, sizes=[5, 5], extrapolation_value="1"),
    ),
    (
        "extrapolation_value must be a number, got None",
        lambda: tensorflow.crop_and_resize(
            IMAGES, [[0, 0, 1, 1]], [0], [2, 2], extrapolation_value=None
        ),
    ),
    ("scale must be 2 numbers", lambda: translate(tensorflow, [1 + 1j, 1])),
    ("scale must be an array, got list", lambda: translate(tensorflow, RAGGED)),
    ("scale must be an array, got list", lambda: translate(jax, RAGGED)),
    ("reducing_gap must be a number", lambda: pillow.resize(X, (2, 2), reducing_gap="2")),
    ("box must be four finite numbers", lambda: pillow.resize(X, (2, 2), box=["0"] * 4)),
    ("cval must be a real number", lambda: scipy.zoom(X, 2, cval="1")),
    (
        "anti_aliasing_sigma must be a number of at least 0",
        lambda: scikit_image.resize(X, (2, 2), anti_aliasing=True, anti_aliasing_sigma="1"),
    ),
    ("axes must be a one-dimensional list", lambda: onnxruntime.resize(X, sizes=[5, 5], axes=1)),
    ("sizes must be a one-dimensional list", lambda: onnx.resize(X, sizes={})),
    ("roi must be a one-dimensional list", lambda: onnx.resize(X, "all", sizes=[5, 5])),
    ("extrapolation_value must be a finite number", lambda: tpu_roi([0, 0, 1, 1], "1")),
    ("x must be an array, got list", lambda: tpu_mlir.interp(RAGGED, scale_h=2, scale_w=2)),
    ("image must be an array, got list", lambda: scikit_image.resize(RAGGED, (2, 2))),
    ("input must be an array, got list", lambda: scipy.zoom(RAGGED, 2)),
    # More than any machine can hold.
    ("length 3298534883328 (axis 0)", lambda: onnxruntime.resize(X, scales=[2**40, 1])),
    ("length 549755813891 (axis 0)", lambda: openvino_padded(2**39)),
    ("length 1099511627776 (axis 0)", lambda: jax.resize(X, (2**40, 4), "nearest")),
    ("length 10000000000000000", lambda: scikit_image.resize(X, (10**30, 4), anti_aliasing=True)),
]


def tpu_roi(roi: Any, value: Any = 0.0) -> Any:
    return tpu_mlir.resize(
        X, (5, 6), coordinate_transformation_mode=CROP, roi=roi, extrapolation_value=value
    )


def translate(system: Any, scale: Any) -> Any:
    if system is jax:
        return jax.scale_and_translate(X, (5, 6), (0, 1), scale, [0, 0], "linear")
    return system.scale_and_translate(IMAGES, [5, 6], scale, [0, 0])


def openvino_padded(pads: int) -> Any:
    return openvino.interpolate(X, [5, 6], mode="linear_onnx", axes=[0, 1], pads_begin=[pads, 0])


@pytest.mark.parametrize(
    ("message", "call"), [pytest.param(*entry, id=entry[0]) for entry in REFUSED]
)
def test_what_no_system_takes(message: str, call: Callable[[], Any]) -> None:
    refuse(message, call)


@pytest.mark.parametrize("threads", [0, -1, "2", 1.5, True, [1], np.int64(0)])
def test_what_is_no_number_of_threads(threads: Any) -> None:
    refuse(
        f"threads must be an integer of at least 1, got {threads!r}",
        lambda: ndresize.resize(X, sizes=[5, 5], threads=threads),
    )


@pytest.mark.parametrize("threads", [np.int64(2), 2**31, 10**30])
def test_any_positive_number_of_threads_will_do(threads: Any) -> None:
    assert ndresize.resize(X, sizes=[5, 5], mode="linear", threads=threads).shape == (5, 5)


def test_a_message_is_one_line_whatever_it_shows() -> None:
    refuse(
        "antialias must be 0 or 1, got array([[1., 0.], [0., 1.]])",
        lambda: onnx.resize(X, antialias=np.eye(2)),
    )


def test_more_axes_than_the_kernels_have() -> None:
    x = np.arange(4, dtype=np.float32).reshape((1,) * 33 + (2, 2))
    expected = ndresize.resize(x.reshape(2, 2), sizes=[3, 5], mode="linear")
    y = ndresize.resize(x, sizes=[3, 5], axes=[-2, -1], mode="linear")
    np.testing.assert_array_equal(y.reshape(3, 5), expected)


def test_arguments_that_change_make_another_plan() -> None:
    scales = np.array([2.0, 2.0], object)
    assert scipy.zoom(X, scales).shape == (6, 8)
    scales *= 2
    assert scipy.zoom(X, scales).shape == (12, 16)
    torch = pytest.importorskip("torch")
    scales = torch.tensor([2.0, 2.0])
    assert onnx.resize(X, scales=scales).shape == (6, 8)
    scales *= 2
    assert onnx.resize(X, scales=scales).shape == (12, 16)


def test_empty_results() -> None:
    assert jax.resize(X, (0, 4), "nearest").shape == (0, 4)
    assert scikit_image.resize(X, (0, 4), mode="constant", cval=1, anti_aliasing=False).shape == (
        0,
        4,
    )
