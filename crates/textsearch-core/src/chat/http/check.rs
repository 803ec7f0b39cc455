//! Validates options before anything is sent.

use crate::{
    Error, Result,
    chat::{ChatOptions, ToolChoice},
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
