"""Draw chart.png, a picture on which a wrong resize is visible at a glance.

    python examples/make_chart.py [OUT]

Each machine draws the same picture: sums, products and square roots are the same everywhere, and
where a cosine or an arctangent is taken, its last bits do not matter. Even the lettering is made of
strokes and needs no font.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WIDTH, HEIGHT = 960, 640
PAPER, PANEL, INK, FAINT = (240, 240, 237), (255, 255, 255), (24, 26, 30), (120, 122, 126)
BAND, ACCENT = (28, 31, 38), (232, 92, 44)

Canvas = NDArray[np.uint8]
Colour = tuple[int, int, int]

# The letters: strokes of points on a grid with capitals 6 high; a point in brackets pulls the curve
# between its neighbours towards itself.
GLYPHS = {
    "A": "0,6 2.2,0 4.4,6;.8,4 3.6,4",
    "B": "2.1,2.9 2.4,2.9 (4,2.9) 4,4.45 (4,6) 2.4,6 0,6 0,0 2.1,0 (3.5,0) 3.5,1.45 (3.5,2.9) "
    "2.1,2.9 0,2.9",
    "C": "4.2,1.1 (3.6,0) 2.3,0 (0,0) 0,3 (0,6) 2.3,6 (3.6,6) 4.2,4.9",
    "D": "0,0 0,6 1.8,6 (4.3,6) 4.3,3 (4.3,0) 1.8,0 0,0",
    "E": "3.6,0 0,0 0,6 3.6,6;0,2.9 3.1,2.9",
    "F": "3.6,0 0,0 0,6;0,2.9 3.1,2.9",
    "G": "4.2,1.1 (3.6,0) 2.3,0 (0,0) 0,3 (0,6) 2.3,6 (4.4,6) 4.4,3.7 4.4,3.2 2.7,3.2",
    "H": "0,0 0,6;4.2,0 4.2,6;0,2.9 4.2,2.9",
    "I": "0,0 0,6",
    "J": "3,0 3,4.2 (3,6) 1.5,6 (.2,6) 0,4.6",
    "K": "0,0 0,6;4,0 0,3.7;1.4,2.4 4.2,6",
    "L": "0,0 0,6 3.4,6",
    "M": "0,6 0,0 2.5,4.2 5,0 5,6",
    "N": "0,6 0,0 4.2,6 4.2,0",
    "O": "2.4,0 (0,0) 0,3 (0,6) 2.4,6 (4.8,6) 4.8,3 (4.8,0) 2.4,0",
    "P": "0,6 0,0 2.2,0 (4,0) 4,1.65 (4,3.3) 2.2,3.3 0,3.3",
    "Q": "2.4,0 (0,0) 0,3 (0,6) 2.4,6 (4.8,6) 4.8,3 (4.8,0) 2.4,0;3,4.4 4.8,6.4",
    "R": "0,6 0,0 2.2,0 (4,0) 4,1.65 (4,3.3) 2.2,3.3 0,3.3;2.1,3.3 4.1,6",
    "S": "3.8,1.1 (3.3,0) 2,0 (.2,0) .2,1.5 (.2,2.7) 2,2.95 (4,3.2) 4,4.5 (4,6) 2,6 (.6,6) 0,4.8",
    "T": "0,0 4.2,0;2.1,0 2.1,6",
    "U": "0,0 0,3.8 (0,6) 2.1,6 (4.2,6) 4.2,3.8 4.2,0",
    "V": "0,0 2.2,6 4.4,0",
    "W": "0,0 1.5,6 3,1 4.5,6 6,0",
    "X": "0,0 4.2,6;4.2,0 0,6",
    "Y": "0,0 2.1,3 4.2,0;2.1,3 2.1,6",
    "Z": "0,0 4,0 0,6 4,6",
    "0": "2,0 (0,0) 0,3 (0,6) 2,6 (4,6) 4,3 (4,0) 2,0",
    "1": "0,1.3 1.6,0 1.6,6",
    "2": ".1,1.6 (.1,0) 2,0 (3.9,0) 3.9,1.7 (3.9,2.8) 2.6,3.8 0,6 4,6",
    "3": ".1,1.2 (.4,0) 2,0 (3.7,0) 3.7,1.45 (3.7,2.85) 1.8,2.85 (4,2.85) 4,4.4 (4,6) 2,6 (.2,6) "
    "0,4.6",
    "4": "3,6 3,0 0,4.3 4.1,4.3",
    "5": "3.6,0 .6,0 .3,2.7 (1,2.1) 2,2.1 (4,2.1) 4,4 (4,6) 2,6 (.4,6) 0,4.8",
    "6": "3.5,.8 (3,0) 2.1,0 (0,0) 0,3.6 (0,6) 2,6 (4,6) 4,4.2 (4,2.4) 2.1,2.4 (.3,2.4) 0,4",
    "7": "0,0 4,0 1.5,6",
    "8": "2,0 (.3,0) .3,1.4 (.3,2.8) 2,2.8 (3.7,2.8) 3.7,1.4 (3.7,0) 2,0;2,2.8 (0,2.8) 0,4.4 "
    "(0,6) 2,6 (4,6) 4,4.4 (4,2.8) 2,2.8",
    "9": ".5,5.2 (1,6) 1.9,6 (4,6) 4,2.4 (4,0) 2,0 (0,0) 0,1.8 (0,3.6) 1.9,3.6 (3.7,3.6) 4,2",
    "x": "0,2 2.8,4.8;2.8,2 0,4.8",
    ".": "0,6 .01,6",
    ",": ".4,5.8 0,7",
    "-": "0,3.1 2.2,3.1",
    "/": "0,6.6 2.6,-.6",
}  # fmt: skip
SPACE, GAP = 2.2, 1.7


def main(out: Path) -> None:
    """Write the chart."""
    Image.fromarray(draw()).save(out, optimize=True)


def draw() -> Canvas:
    """Return the chart, shape (640, 960, 3)."""
    canvas = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    canvas[:] = PAPER
    _header(canvas)
    _label(canvas, 24, 78, "ZONE PLATE", "TO 1/2 CYCLE PER PIXEL")
    _zone_plate(canvas[94:454, 24:384])
    _label(canvas, 24, 472, "GRADIENTS", "GREY, 12 STEPS, RED, GREEN, BLUE")
    _gradients(canvas[488:616, 24:384])
    _label(canvas, 408, 78, "LINES", "1 2 3 4 PIXELS WIDE")
    _lines(canvas[94:206, 408:660])
    _label(canvas, 408, 224, "WEDGES", "PERIOD 10 TO 2 PIXELS")
    _wedges(canvas[240:370, 408:660])
    _label(canvas, 408, 388, "STAR", "36 SPOKES")
    _star(canvas[404:616, 408:660])
    _label(canvas, 684, 78, "TEXT", "20 14 10 8 6 PIXELS HIGH")
    _text_sizes(canvas[94:250, 684:936])
    _label(canvas, 684, 268, "CHECKERS", "1 2 4 8 PIXELS")
    _checkers(canvas[284:341, 684:936])
    _label(canvas, 684, 359, "COLOURS", "SATURATED, NATURAL")
    _patches(canvas[375:471, 684:936])
    _label(canvas, 684, 489, "FINE COLOURS", "1 2 3 4 PIXELS")
    _fine_colours(canvas[505:616, 684:936])
    _border(canvas)
    return canvas


# ------------------------------------------------------------------------------------ pieces


def _header(canvas: Canvas) -> None:
    canvas[:56] = BAND
    canvas[53:56] = ACCENT
    _write(canvas, 24, 18, "NDRESIZE", 20, (255, 255, 255), weight=3.0)
    _write(canvas, 186, 24, "TEST CHART", 14, (196, 200, 208))
    _write(canvas, 936, 25, f"{WIDTH} x {HEIGHT} PIXELS", 12, (196, 200, 208), right=True)


def _label(canvas: Canvas, x: int, y: int, name: str, detail: str) -> None:
    x = _write(canvas, x, y, name, 9, INK, weight=1.5)
    _write(canvas, x + 8, y + 1, detail, 8, FAINT, weight=1.0)


def _border(canvas: Canvas) -> None:
    """Dash the outermost pixels: what happens at the edges can be seen."""
    dash = (np.arange(WIDTH) // 4 % 2 * 255).astype(np.uint8)[:, None]
    canvas[0], canvas[-1] = dash, dash
    canvas[:, 0], canvas[:, -1] = dash[:HEIGHT], dash[:HEIGHT]


def _zone_plate(panel: Canvas) -> None:
    """Draw rings whose frequency grows with the radius to 1/2 cycle per pixel at the rim."""
    n = len(panel)
    x = 2 * np.arange(n) + 1 - n  # twice the distance from the centre, a whole number
    square = x[:, None] ** 2 + x**2
    wave = np.cos(np.arange(8 * n) * (np.pi / (4 * n)))
    rings = np.floor(128.5 + 127.25 * wave)[square % (8 * n)]
    panel[:] = np.where(square <= n * n, rings, 128).astype(np.uint8)[..., None]


def _gradients(panel: Canvas) -> None:
    height, width = panel.shape[:2]
    ramp = np.arange(width) * 255 // (width - 1)
    steps = np.arange(width) * 12 // width * 255 // 11
    rows = [(ramp, (1, 1, 1)), (steps, (1, 1, 1))]
    rows += [(ramp, (1, 0, 0)), (ramp, (0, 1, 0)), (ramp, (0, 0, 1))]
    edges = [height * k // len(rows) for k in range(len(rows) + 1)]
    for (values, channels), top, bottom in zip(rows, edges[:-1], edges[1:], strict=True):
        panel[top:bottom] = values[:, None] * np.array(channels)


def _lines(panel: Canvas) -> None:
    """Draw gratings upright, level and aslant, and single lines, each in four widths."""
    panel[:] = PANEL
    for k, pitch in enumerate((1, 2, 3, 4)):
        left = 8 + 60 * k
        stripes = np.arange(48) // pitch % 2 == 0
        panel[8:40, left : left + 48][:, stripes] = INK
        panel[48:72, left : left + 48][stripes[:24]] = INK
        _stroke(panel, [(left, 103), (left + 48, 80)], pitch, INK)
        _stroke(panel, [(left + 12, 103), (left + 48, 94)], pitch / 2, ACCENT)


def _wedges(panel: Canvas) -> None:
    """Draw two fans of nine lines whose period shrinks from 10 pixels to 2."""
    panel[:] = PANEL
    upright = _fan(114, 96)
    panel[8:122, 8:104] = _blend(panel[8:122, 8:104], upright, INK)
    level = _fan(132, 96).T
    panel[17:113, 112:244] = _blend(panel[17:113, 112:244], level, INK)


def _fan(length: int, across: int) -> NDArray[np.float64]:
    """Return the coverage of a fan, shape (length, across)."""
    period = 10 - 8 * np.arange(length)[:, None, None] / (length - 1)
    middle = across / 2 + period * np.arange(-4, 5)
    left = np.arange(across)[:, None]
    covered = np.minimum(left + 1, middle + period / 4) - np.maximum(left, middle - period / 4)
    coverage: NDArray[np.float64] = np.maximum(covered, 0).sum(axis=2)
    return coverage


def _star(panel: Canvas) -> None:
    """Draw a Siemens star with 8 by 8 samples per pixel."""
    panel[:] = PANEL
    height, width = panel.shape[:2]
    fine = 8
    y = (np.arange(height * fine) + 0.5) / fine - height / 2
    x = (np.arange(width * fine) + 0.5) / fine - width / 2
    angle = np.arctan2(y[:, None], x) * (36 / np.pi) + 0.5  # no sample on an edge
    dark = (np.floor(angle) % 2 == 0) & (y[:, None] ** 2 + x**2 < 98.0**2)
    coverage = dark.reshape(height, fine, width, fine).mean(axis=(1, 3))
    panel[:] = _blend(panel, coverage, INK)
    for x0, y0 in ((16, 16), (width - 16, 16), (16, height - 16), (width - 16, height - 16)):
        _stroke(panel, [(x0 - 8, y0), (x0 + 8, y0)], 1, ACCENT)
        _stroke(panel, [(x0, y0 - 8), (x0, y0 + 8)], 1, ACCENT)


def _text_sizes(panel: Canvas) -> None:
    panel[:] = PANEL
    _write(panel, 12, 12, "SPHINX OF", 20, INK)
    _write(panel, 12, 44, "BLACK QUARTZ, 27", 14, INK)
    _write(panel, 12, 70, "JUDGE MY VOW 0123456789", 10, INK)
    panel[90:] = BAND
    _write(panel, 12, 101, "SPHINX OF BLACK QUARTZ, 1984", 8, (255, 255, 255))
    _write(panel, 12, 119, "JUDGE MY VOW. PACK MY BOX WITH 5/8", 6, (255, 255, 255), weight=1.0)
    _write(panel, 12, 135, "DOZEN LIQUOR JUGS - 640 x 480", 6, (255, 170, 130), weight=1.0)


def _checkers(panel: Canvas) -> None:
    for k, side in enumerate((1, 2, 4, 8)):
        square = panel[:57, 65 * k : 65 * k + 57]
        cell = np.arange(57) // side
        square[:] = ((cell[:, None] + cell) % 2 * 255).astype(np.uint8)[..., None]


def _patches(panel: Canvas) -> None:
    saturated = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 255, 255), (255, 0, 255), (255, 255, 0)]
    natural = [
        (115, 82, 68),  # dark skin, light skin, blue sky, foliage, orange, purple
        (194, 150, 130),
        (98, 122, 157),
        (87, 108, 67),
        (214, 126, 44),
        (94, 60, 108),
    ]
    for row, colours in enumerate((saturated, natural)):
        for k, colour in enumerate(colours):
            panel[48 * row : 48 * row + 48, 42 * k : 42 * k + 42] = colour


def _fine_colours(panel: Canvas) -> None:
    pairs = [
        ((255, 0, 0), (0, 255, 255)),
        ((0, 0, 255), (255, 255, 0)),
        ((255, 0, 255), (0, 200, 0)),
    ]
    height, width = panel.shape[:2]
    for row, (one, other) in enumerate(pairs):
        top, bottom = height * row // 3, height * (row + 1) // 3
        for k, pitch in enumerate((1, 2, 3, 4)):
            left, right = width * k // 4, width * (k + 1) // 4
            first = (np.arange(right - left) // pitch % 2 == 0)[:, None]
            panel[top:bottom, left:right] = np.where(first, one, other)


# ---------------------------------------------------------------------------------- strokes


def _write(
    canvas: Canvas,
    x: int,
    y: int,
    text: str,
    height: int,
    colour: Colour,
    *,
    weight: float | None = None,
    right: bool = False,
) -> int:
    """Write text whose capitals lie below (x, y) and return where it ends."""
    unit = height / 6
    glyphs = [_glyph(character) for character in text]
    widths = [max((p[0] for s in g for p in s), default=SPACE) for g in glyphs]
    total = (sum(widths) + GAP * (len(text) - 1)) * unit
    weight = max(1.0, height / 9) if weight is None else weight
    start = x - total if right else float(x)
    for strokes, width in zip(glyphs, widths, strict=True):
        for stroke in strokes:
            points = [(start + px * unit, y + py * unit) for px, py in stroke]
            _stroke(canvas, points, weight, colour)
        start += (width + GAP) * unit
    return round(start - GAP * unit)


def _glyph(character: str) -> list[list[tuple[float, float]]]:
    """Return the strokes of a character, curves cut into eight straight pieces."""
    strokes = []
    for path in filter(None, GLYPHS.get(character, "").split(";")):
        points: list[tuple[float, float]] = []
        pull: tuple[float, float] | None = None
        for word in path.split():
            px, py = map(float, word.strip("()").split(","))
            if word.startswith("("):
                pull = px, py
            elif pull is None:
                points.append((px, py))
            else:
                (ax, ay), (cx, cy) = points[-1], pull
                for t in (k / 8 for k in range(1, 9)):
                    a, c, b = (1 - t) * (1 - t), 2 * t * (1 - t), t * t
                    points.append((a * ax + c * cx + b * px, a * ay + c * cy + b * py))
                pull = None
        strokes.append(points)
    return strokes


def _stroke(
    canvas: Canvas, points: list[tuple[float, float]], weight: float, colour: Colour
) -> None:
    """Draw a line with round ends through points."""
    reach = weight / 2 + 1
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x0, x1 = max(int(min(xs) - reach), 0), int(max(xs) + reach) + 1
    y0, y1 = max(int(min(ys) - reach), 0), int(max(ys) + reach) + 1
    part = canvas[y0:y1, x0:x1]
    y = np.arange(y0, y0 + part.shape[0])[:, None] + 0.5
    x = np.arange(x0, x0 + part.shape[1]) + 0.5
    nearest = np.full(part.shape[:2], np.inf)
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        dx, dy = bx - ax, by - ay
        along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
        away_x, away_y = x - ax - along * dx, y - ay - along * dy
        nearest = np.minimum(nearest, away_x * away_x + away_y * away_y)
    coverage = np.clip(weight / 2 + 0.5 - np.sqrt(nearest), 0, 1) * min(weight, 1.0)
    part[:] = _blend(part, coverage, colour)


def _blend(under: Canvas, coverage: NDArray[np.float64], colour: Colour) -> Canvas:
    """Lay a colour over pixels, as opaque as the coverage says."""
    over = np.array(colour, float)
    mixed = under + coverage[..., None] * (over - under)
    return np.floor(mixed + 0.5).astype(np.uint8)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("chart.png"))
