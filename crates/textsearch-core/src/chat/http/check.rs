//! Validates options before anything is sent.

use crate::{
    Error, Result,
    chat::{ChatMessage, ChatOptions, MessagePart, ToolChoice},
};

/// Checks what every service rejects. Limits of a single model are left to its service.
///
/// `own_fields` are those of a request that the connector sets itself, or whose effect on the answer it
/// couldn't read: `extra` can't have them.
///
/// # Errors
/// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the option and its allowed values.
pub fn check_options(
    connector: &'static str,
    options: &ChatOptions,
    own_fields: &[&str],
) -> Result<()> {
    let refused = |name: &str, value: &str, allowed: &str| {
        Error::invalid_options(connector, name, value, allowed)
    };
    let numbers = [
        ("temperature", options.temperature, 0.0, 2.0),
        ("top_p", options.top_p, 0.0, 1.0),
        ("frequency_penalty", options.frequency_penalty, -2.0, 2.0),
        ("presence_penalty", options.presence_penalty, -2.0, 2.0),
    ];
    for (name, value, min, max) in numbers {
        if let Some(value) = value.filter(|value| !(min..=max).contains(value)) {
            return Err(refused(name, &value.to_string(), &format!("{min} to {max}")));
        }
    }
    if options.max_tokens == Some(0) {
        return Err(refused("max_tokens", "0", "at least 1"));
    }
    if options.stop.iter().any(String::is_empty) {
        return Err(refused("stop", "an empty text", "texts of at least one character"));
    }
    if let Some(name) = options.extra.keys().find(|name| own_fields.contains(&name.as_str())) {
        let value = "a field that this crate sets or cannot read";
        return Err(refused(&format!("extra.{name}"), value, "only other fields"));
    }
    let names: Vec<&str> = options.tools.iter().map(|tool| tool.name.as_str()).collect();
    match &options.tool_choice {
        // Extra tools are the service's own.
        Some(ToolChoice::Required) if names.is_empty() && !options.extra.contains_key("tools") => {
            Err(refused("tool_choice", "`required` without tools", "a tool in `tools`"))
        }
        Some(ToolChoice::Tool(name)) if !names.contains(&name.as_str()) => {
            let value = format!("the tool `{name}`, which is not offered");
            let allowed =
                if names.is_empty() { "a tool in `tools`".to_owned() } else { names.join(", ") };
            Err(refused("tool_choice", &value, &allowed))
        }
        _ => Ok(()),
    }
}

/// Refuses the `names` among `temperature`, `top_p`, `seed`, `frequency_penalty`, `presence_penalty` and
/// `stop` that are set, because a service has no such setting. `allowed` says what it has.
///
/// # Errors
/// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the first of them.
pub fn refuse_options(
    connector: &'static str,
    options: &ChatOptions,
    names: &[&str],
    allowed: &str,
) -> Result<()> {
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let values = [
        ("temperature", number(options.temperature)),
        ("top_p", number(options.top_p)),
        ("seed", options.seed.map(|seed| seed.to_string())),
        ("frequency_penalty", number(options.frequency_penalty)),
        ("presence_penalty", number(options.presence_penalty)),
        ("stop", options.stop.first().map(|text| format!("`{text}`"))),
    ];
    let refused = values.into_iter().filter(|(name, _)| names.contains(name));
    match refused.into_iter().find_map(|(name, value)| Some((name, value?))) {
        Some((name, value)) => Err(Error::invalid_options(connector, name, value, allowed)),
        None => Ok(()),
    }
}

/// Returns the error of a part that a message of this role can't have. `place` names the message, such as
/// `messages[2]`, and `allowed` what it can have.
pub fn misplaced_part(
    connector: &'static str,
    message: &ChatMessage,
    part: &MessagePart,
    place: &str,
    allowed: &str,
) -> Error {
    let kind = match part {
        MessagePart::Text { .. } => "a text",
        MessagePart::Refusal { .. } => "a refusal",
        MessagePart::Image { .. } => "an image",
        MessagePart::ToolCall(_) => "a tool call",
        MessagePart::ToolResult(_) => "a tool's result",
        MessagePart::Reasoning { .. } => "a part that this crate does not know",
    };
    let value = format!("{kind} of the role `{}`", message.role.name());
    Error::invalid_options(connector, place, value, allowed)
}
