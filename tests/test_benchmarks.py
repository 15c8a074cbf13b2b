"""The benchmarks: no timings here, but that their contestants do the same and are told apart."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # the package is not installed

from benchmarks import __main__ as command
from benchmarks import readme, results, tables
from benchmarks.agreement import odd_ones_out
from benchmarks.peers import ours
from benchmarks.results import Results, Row, geometric_mean
from benchmarks.run import prepare
from benchmarks.task import Task, make_input
from benchmarks.timing import Timing, time_in_turns
from benchmarks.workloads import LIBRARIES, OURS, Workload, table

ROOT = Path(__file__).parent.parent
SMALL = table(0.1)


@pytest.fixture
def torch_threads() -> Iterator[None]:
    """Leave torch's threads, which belong to the process, as other tests have them."""
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else None
    yield
    if torch:
        torch.set_num_threads(before)


@pytest.mark.usefixtures("torch_threads")
@pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)
def test_contestants_agree(workload: Workload) -> None:
    ready, absent, wrong = prepare(workload, make_input(workload.task), threads=1)
    assert OURS in ready
    assert not wrong
    assert not [why for why in absent.values() if why.startswith("failed")]


def test_every_library_is_in_each_row_or_has_a_reason() -> None:
    for workload in table():
        assert set(LIBRARIES) <= set(workload.contestants) | set(workload.absent), workload.name
        assert not set(workload.contestants) & set(workload.absent), workload.name
        assert all(workload.absent.values())


def test_names_say_which_row() -> None:
    names = [workload.name for workload in table()]
    assert len(names) == len(set(names))
    assert names == [workload.name for workload in SMALL]


