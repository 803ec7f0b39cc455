//! Lets a model search when it needs to, and checks its citations against the results.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use model::Model;
use textsearch_conformance::chat::ModelScript;
use textsearch_kernel::{citations::check_citations, prelude::*};

/// Any search works here: a web engine, a vector store.
fn search() -> FixedSearch {
    let page = |name: &str, link: &str, text: &str| {
        TextSearchResult::new(text).with_name(name).with_link(link)
    };
    FixedSearch::new([
        page(
            "How tides are predicted",
            "https://harbour.example/tides",
            "Each harbour has a few dozen constants, and the rest is a sum of cosines.",
        ),
        page(
            "Storm surges",
            "https://weather.example/surges",
            "A gale can add a metre to what the table says.",
        ),
    ])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let model = Model::open(ModelScript::demonstration()).await?;
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_chat_service("default", model.chat)?;
    // Turns the search into a function, and lets the model call it.
    kernel.add_plugin(search().create_with_get_search_results("SearchPlugin")?)?;
    let arguments = KernelArguments::new().with_default_settings(FunctionChoiceBehavior::auto());

    let question = "How are tides predicted? Cite the pages that you use as Markdown links.";
    let outcome = kernel.chat_prompt(question, arguments).await?;

    for call in &outcome.run.calls {
        println!("round {}: {} {}", call.round, call.call.name, call.call.arguments);
    }
    // A refused, filtered or cut-off answer is an error here.
    let answer = outcome.answer()?;
    println!("\n{answer}\n");
    for citation in check_citations(&answer, &outcome.run.sources) {
        let verdict = if citation.is_supported() { "was found" } else { "was found by nobody" };
        println!("{} {verdict}", citation.target);
    }
    println!("{} tokens in {} rounds", outcome.run.usage.total_tokens(), outcome.run.rounds);
    Ok(())
}
