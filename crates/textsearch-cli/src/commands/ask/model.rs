//! The model that the environment configures.

use std::sync::Arc;

use anyhow::Result;
use textsearch_anthropic::{
    ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL, AnthropicChat, AnthropicConfig,
};
use textsearch_core::{Error, ErrorKind, chat::ChatCompletion, http::variable};
use textsearch_openai::{OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, OpenAiChat, OpenAiConfig};

use crate::errors::usage;

const HOW_TO_NAME_ONE: &str = "try OPENAI_API_KEY and OPENAI_MODEL for the hosted service, or OPENAI_BASE_URL and \
     OPENAI_MODEL for a server of your own, such as OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2 \
     for Ollama, or ANTHROPIC_API_KEY and ANTHROPIC_MODEL";

/// Opens the model, or returns a usage error if its configuration is missing or invalid.
pub(crate) fn from_environment() -> Result<Arc<dyn ChatCompletion>> {
    let no_model = |error: Error| {
        usage(format!("there is no model to ask: {}: {HOW_TO_NAME_ONE}", error.message()))
    };
    if named_by()? == Some(ANTHROPIC_MODEL) {
        let config = AnthropicConfig::from_env().map_err(no_model)?;
        return Ok(Arc::new(AnthropicChat::new(config)?));
    }
    let config = OpenAiConfig::from_env().map_err(no_model)?;
    Ok(Arc::new(OpenAiChat::new(config)?))
}

/// Returns the variable that names the model, if any. Other programs read Anthropic's variables, too:
/// a model without a key is theirs.
pub(crate) fn named_by() -> Result<Option<&'static str>> {
    let is_set = |name| variable("textsearch", name).map(|value| value.is_some());
    if is_set(OPENAI_MODEL)? {
        return Ok(Some(OPENAI_MODEL));
    }
    let is_anthropic = is_set(ANTHROPIC_MODEL)? && is_set(ANTHROPIC_API_KEY)?;
    Ok(is_anthropic.then_some(ANTHROPIC_MODEL))
}

pub(crate) fn advice(error: &anyhow::Error) -> Option<String> {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<Error>());
    let variables = |error: &Error| match error.connector() {
        "anthropic" => Some((error.kind().clone(), ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL)),
        "openai" => Some((error.kind().clone(), OPENAI_API_KEY, OPENAI_BASE_URL)),
        _ => None,
    };
    let (kind, key, address) = causes.into_iter().find_map(variables)?;
    match kind {
        ErrorKind::Authentication => Some(format!("try another key in {key}")),
        ErrorKind::Unavailable => Some(format!("try again, and see whether {address} is right")),
        _ => None,
    }
}
