//! `textsearch manual`: prints how a model calls the search.

use anyhow::Result;
use textsearch_kernel::function::{functions_manual, openai_tools};

use crate::{
    arguments::{ManualArguments, ManualFormat},
    corpus::{plugin::SearchFunctions, selector},
    output::Output,
};

pub(crate) async fn run(arguments: &ManualArguments, output: &mut Output) -> Result<()> {
    let ManualArguments { selector, results, format } = arguments;
    let search = selector::describe(selector).await?;
    let functions = SearchFunctions::new(search, selector, results, &[])?;
    let plugins = [functions.plugin_for(results.kind)?];
    let manual = match format {
        ManualFormat::Functions => functions_manual(&plugins),
        ManualFormat::Openai => openai_tools(&plugins),
    };
    output.json(&manual)
}
