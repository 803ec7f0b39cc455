//! A memory and context providers in the execution settings.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::TextSearch;

use super::{Attached, GroundingOptions, MEMORY_SETTING, TextSearchProvider, search::Grounding};
use crate::{
    Kernel, KernelError, Result,
    prompt::ExecutionSettings,
    text::{names_or, shorten},
    transform::Transformed,
};

/// A memory in the execution settings: a search whose results ground each chat with these settings.
///
/// It works as a [`TextSearchProvider`] with default settings: the query is the last user message,
/// which of a plain prompt is the whole rendered text, and the results come before it.
///
/// A setting in a prompt file names a memory of the kernel ([`Kernel::add_memory`]):
///
/// ```
/// use textsearch_kernel::{Kernel, prompt::PromptTemplateConfig, textsearch_core::{FixedSearch, TextSearchResult}};
///
/// let mut kernel = Kernel::new();
/// kernel.add_memory("budgets", FixedSearch::new([TextSearchResult::new("2024: 1.2 million")]))?;
/// let config = PromptTemplateConfig::from_json(r#"{
///     "template": "What is my budget for {{$year}}?",
///     "execution_settings": { "default": {
///         "memory_config": { "memory": "budgets", "min_relevance_score": 0.8, "limit": 3 }
///     } }
/// }"#)?;
/// # Ok::<(), textsearch_kernel::KernelError>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MemoryConfig {
    /// The score that a result must reach; none by default. Higher must be better in the memory.
    pub min_relevance_score: Option<f64>,
    /// The maximum number of results; 3 by default.
    pub limit: usize,
    /// The name of the kernel's transform ([`Kernel::add_query_transform`]) that makes queries of the
    /// last user message and the messages before; none by default. Excludes a score to reach.
    pub query_transform: Option<String>,
    memory: Memory,
}

#[derive(Clone)]
enum Memory {
    Named(String),
    Search(Arc<dyn TextSearch>),
}

impl fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Named(name) => name,
            Self::Search(search) => search.name(),
        })
    }
}

impl MemoryConfig {
    /// Selects the search `memory`.
    ///
    /// Settings with it cannot be serialised: name a memory of the kernel in those.
    pub fn new(memory: impl TextSearch + 'static) -> Self {
        Self::from_memory(Memory::Search(Arc::new(memory)))
    }

    /// Selects the memory of the kernel with this name.
    pub fn named(memory: impl Into<String>) -> Self {
        Self::from_memory(Memory::Named(memory.into()))
    }

    fn from_memory(memory: Memory) -> Self {
        let limit = GroundingOptions::new().top;
        Self { min_relevance_score: None, limit, query_transform: None, memory }
    }
}

impl ExecutionSettings {
    /// Sets `memory_config`: a memory whose results ground each chat with these settings.
    #[must_use]
    pub fn with_memory(self, config: MemoryConfig) -> Self {
        let MemoryConfig { min_relevance_score, limit, query_transform, memory } = config;
        let (name, search) = match memory {
            Memory::Named(name) => (Some(name), None),
            Memory::Search(search) => (None, Some(search)),
        };
        let written = Written { memory: name, min_relevance_score, limit, query_transform };
        // A number that JSON cannot hold becomes null; keep it invalid.
        let mut value = serde_json::to_value(&written).unwrap_or_default();
        if min_relevance_score.is_some_and(|score| !score.is_finite())
            && let Some(fields) = value.as_object_mut()
        {
            fields.insert("min_relevance_score".to_owned(), "not a finite number".into());
        }
        let mut settings = self.with(MEMORY_SETTING, value);
        settings.attached.memory = search;
        settings
    }

    /// Adds a provider that grounds each chat with these settings. If the arguments of a prompt have
    /// providers, they replace the providers in the prompt's own settings.
    ///
    /// Settings with it cannot be serialised.
    #[must_use]
    pub fn with_context_provider(mut self, provider: TextSearchProvider) -> Self {
        self.attached.providers.push(Arc::new(provider));
        self
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_relevance_score: Option<f64>,
    #[serde(default = "default_limit")]
    limit: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    query_transform: Option<String>,
}

fn default_limit() -> usize {
    GroundingOptions::new().top
}

/// Takes the memory out of `values`, and puts it before the other providers.
pub(crate) fn take_providers(
    kernel: &Kernel,
    values: &mut Map<String, Value>,
    attached: Attached,
) -> Result<Vec<Arc<TextSearchProvider>>> {
    let Attached { memory, mut providers } = attached;
    let Some(written) = values.remove(MEMORY_SETTING).filter(|value| !value.is_null()) else {
        return Ok(providers);
    };
    let invalid = |message: String| KernelError::invalid_setting(MEMORY_SETTING, message);
    let written: Written =
        serde_json::from_value(written).map_err(|error| invalid(error.to_string()))?;
    let memory = match (memory, &written.memory) {
        (Some(memory), _) => memory,
        (None, Some(name)) => {
            find("memory", kernel.memories(), "add_memory", name).map_err(invalid)?
        }
        (None, None) => return Err(invalid("has no `memory`: name one of the kernel".to_owned())),
    };
    let mut options = GroundingOptions::new().with_top(written.limit);
    options.min_score = written.min_relevance_score;
    let grounding = if let Some(name) = &written.query_transform {
        let known = kernel.query_transforms();
        let transform =
            find("query transform", known, "add_query_transform", name).map_err(invalid)?;
        Grounding::transformed(Transformed::new(memory, transform), options)
    } else {
        Grounding::new(memory, options)
    };
    let grounding = grounding.map_err(|error| invalid(format!("cannot be used: {error}")))?;
    providers.insert(0, Arc::new(TextSearchProvider::from_grounding(grounding)));
    Ok(providers)
}

fn find<S: ?Sized>(
    kind: &str,
    registered: &[(String, Arc<S>)],
    add: &str,
    name: &str,
) -> Result<Arc<S>, String> {
    if let Some((_, service)) = registered.iter().find(|(known, _)| known == name) {
        return Ok(Arc::clone(service));
    }
    let names: Vec<&str> = registered.iter().map(|(name, _)| name.as_str()).collect();
    let none = format!("none is registered: add one with `{add}`");
    let known = names_or(&names, "the registered ones are", &none);
    Err(format!("names the {kind} `{}`, which the kernel lacks: {known}", shorten(name)))
}
