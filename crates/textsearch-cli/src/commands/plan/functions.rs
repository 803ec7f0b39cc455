//! The functions that a plan may call.

use anyhow::Result;
use textsearch_kernel::Kernel;

use super::{
    plugin::{Plugin, start_of},
    target::Target,
};
use crate::{
    arguments::{PlanArguments, SearchSelector},
    commands::ask,
    corpus::{plugin::SearchFunctions, selector},
    errors::usage,
};

/// Opens the search, and the model if it has to write the plan.
pub(super) async fn kernel(arguments: &PlanArguments, needs_model: bool) -> Result<Kernel> {
    let mut kernel = Kernel::new();
    if needs_model {
        kernel.add_chat_service("model", ask::from_environment()?)?;
    }
    let PlanArguments { selector, results, allow_filter, plugins, .. } = arguments;
    if plugins.is_empty() || names_search(selector) {
        let selected = selector::open_for_model(selector, allow_filter).await?;
        let functions = SearchFunctions::for_model(selected, selector, results, allow_filter)?;
        kernel.add_plugin(functions.plugin_for(results.kind)?)?;
    }
    Ok(kernel)
}

/// Opens the plugins, and returns whom they call.
pub(super) async fn add_plugins(kernel: &mut Kernel, plugins: &[Plugin]) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    for plugin in plugins {
        let (opened, target) = plugin.open().await?;
        kernel.add_plugin(opened)?;
        targets.push(target);
    }
    Ok(targets)
}

fn names_search(selector: &SearchSelector) -> bool {
    !selector.from.is_empty()
        || selector.store.is_some()
        || selector.mlindex.is_some()
        || selector.source.is_some()
}

pub(super) fn plugins(arguments: &PlanArguments) -> Result<Vec<Plugin>> {
    let texts = arguments.plugins.iter();
    let mut plugins = texts.map(|text| Plugin::parse(text)).collect::<Result<Vec<_>>>()?;
    for (place, plugin) in plugins.iter().enumerate() {
        let is_same = |other: &Plugin| other.name.eq_ignore_ascii_case(&plugin.name);
        if plugins.iter().take(place).any(is_same) {
            return Err(usage(format!(
                "two plugins are named `{}`: try --plugin NAME=… with a name for each",
                plugin.name
            )));
        }
    }
    for server in &arguments.servers {
        let (name, url) = server.split_once('=').unwrap_or_default();
        let plugin = plugins.iter_mut().find(|plugin| plugin.name == name && plugin.is_document());
        let Some(plugin) = plugin else {
            return Err(usage(format!(
                "--server `{}` names no plugin with an OpenAPI document: try the NAME of a --plugin, `=` and a URL",
                start_of(server)
            )));
        };
        plugin.set_server(url)?;
    }
    Ok(plugins)
}
