//! Converts a chat to the messages of a request.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use textsearch_core::{
    Error, Result,
    chat::{
        ChatHistory, ChatMessage, ChatRole, MessagePart, ToolCall,
        http::{misplaced_part, sendable_name},
    },
};

use super::check::LONGEST_NAME;
use crate::{CONNECTOR, config::refused};

/// A message with the results of several tools becomes one message per result.
pub(super) fn messages(history: &ChatHistory) -> Result<Vec<Value>> {
    if history.is_empty() {
        return Err(refused("messages", "empty", "at least one message"));
    }
    let mut written = Vec::new();
    for (index, message) in history.messages().iter().enumerate() {
        let place = format!("messages[{index}]");
        match message.role {
            ChatRole::Tool => written.extend(results(message, &place)?),
            ChatRole::Assistant => written.push(assistant(message, &place)?),
            _ => written.push(message_to_json(message, &place)?),
        }
    }
    Ok(written)
}

fn message_to_json(message: &ChatMessage, place: &str) -> Result<Value> {
    let is_user = message.role == ChatRole::User;
    let allowed = if is_user { "texts and images" } else { "texts" };
    let part = |part: &MessagePart| match part {
        MessagePart::Text { text } => Ok(json!({ "type": "text", "text": text })),
        MessagePart::Image { url } if is_user => image(url, place),
        other => Err(misplaced(message, other, place, allowed)),
    };
    let parts = message.parts.iter().map(part).collect::<Result<Vec<Value>>>()?;
    let content = match (message.parts.as_slice(), parts) {
        ([], _) => return Err(refused(place, "empty", allowed)),
        // More servers understand a plain string.
        ([MessagePart::Text { text }], _) => Value::from(text.as_str()),
        (_, parts) => Value::from(parts),
    };
    let mut fields = beginning(message, place)?;
    fields.insert("content".to_owned(), content);
    Ok(Value::from(fields))
}

fn image(url: &str, place: &str) -> Result<Value> {
    let allowed = ["https://", "http://", "data:image/"];
    if !allowed.iter().any(|beginning| url.starts_with(beginning)) {
        let value = format!("`{}`", url.chars().take(20).collect::<String>());
        return Err(refused(&format!("{place}.url"), &value, &allowed.join(", ")));
    }
    Ok(json!({ "type": "image_url", "image_url": { "url": url } }))
}

fn assistant(message: &ChatMessage, place: &str) -> Result<Value> {
    let allowed = "texts, refusals and tool calls";
    let is_own = |part: &&MessagePart| {
        matches!(
            part,
            MessagePart::Text { .. }
                | MessagePart::Refusal { .. }
                | MessagePart::ToolCall(_)
                // Of another provider.
                | MessagePart::Reasoning { .. }
        )
    };
    if let Some(other) = message.parts.iter().find(|part| !is_own(part)) {
        return Err(misplaced(message, other, place, allowed));
    }
    let mut fields = beginning(message, place)?;
    let text = message.text();
    let calls: Vec<Value> = message.tool_calls().map(call).collect();
    let refusal = message.refusal();
    let has_text = !text.is_empty() || (calls.is_empty() && refusal.is_none());
    fields.insert("content".to_owned(), has_text.then_some(text).into());
    if let Some(refusal) = refusal {
        fields.insert("refusal".to_owned(), refusal.into());
    }
    if !calls.is_empty() {
        fields.insert("tool_calls".to_owned(), calls.into());
    }
    Ok(Value::from(fields))
}

fn call(call: &ToolCall) -> Value {
    // Some servers reject arguments that aren't an object, and with them every later request of the
    // chat. The call's result says what was wrong with them.
    let arguments = if is_object(&call.arguments) { &call.arguments } else { "{}" };
    let function =
        json!({ "name": sendable_name(&call.name, LONGEST_NAME), "arguments": arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}

fn is_object(arguments: &str) -> bool {
    arguments.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}

fn results(message: &ChatMessage, place: &str) -> Result<Vec<Value>> {
    if message.parts.is_empty() {
        return Err(refused(place, "empty", "results of tools"));
    }
    let result = |part: &MessagePart| match part {
        MessagePart::ToolResult(result) => Ok(json!({
            "role": "tool",
            "tool_call_id": result.call_id,
            "content": result.content,
        })),
        other => Err(misplaced(message, other, place, "results of tools")),
    };
    message.parts.iter().map(result).collect()
}

fn beginning(message: &ChatMessage, place: &str) -> Result<Map<String, Value>> {
    let mut fields = Map::new();
    fields.insert("role".to_owned(), message.role.name().into());
    if let Some(author) = &message.author {
        let is_wrong = |c: char| c.is_whitespace() || matches!(c, '<' | '|' | '\\' | '/' | '>');
        if author.is_empty() || author.contains(is_wrong) {
            let allowed = "characters other than white space, <, |, \\, / and >";
            return Err(refused(&format!("{place}.author"), &format!("`{author}`"), allowed));
        }
        fields.insert("name".to_owned(), author.as_str().into());
    }
    Ok(fields)
}

fn misplaced(message: &ChatMessage, part: &MessagePart, place: &str, allowed: &str) -> Error {
    misplaced_part(CONNECTOR, message, part, place, allowed)
}
