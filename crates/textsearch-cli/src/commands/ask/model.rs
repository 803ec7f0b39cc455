//! The model that the environment configures.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{Error, ErrorKind, chat::ChatCompletion};
use textsearch_openai::{OPENAI_API_KEY, OPENAI_BASE_URL, OpenAiChat, OpenAiConfig};

use crate::errors::usage;

/// The connector in errors of the model's crate.
const CONNECTOR: &str = "openai";

const HOW_TO_NAME_ONE: &str = "try OPENAI_API_KEY and OPENAI_MODEL for the hosted service, or OPENAI_BASE_URL and \
     OPENAI_MODEL for a server of your own, such as OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2 \
     for Ollama";

/// Opens the model, or returns a usage error if its configuration is missing or invalid.
pub(crate) fn from_environment() -> Result<Arc<dyn ChatCompletion>> {
    let config = OpenAiConfig::from_env().map_err(|error| {
        usage(format!("there is no model to ask: {}: {HOW_TO_NAME_ONE}", error.message()))
    })?;
    Ok(Arc::new(OpenAiChat::new(config)?))
}

pub(crate) fn advice(error: &anyhow::Error) -> Option<String> {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<Error>());
    let error = causes.find(|error| error.connector() == CONNECTOR)?;
    match error.kind() {
        ErrorKind::Authentication => Some(format!("try another key in {OPENAI_API_KEY}")),
        ErrorKind::Unavailable => {
            Some(format!("try again, and see whether {OPENAI_BASE_URL} is right"))
        }
        _ => None,
    }
}
