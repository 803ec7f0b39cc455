//! Sends search results as blocks that the model can cite.

use serde_json::{Map, Value, json};

/// Fields of a result that its block has.
const SHOWN: [&str; 4] = ["Value", "Name", "Link", "Citation"];

/// Returns the content of a tool's result with search results: a [block for
/// each](https://docs.anthropic.com/en/docs/build-with-claude/search-results), or the text as it is if
/// one has no text, or neither link, identifier nor number.
///
/// Other fields, such as dates, follow as JSON beside the number of their result.
pub(crate) fn content(content: &str) -> Value {
    let Ok(mut value) = serde_json::from_str::<Value>(content) else { return content.into() };
    let results = match &mut value {
        Value::Object(fields) => fields.get_mut("result"),
        list => Some(list),
    };
    let Some(Value::Array(results)) = results else { return content.into() };
    let Some(mut blocks) = results.iter().map(block).collect::<Option<Vec<Value>>>() else {
        return content.into();
    };
    let Some(has_more) = results.iter_mut().map(keep_rest).reduce(|any, this| any || this) else {
        return content.into();
    };
    if has_more || value.is_object() {
        blocks.push(json!({ "type": "text", "text": value.to_string() }));
    }
    blocks.into()
}

fn block(result: &Value) -> Option<Value> {
    let text = |name: &str| result.get(name)?.as_str().filter(|text| !text.trim().is_empty());
    let value = text("Value")?;
    let number = text("Citation");
    let source = text("Link").or(text("Id")).or(number)?;
    // An answer may also cite by the number.
    let title: Vec<&str> = [number, text("Name")].into_iter().flatten().collect();
    let title = if title.is_empty() { source.to_owned() } else { title.join(" ") };
    Some(json!({
        "type": "search_result",
        "source": source,
        "title": title,
        "content": [{ "type": "text", "text": value }],
        "citations": { "enabled": true },
    }))
}

/// Returns a result's own title, without the number before it.
pub(crate) fn own_title(title: &str) -> Option<&str> {
    let Some((number, name)) = title.strip_prefix('[').and_then(|title| title.split_once(']'))
    else {
        return Some(title);
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let name = if is_number { name.trim_start() } else { title };
    Some(name).filter(|name| !name.is_empty())
}

/// Leaves the fields that the block lacks and the number. Returns whether there are any.
fn keep_rest(result: &mut Value) -> bool {
    let empty = &mut Map::new();
    let fields = result.as_object_mut().unwrap_or(empty);
    let has_more = fields.keys().any(|name| !SHOWN.contains(&name.as_str()));
    fields.retain(|name, _| name == "Citation" || !SHOWN.contains(&name.as_str()));
    has_more
}
