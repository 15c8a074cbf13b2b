"""The benchmarks: no timings here, but that their contestants do the same and are told apart."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # the package is not installed

from benchmarks import __main__ as command
from benchmarks import dialects, readme, results, tables
from benchmarks.agreement import odd_ones_out
from benchmarks.peers import ours
from benchmarks.results import Results, Row, geometric_mean
from benchmarks.run import prepare
from benchmarks.task import Task, make_input
from benchmarks.timing import Timing, time_in_turns
from benchmarks.workloads import AS, LIBRARIES, OURS, Workload, in_their_words, table
from counterparts import Call, counterparts
from counterparts import tables as markers

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


def test_ours_in_other_words_have_no_vote() -> None:
    right = np.zeros((3, 4), np.uint8)
    computed = {OURS: right + 9, f"{AS}a": right + 9, f"{AS}b": right + 9, "a": right, "b": right}
    assert set(odd_ones_out(computed, 0, voiceless=[f"{AS}a", f"{AS}b"])) == set(computed) - {*"ab"}


def test_rows_of_bytes_have_our_dialects_and_a_row_for_each() -> None:
    rows = {workload.name: workload for workload in SMALL}
    mixed = rows["uint8 1080x1920x3 -> 540x960, area"]
    assert [name for name in mixed.contestants if name.startswith(OURS)] == [
        OURS,
        *(f"{AS}{peer}" for peer in ("torch", "opencv", "pillow")),
    ]
    for peer in ("torch", "opencv", "pillow"):
        alone = rows[f"{mixed.name}, as {peer}"]
        assert list(alone.contestants) == [OURS, peer]
        assert alone.contestants[OURS] is mixed.contestants[f"{AS}{peer}"]
        assert alone.contestants[peer] is mixed.contestants[peer]
        assert alone.tolerance == 0
    floats = [workload for workload in SMALL if workload.task.dtype != "uint8"]
    assert not [name for each in floats for name in each.contestants if name.startswith(AS)]
    assert not [row for each in floats for row in in_their_words(each)]


def test_a_row_of_other_bytes_is_seen() -> None:
    task = Task("HW", (40, 30), (13, 17), "uint8", antialias=True)
    contestants = {OURS: ours.as_pillow, "pillow": ours.plan}
    workload = Workload("a row", task, contestants, {}, 0.0)
    _, _, wrong = prepare(workload, make_input(task), threads=1)
    assert list(wrong) == ["pillow"]


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


def test_a_close_contest_takes_longer() -> None:
    calls = dict.fromkeys(("first", "second", "aside"), lambda: time.sleep(0.002))
    calls["slow"] = lambda: time.sleep(0.008)
    timings = time_in_turns(calls, 0.02, aside="aside")
    assert timings["first"].samples > 2 * timings["aside"].samples
    assert timings["second"].samples > 2 * timings["aside"].samples
    assert timings["slow"].samples <= timings["aside"].samples


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


def test_the_fastest_of_ours_stands_beside_the_fastest_of_theirs(tmp_path: Path) -> None:
    names = {OURS: 4e-3, f"{AS}torch": 1e-3, f"{AS}opencv": 2e-3, "ndresize out=": 1e-4}
    timings = {name: Timing(value, value, 3) for name, value in {**names, "torch": 3e-3}.items()}
    row = dataclasses.replace(_results().rows[0], timings=timings, wrong={})
    assert (row.fastest_ours, row.ratio) == (f"{AS}torch", pytest.approx(3))
    assert "3.00x   1.00 ms  first (as torch)" in tables.text_row(row)
    assert "| first | 1.00 ms (as torch) | torch" in tables.markdown(Results({}, {}, [row]))
    results.write(Results({}, {}, [row]), tmp_path / "a.json")
    assert '"fastest_ours": "ndresize as torch"' in (tmp_path / "a.json").read_text("utf-8")

    wrong = dataclasses.replace(row, wrong={f"{AS}torch": "differs"})
    assert (wrong.fastest_ours, wrong.ratio) == (f"{AS}opencv", pytest.approx(1.5))
    wrong = dataclasses.replace(row, wrong=dict.fromkeys(names, "differs"))
    assert (wrong.fastest_ours, wrong.ratio) == (None, None)
    assert "   -  " in tables.text_row(wrong)


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
    names = {text: ["benchmarks"], page: ["benchmarks", "dialects"]}
    for path in names:
        between = [f"<!-- {name} -->\nold\n<!-- /{name} -->\n" for name in names[path]]
        path.write_text(f"before\n{''.join(between)}after\n", encoding="utf-8")
    arguments = [str(json), "--readme", str(text), "--page", str(page), "--dialects", str(json)]
    readme.main(arguments)
    written = text.read_text(encoding="utf-8")
    assert written.startswith("before\n")
    assert written.endswith("after\n")
    assert "| first | 1.00 ms | torch 4.00 ms | 4.00 | 1.00 ms | torch 2.00 ms | 2.00 |" in written
    assert "second" not in written  # no headline
    assert "old" not in written
    whole = page.read_text(encoding="utf-8")
    assert "opencv differs in 1%" in whole
    assert "| first |" in whole.partition("<!-- dialects -->")[2]
    assert "old" not in whole
    readme.main(arguments)
    assert text.read_text(encoding="utf-8") == written


def test_readme_without_markers_is_left_alone() -> None:
    with pytest.raises(SystemExit, match="benchmarks -->"):
        markers.replaced("no markers", "benchmarks", "table")


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


SMALL_CALLS = {
    "pillow.resize": Call((9, 7, 3), "uint8", {"size": [5, 4], "resample": "BICUBIC"}),
    "scipy.zoom": Call((9, 7), "float32", {"zoom": (0.5, 2), "order": 1}),
    "scikit_image.resize": Call((9, 7), "uint8", {"output_shape": (4, 5)}),
    "opencv.resize": Call((9, 7, 3), "uint8", {"dsize": [5, 4], "interpolation": "INTER_LINEAR"}),
    "torch.interpolate": Call((1, 3, 9, 7), "uint8", {"size": [5, 4], "mode": "bilinear"}),
    "onnxruntime.resize": Call((1, 3, 9, 7), "float32", {"sizes": [1, 3, 4, 5], "mode": "linear"}),
    "onnxruntime.upsample": Call((1, 3, 4, 4), "float32", {"scales": [1.0, 1.0, 2.0, 2.0]}),
}


@pytest.mark.usefixtures("torch_threads")
@pytest.mark.parametrize("name", SMALL_CALLS)
def test_dialects_are_compared_with_their_systems(name: str) -> None:
    entry = counterparts()[name]
    pytest.importorskip(entry.theirs.split(".")[0])
    row = dialects.measure(dialects.Comparison(entry, "a call", SMALL_CALLS[name]), 1, 0.001)
    assert row.name == f"{name}: a call"
    assert not row.absent
    assert not row.wrong
    assert set(row.timings) == {OURS, entry.system}


def test_who_fails_or_answers_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import ndimage

    zoom = ndimage.zoom
    comparison = dialects.Comparison(counterparts()["scipy.zoom"], "", SMALL_CALLS["scipy.zoom"])
    monkeypatch.setattr(ndimage, "zoom", lambda x, **words: zoom(x, **words) + np.float32(1e-3))
    assert (
        "differs in 100.00% of the samples" in dialects.measure(comparison, 1, 0.001).wrong["scipy"]
    )
    monkeypatch.delattr(ndimage, "zoom")
    assert dialects.measure(comparison, 1, 0.001).absent["scipy"].startswith("failed: ")


def test_tolerance_is_in_units_of_the_last_place_of_the_range() -> None:
    entry = counterparts()["scipy.zoom"]
    same = dataclasses.replace(entry, ulps=0)
    x = np.linspace(-1, 1, 63, dtype=np.float32).reshape(9, 7)
    plan = entry.ours.plan(x.shape, x.dtype, zoom=2, order=1)
    assert dialects.tolerance(entry, plan, x) == entry.ulps * np.spacing(np.float32(2))
    assert dialects.tolerance(same, plan, x) == 0
    nearest = entry.ours.plan(x.shape, x.dtype, zoom=2, order=0)
    assert dialects.tolerance(entry, nearest, x) == 0


def test_every_comparison_has_a_name_of_its_own() -> None:
    names = [each.name for each in dialects.comparisons()]
    assert len(names) == len(set(names)) > 20


def test_command_compares_dialects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    json = tmp_path / "a.json"
    arguments = ["--dialects", "--only", "order 0", "--quick", "--json", str(json)]
    command.main([*arguments, "--threads", "1"])
    (row,) = results.read(json).rows
    assert set(row.timings) == {OURS, "scipy"}
    assert row.name in capsys.readouterr().out
    command.main([*arguments, "--threads", "1,2"])  # each in a process of its own
    assert [row.threads for row in results.read(json).rows] == [1, 2]
    command.main(["--dialects", "--only", "order 0", "--list"])
    assert capsys.readouterr().out.endswith(f"\n{row.name}\n")
