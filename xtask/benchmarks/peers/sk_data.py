"""Ten results and a search over them, as the benchmarks of the crates have them."""

from semantic_kernel.data.text_search import KernelSearchResults, TextSearch, TextSearchResult

PACKAGE = "semantic-kernel"
QUERY = "What is the Semantic Kernel?"

RESULTS = [
    TextSearchResult(
        name=f"Introduction to the kernel, part {number}",
        value=(
            f"Result {number}: a lightweight kit that lets one \"integrate\" models & code; it's <b>open source</b>, "
            "and a middleware that translates a model's requests into function calls, and results back into text."
        ),
        link=f"https://example.com/kernel/part?number={number}&lang=en",
    )
    for number in range(1, 11)
]


class FixedSearch(TextSearch):
    """A search in this process, which has its results at hand."""

    async def search(self, query, output_type=str, *, top=5, skip=0, **_):
        """Gives texts or results."""
        found = RESULTS[skip : skip + top]
        if output_type is str:
            found = [result.value for result in found]
        return KernelSearchResults(results=_each(found))


async def _each(results):
    for result in results:
        yield result
