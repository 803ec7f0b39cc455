//! Your own search function for a model, after Semantic Kernel's `CreateSearchBySite`.
//!
//! The model may set `site`. The original inverts a test: it filters only if no site is given, and
//! drops the application's filter. Here the application's filter always holds.
//!
//! Needs: nothing; it runs offline.

use schemars::JsonSchema;
use serde::Deserialize;
use textsearch_core::{
    Filter, FilterableField, FixedSearch, SearchOptions, TextSearch, TextSearchResult,
    chat::ToolCall,
};
use textsearch_kernel::{
    Kernel, KernelFunction, KernelPlugin, TextSearchPlugins as _,
    function::openai_tools,
    search::{OfferedFields, SearchPluginOptions},
};

/// The function's parameters. The model reads these descriptions.
#[derive(Deserialize, JsonSchema)]
struct SearchBySite {
    /// What to search for
    query: String,
    /// Number of results
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 50))]
    count: usize,
    /// Number of results to skip
    #[serde(default)]
    skip: usize,
    /// Only return results from this domain
    site: Option<String>,
}

fn two() -> usize {
    2
}

/// Any search, one more parameter, and a filter that the model can't widen.
fn create_search_by_site<S>(search: S, fixed: Filter) -> textsearch_kernel::Result<KernelFunction>
where
    S: TextSearch + Clone + 'static,
{
    let description = "Searches the developer blogs, and optionally one domain of them.";
    KernelFunction::from_fn("Search", description, move |arguments: SearchBySite| {
        let search = search.clone();
        let fixed = fixed.clone();
        async move {
            let mut options = SearchOptions::top(arguments.count)
                .with_skip(arguments.skip)
                .with_fixed_filter(fixed);
            if let Some(site) = arguments.site {
                options = options.with_filter(Filter::eq("Source", site));
            }
            search.text_search_results(&arguments.query, &options).await?.into_vec().await
        }
    })
}

fn blogs() -> FixedSearch {
    let page = |name: &str, site: &str| {
        TextSearchResult::new(format!("What {site} says of {name}."))
            .with_name(name)
            .with_link(format!("https://{site}/{name}"))
            .with_source(site)
    };
    FixedSearch::new(vec![
        page("kernels", "devblogs.example"),
        page("kernels", "research.example"),
        page("kernels", "evil.example"),
    ])
    .with_fields([FilterableField::string("Source", "Only return results from this domain")
        .with_all_operators()])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let ours = Filter::is_in("Source", ["devblogs.example", "research.example"]);
    let by_hand = create_search_by_site(blogs(), ours.clone())?;

    // The same without a function of your own: offer one field, fix the rest.
    let in_one_line = blogs().create_with_get_search_results(
        SearchPluginOptions::new("SearchPlugin")
            .with_function_name("SearchBlogs")
            .with_offered_fields(OfferedFields::list(["Source"]))
            .with_fixed_filter(ours),
    )?;

    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new(
        "SearchPlugin",
        "Searches blogs.",
        [by_hand, in_one_line.functions()[0].clone()],
    )?)?;
    println!("What a model is told:\n{:#}\n", openai_tools(kernel.plugins()));

    let calls = [
        ("SearchPlugin-Search", r#"{"query": "kernels", "site": "research.example"}"#),
        ("SearchPlugin-Search", r#"{"query": "kernels", "site": "evil.example"}"#),
        ("SearchPlugin-SearchBlogs", r#"{"query": "kernels", "Source": "evil.example"}"#),
        ("SearchPlugin-SearchBlogs", r#"{"query": "kernels", "count": 1000}"#),
    ];
    for (name, arguments) in calls {
        match kernel.invoke_tool_call(&ToolCall::new("call", name, arguments)).await {
            Ok(result) => println!("{name} {arguments}\n  -> {}", result.value),
            Err(error) => println!("{name} {arguments}\n  -> error: {error}"),
        }
    }
    Ok(())
}
