//! Formats texts of models and results.

use serde_json::{Map, Value};
use textsearch_core::invisible::escape_json;
use textsearch_kernel::prompt::json_line;

const LONGEST: usize = 80;

/// Returns `value` as JSON in one line, with invisible characters escaped, so that a person sees what
/// they approve.
pub(crate) fn visible(value: &Value) -> String {
    escape_json(&json_line(value))
}

/// Without control characters, since errors reach terminals and prompts.
pub(crate) fn excerpt(text: &str) -> String {
    let is_plain = |one: u8| one.is_ascii_alphanumeric() || b"_-.$[]".contains(&one);
    if text.len() <= LONGEST && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let quoted = visible(&Value::from(start_of(text, &mut { LONGEST + 1 })));
    shorten(quoted.trim_matches('"'))
}

/// Works on the start of the value alone: results have megabytes, and schemas hundreds of
/// alternatives with a message each.
pub(crate) fn excerpt_of(value: &Value) -> String {
    shorten(&visible(&start(value, &mut { LONGEST + 1 })))
}

/// Copies the part of `value` whose JSON has at least `left` characters.
fn start(value: &Value, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    match value {
        Value::String(text) => start_of(text, left).into(),
        Value::Array(items) => {
            items.iter().map_while(|one| (*left > 0).then(|| start(one, left))).collect()
        }
        Value::Object(fields) => {
            let field = |(name, one): (&String, &Value)| {
                (*left > 0).then(|| (start_of(name, left).to_owned(), start(one, left)))
            };
            Value::Object(fields.iter().map_while(field).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn start_of<'t>(text: &'t str, left: &mut usize) -> &'t str {
    let mut count = 0;
    let end = text.char_indices().inspect(|_| count += 1).nth(*left);
    *left = left.saturating_sub(count);
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The names, each in backquotes.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MAX_NAMES: usize = 20;
    let mut names = names.into_iter();
    let first: Vec<String> =
        names.by_ref().take(MAX_NAMES).map(|name| format!("`{}`", excerpt(name))).collect();
    let more = names.count();
    let list = first.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn excerpts_are_the_start_of_the_json() {
        let long = "é\u{202e}\"".repeat(100);
        for value in [
            json!("short"),
            json!(long),
            json!({ "a": [1, { "b": long }], "c": true }),
            json!({ (long.clone()): 1, "b": 2 }),
            json!(vec![json!(""); 100]),
            json!(vec![json!([]); 26]),
            json!(vec![json!([]); 27]),
            (0..90).fold(json!(1), |inner, _| json!([inner])),
        ] {
            assert_eq!(excerpt_of(&value), shorten(&visible(&value)), "{value}");
        }
    }
}
