//! Errors of the servers.

use serde_json::Value;
use textsearch_core::http::{ErrorAnswer, ErrorDetails, described_faults};

/// Cohere sends a `message`, vLLM and infinity an object `error`, Text Embeddings Inference texts
/// `error` and `error_type`, Jina and servers made with FastAPI a `detail`.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let body: Value = answer.json()?;
    let details = body.get("error").filter(|error| error.is_object()).unwrap_or(&body);
    let text = |name: &str| details.get(name)?.as_str().filter(|text| !text.is_empty());
    let message = ["message", "error", "detail"].into_iter().find_map(text).map(str::to_owned);
    let message = message.or_else(|| described_faults(details.get("detail")?))?;
    let code = ["code", "type", "error_type"].into_iter().find_map(text).map(str::to_owned);
    Some(ErrorDetails { code, message: Some(message), ..ErrorDetails::default() })
}
