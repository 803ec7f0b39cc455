//! Validates options before anything is sent.

use textsearch_core::{
    Result,
    chat::{ChatOptions, ToolChoice},
};

use crate::config::refused;

/// Checks what every service rejects. Limits of a single model are left to its service.
///
/// `own_fields` are those that this crate sets itself, or whose effect on the response it couldn't
/// read.
pub(super) fn options(options: &ChatOptions, own_fields: &[&str]) -> Result<()> {
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
    tool_choice(options)?;
    match options.extra.keys().find(|name| own_fields.contains(&name.as_str())) {
        Some(name) => {
            let value = "a field that this crate sets or cannot read";
            Err(refused(&format!("extra.{name}"), value, "only other fields"))
        }
        None => Ok(()),
    }
}

fn tool_choice(options: &ChatOptions) -> Result<()> {
    let names = || options.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>();
    match &options.tool_choice {
        // The service's own tools are in `extra`.
        Some(ToolChoice::Required)
            if options.tools.is_empty() && !options.extra.contains_key("tools") =>
        {
            Err(refused("tool_choice", "`required` without tools", "a tool in `tools`"))
        }
        Some(ToolChoice::Tool(name)) if !names().contains(&name.as_str()) => {
            let allowed = match names().as_slice() {
                [] => "a tool in `tools`".to_owned(),
                names => names.join(", "),
            };
            Err(refused(
                "tool_choice",
                &format!("the tool `{name}`, which is not offered"),
                &allowed,
            ))
        }
        _ => Ok(()),
    }
}

/// In characters.
pub(super) const LONGEST_NAME: usize = 64;

pub(super) fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

pub(super) fn name(option: &str, name: &str) -> Result<()> {
    if (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(is_of_name) {
        return Ok(());
    }
    Err(refused(option, &format!("`{name}`"), "1 to 64 of the characters 0-9, A-Z, a-z, _ and -"))
}
