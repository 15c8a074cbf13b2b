"""The compiled engine under AddressSanitizer and UndefinedBehaviorSanitizer."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
NATIVE = ROOT / "src" / "ndresize" / "native"
FLAGS = [
    "-std=c++17",
    "-O1",
    "-g1",
    "-Wno-psabi",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
]
WIDE = ["-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mfma", "-mf16c"]
AVX2 = ["-mavx2", "-mfma", "-mf16c"]
VNNI = [*WIDE, "-mavx512vnni"]
VBMI = [*VNNI, "-mavx512vbmi"]
SETS = {
    "kernels": {"baseline": [], "avx2": AVX2, "avx512": WIDE},
    "fixed_kernels": {
        "baseline": [],
        "avx2": AVX2,
        "avx512": WIDE,
        "vnni": VNNI,
        "vbmi": VBMI,
    },
    "pick_kernels": {"baseline": [], "avx2": AVX2, "avx512": WIDE, "vbmi": VBMI},
    "joint_kernels": {"baseline": [], "apart": ["-mavx2", "-mf16c", "-ffp-contract=off"]},
}
COUNT = 6_000


def compile_object(source: Path, to: Path, *flags: str) -> Path:
    subprocess.run([compiler(), *FLAGS, *flags, "-c", source, "-o", to], check=True)
    return to


def compiler() -> str:
    found = shutil.which("g++") or shutil.which("c++")
    assert found, "the tests need the C++ compiler that the package was built with"
    return found


def test_random_programs_touch_no_other_memory_and_sum_right(tmp_path: Path) -> None:
    jobs = [
        (
            NATIVE / f"{file}.cpp",
            tmp_path / f"{file}_{name}.o",
            *flags,
            f"-DNDRESIZE_ISA={name}",
            f'-DNDRESIZE_ISA_NAME="{name}"',
            f"-DNDRESIZE_KERNELS={file}_{name}",
        )
        for file, sets in SETS.items()
        for name, flags in sets.items()
    ]
    parts = ("program", "nest", "tiles", "phase_tables", "product_tables", "walk", "picks", "maps")
    parts += ("joint", "picture", "picture_tables", "pool")
    sources = [NATIVE / f"{name}.cpp" for name in parts]
    sources.append(Path(__file__).parent / "native" / "fuzz.cpp")
    jobs += [(source, tmp_path / f"{source.stem}.o") for source in sources]
    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(lambda job: compile_object(*job), jobs))
    program = tmp_path / "fuzz"
    subprocess.run([compiler(), *FLAGS, *objects, "-lpthread", "-o", program], check=True)

    run = subprocess.run([program, "7", str(COUNT)], capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == f"{COUNT} programs\n"
