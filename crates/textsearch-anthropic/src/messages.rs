//! Converts a chat to the system prompt and the messages of a request.

use serde_json::{Value, json};
use textsearch_core::{
    Error, Result,
    chat::{
        ChatHistory, ChatMessage, ChatRole, MessagePart, ToolCall, ToolResult,
        http::{misplaced_part, sendable_name},
    },
};

use crate::{CONNECTOR, config::refused, search_results};

/// In characters.
const LONGEST_NAME: usize = 128;

#[derive(Default)]
pub(crate) struct Conversation {
    pub(crate) system: Vec<Value>,
    pub(crate) messages: Vec<Value>,
}

impl Conversation {
    /// `can_cite` is whether the model can cite search results, if they are blocks.
    pub(crate) fn new(history: &ChatHistory, can_cite: bool) -> Result<Self> {
        let mut conversation = Self::default();
        for (index, message) in history.messages().iter().enumerate() {
            let place = format!("messages[{index}]");
            if let Some(author) = &message.author {
                let place = format!("{place}.author");
                return Err(refused(&place, &format!("`{author}`"), "messages without an author"));
            }
            let blocks = message.parts.iter().filter(|part| !is_empty(message.role, part));
            let block = |part| block(message, part, &place, can_cite);
            let mut blocks = blocks.map(block).collect::<Result<Vec<Value>>>()?;
            // The API rejects a message that ends with it.
            while blocks.last().is_some_and(is_reasoning) {
                blocks.pop();
            }
            conversation.push(message.role, blocks, &place)?;
        }
        if conversation.messages.is_empty() {
            return Err(refused("messages", "empty", "at least one message of the user"));
        }
        // The API wants the results of calls first.
        for content in
            conversation.messages.iter_mut().filter_map(|it| it["content"].as_array_mut())
        {
            content.sort_by_key(|block| block["type"] != "tool_result");
        }
        Ok(conversation)
    }

    /// Joins messages of one role, because the results of all calls of a message must follow it
    /// together.
    fn push(&mut self, role: ChatRole, blocks: Vec<Value>, place: &str) -> Result<()> {
        let role = match role {
            ChatRole::System | ChatRole::Developer => {
                self.system.extend(blocks);
                return Ok(());
            }
            ChatRole::Assistant => "assistant",
            _ => "user",
        };
        if blocks.is_empty() {
            // The model may have said nothing.
            let is_own = role == "assistant";
            return if is_own { Ok(()) } else { Err(refused(place, "empty", "texts or images")) };
        }
        match self.messages.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(content) = last["content"].as_array_mut() {
                    content.extend(blocks);
                }
            }
            _ => self.messages.push(json!({ "role": role, "content": blocks })),
        }
        Ok(())
    }
}

/// Returns whether the API would reject the part: a text of white space, which models write before
/// calls, or the reasoning of another provider.
fn is_empty(role: ChatRole, part: &MessagePart) -> bool {
    match part {
        // The service's error says what is wrong.
        MessagePart::Text { text } if role == ChatRole::User => text.is_empty(),
        MessagePart::Text { text } | MessagePart::Refusal { text } => text.trim().is_empty(),
        MessagePart::Reasoning { provider, content } => {
            provider != CONNECTOR || !is_reasoning(content)
        }
        _ => false,
    }
}

fn is_reasoning(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

fn block(message: &ChatMessage, part: &MessagePart, place: &str, can_cite: bool) -> Result<Value> {
    match (message.role, part) {
        (ChatRole::Tool, MessagePart::ToolResult(result)) => Ok(tool_result(result, can_cite)),
        (ChatRole::Tool, part) => Err(misplaced(message, part, place)),
        (_, MessagePart::Text { text }) => Ok(json!({ "type": "text", "text": text })),
        (ChatRole::User, MessagePart::Image { url }) => image(url, place),
        (ChatRole::Assistant, MessagePart::Refusal { text }) => {
            Ok(json!({ "type": "text", "text": text }))
        }
        (ChatRole::Assistant, MessagePart::Reasoning { content, .. }) => Ok(content.clone()),
        (ChatRole::Assistant, MessagePart::ToolCall(call)) => Ok(tool_use(call)),
        (_, part) => Err(misplaced(message, part, place)),
    }
}

fn image(url: &str, place: &str) -> Result<Value> {
    let source = match url.strip_prefix("data:").and_then(|data| data.split_once(";base64,")) {
        Some((media_type, data)) => {
            json!({ "type": "base64", "media_type": media_type, "data": data })
        }
        None if url.starts_with("https://") => json!({ "type": "url", "url": url }),
        None => {
            let value = format!("`{}`", url.chars().take(20).collect::<String>());
            let allowed = "https://… or data:…;base64,…";
            return Err(refused(&format!("{place}.url"), &value, allowed));
        }
    };
    Ok(json!({ "type": "image", "source": source }))
}

/// The API would reject arguments that aren't an object, and with them every later request of the chat.
/// The tool's result tells the model about its mistake.
fn tool_use(call: &ToolCall) -> Value {
    let input = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    let input = input.unwrap_or_else(|| json!({}));
    let id = identifier(&call.id);
    json!({ "type": "tool_use", "id": id, "name": tool_name(&call.name), "input": input })
}

pub(crate) fn tool_name(name: &str) -> String {
    sendable_name(name, LONGEST_NAME)
}

fn identifier(id: &str) -> String {
    sendable_name(id, usize::MAX)
}

fn tool_result(result: &ToolResult, can_cite: bool) -> Value {
    let content = match result.content.as_str() {
        // The API rejects an empty one.
        text if result.is_error && text.trim().is_empty() => "The tool failed.".into(),
        text if can_cite && result.has_search_results && !result.is_error => {
            search_results::content(text)
        }
        text => text.into(),
    };
    json!({
        "type": "tool_result",
        "tool_use_id": identifier(&result.call_id),
        "content": content,
        "is_error": result.is_error,
    })
}

fn misplaced(message: &ChatMessage, part: &MessagePart, place: &str) -> Error {
    misplaced_part(CONNECTOR, message, part, place, "what this role can say")
}
