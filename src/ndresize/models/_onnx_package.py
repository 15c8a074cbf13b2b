"""The packages that ONNX models need, or one line that says how to get them."""

try:
    import ml_dtypes
    import onnx
    import onnx.inliner  # not among what onnx imports by itself
except ImportError as error:
    raise ImportError(
        f"ONNX models need the package {error.name}, which is missing; "
        "pip install 'ndresize[onnx]'",
        name=error.name,
    ) from None

__all__ = ["ml_dtypes", "onnx"]
