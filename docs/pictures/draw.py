"""Draw the pictures of docs/engine.md from real plans: python docs/pictures/draw.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, Rectangle

import ndresize
from ndresize.dialects import torch

HERE = Path(__file__).parent
INK, GREY, LINE = "#333333", "#8a8a8a", "#bbbbbb"
COLOURS = ["#cfe3f5", "#fde3c4", "#d5edd0", "#f7d3d8", "#e3d8f0", "#fff3b8", "#d0ecec", "#eadfd3"]

mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ndresize", "font.size": 9})


def canvas(width: float, height: float) -> tuple[Any, Any]:
    """Return a figure of that many cells, y downwards."""
    figure, axes = plt.subplots(figsize=(width * 0.36, height * 0.36))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.subplots_adjust(0, 0, 1, 1)
    return figure, axes


def box(axes: Any, x: float, y: float, words: str, colour: str, width: float = 1) -> None:
    """Draw a cell with words in it."""
    axes.add_patch(Rectangle((x, y), width, 1, facecolor=colour, edgecolor=LINE, linewidth=0.8))
    axes.text(x + width / 2, y + 0.52, words, ha="center", va="center", color=INK)


def say(axes: Any, x: float, y: float, words: str, colour: str = INK, ha: str = "left") -> None:
    """Write beside the cells."""
    axes.text(x, y + 0.52, words, ha=ha, va="center", color=colour)


def arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow."""
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=9, color=GREY, linewidth=1,
            shrinkA=0, shrinkB=0,
        )
    )  # fmt: skip


def save(figure: Any, name: str) -> None:
    """Write the figure beside this file."""
    figure.savefig(HERE / name, facecolor="white", metadata={"Date": None})
    plt.close(figure)


def permute() -> None:
    """One window of 8 samples becomes the operands of 8 outputs, once per tap."""
    plan = ndresize.resize.plan((8,), "f4", sizes=[16], mode="linear")
    (op,) = plan.axes
    assert op is not None
    first = 4  # outputs 4 to 11
    figure, axes = canvas(21.4, 9.4)
    say(axes, 0, 0.2, "loaded once")
    for k in range(8):
        box(axes, 5 + 2 * k, 0.2, f"x{k}", COLOURS[k], 2)
    for t in range(2):
        y = 2.4 + 2.9 * t
        say(axes, 0, y, f"tap {t}: one permute")
        say(axes, 0, y + 1, "times weights", GREY)
        for k in range(8):
            sample = int(op.starts[first + k]) + t
            box(axes, 5 + 2 * k, y, f"x{sample}", COLOURS[sample], 2)
            say(axes, 6 + 2 * k, y + 1, f"{op.weights[first + k, t]:g}", GREY, "center")
    say(axes, 0, 8.1, "summed")
    for k in range(8):
        box(axes, 5 + 2 * k, 8.1, f"y{first + k}", "white", 2)
        arrow(axes, (6 + 2 * k, 7.35), (6 + 2 * k, 8.05))
    save(figure, "permute.svg")


def phases() -> None:
    """Even and odd outputs of a doubled row, each summed as the row lies, and then in turns."""
    plan = ndresize.resize.plan((8,), "f4", sizes=[16], mode="linear")
    (op,) = plan.axes
    assert op is not None
    first = 3  # outputs 3 to 10: all of them two by two repeat, one sample further on
    figure, axes = canvas(21.4, 11.6)
    for phase in range(2):
        y = 0.2 + 4.6 * phase
        outputs = range(first + phase, first + 8, 2)
        (weights,) = {tuple(op.weights[out]) for out in outputs}
        for t in range(2):
            say(axes, 0, y + 1.2 * t, f"loaded, times {weights[t]:g}")
            for k, out in enumerate(outputs):
                sample = int(op.starts[out]) + t
                box(axes, 7 + 2 * k, y + 1.2 * t, f"x{sample}", COLOURS[sample], 2)
        say(axes, 0, y + 2.6, "summed")
        for k, out in enumerate(outputs):
            box(axes, 7 + 2 * k, y + 2.6, f"y{out}", COLOURS[6 + phase], 2)
    say(axes, 0, 9.4, "in turns: one permute")
    say(axes, 0, 10.4, "per vector", GREY)
    for k in range(8):
        box(axes, 7 + 1.75 * k, 9.4, f"y{first + k}", COLOURS[6 + k % 2], 1.75)
    save(figure, "phases.svg")


