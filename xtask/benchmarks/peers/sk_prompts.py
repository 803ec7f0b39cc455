"""Lines rag-template and inline-search: prompts with a search in them, rendered by Semantic Kernel from templates that are parsed once."""

from pathlib import Path

from measure import report_awaited_calls
from semantic_kernel import Kernel
from semantic_kernel.functions import KernelArguments, kernel_function
from semantic_kernel.prompt_template import (
    HandlebarsPromptTemplate,
    KernelPromptTemplate,
    PromptTemplateConfig,
)
from sk_data import PACKAGE, QUERY, RESULTS, FixedSearch

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / "crates/textsearch-prompt/tests/fixtures/templates"


class SearchFunctions:
    """A search function whose results a Handlebars template can read."""

    @kernel_function(name="GetSearchResults")
    def get_search_results(self, query: str) -> list[dict]:
        return [{"Name": result.name, "Value": result.value, "Link": result.link} for result in RESULTS]


def handlebars(kernel):
    source = (TEMPLATES / "get_search_results.hbs").read_text()
    # Its helpers return an object around the result, so that `each this` finds nothing to loop over.
    source = source.replace("{{#each this}}", "{{#each value}}")
    config = PromptTemplateConfig(
        template=source, template_format="handlebars", allow_dangerously_set_content=True
    )
    template = HandlebarsPromptTemplate(prompt_template_config=config, allow_dangerously_set_content=True)
    return renders(template, kernel)


def semantic_kernel(kernel):
    source = (TEMPLATES / "search.txt").read_text()
    config = PromptTemplateConfig(template=source, template_format="semantic-kernel")
    template = KernelPromptTemplate(prompt_template_config=config, allow_dangerously_set_content=True)
    return renders(template, kernel)


def renders(template, kernel):
    async def render():
        prompt = await template.render(kernel, KernelArguments(query=QUERY))
        assert prompt.count("open source") == len(RESULTS) and QUERY in prompt, prompt

    return render


def main():
    kernel = Kernel()
    kernel.add_plugin(SearchFunctions(), "SearchPlugin")
    kernel.add_function("SearchPlugin", FixedSearch().create_search_function("Search", top=10))
    report_awaited_calls("rag-template", PACKAGE, handlebars(kernel))
    report_awaited_calls("inline-search", PACKAGE, semantic_kernel(kernel))


main()
