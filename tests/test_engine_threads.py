"""Compiled plans among threads, processes and signals; see also test_native.py."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ndresize
from counterparts import Call, counterparts, make_data
from ndresize.dialects import pillow, tensorflow

ROOT = Path(__file__).parent.parent


def run_script(tmp_path: Path, code: str) -> str:
    """Run code that starts processes, which `spawn` needs to find in a file."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code))
    run = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


PLANS = """
import sys
import numpy as np, ndresize
from ndresize.dialects import pillow

x = np.random.default_rng(0).standard_normal((8, 200, 300)).astype(np.float32)
floats = ndresize.resize.plan(x.shape, x.dtype, sizes=(8, 400, 500), mode="cubic")
picture = (x[0, :, :, None] * 60 + 128).clip(0, 255).astype(np.uint8).repeat(3, axis=2)

def digest(threads):
    y = floats(x, threads=threads)
    z = pillow.resize(picture, (701, 500), threads=threads)
    return hash((y.tobytes(), z.tobytes()))
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("before", [True, False], ids=["used before", "not used before"])
def test_processes_of_all_kinds(tmp_path: Path, method: str, before: bool) -> None:
    """Workers and their parent resize at once, the parent's threads being there before or not."""
    printed = run_script(
        tmp_path,
        f"""
{PLANS}
import multiprocessing

def work(_):
    return floats(x, threads=2).sum(), pillow.resize(picture, (701, 500), threads=2).sum()

if __name__ == "__main__":
    if {before}:
        work(0)
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        results = pool.map_async(work, range(6))
        own = work(0)
        print([other == own for other in results.get(60)])
    print(work(0) == own)
""",
    )
    assert printed.splitlines() == [str([True] * 6), "True"]


def test_a_grandchild(tmp_path: Path) -> None:
    printed = run_script(
        tmp_path,
        f"""
{PLANS}
import os
expected = digest(2)
for generation in range(3):
    child = os.fork()
    if child:
        good = digest(2) == expected
        status = os.waitpid(child, 0)[1]
        if generation:
            os._exit(0 if good and status == 0 else 1)
        print(good, status)
        break
else:
    os._exit(0 if digest(2) == expected else 1)
""",
    )
    assert printed.split() == ["True", "0"]


def test_fork_while_another_thread_resizes(tmp_path: Path) -> None:
    printed = run_script(
        tmp_path,
        f"""
{PLANS}
import os, threading
expected = digest(1)
over = False
def steadily():
    while not over:
        floats(x, threads=2)
thread = threading.Thread(target=steadily)
thread.start()
codes = []
import warnings
warnings.simplefilter("ignore")  # Python tells of the thread, which is what is asked for
for _ in range(20):
    child = os.fork()
    if child == 0:
        again = ndresize.resize.plan(x.shape, x.dtype, sizes=(8, 400, 500), mode="cubic")
        again(x, threads=2)
        os._exit(0)
    codes.append(os.waitpid(child, 0)[1])
over = True
thread.join()
print(codes)
""",
    )
    assert printed.strip() == str([0] * 20)


def test_workers_of_a_torch_data_loader(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the data loader is torch's")
    printed = run_script(
        tmp_path,
        f"""
{PLANS}
import torch

class Pictures(torch.utils.data.Dataset):
    def __len__(self):
        return 12
    def __getitem__(self, k):
        return torch.from_numpy(floats(x + np.float32(k), threads=2)[:, ::40, ::50].copy())

if __name__ == "__main__":
    expected = [Pictures()[k] for k in range(12)]  # the parent's threads are there
    loader = torch.utils.data.DataLoader(Pictures(), batch_size=None, num_workers=2)
    for _ in range(2):
        print(all(torch.equal(y, e) for y, e in zip(loader, expected, strict=True)))
""",
    )
    assert printed.split() == ["True", "True"]


def test_one_plan_that_many_threads_run_first() -> None:
    """What a plan keeps, it makes once and for all: also when all threads ask for it at once."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 60, 3)).astype(np.float32)
    picture = rng.integers(0, 256, (60, 80, 3), np.uint8)
    layouts = [x, np.asfortranarray(x), x[::-1], np.ascontiguousarray(x[:, ::-1])[:, ::-1]]
    with ThreadPoolExecutor(8) as pool:
        for size in range(30, 50):
            plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(size, 97, 3), mode="cubic")
            bytes_plan = pillow.resize.plan(picture.shape, picture.dtype, (size, 111))
            found = list(pool.map(lambda k, p=plan: p(layouts[k % 4], threads=2), range(24)))
            bytes_found = list(
                pool.map(lambda k, p=bytes_plan: p(picture, threads=1 + k % 3), range(16))
            )
            for k, y in enumerate(found):
                np.testing.assert_array_equal(y, plan(layouts[k % 4].copy("C"), threads=1))
            for z in bytes_found:
                np.testing.assert_array_equal(z, bytes_plan(picture, threads=1))


CALLERS = 8


@pytest.fixture
def often() -> Iterator[None]:
    """Let a Python that has a GIL hand it on as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """Return what `work` gives to each of the callers, which all begin at the same time."""
    barrier = Barrier(CALLERS)

    def begin(caller: int) -> Any:
        barrier.wait()
        return work(caller)

    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(begin, range(CALLERS)))


