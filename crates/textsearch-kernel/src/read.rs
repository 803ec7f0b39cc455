//! Reads JSON as a type, and says which part doesn't fit.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::text::{json_line, shorten_to};

/// Why a JSON value can't be read as a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {message}")]
#[non_exhaustive]
pub struct ReadError {
    /// The JSON Path of the part that doesn't fit, such as `$.days[2].degrees`; shortened.
    pub path: String,
    /// The reason; shortened, and without control characters.
    pub message: String,
}

impl ReadError {
    /// `path` starts after the `$`.
    pub(crate) fn new(path: &str, message: &str) -> Self {
        let path = shorten_to(&format!("${path}"), 200);
        Self { path, message: shorten_to(&without_controls(message, 300), 300) }
    }
}

/// Reads `value` as a `T`.
///
/// # Errors
///
/// Returns the path of the part that doesn't fit, and why.
///
/// ```
/// use serde_json::json;
/// use textsearch_kernel::function::read_value;
///
/// let days = json!([{ "degrees": 9 }, { "degrees": "ten" }]);
/// let error = read_value::<Vec<std::collections::HashMap<String, i32>>>(&days).unwrap_err();
/// assert_eq!(error.to_string(), r#"`$[1].degrees`: invalid type: string "ten", expected i32"#);
/// ```
pub fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T, ReadError> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| ReadError::new(&segments(error.path()), &error.inner().to_string()))
}

/// Stops where serde loses the path: in an untagged enum or a flattened struct.
fn segments(path: &Path) -> String {
    let segment = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(format!("[{index}]")),
        Segment::Map { key } => Some(name_segment(key)),
        Segment::Enum { variant } => Some(name_segment(variant)),
        Segment::Unknown => None,
    };
    path.iter().map_while(segment).collect()
}

/// `.name`, or `["a name"]`, as in RFC 9535.
pub(crate) fn name_segment(name: &str) -> String {
    const LONGEST: usize = 60;
    let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let is_simple = name.chars().all(is_plain)
        && !name.starts_with(|character: char| character.is_ascii_digit());
    if is_simple && !name.is_empty() {
        format!(".{}", shorten_to(name, LONGEST))
    } else {
        format!("[{}]", json_line(&Value::from(shorten_to(name, LONGEST))))
    }
}

/// Reads at most one character more than `max`.
pub(crate) fn without_controls(text: &str, max: usize) -> String {
    let mut plain = String::new();
    for character in text.chars().take(max + 1) {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            plain.extend(character.escape_default());
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn names_in_paths_are_quoted_unless_simple() {
        assert_eq!(name_segment("degrees_2"), ".degrees_2");
        assert_eq!(name_segment("2"), r#"["2"]"#);
        assert_eq!(name_segment(""), r#"[""]"#);
        assert_eq!(name_segment("a \"b\n"), r#"["a \"b\n"]"#);
    }

    #[test]
    fn errors_are_short_and_have_no_control_characters() {
        let long = "x".repeat(10_000);
        let dirty = format!("\u{1b}[2J\n{}", "y".repeat(10_000));
        let value = json!({ long: { dirty.clone(): dirty } });
        let error = read_value::<HashMap<String, HashMap<String, u8>>>(&value).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(&format!("`$.{}…[\"\\u001b[2J\\nyyy", "x".repeat(60))), "{text}");
        assert!(error.message.starts_with(r#"invalid type: string "\u{1b}[2J\nyyy"#), "{text}");
        assert!(text.chars().count() < 520 && !text.contains(char::is_control), "{text}");
    }
}
