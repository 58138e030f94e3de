"""The model's graph, changed so that it stays small: its words in their file, its weights bytes.

As it comes, the graph makes all weights floats when it is loaded: four times the memory, and all of
it is read for each text. ONNX Runtime multiplies by bytes as well, in blocks, when it is asked to.
The other side is made bytes for it, too, so vectors turn a little: their cosine with what floats
give is .9998. And half of the model is the table of 30,522 words, of which a text needs a few rows.
This is for the one file whose checksum is known, and so are its parts.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from memoryapp.memory.minilm import onnx
from memoryapp.memory.minilm.onnx import fields, texts, written

BLOCK = 32  # of so many numbers each has a scale; with 128, vectors turn three times as much
BYTES_BY_BYTES = 4  # the `accuracy_level` of ONNX Runtime's MatMulNBits
RUNTIME = "com.microsoft"  # the domain of that operation

EMBEDDINGS = "inner.embeddings."  # what is looked up, where everything else is multiplied
TABLE = f"{EMBEDDINGS}word_embeddings.weight"
WORD_IDS, WORDS = "input_ids", "embedding"  # what the graph was given, and what it is given now

Tensors = dict[str, np.ndarray]


class Parts(NamedTuple):
    """The model as a graph that is given the vectors of a text's words, and where those are."""

    graph: bytes
    table_at: int  # in the file
    table_shape: tuple[int, ...]
    scales: np.ndarray  # of each word


def parts(model: memoryview) -> Parts:
    """The parts of `model`, the content of such a file."""
    graph = next(field for field in fields(model) if field.number == onnx.GRAPH)
    tensors: Tensors = {}
    table_at = 0
    for field in fields(graph.content):
        if field.number == onnx.TENSOR and is_quantized(field.content):
            tensor = onnx.tensor(field.content)
            tensors[tensor.name] = tensor.array
            if tensor.name == f"{TABLE}_q":
                table_at = graph.at + field.at + tensor.at
    whole = [
        *(bytes(field.written) for field in fields(model) if field.number != onnx.GRAPH),
        written(onnx.OPERATIONS, written(1, RUNTIME) + written(2, 1)),
        written(onnx.GRAPH, b"".join(changed(graph.content, tensors))),
    ]
    shape, scales = tensors[f"{TABLE}_q"].shape, tensors[f"{TABLE}_scale"].copy()
    return Parts(b"".join(whole), table_at, shape, scales)


def is_quantized(tensor: memoryview) -> bool:
    """Whether these are a weight's bytes, or the scales that make them floats."""
    return texts(tensor, onnx.NAME)[0].endswith(("_q", "_scale"))


def changed(graph: memoryview, tensors: Tensors) -> Iterator[bytes | memoryview]:
    """The graph's fields without the table, and with products by bytes."""
    quantized = {name.removesuffix("_q") for name in tensors if name.endswith("_q")}
    weights = {name for name in quantized if not name.startswith(EMBEDDINGS)}
    # The steps in which bytes become floats, and the looking up.
    steps = {f"{name}{end}" for name in (TABLE, *weights) for end in ("_f", "")} | {WORDS}
    replaced = {f"{name}{end}" for name in (TABLE, *weights) for end in ("_q", "_scale")}
    for field in fields(graph):
        match field.number:
            case onnx.NODE:
                inputs, (output,) = (texts(field.content, end) for end in (onnx.INPUT, onnx.OUTPUT))
                if inputs[-1] in weights:
                    yield product(inputs[0], inputs[1], output, tensors)
                elif output not in steps:
                    yield field.written
            case onnx.TENSOR if texts(field.content, onnx.NAME)[0] in replaced:
                pass
            case onnx.GRAPH_INPUT if texts(field.content, onnx.INPUT_NAME) == [WORD_IDS]:
                yield written(onnx.GRAPH_INPUT, onnx.written_input(WORDS))
            case _:
                yield field.written


def product(values: str, weight: str, output: str, tensors: Tensors) -> bytes:
    """The product with a weight, and the weight as that wants it: by columns, in blocks."""
    bytes_, scales = tensors[f"{weight}_q"], tensors[f"{weight}_scale"]
    rows, columns = bytes_.shape
    blocks = (bytes_.T.astype(np.int16) + 128).astype(np.uint8).reshape(columns, -1, BLOCK)
    names = values, f"{weight}_blocks", f"{weight}_scales"
    node = onnx.written_node(
        RUNTIME,
        "MatMulNBits",
        names,
        output,
        K=rows,
        N=columns,
        bits=8,
        block_size=BLOCK,
        accuracy_level=BYTES_BY_BYTES,
    )
    return b"".join(
        [
            written(onnx.TENSOR, onnx.written_tensor(names[1], blocks)),
            written(onnx.TENSOR, onnx.written_tensor(names[2], np.repeat(scales, rows // BLOCK))),
            written(onnx.NODE, node),
        ]
    )
