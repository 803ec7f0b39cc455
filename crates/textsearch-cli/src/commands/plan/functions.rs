//! The functions that a plan may call.

use anyhow::Result;
use textsearch_kernel::Kernel;

use super::plugin::Plugin;
use crate::{
    arguments::{PlanArguments, SearchSelector},
    commands::ask,
    corpus::{plugin::SearchFunctions, selector},
    errors::usage,
};

/// Opens the search and the plugins, and the model if it has to write the plan.
pub(super) async fn kernel(arguments: &PlanArguments, needs_model: bool) -> Result<Kernel> {
    let plugins = plugins(&arguments.plugins)?;
    let mut kernel = Kernel::new();
    if needs_model {
        kernel.add_chat_service("model", ask::from_environment()?)?;
    }
    let PlanArguments { selector, allow_filter, .. } = arguments;
    if plugins.is_empty() || names_search(selector) {
        let search = selector::open(selector).await?;
        let functions = SearchFunctions::for_model(search, selector, allow_filter)?;
        kernel.add_plugin(functions.plugin_for(selector.kind)?)?;
    }
    for plugin in &plugins {
        kernel.add_plugin(plugin.open().await?)?;
    }
    Ok(kernel)
}

fn names_search(selector: &SearchSelector) -> bool {
    !selector.from.is_empty()
        || selector.store.is_some()
        || selector.mlindex.is_some()
        || selector.source.is_some()
}

fn plugins(given: &[String]) -> Result<Vec<Plugin>> {
    let plugins = given.iter().map(|text| Plugin::parse(text)).collect::<Result<Vec<_>>>()?;
    for (place, plugin) in plugins.iter().enumerate() {
        let is_same = |other: &Plugin| other.name.eq_ignore_ascii_case(&plugin.name);
        if plugins.iter().take(place).any(is_same) {
            return Err(usage(format!(
                "two plugins are named `{}`: try --plugin NAME=… with a name for each",
                plugin.name
            )));
        }
    }
    Ok(plugins)
}
