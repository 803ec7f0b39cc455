"""Drives the scripted model with OpenAI's own Python client: a check of the protocol by a party other than us.

Run by `cargo xtask integration openai`, which installs the client, starts the model and passes its base URL.
"""

import json
import sys

import openai

TOOL = {
    "type": "function",
    "function": {
        "name": "Docs-Search",
        "description": "Searches the documents.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
QUESTION = {"role": "user", "content": "Größe? 東京 🌍"}
RESULTS = json.dumps([{"Name": "A", "Value": "It is. More.", "Link": "https://a.example/"}])
ANSWER = "It is. ([A](https://a.example/))"

CHECKS = []


def check(function):
    """Adds a check; its docstring says what holds."""
    CHECKS.append(function)
    return function


def equal(found, expected):
    """Fails with both values."""
    assert found == expected, f"found {found!r}, expected {expected!r}"


@check
def models(client):
    """the models are listed"""
    assert "scripted-model" in [model.id for model in client.models.list()]


@check
def chat(client):
    """a chat is answered, with what it cost"""
    answer = client.chat.completions.create(
        model="scripted-model", messages=[QUESTION], temperature=0.2, max_completion_tokens=50, seed=1
    )
    equal(answer.object, "chat.completion")
    equal(answer.choices[0].finish_reason, "stop")
    assert answer.choices[0].message.content.startswith("I have found nothing")
    equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens)


@check
def tools(client):
    """a round of tools: the call, its result, the answer"""
    asked = client.chat.completions.create(
        model="scripted-model", messages=[QUESTION], tools=[TOOL], parallel_tool_calls=True
    )
    equal(asked.choices[0].finish_reason, "tool_calls")
    message = asked.choices[0].message
    call = message.tool_calls[0]
    equal(call.function.name, "Docs-Search")
    equal(json.loads(call.function.arguments), {"query": QUESTION["content"]})
    result = {"role": "tool", "tool_call_id": call.id, "content": RESULTS}
    answer = client.chat.completions.create(
        model="scripted-model", messages=[QUESTION, message, result], tools=[TOOL]
    )
    equal(answer.choices[0].message.content, ANSWER)


@check
def streamed_tools(client):
    """the same round as streams, put together by the client"""
    with client.chat.completions.stream(
        model="scripted-model",
        messages=[QUESTION],
        tools=[TOOL],
        stream_options={"include_usage": True},
    ) as stream:
        asked = stream.get_final_completion()
    call = asked.choices[0].message.tool_calls[0]
    equal(json.loads(call.function.arguments), {"query": QUESTION["content"]})
    assert asked.usage.total_tokens > 0
    function = {"name": call.function.name, "arguments": call.function.arguments}
    call = {"id": call.id, "type": "function", "function": function}
    history = [
        QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": RESULTS},
    ]
    chunks = list(client.chat.completions.create(model="scripted-model", messages=history, stream=True))
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert len(texts) > 3, texts
    equal("".join(texts), ANSWER)
    equal(chunks[-1].choices[0].finish_reason, "stop")


@check
def structured(client):
    """an answer may be held to a schema"""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "form", "schema": schema, "strict": True}}
    client.chat.completions.create(model="scripted-model", messages=[QUESTION], response_format=form)


@check
def embeddings(client):
    """embeddings are the same as numbers and as base64, which the client asks for by itself"""
    plain = client.embeddings.create(
        model="scripted-embedding", input=["one", "two"], encoding_format="float", dimensions=16
    )
    encoded = client.embeddings.create(model="scripted-embedding", input=["one", "two"], dimensions=16)
    equal(len(plain.data[0].embedding), 16)
    for one, other in zip(plain.data, encoded.data):
        assert all(abs(a - b) < 1e-6 for a, b in zip(one.embedding, other.embedding))


def refused(kind, work):
    """The error that the work must end with."""
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


@check
def misspelled(client):
    """a misspelled field is refused with its place, and so is one of a message"""
    create = client.chat.completions.create
    error = refused(
        openai.BadRequestError,
        lambda: create(model="m", messages=[QUESTION], extra_body={"temprature": 1}),
    )
    equal((error.param, error.code), ("temprature", "unknown_parameter"))
    error = refused(
        openai.BadRequestError,
        lambda: create(model="m", messages=[{"role": "user", "contents": "a"}]),
    )
    equal(error.param, "messages[0].contents")


@check
def unasked(client):
    """a result that no call asked for is refused"""
    result = {"role": "tool", "tool_call_id": "none", "content": "a"}
    create = client.chat.completions.create
    error = refused(openai.BadRequestError, lambda: create(model="m", messages=[QUESTION, result]))
    equal(error.param, "messages[1].tool_call_id")


@check
def unknown_path(client):
    """a path that is not served is not found"""
    refused(openai.NotFoundError, lambda: client.models.retrieve("none"))


@check
def deployment(client):
    """Azure's client finds its deployment"""
    endpoint = str(client.base_url).removesuffix("/v1/")
    azure = openai.AzureOpenAI(
        azure_endpoint=endpoint, api_key="sesame", api_version="2024-10-21", max_retries=0
    )
    answer = azure.chat.completions.create(model="mine", messages=[QUESTION])
    equal(answer.choices[0].finish_reason, "stop")


def main():
    """Runs all checks and says which failed."""
    client = openai.OpenAI(base_url=sys.argv[1], api_key="sesame", max_retries=0)
    print(f"openai {openai.__version__}, {sys.argv[1]}")
    failed = 0
    for function in CHECKS:
        try:
            function(client)
            print(f"passed: {function.__doc__}")
        except Exception as error:  # Each is reported, and the next one runs.
            failed += 1
            print(f"FAILED: {function.__doc__}\n        {type(error).__name__}: {error}")
    sys.exit(f"{failed} of {len(CHECKS)} checks failed" if failed else 0)


main()