def ring() -> None:
    """Which resized rows are in the ring when rows of an enlarged picture are summed."""
    plan = ndresize.resize.plan((6, 6), "f4", sizes=(12, 12), mode="linear")
    op = plan.axes[0]
    assert op is not None
    figure, axes = canvas(21, 11)
    slots = op.taps
    say(axes, 3, 0, "rows of the input", ha="center")
    say(axes, 10.5, 0, f"ring of {slots} resized rows", ha="center")
    say(axes, 18, 0, "rows of the output", ha="center")
    for row in range(6):
        box(axes, 1, 1.5 + 1.5 * row, f"in {row}", COLOURS[row], 4)
    now = 5  # the output row that is being made
    held = [int(op.starts[now]) + t for t in range(slots)]
    for row in held:
        y = 4 + 2.2 * (row % slots)
        box(axes, 7.5, y, f"in {row}, resized along", COLOURS[row], 6)
        arrow(axes, (5.1, 2 + 1.5 * row), (7.4, y + 0.5))
        arrow(axes, (13.6, y + 0.5), (15.9, 1.5 + 0.78 * now + 0.35))
        weight = op.weights[now, row - int(op.starts[now])]
        say(axes, 14.3, y - 0.7 + 1.6 * (row % slots), f"times {weight:g}", GREY)
    for out in range(12):
        y = 1.5 + 0.78 * out
        done = COLOURS[int(op.starts[out])] if out <= now else "white"
        axes.add_patch(Rectangle((16, y), 4, 0.7, facecolor=done, edgecolor=LINE, linewidth=0.8))
        axes.text(18, y + 0.37, f"out {out}", ha="center", va="center", color=INK, fontsize=8)
    say(
        axes,
        10.5,
        8.6,
        f"out {now + 1} sums the same rows; out {now + 2} needs in {held[-1] + 1},",
        GREY,
        "center",
    )
    say(axes, 10.5, 9.5, f"which takes the place of in {held[0]}", GREY, "center")
    assert [int(s) for s in op.starts[now : now + 3]] == [held[0], held[0], held[0] + 1]
    save(figure, "ring.svg")


def pairs() -> None:
    """Four taps of one 8-bit pixel of three channels: two multiplications of pairs."""
    plan = torch.interpolate.plan((1, 3, 4, 8), "u1", size=(4, 4), mode="bilinear", antialias=True)
    (step,) = plan.passes
    out = 1
    weights = [round(w * 2**step.arithmetic.bits) for w in step.operator.weights[out]]
    start = int(step.operator.starts[out])
    assert len(weights) == 4
    figure, axes = canvas(22.4, 8.8)
    say(axes, 0, 0.2, "16 bytes of a row")
    for k in range(16):
        pixel, channel = divmod(k, 3)
        colour = COLOURS[pixel] if pixel < 4 else "white"
        box(axes, 6 + k, 0.2, f"{'rgb'[channel]}{start + pixel}", colour)
    for half in range(2):
        y = 2.3 + 2.9 * half
        say(axes, 0, y, "shuffled to 16-bit pairs")
        say(axes, 0, y + 1, "times pairs of weights", GREY)
        for place in range(4):
            for tap in range(2):
                x = 6 + 4 * place + 2 * tap
                if place < 3:
                    pixel = 2 * half + tap
                    box(axes, x, y, f"{'rgb'[place]}{start + pixel}", COLOURS[pixel], 2)
                    say(axes, x + 1, y + 1, str(weights[pixel]), GREY, "center")
                else:
                    box(axes, x, y, "0", "white", 2)
    say(axes, 0, 7.4, "32-bit sums")
    for place in range(4):
        box(axes, 6 + 4 * place, 7.4, "rgb"[place] if place < 3 else "", "white", 4)
    save(figure, "pairs.svg")


if __name__ == "__main__":
    permute()
    phases()
    ring()
    pairs()
