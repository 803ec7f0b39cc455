//! Checks that every tool call has an answer, and every answer a call.

use serde_json::Value;

use super::Violation;

pub(super) fn check(messages: &[Value], request: usize) -> Vec<Violation> {
    let mut open: Vec<String> = Vec::new();
    let mut violations = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let place = format!("messages[{index}]");
        if role(message) == "tool" {
            let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
            match open.iter().position(|open| open == id) {
                Some(answered) => drop(open.remove(answered)),
                None => violations.push(unasked(place, id, request)),
            }
            continue;
        }
        violations.extend(unanswered(&open, place, request));
        open = ids_of_calls(message);
    }
    violations.extend(unanswered(&open, format!("messages[{}]", messages.len()), request));
    violations
}

fn unasked(place: String, id: &str, request: usize) -> Violation {
    let message = format!(
        "messages with role 'tool' must be a response to a preceding message with 'tool_calls': \
         no call `{id}` waits for an answer"
    );
    Violation::new(request, place + ".tool_call_id", message)
}

fn unanswered(open: &[String], place: String, request: usize) -> Option<Violation> {
    if open.is_empty() {
        return None;
    }
    let message = format!(
        "an assistant message with 'tool_calls' must be followed by tool messages responding to \
         each 'tool_call_id': not answered are {}",
        open.join(", ")
    );
    Some(Violation::new(request, place, message))
}

fn ids_of_calls(message: &Value) -> Vec<String> {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let ids = calls.into_iter().flatten().filter_map(|call| call.get("id")?.as_str());
    ids.map(str::to_owned).collect()
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}
