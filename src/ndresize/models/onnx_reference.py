"""Resize and Upsample for ONNX's ReferenceEvaluator, which knows all other operators."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ndresize.models.onnx_calls import Call

# isort: split
# After the package's own modules: they say what to install if onnx is missing.
from onnx.reference.op_run import OpRun

__all__ = ["OPS", "Resize", "Upsample"]


class _ResizeRun(OpRun):
    """Runs a node through the dialect of the model's opset."""

    def _run(self, *inputs: NDArray[Any] | None, **attributes: Any) -> tuple[NDArray[Any]]:
        # The evaluator adds defaults of the newest version; an older one has no such attributes.
        given = {a.name: attributes[a.name] for a in self.onnx_node.attribute}
        opset = self.run_params["opsets"][self.onnx_node.domain]
        return (Call.at_opset(self.op_type, opset, given).run(inputs),)


class Resize(_ResizeRun):
    """ONNX Resize, opsets 10, 11, 13, 18 and 19."""


class Upsample(_ResizeRun):
    """ONNX Upsample, opsets 7 and 9."""


OPS = [Resize, Upsample]
"""For ``onnx.reference.ReferenceEvaluator(model, new_ops=OPS)``."""
