//! Prompt configurations from YAML and JSON.

use super::PromptTemplateConfig;
use crate::{KernelError, Result};

/// What one configuration in YAML may cost to read: far more than any prompt needs, far less than a bomb.
#[cfg(feature = "yaml")]
mod limits {
    pub(super) const ALIASES: usize = 1_000;
    pub(super) const NODES: usize = 10_000;
    pub(super) const DEPTH: usize = 32;
    pub(super) const REPLAYED_EVENTS: usize = 10_000;
}

impl PromptTemplateConfig {
    /// Reads a prompt from YAML, in the form of Semantic Kernel's prompt files. Needs the feature `yaml`.
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
    #[cfg(feature = "yaml")]
    pub fn from_yaml(yaml: &str) -> Result<Self> {
        let budget = serde_saphyr::budget! {
            max_aliases: limits::ALIASES,
            max_nodes: limits::NODES,
            max_depth: limits::DEPTH,
        };
        let options = serde_saphyr::options! {
            budget: budget,
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: limits::REPLAYED_EVENTS },
            with_snippet: false,
        };
        serde_saphyr::from_str_with_options(yaml, options)
            .map_err(|error| KernelError::InvalidPromptConfig { message: error.to_string() })
    }

    /// Reads a prompt from JSON, in the form of Semantic Kernel's `config.json`: with the template, or without it where
    /// that is in a file of its own.
    ///
    /// A field that is not known is an error rather than ignored.
    ///
    /// # Errors
    ///
    /// [`InvalidPromptConfig`](KernelError::InvalidPromptConfig) with the line, and the fields that there are where
    /// one is unknown.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|error| KernelError::InvalidPromptConfig { message: error.to_string() })
    }
}
