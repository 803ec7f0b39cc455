"""Lines call and start: calls of functions, a model's tool calls, and making a plugin from a text search."""

import json

from measure import report_awaited_calls, report_calls
from semantic_kernel import Kernel
from semantic_kernel.contents import ChatHistory, FunctionCallContent
from semantic_kernel.functions import KernelArguments, KernelPlugin, kernel_function
from sk_data import PACKAGE, QUERY, RESULTS, FixedSearch


class Greeting:
    """A function that does nothing, so that the call itself is measured."""

    @kernel_function(name="Greet", description="Greets.")
    async def greet(self, name: str) -> str:
        return name


def invokes(kernel, name, argument, expected):
    function = kernel.get_function("Bench", name)

    async def invoke():
        result = await kernel.invoke(function, KernelArguments(**{argument: QUERY}))
        assert len(result.value) == expected

    return invoke


def calls(kernel, name, arguments):
    call = FunctionCallContent(id="1", name=f"Bench-{name}", arguments=json.dumps(arguments))

    async def invoke():
        history = ChatHistory()
        await kernel.invoke_function_call(call, history)
        assert len(history) == 1

    return invoke


def make_plugin():
    KernelPlugin(name="SearchPlugin", functions=[FixedSearch().create_search_function("Search")])


def main():
    search = FixedSearch()
    kernel = Kernel()
    kernel.add_plugin(Greeting(), "Bench")
    kernel.add_function("Bench", search.create_search_function("Search", top=10))
    kernel.add_function(
        "Bench",
        search.create_search_function("GetSearchResults", output_type="TextSearchResult", top=10),
    )
    ten = len(RESULTS)
    report_awaited_calls("native", PACKAGE, invokes(kernel, "Greet", "name", len(QUERY)))
    report_awaited_calls("texts", PACKAGE, invokes(kernel, "Search", "query", ten))
    report_awaited_calls("results", PACKAGE, invokes(kernel, "GetSearchResults", "query", ten))
    report_awaited_calls("tool call, native", PACKAGE, calls(kernel, "Greet", {"name": "Ada"}))
    report_awaited_calls("tool call, texts", PACKAGE, calls(kernel, "Search", {"query": QUERY, "top": ten}))
    report_calls("plugin", PACKAGE, make_plugin)


main()
