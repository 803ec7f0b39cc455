//! Answers that can't be read.

use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};

use crate::lines::Unreadable;

/// Returns an error as the answer to `request`, at once instead of after a timeout. `None` if the text
/// can't be its answer: programs also print other lines.
pub(super) fn failed_answer(
    unreadable: &Unreadable,
    request: &RequestId,
) -> Option<ServerJsonRpcMessage> {
    let reason = match unreadable {
        Unreadable::TooLong { max_bytes } => {
            format!("it has more than {max_bytes} bytes (`max_message_bytes`)")
        }
        Unreadable::NotJson { error, is_message: true } => error.clone(),
        Unreadable::NotJson { is_message: false, .. } => return None,
        Unreadable::NotAMessage(value) => {
            let id = value.get("id").map(|id| id.as_str().map_or(id.to_string(), str::to_owned));
            let is_answer = value.get("jsonrpc").is_some() && value.get("method").is_none();
            if !is_answer || id != Some(request.to_string()) {
                return None;
            }
            "it has neither a result nor an error".to_owned()
        }
    };
    let message = format!("the MCP server's answer can't be read: {reason}");
    let error = ErrorData::internal_error(message, None);
    Some(ServerJsonRpcMessage::error(error, Some(request.clone())))
}
