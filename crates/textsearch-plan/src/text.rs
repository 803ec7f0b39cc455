//! Formats texts of models and results.

use serde_json::Value;
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
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.$[]".contains(&byte);
    if text.len() <= LONGEST && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST + 1).collect();
    shorten(visible(&Value::from(start)).trim_matches('"'))
}

/// Returns the beginning of the value as JSON. The rest isn't written, because values may be large.
pub(crate) fn excerpt_of(value: &Value) -> String {
    let mut start = [0; 4 * (LONGEST + 1)];
    let mut free = start.as_mut_slice();
    // It fails if the value is longer.
    let _ = serde_json::to_writer(&mut free, value);
    let unused = free.len();
    let length = start.len() - unused;
    shorten(&escape_json(&String::from_utf8_lossy(start.split_at(length).0)))
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
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text.to_owned(),
    }
}
