"""ONNX's files, taken apart and put together: messages of Protocol Buffers, as in onnx.proto."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

# The numbers of fields, by what they belong to.
GRAPH, OPERATIONS = 7, 8  # a model; the second names a set of operations
NODE, TENSOR, GRAPH_INPUT = 1, 5, 11  # a graph
INPUT, OUTPUT, OPERATION, ATTRIBUTE, DOMAIN = 1, 2, 4, 5, 7  # a node
INPUT_NAME, INPUT_TYPE = 1, 2  # an input of a graph
SIZE, TYPE, NAME, NUMBERS = 1, 2, 8, 9  # a tensor

TYPES = {1: np.float32, 2: np.uint8, 3: np.int8}  # of a tensor's numbers
BYTES = 2  # what a field's key tells of one written as a length and bytes; others are a number


class Field(NamedTuple):
    number: int
    value: int  # of a number; of bytes, how many they are
    content: memoryview  # empty for a number
    at: int  # where in the message the content begins
    written: memoryview  # all of it


class Tensor(NamedTuple):
    name: str
    array: np.ndarray
    at: int  # where in the message its numbers begin


def fields(message: memoryview) -> Iterator[Field]:
    """The fields of a message in order."""
    start = 0
    while start < len(message):
        key, at = number_at(message, start)
        value, at = number_at(message, at)
        end = at + value if key & 7 == BYTES else at
        yield Field(key >> 3, value, message[at:end], at, message[start:end])
        start = end


def number_at(message: memoryview, at: int) -> tuple[int, int]:
    """The number that begins there, in groups of seven bits with the lowest first, and its end."""
    number = shift = 0
    while message[at] & 0x80:
        number |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | message[at] << shift, at + 1


def texts(message: memoryview, number: int) -> list[str]:
    return [bytes(field.content).decode() for field in fields(message) if field.number == number]


def tensor(message: memoryview) -> Tensor:
    shape = [field.value for field in fields(message) if field.number == SIZE]
    by_number = {field.number: field for field in fields(message)}
    numbers = by_number[NUMBERS]
    array = np.frombuffer(numbers.content, TYPES[by_number[TYPE].value]).reshape(shape)
    return Tensor(texts(message, NAME)[0], array, numbers.at)


def written(number: int, content: int | str | bytes) -> bytes:
    """A field with a number, a text or bytes."""
    if isinstance(content, int):
        return written_number(number << 3) + written_number(content)
    content = content.encode() if isinstance(content, str) else content
    return written_number(number << 3 | BYTES) + written_number(len(content)) + content


def written_number(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def written_tensor(name: str, array: np.ndarray) -> bytes:
    kind = next(number for number, kind in TYPES.items() if array.dtype == kind)
    sizes = [written(SIZE, size) for size in array.shape]
    return b"".join(
        [*sizes, written(TYPE, kind), written(NAME, name), written(NUMBERS, array.tobytes())]
    )


def written_node(
    domain: str, operation: str, inputs: Sequence[str], output: str, **attributes: int
) -> bytes:
    ends = [*(written(INPUT, name) for name in inputs), written(OUTPUT, output)]
    # Of an attribute: its name, its value, and that this is a whole number.
    told = [
        written(ATTRIBUTE, written(1, name) + written(3, value) + written(20, 2))
        for name, value in attributes.items()
    ]
    return b"".join([*ends, written(OPERATION, operation), *told, written(DOMAIN, domain)])


def written_input(name: str) -> bytes:
    """An input of a graph: floats in any shape."""
    floats = written(1, written(1, 1))  # a tensor whose numbers are of the first type
    return written(INPUT_NAME, name) + written(INPUT_TYPE, floats)