def test_the_table_imports_no_library() -> None:
    program = (
        "import sys, benchmarks.workloads;"
        "print({'torch', 'onnxruntime', 'openvino', 'cv2', 'PIL', 'scipy', 'pyvips', 'onnx'}"
        " & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr


@pytest.mark.parametrize("memory", ["contiguous", "strided", "transposed", "channels_last"])
def test_input_lies_in_memory_as_told(memory: str) -> None:
    x = make_input(Task("CHW", (3, 8, 10), (4, 5), memory=memory))
    assert x.shape == (3, 8, 10)
    assert x.flags.c_contiguous == (memory == "contiguous")


def test_someone_who_computes_something_else_is_named() -> None:
    task = Task("CHW", (3, 9, 11), (18, 22))

    def impostor(task: Task, x: np.ndarray, threads: int) -> ours.Contestant:
        return ours.plan(dataclasses.replace(task, align_corners=True), x, threads)

    contestants = {OURS: ours.plan, "honest": ours.call, "impostor": impostor}
    workload = Workload("a row", task, contestants, {}, 1e-5)
    _, _, wrong = prepare(workload, make_input(task), threads=1)
    assert list(wrong) == ["impostor"]
    assert "compared with ndresize" in wrong["impostor"]


def test_who_fails_or_is_not_installed_is_named() -> None:
    def broken(*_: object) -> ours.Contestant:
        raise RuntimeError("no such kernel\nand a long trace")

    def missing(*_: object) -> ours.Contestant:
        raise ModuleNotFoundError("No module named 'resizer'", name="resizer")

    task = Task("HW", (4, 4), (8, 8))
    contestants = {OURS: ours.plan, "broken": broken, "missing": missing}
    workload = Workload("a row", task, contestants, {}, 0.0)
    ready, absent, _ = prepare(workload, make_input(task), threads=1)
    assert list(ready) == [OURS]
    assert absent == {
        "broken": "failed: no such kernel",
        "missing": "is not installed (resizer)",
    }


def test_ours_is_named_where_the_others_agree_against_it() -> None:
    right = np.zeros((4, 4), np.uint8)
    assert list(odd_ones_out({OURS: right + 9, "a": right, "b": right + 1}, 1)) == [OURS]


@pytest.mark.parametrize(
    "other",
    [
        np.full((3, 4), np.nan, np.float32),
        np.full((3, 4), 0.1, np.float32),
        np.zeros((3, 4), np.float64),
        np.zeros((4, 3), np.float32),
    ],
    ids=["NaN", "value", "type", "shape"],
)
def test_differences_are_seen(other: np.ndarray) -> None:
    right = np.zeros((3, 4), np.float32)
    assert list(odd_ones_out({OURS: right, "a": right, "b": other}, 0.05)) == ["b"]


def test_unsigned_differences_do_not_wrap() -> None:
    low, high = np.array([1], np.uint8), np.array([254], np.uint8)
    assert odd_ones_out({OURS: low, "a": low, "b": high}, 5)


def test_an_edge_may_be_left_out_for_some() -> None:
    right = np.zeros((5, 5), np.float32)
    other = right.copy()
    other[0] = 1
    inner = {"b": (slice(1, -1), slice(1, -1))}
    assert odd_ones_out({OURS: right, "a": right, "b": other}, 0, inner) == {}
    other[2, 2] = 1
    assert list(odd_ones_out({OURS: right, "a": right, "b": other}, 0, inner)) == ["b"]


def test_everybody_has_turns() -> None:
    counts = {"a": 0, "b": 0}

    def call(name: str) -> None:
        counts[name] += 1

    timings = time_in_turns({name: lambda name=name: call(name) for name in counts}, 0.001)
    assert set(timings) == set(counts)
    assert all(timing.samples >= 1 for timing in timings.values())
    assert min(counts.values()) > 0


def _results() -> Results:
    def row(name: str, threads: int, headline: bool, **seconds: float) -> Row:
        timings = {key: Timing(value, value, 3) for key, value in seconds.items()}
        wrong = {"opencv": "differs in 1% of the samples"} if "opencv" in seconds else {}
        return Row(name, threads, headline, 0.0, timings, wrong, {}, Timing(1e-6, 1e-6, 3))

    return Results(
        {"processor": "a processor"},
        {"numpy": "2"},
        [
            row("first", 1, True, ndresize=1e-3, torch=4e-3, opencv=1e-4),
            row("second", 1, False, ndresize=2e-3, torch=2e-3, scipy=2.0),
            row("alone", 1, False, ndresize=1e-3),
            row("first", 2, True, ndresize=1e-3, torch=2e-3),
        ],
    )


def test_ratio_is_that_of_the_fastest_peer_that_is_right() -> None:
    first, second, alone, _ = _results().rows
    assert (first.fastest_peer, first.ratio) == ("torch", pytest.approx(4))
    assert second.ratio == pytest.approx(1)
    assert alone.ratio is None
    assert geometric_mean(_results().of(1)) == pytest.approx(2)
    assert geometric_mean([alone]) is None


def test_ours_has_no_ratio_when_it_is_wrong() -> None:
    row = dataclasses.replace(_results().rows[0], wrong={OURS: "differs"})
    assert row.ratio is None


def test_json_gives_back_what_was_written(tmp_path: Path) -> None:
    results.write(_results(), tmp_path / "new" / "file.json")
    assert results.read(tmp_path / "new" / "file.json") == _results()


def test_durations_have_three_digits() -> None:
    said = [tables.duration(seconds) for seconds in (1.234e-6, 4.56e-5, 0.0123, 0.9996, 2.5)]
    assert said == ["1.23 µs", "45.6 µs", "12.3 ms", "1.00 s", "2.50 s"]


def test_text_names_who_was_wrong() -> None:
    assert "NOT THE SAME: opencv (100 µs) differs in 1%" in tables.text_row(_results().rows[0])


def test_readme_is_rewritten_between_its_markers(tmp_path: Path) -> None:
    json, text, page = tmp_path / "a.json", tmp_path / "README.md", tmp_path / "page.md"
    results.write(_results(), json)
    for path in (text, page):
        path.write_text(f"before\n{readme.START}\nold\n{readme.END}\nafter\n", encoding="utf-8")
    arguments = [str(json), "--readme", str(text), "--page", str(page)]
    readme.main(arguments)
    written = text.read_text(encoding="utf-8")
    assert written.startswith("before\n")
    assert written.endswith("after\n")
    assert "| first | 1.00 ms | torch 4.00 ms | 4.00 | 1.00 ms | torch 2.00 ms | 2.00 |" in written
    assert "second" not in written  # no headline
    assert "old" not in written
    assert "opencv differs in 1%" in page.read_text(encoding="utf-8")
    readme.main(arguments)
    assert text.read_text(encoding="utf-8") == written


def test_readme_without_markers_is_left_alone() -> None:
    with pytest.raises(SystemExit, match="benchmarks -->"):
        readme.replaced("no markers", "table")


def test_picture_is_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks.plot import plot

    plot(_results(), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("torch_threads")
def test_command_writes_what_was_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    json, page = tmp_path / "a.json", tmp_path / "a.md"
    arguments = ["--only", "what a call costs", "--quick", "--threads", "1"]
    command.main([*arguments, "--json", str(json), "--markdown", str(page)])
    (row,) = results.read(json).rows
    assert {OURS, "ndresize call"} <= set(row.timings)
    assert row.name in page.read_text(encoding="utf-8")
    assert row.name in capsys.readouterr().out


def test_command_lists_without_running(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--list", "--only", "uint8 labels*"])
    said = capsys.readouterr().out
    assert "uint8 labels 64x512x512" in said
    assert "without scipy: picks the other sample" in said


def test_command_refuses_a_pattern_that_fits_nothing() -> None:
    with pytest.raises(SystemExit, match="no workload's name has 'nothing such'"):
        command.main(["--only", "nothing such"])
