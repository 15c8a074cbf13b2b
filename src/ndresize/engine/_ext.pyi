from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Program:
    def __init__(
        self,
        type: int,
        picks: bool,
        item: int,
        wide_in: bool,
        wide_out: bool,
        rounding: int,
        fused: bool,
        shape_in: Sequence[int],
        shape_out: Sequence[int],
        passes: Sequence[
            tuple[
                int,
                bool,
                NDArray[np.int64],
                NDArray[np.float64],
                int,
                int,
                NDArray[np.uint8] | None,
                bool,
            ]
        ],
    ) -> None: ...
    def run(
        self, input: NDArray[Any], output: NDArray[Any], touched: bool, threads: int
    ) -> None: ...
    @property
    def wide_out(self) -> bool: ...

class Picture:
    def __init__(
        self,
        shape_in: Sequence[int],
        shape_out: Sequence[int],
        signed_bytes: bool,
        wraps: bool,
        passes: Sequence[
            tuple[
                int,
                NDArray[np.int64],
                NDArray[np.int32],
                int,
                int,
                int,
                int,
                bool,
                NDArray[np.int64],
                int,
                int,
                NDArray[np.int32],
                float,
                bool,
            ]
        ],
    ) -> None: ...
    def run(
        self, input: NDArray[Any], output: NDArray[Any], touched: bool, threads: int
    ) -> None: ...

class Joint:
    def __init__(
        self,
        type: int,
        rounding: int,
        plus: float,
        shape_in: Sequence[int],
        shape_out: Sequence[int],
        passes: Sequence[tuple[int, NDArray[np.int64], NDArray[np.float32]]],
    ) -> None: ...
    def run(
        self, input: NDArray[Any], output: NDArray[Any], touched: bool, threads: int
    ) -> None: ...

def instruction_set() -> str: ...
def memory(size: int) -> tuple[NDArray[np.uint8], bool]: ...
def before_line(memory: NDArray[np.uint8], line: int) -> int: ...

large_output: int

def multiply_alpha(pixels: NDArray[np.uint8], output: NDArray[np.uint8], threads: int) -> None: ...
def divide_alpha(pixels: NDArray[np.uint8], threads: int) -> None: ...
