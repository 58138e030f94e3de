"""The model's graph, changed so that a text's words are looked up before they are made floats.

As it comes, the graph makes the whole table of 30,522 words floats and looks words up in that, so
47 MB are kept where 12 will do. The other order gives the same numbers to the last bit. This is for
the one file whose checksum is known, and so are its parts.
"""

from collections.abc import Iterator
from typing import NamedTuple

# Numbers of fields in ONNX's messages, whose format is Protocol Buffers: onnx/onnx.proto
GRAPH = 7  # of a model
NODE = 1  # of a graph
INPUT, OUTPUT, OPERATION, ATTRIBUTE = 1, 2, 4, 5  # of a node
BYTES = 2  # what a field's key tells of one written as a length and bytes; others are a number

TABLE = "inner.embeddings.word_embeddings.weight"
CAST, SCALED, FOUND = f"{TABLE}_f", TABLE, "embedding"  # what the three nodes put out


class Field(NamedTuple):
    number: int
    content: bytes  # empty for a number
    written: bytes  # all of it


def looking_up_first(model: bytes) -> bytes:
    """`model`, the content of such a file, in the other order."""
    return b"".join(
        written(GRAPH, reordered(field.content)) if field.number == GRAPH else field.written
        for field in fields(model)
    )


def reordered(graph: bytes) -> bytes:
    table: dict[str, bytes] = {}
    others: list[bytes] = []
    for field in fields(graph):
        outputs = texts(field.content, OUTPUT) if field.number == NODE else []
        if outputs and outputs[0] in (CAST, SCALED, FOUND):
            table[outputs[0]] = field.content
        else:
            others.append(field.written)
    (whole,), (_, scale), (_, ids) = (texts(table[name], INPUT) for name in (CAST, SCALED, FOUND))
    nodes = (
        rewired(table[FOUND], [whole, ids], "words"),
        rewired(table[FOUND], [scale, ids], "scales"),
        rewired(table[CAST], ["words"], "words_f"),
        rewired(table[SCALED], ["words_f", "scales"], FOUND),
    )
    return b"".join([*(written(NODE, node) for node in nodes), *others])


def rewired(node: bytes, inputs: list[str], output: str) -> bytes:
    """The same operation between other values."""
    ends = [(INPUT, name) for name in inputs] + [(OUTPUT, output)]
    same = [field.written for field in fields(node) if field.number in (OPERATION, ATTRIBUTE)]
    return b"".join([*(written(number, name.encode()) for number, name in ends), *same])


def texts(message: bytes, number: int) -> list[str]:
    return [field.content.decode() for field in fields(message) if field.number == number]


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a message in order."""
    start = 0
    while start < len(message):
        key, at = number_at(message, start)
        value, end = number_at(message, at)
        if key & 7 == BYTES:
            at, end = end, end + value
        yield Field(key >> 3, message[at:end], message[start:end])
        start = end


def number_at(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, in groups of seven bits with the lowest first, and its end."""
    number = shift = 0
    while message[at] & 0x80:
        number |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | message[at] << shift, at + 1


def written(number: int, content: bytes) -> bytes:
    """A field whose content is bytes."""
    length, digits = len(content), bytearray()
    while length > 0x7F:
        digits.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([number << 3 | BYTES, *digits, length]) + content
