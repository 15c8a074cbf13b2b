"""Where OpenVINO's accounts of Interpolate differ, and where OpenVINO differs from the dialect.

Each entry of the two .toml files is run; one that no longer holds fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openvino_oracle as oracle
from ndresize import ResizeError
from ndresize.dialects.openvino import interpolate
from openvino_deviations import PREDICATES, deviates
from openvino_runner import Call, OpenVino

FOLDER = Path(__file__).parent / "deviations"


def entries(name: str, kind: str) -> list[Any]:
    found = tomllib.loads((FOLDER / f"{name}.toml").read_text())[kind]
    return [pytest.param(entry, id=entry["id"]) for entry in found]


DIFFERENCES = entries("openvino_differences", "difference")
DEVIATIONS = entries("openvino", "deviation")


@pytest.fixture(scope="module")
def system() -> Iterator[OpenVino]:
    pytest.importorskip("openvino")
    system = OpenVino()
    yield system
    system.close()


def data_of(call: dict[str, Any]) -> np.ndarray[Any, Any]:
    return np.array(call["data"]).astype(call["dtype"]).reshape(call["shape"])


def asked(call: dict[str, Any], device: str) -> Call:
    words = dict(call["attributes"])
    if call.get("version", 4) != 1:
        words["shape_calculation_mode"] = "sizes" if "sizes" in call else "scales"
    lists = {k: tuple(call[k]) if k in call else None for k in ("sizes", "scales", "axes")}
    return Call(
        device,
        call.get("version", 4),
        tuple(call["shape"]),
        call["dtype"],
        **lists,
        attributes=words,
    )


def told(result: Any) -> dict[str, Any]:
    return {"shape": list(result.shape), "values": result.ravel().tolist()}


def ours(call: dict[str, Any], device: str) -> dict[str, Any]:
    try:
        result = interpolate(
            data_of(call),
            call.get("sizes"),
            call.get("scales"),
            call.get("axes"),
            version=call.get("version", 4),
            device=device,
            **call["attributes"],
        )
    except ResizeError as error:
        return {"refuses": str(error)}
    return told(result)


def theirs(system: OpenVino, call: dict[str, Any], device: str) -> dict[str, Any]:
    if device == "shape":
        return {"shape": list(system(asked(call, device)))}
    result = system(asked(call, device), data_of(call))
    return {"raises": result} if isinstance(result, str) else told(result)


def matches(answer: dict[str, Any], recorded: dict[str, Any]) -> bool:
    """Return whether an answer is the recorded one; of a text, a part is recorded."""
    for key, value in recorded.items():
        if key not in answer:
            return False
        if key == "values":
            slack = 1e-5 if any(isinstance(v, float) for v in value) else 0.0
            if not np.allclose(answer[key], value, rtol=slack, atol=slack):
                return False
        elif key == "shape":
            if answer[key] != value:
                return False
        elif value not in answer[key]:
            return False
    return True


@pytest.mark.parametrize("entry", DIFFERENCES)
@pytest.mark.parametrize("device", ["reference", "CPU", "document"])
def test_each_account(entry: dict[str, Any], device: str) -> None:
    assert matches(ours(entry["call"], device), entry[device])


@pytest.mark.parametrize("entry", DIFFERENCES)
def test_the_accounts_differ(entry: dict[str, Any]) -> None:
    told = [entry[device] for device in ("reference", "CPU", "document")]
    assert any(answer != told[0] for answer in told)


@pytest.mark.parametrize("entry", DIFFERENCES)
@pytest.mark.parametrize("device", ["reference", "CPU"])
def test_the_systems_say_so(system: OpenVino, entry: dict[str, Any], device: str) -> None:
    answer = theirs(system, entry["call"], device)
    if "refuses" in entry[device]:
        assert "raises" in answer
    else:
        assert matches(answer, entry[device])


@pytest.mark.parametrize("entry", DIFFERENCES)
def test_the_page_says_so(entry: dict[str, Any]) -> None:
    call, recorded = entry["call"], entry["document"]
    if "refuses" in recorded or call.get("version", 4) != 4:
        return  # a refusal, or a mode that the page does not have
    result = oracle.interpolate(
        data_of(call),
        call.get("sizes"),
        call.get("scales"),
        call.get("axes"),
        shape_calculation_mode="sizes" if "sizes" in call else "scales",
        **call["attributes"],
    )
    assert matches(told(result), recorded)


@pytest.mark.parametrize("entry", DEVIATIONS)
def test_openvino_still_deviates(system: OpenVino, entry: dict[str, Any]) -> None:
    device = entry["device"]
    mine = ours(entry["call"], "reference" if device == "shape" else device)
    assert matches(mine, entry["ours"])
    answer = theirs(system, entry["call"], device)
    assert matches(answer, entry["theirs"])
    assert not matches(answer, entry["ours"])


def test_predicates_know_their_entries() -> None:
    known = {param.values[0]["id"]: param.values[0] for param in DEVIATIONS}
    for name in PREDICATES:
        entry = known[name]
        assert deviates(asked(entry["call"], entry["device"])) == name


def test_an_ordinary_call_does_not_deviate() -> None:
    words = {"mode": "linear", "shape_calculation_mode": "sizes"}
    assert deviates(Call("CPU", 4, (1, 1, 2, 3), "float32", (4, 4), None, (2, 3), words)) is None
