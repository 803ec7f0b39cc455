"""The program with a real model: python check.py PROGRAM

The variables TEXTSEARCH_LLM_CHAT, _EMBEDDINGS and _RERANK hold the URLs of the servers. Prints a line for each
step: `llm`, the step, its result, seconds and tokens, separated by tabs.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

PROGRAM = sys.argv[1]
CHAT, EMBEDDINGS, RERANK = (os.environ[f"TEXTSEARCH_LLM_{name}"] for name in ("CHAT", "EMBEDDINGS", "RERANK"))
DOCS = ["--from", "xtask/integration/mcp/docs"]
QUESTION = "What are carrots?"


def environment(url):
    return {**os.environ, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "smollm2"}


def report(step, result, start, tokens=0):
    print(f"llm\t{step}\t{result}\t{time.monotonic() - start}\t{tokens}", flush=True)


def run(step, arguments, url=CHAT, codes=(0,)):
    """Runs the program; a code of `codes` passes. Returns its outputs."""
    start = time.monotonic()
    command = [PROGRAM, *arguments]
    ended = subprocess.run(command, env=environment(url), capture_output=True, text=True, timeout=600)
    assert ended.returncode in codes, (command, ended)
    report(step, f"exit code {ended.returncode}", start)
    return ended.stdout, ended.stderr


def ask():
    # The code is 3 if the model's words reach a limit.
    codes = (0, 3)
    answered, _ = run("ask --rag", ["ask", QUESTION, *DOCS, "--output", "json"], codes=codes)
    answered = json.loads(answered)
    assert answered["usage"]["input_tokens"] > 20 and answered["usage"]["output_tokens"] > 0, answered
    assert answered["sources"], answered
    streamed, _ = run("ask --rag --stream", ["ask", QUESTION, *DOCS, "--stream"], codes=codes)
    assert streamed.strip(), streamed
    tools = ["ask", QUESTION, *DOCS, "--tools"]
    called, _ = run("ask --tools", [*tools, "--output", "json"], codes=codes)
    called = json.loads(called)
    assert called["rounds"] >= 2 and called["calls"], called
    _, shown = run("ask --tools --stream", [*tools, "--stream", "--show-calls"], codes=codes)
    assert "SearchPlugin" in shown, shown


def plan():
    # The model may write no plan that passes the check, or none within its tokens: the code is 1.
    arguments = ["plan", QUESTION, *DOCS, "--dry-run"]
    planned, said = run("plan --dry-run", arguments, codes=(0, 1))
    assert planned or "the model" in said, said


def search():
    ranking = ["--embeddings", "openai:smollm2", "--rerank", f"{RERANK}/v1/rerank"]
    arguments = ["search", "carrots", *DOCS, *ranking, "--output", "json"]
    results, _ = run("search --embeddings --rerank", arguments, url=EMBEDDINGS)
    assert "Carrots" in results, results


def events(url, body):
    """Returns the server-sent events of an answer."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/v1/answer", data, {"content-type": "application/json"})
    events = []
    with urllib.request.urlopen(request, timeout=600) as response:
        for line in response.read().decode().splitlines():
            name, _, value = line.partition(": ")
            if name == "event":
                events.append([value, None])
            elif name == "data":
                events[-1][1] = json.loads(value)
    return events


def wait(address):
    for _ in range(300):
        try:
            return socket.create_connection(address).close()
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(address)


def serve():
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    listen = f"{address[0]}:{address[1]}"
    command = [PROGRAM, "serve", "--listen", listen, *DOCS]
    server = subprocess.Popen(command, env=environment(CHAT), stderr=subprocess.DEVNULL)
    try:
        wait(address)
        for mode in ("results", "tools"):
            start = time.monotonic()
            answer = events(f"http://{listen}", {"question": QUESTION, "mode": mode})
            names = [name for name, _ in answer]
            assert names[-1] == "done" and "call" in names and "text" in names, answer
            done = answer[-1][1]
            assert done["finish_reason"] in ("stop", "length") and done["sources"], done
            report(f"serve, /v1/answer, {mode}", done["finish_reason"], start, done["usage"]["output_tokens"])
    finally:
        server.kill()
        server.wait()


for step in (ask, plan, search, serve):
    step()
