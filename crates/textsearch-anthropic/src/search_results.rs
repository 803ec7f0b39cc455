//! Sends search results as blocks that the model can cite.

use serde_json::{Map, Value, json};

/// Fields of a result that its block has.
const SHOWN: [&str; 4] = ["Value", "Name", "Link", "Citation"];

/// Returns the content of a tool's result: a [block for each search
/// result](https://docs.anthropic.com/en/docs/build-with-claude/search-results) if `content` is a list
/// of them, also in the field `result` of an object, or else the text as it is.
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
    let source = text("Link").or(text("Id")).or(number).unwrap_or("search result");
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

/// Leaves the fields that the block lacks and the number. Returns whether there are any.
fn keep_rest(result: &mut Value) -> bool {
    let empty = &mut Map::new();
    let fields = result.as_object_mut().unwrap_or(empty);
    let has_more = fields.keys().any(|name| !SHOWN.contains(&name.as_str()));
    fields.retain(|name, _| name == "Citation" || !SHOWN.contains(&name.as_str()));
    has_more
}
