//! The servers and programs that a plugin calls, for the person who approves a plan.

use std::collections::{BTreeSet, HashMap};

use textsearch_core::http::{Url, displayable};
use textsearch_plan::CheckedPlan;

pub(super) struct Target {
    pub(super) plugin: String,
    pub(super) place: TargetPlace,
    /// The variable of the token that the plugin sends.
    pub(super) token: Option<String>,
}

pub(super) enum TargetPlace {
    /// The server of each function, by the function's name.
    Servers(HashMap<String, Url>),
    McpUrl(Url),
    /// Without arguments, which may be keys.
    Program(String),
}

impl Target {
    /// Returns whether the plugin's server declares which of its functions are read-only.
    pub(super) fn is_mcp(&self) -> bool {
        matches!(self.place, TargetPlace::McpUrl(_) | TargetPlace::Program(_))
    }

    /// Returns a line for the person who approves the plan; `None` if the plan doesn't call the plugin.
    pub(super) fn line(&self, plan: &CheckedPlan) -> Option<String> {
        let Self { plugin, place, token } = self;
        let functions = plan.functions().map(|function| function.metadata());
        let functions = functions.filter(|metadata| metadata.plugin_name.as_ref() == Some(plugin));
        let mut names = functions.map(|metadata| &metadata.name).peekable();
        names.peek()?;
        let called = match place {
            TargetPlace::Servers(servers) => {
                let servers = names.filter_map(|name| servers.get(name));
                let origins = servers.map(|server| server.origin().ascii_serialization());
                let origins: Vec<String> = origins.collect::<BTreeSet<_>>().into_iter().collect();
                format!("calls {}", origins.join(", "))
            }
            TargetPlace::McpUrl(url) => format!("calls {}", displayable(url)),
            TargetPlace::Program(program) => format!("runs `{program}`"),
        };
        let token = token.as_ref().map(|variable| format!("the token in {variable}"));
        Some(format!("{plugin}: {called}, with {}", token.as_deref().unwrap_or("no token")))
    }
}
