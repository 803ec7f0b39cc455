//! Prompt configurations from YAML and JSON.

use std::{collections::HashSet, fmt};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::PromptTemplateConfig;
use crate::{KernelError, Result};

/// Far above any real prompt, far below a YAML bomb.
#[cfg(feature = "yaml")]
mod limits {
    pub(super) const ALIASES: usize = 1_000;
    pub(super) const NODES: usize = 10_000;
    pub(super) const DEPTH: usize = 32;
    pub(super) const REPLAYED_EVENTS: usize = 10_000;
}

/// Messages about YAML, without advice on the parser's options.
#[cfg(feature = "yaml")]
mod words {
    use std::borrow::Cow;

    use serde_saphyr::{DefaultMessageFormatter, Error, MessageFormatter};

    struct Words;

    pub(super) fn describe(error: &Error) -> String {
        error.render_with_formatter(&Words)
    }

    impl MessageFormatter for Words {
        fn format_message<'a>(&self, error: &'a Error) -> Cow<'a, str> {
            match error {
                Error::DuplicateMappingKey { key: Some(key), .. } => {
                    format!("the key `{key}` is there twice").into()
                }
                Error::DuplicateMappingKey { key: None, .. } => "a key is there twice".into(),
                other => DefaultMessageFormatter.format_message(other),
            }
        }
    }
}

impl PromptTemplateConfig {
    /// Reads a prompt from YAML in the format of Semantic Kernel's prompt files. Needs the feature
    /// `yaml`.
    ///
    /// An unknown field or repeated key is an error: a misspelt `allow_dangerously_set_content`
    /// must not be ignored. Anchors and nesting are limited.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidPromptConfig`](KernelError::InvalidPromptConfig) with the line, and the
    /// known fields if one is unknown.
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
        let yaml = without_mark(yaml)?;
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
            .map_err(|error| KernelError::invalid_prompt_config(words::describe(&error)))
    }

    /// Reads a prompt from JSON in the format of Semantic Kernel's `config.json`, with or without
    /// the template. An unknown field or repeated key is an error.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidPromptConfig`](KernelError::InvalidPromptConfig) with the line, and the
    /// known fields if one is unknown.
    pub fn from_json(json: &str) -> Result<Self> {
        let json = without_mark(json)?;
        let invalid =
            |error: serde_json::Error| KernelError::invalid_prompt_config(error.to_string());
        serde_json::from_str::<UniqueKeys>(json).map_err(invalid)?;
        serde_json::from_str(json).map_err(invalid)
    }
}

fn without_mark(text: &str) -> Result<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(KernelError::invalid_prompt_config(
            "it is empty; write at least a field `template`",
        ));
    }
    Ok(text)
}

/// A map would silently keep the last of repeated keys.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` is there twice")));
            }
            keys.insert(key);
            map.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
}
