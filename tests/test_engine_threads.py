"""Compiled plans among threads, processes and signals; see also test_native.py."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import ndresize
from ndresize.dialects import pillow


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
