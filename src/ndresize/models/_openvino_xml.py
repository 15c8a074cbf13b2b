"""The layers and edges of an OpenVINO .xml, read without ever expanding an entity."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ndresize.errors import ResizeError

__all__ = ["Layer", "Parser", "Port", "read_text"]

_LARGEST = 2**28  # bytes of .xml; a large model has some ten millions
_DEEPEST = 64

Port = tuple[int, int]
"""A layer's id and the id of one of its ports."""


@dataclass
class Layer:
    """A layer as the file tells it."""

    id: int
    name: str
    type: str
    version: str
    data: dict[str, str] = field(default_factory=dict)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    output_names: str = ""
    tensors: dict[int, tuple[str, list[int]]] = field(default_factory=dict)
    """By port: precision and lengths."""
    names: dict[int, str] = field(default_factory=dict)
    """By port: the names of the value, separated by commas."""

    @property
    def what(self) -> str:
        """How messages call it."""
        return f"{self.type} {self.name!r}"


def read_text(path: Path) -> bytes:
    """Return the content of a file that is not too large.

    Raises
    ------
    ResizeError
        If it cannot be read.
    """
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise ResizeError(f"{path} must have at most {_LARGEST} bytes, got {size}")
        return path.read_bytes()
    except OSError as error:
        raise ResizeError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the path
        raise ResizeError(f"{str(path)!r}: {error}") from None


class Parser:
    """Collects layers and edges; a declaration of a document type or an entity is refused.

    Parameters
    ----------
    name : str
        What messages call the text.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._path: list[str] = []
        self._text = ""
        self._port = 0
        self.version = ""
        self.layers: list[Layer] = []
        self.edges: dict[Port, Port] = {}

    def parse(self, text: bytes) -> Parser:
        """Read the whole text.

        Raises
        ------
        ResizeError
            If it is not what OpenVINO writes.
        """
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.ExternalEntityRefHandler = self._refuse
        try:
            parser.Parse(text, True)
        except ResizeError:  # which is a ValueError, and told already
            raise
        except expat.ExpatError as error:
            raise ResizeError(
                f"{self._name} must be an OpenVINO model, or is truncated: {error}"
            ) from None
        except (KeyError, ValueError, IndexError) as error:
            raise ResizeError(
                f"{self._name} must be an OpenVINO model, got a {'/'.join(self._path)} without or "
                f"with a wrong {error}"
            ) from None
        return self

    def _refuse(self, *_: Any) -> int:
        raise ResizeError(
            f"{self._name} must have no document type and no entities, got a declaration of one"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        self._text = ""
        if len(self._path) > _DEEPEST:
            raise ResizeError(f"{self._name} must nest at most {_DEEPEST} elements")
        inside = self._path.count("layer")
        if tag == "net" and len(self._path) == 1:
            self.version = attributes.get("version", "")
        elif inside > 1 or "body" in self._path:  # loops and branches have models of their own
            return
        elif tag == "layer":
            number = int(attributes.get("id", "0"))
            kind, name = attributes["type"], attributes.get("name", "")
            layer = Layer(number, name, kind, attributes.get("version", ""))
            layer.output_names = attributes.get("output_names", "")
            self.layers.append(layer)
        elif tag == "edge":
            a, b = (tuple(int(attributes[f"{side}-{what}"]) for what in ("layer", "port"))
                    for side in ("from", "to"))  # fmt: skip
            self.edges[b[0], b[1]] = a[0], a[1]
        elif inside and tag == "data" and self._path[-2] == "layer":
            self.layers[-1].data = attributes
        elif inside and tag == "port":
            self._port = int(attributes["id"])
            layer = self.layers[-1]
            if self._path[-2] == "output" and self._port in layer.tensors:
                self._port += len(layer.inputs)  # the page numbers the output from 0 again
            (layer.inputs if self._path[-2] == "input" else layer.outputs).append(self._port)
            layer.tensors[self._port] = attributes.get("precision", ""), []
            layer.names[self._port] = attributes.get("names", "")

    def _end(self, tag: str) -> None:
        layers = self._path.count("layer")
        self._path.pop()
        if tag == "dim" and layers == 1 and "body" not in self._path:
            self.layers[-1].tensors[self._port][1].append(int(self._text))

    def _characters(self, text: str) -> None:
        if self._path and self._path[-1] == "dim":
            self._text += text
