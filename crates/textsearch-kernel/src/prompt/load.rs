//! Prompt configurations from YAML and JSON.

use super::PromptTemplateConfig;
use crate::{KernelError, Result};

/// What one configuration may cost to read: far more than any prompt needs, far less than a bomb.
const MAX_ALIASES: usize = 1_000;
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 32;
const MAX_REPLAYED_EVENTS: usize = 10_000;

impl PromptTemplateConfig {
    /// Reads a prompt from YAML, in the form of Semantic Kernel's prompt files.
    ///
    /// A field that is not known is an error rather than ignored: a misspelt `allow_dangerously_set_content` must not
    /// pass. Anchors and nesting are bounded, so that a small file cannot grow large.
    ///
    /// # Errors
    ///
    /// [`InvalidPromptConfig`](KernelError::InvalidPromptConfig) with the line, and the fields that there are where
    /// one is unknown.
    ///
    /// ```
    /// use textsearch_kernel::prompt::PromptTemplateConfig;
    ///
    /// let config = PromptTemplateConfig::from_yaml("
    /// name: Joke
    /// template: Tell me a joke about {{$topic}}.
    /// input_variables:
    ///   - name: topic
    ///     default: dogs
    /// ")?;
    /// assert_eq!(config.input_variable("topic").and_then(|topic| topic.default.clone()), Some("dogs".into()));
    /// # Ok::<(), textsearch_kernel::KernelError>(())
    /// ```
    pub fn from_yaml(yaml: &str) -> Result<Self> {
        let budget = serde_saphyr::budget! {
            max_aliases: MAX_ALIASES,
            max_nodes: MAX_NODES,
            max_depth: MAX_DEPTH,
        };
        let options = serde_saphyr::options! {
            budget: budget,
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_REPLAYED_EVENTS },
            with_snippet: false,
        };
        serde_saphyr::from_str_with_options(yaml, options)
            .map_err(|error| KernelError::InvalidPromptConfig { message: error.to_string() })
    }

    /// Reads a prompt from JSON, in the form of Semantic Kernel's `config.json`: with the template, or without it where
    /// that is in a file of its own.
    ///
    /// # Errors
    ///
    /// As for [`from_yaml`](Self::from_yaml).
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|error| KernelError::InvalidPromptConfig { message: error.to_string() })
    }
}