SHARED: dict[str, tuple[Callable[[], ndresize.Plan], int]] = {
    "floats": (
        lambda: ndresize.resize.plan((60, 80, 3), "f4", sizes=(90, 70, 3), mode="cubic"),
        60,
    ),
    "picks": (lambda: ndresize.resize.plan((9, 50, 70), "f4", sizes=(9, 99, 40)), 60),
    "picks of little maps": (lambda: ndresize.resize.plan((40, 5, 5), "u1", sizes=(40, 9, 9)), 200),
    "bytes": (lambda: pillow.resize.plan((60, 80, 3), "u1", (70, 111)), 60),
    "one sum": (
        lambda: tensorflow.tflite_resize.plan((1, 40, 50, 3), "f4", (70, 30)),
        60,
    ),
    "stages": (lambda: ndresize.resize.plan((2,) * 9, "f4", sizes=(3,) * 9, mode="linear"), 20),
    "a large output": (
        lambda: ndresize.resize.plan((300, 400), "f4", sizes=(3000, 2000), mode="linear"),
        4,
    ),
}


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("kind", SHARED)
def test_eight_threads_share_a_plan(kind: str) -> None:
    """Each gets what one alone gets, from its own array and from one that all of them read."""
    make, times = SHARED[kind]
    plan, alone = make(), make()
    rng = np.random.default_rng(1)
    arrays = [
        (rng.random(plan.input_shape) * 255).astype(plan.input_dtype) for _ in range(CALLERS + 1)
    ]
    expected = [alone(x, threads=1) for x in arrays]
    shared = CALLERS

    def work(caller: int) -> list[int]:
        wrong = []
        for turn in range(times):
            which = caller if turn % 2 else shared
            if not np.array_equal(plan(arrays[which], threads=1 + turn % 3), expected[which]):
                wrong.append(turn)
        return wrong

    assert at_once(work) == [[]] * CALLERS


def unseen(name: str) -> list[tuple[Call, NDArray[Any]]]:
    """Return calls of a function that nothing else makes, and their arrays."""
    entry = counterparts()[name]
    calls = [entry.draw(np.random.default_rng(seed)) for seed in range(5_000_000, 5_000_040)]
    known = [call for call in calls if call.dtype != "bfloat16" or find_spec("ml_dtypes")]
    return [(call, make_data(call, seed)) for seed, call in enumerate(known)]


def answers(name: str, threads: int | None = None) -> list[str]:
    """Return what our function answers to these calls, as digests."""
    found = []
    for call, x in unseen(name):
        y = counterparts()[name].ours(x, **call.arguments, threads=threads)
        found.append(f"{call} {y.dtype} {y.shape} {hashlib.sha256(y.tobytes()).hexdigest()}")
    return found


@pytest.fixture(scope="module")
def answers_alone() -> Any:
    """Return the answers of a process that has one thread."""
    code = """
import json
from counterparts import counterparts
from tests.test_engine_threads import answers
print(json.dumps({name: answers(name, threads=1) for name in counterparts()}))
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return json.loads(run.stdout)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("name", counterparts())
def test_calls_that_eight_threads_plan_at_once(name: str, answers_alone: Any) -> None:
    """None of them has been planned before; each is planned and run by all, at the same time."""
    for found in at_once(lambda _: answers(name)):
        assert found == answers_alone[name]


@pytest.mark.usefixtures("often")
def test_more_plans_than_are_kept() -> None:
    """Eight threads plan and throw out each other's plans."""
    row = np.arange(7, dtype=np.float32)
    sizes = range(1, 700)
    expected = [ndresize.resize.plan.__wrapped__((7,), row.dtype, sizes=(n,))(row) for n in sizes]

    def work(caller: int) -> list[int]:
        turned = [*sizes[caller * 80 :], *sizes[: caller * 80]]
        return [
            n
            for n in turned
            if not np.array_equal(ndresize.resize(row, sizes=(n,)), expected[n - 1])
        ]

    assert at_once(work) == [[]] * CALLERS


@pytest.mark.skipif(
    getattr(sys, "_is_gil_enabled", lambda: True)(), reason="this Python runs with a GIL"
)
def test_the_gil_stays_off(tmp_path: Path) -> None:
    """An extension that has not said that it can do without switches it on when it is loaded."""
    printed = run_script(
        tmp_path,
        f"""
import sys, warnings
warnings.simplefilter("error")
{PLANS}
digest(2)
print(sys._is_gil_enabled())
""",
    )
    assert printed.strip() == "False"


LONG = {
    "floats": 'ndresize.resize.plan((300, 500, 256), "f4", sizes=(400, 600, 500), mode="lanczos3")',
    "fixed point": (
        "ndresize.Plan((9000, 9000), np.dtype('u1'), tuple(ndresize.Pass(a, op, fixed)"
        " for a in (1, 0)), (12000, 12000), np.dtype('u1'))"
    ),
    "picks": 'ndresize.resize.plan((500, 500, 100), "f4", sizes=(501, 501, 900), mode="nearest")',
}


@pytest.mark.parametrize(
    "threads",
    [
        1,
        2,
    ],
)
@pytest.mark.parametrize("kind", LONG)
def test_interrupt_stops_a_resize_half_way(tmp_path: Path, kind: str, threads: int) -> None:
    """Ctrl-C is answered within a second, the call does no more, and the plan works afterwards."""
    printed = run_script(
        tmp_path,
        f"""
import os, signal, threading, time
import numpy as np, ndresize
fixed = ndresize.Arithmetic("fixed", bits=11)
op = ndresize.AxisOperator(np.arange(12000) * 8960 // 12000, np.full((12000, 40), 1 / 32), 9000)
plan = {LONG[kind]}
x = np.ones(plan.input_shape, plan.input_dtype)
out = np.zeros(plan.output_shape, plan.dtype)
sent = []
def later():
    time.sleep(0.05)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=later).start()
try:
    plan(x, out=out, threads={threads})
    time.sleep(5)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
print((out.reshape(-1)[::1009] == 0).any())
plan(x, out=out, threads=2)
print((out == 0).any())
""",
    )
    waited, rest, after = printed.split()
    assert float(waited) < 1
    assert (rest, after) == ("True", "False")
