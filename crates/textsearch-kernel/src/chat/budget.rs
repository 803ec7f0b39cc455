//! A result as JSON that fits into a number of characters.

use serde_json::{Value, json};

const ELLIPSIS: char = '…';

/// A result as the model gets it.
pub(super) struct Fitted {
    /// The text: a text as it is, anything else as JSON.
    pub(super) text: String,
    /// The value of which the text was made, where something was left out.
    pub(super) cut: Option<Value>,
}

/// `value` as a text of at most `most` characters.
///
/// One that is too long becomes `{"result": …, "truncated": true}`. Of a list as many items are kept, from the first on,
/// as there is room for, and `"omitted"` says how many are not there. Where the first alone is too long, or it is no
/// list, the texts in it are cut, all to the same length, each ending in `…`.
pub(super) fn fit(value: &Value, most: usize) -> Fitted {
    let text = written(value);
    if fits(&text, most) {
        return Fitted { text, cut: None };
    }
    let cut = match value {
        Value::Array(items) => fit_list(items, most),
        _ => fit_texts(value, 0, most),
    };
    Fitted { text: cut.to_string(), cut: Some(cut) }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn fit_list(items: &[Value], most: usize) -> Value {
    // What surrounds the items is longest where most are omitted.
    let mut room = most.saturating_sub(length(&wrapped(json!([]), items.len())));
    let mut kept = 0;
    for item in items {
        let needed = length(item) + usize::from(kept > 0);
        if needed > room {
            break;
        }
        room -= needed;
        kept += 1;
    }
    match (kept, items.first()) {
        (0, Some(first)) => fit_texts(&json!([first]), items.len() - 1, most),
        _ => wrapped(json!(items.get(..kept).unwrap_or_default()), items.len() - kept),
    }
}

/// Cuts the texts in `value` to the greatest length at which the whole fits.
fn fit_texts(value: &Value, omitted: usize, most: usize) -> Value {
    let fits = |longest: usize| length(&wrapped(shortened(value, longest), omitted)) <= most;
    if !fits(0) {
        return fit_anything(value, omitted, most);
    }
    let (mut short, mut long) = (0, most);
    while short < long {
        let middle = long - (long - short) / 2;
        if fits(middle) {
            short = middle;
        } else {
            long = middle - 1;
        }
    }
    wrapped(shortened(value, short), omitted)
}

/// What is too long even without its texts is told as the beginning of its JSON.
fn fit_anything(value: &Value, omitted: usize, most: usize) -> Value {
    let text = Value::String(value.to_string());
    let around = length(&wrapped(json!(""), omitted));
    // Each character of JSON takes at most two when it is written as a text again.
    wrapped(shortened(&text, most.saturating_sub(around) / 2), omitted)
}

fn shortened(value: &Value, longest: usize) -> Value {
    match value {
        Value::String(text) => Value::String(shortened_text(text, longest)),
        Value::Array(items) => items.iter().map(|item| shortened(item, longest)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::Object(
                fields.map(|(name, value)| (name.clone(), shortened(value, longest))).collect(),
            )
        }
        other => other.clone(),
    }
}

fn shortened_text(text: &str, longest: usize) -> String {
    if text.len() <= longest || text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    text.chars().take(longest.saturating_sub(1)).chain([ELLIPSIS]).collect()
}

fn wrapped(result: Value, omitted: usize) -> Value {
    let mut whole = json!({ "result": result, "truncated": true });
    if let (Some(fields), 1..) = (whole.as_object_mut(), omitted) {
        fields.insert("omitted".to_owned(), json!(omitted));
    }
    whole
}

fn length(value: &Value) -> usize {
    value.to_string().chars().count()
}

fn fits(text: &str, most: usize) -> bool {
    text.len() <= most || text.chars().count() <= most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fit_json(value: &Value, most: usize) -> Value {
        serde_json::from_str(&fit(value, most).text).unwrap()
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let value = json!([{ "Value": "one" }]);
        let fitted = fit(&value, value.to_string().len());
        assert_eq!(fitted.text, r#"[{"Value":"one"}]"#);
        assert!(fitted.cut.is_none());
        assert_eq!(fit(&json!("plain text"), 10).text, "plain text");
        assert_eq!(fit(&Value::Null, 10).text, "null");
    }

    #[test]
    fn the_last_results_are_left_out_first() {
        let items: Vec<Value> =
            (0..10).map(|number| json!({ "Value": "x".repeat(20), "n": number })).collect();
        let fitted = fit_json(&Value::Array(items), 160);
        assert_eq!(fitted["truncated"], true);
        assert_eq!(fitted["omitted"], 7);
        assert_eq!(fitted["result"].as_array().unwrap().len(), 3);
        assert_eq!(fitted["result"][0]["n"], 0);
        assert_eq!(fitted["result"][2]["Value"], "x".repeat(20));
    }

    #[test]
    fn texts_are_cut_only_where_the_first_result_alone_is_too_long() {
        let long = json!([{ "Value": "é".repeat(500), "Link": "https://example.com/a" }, { "Value": "b" }]);
        let fitted = fit(&long, 200);
        assert_eq!(fitted.text.chars().count(), 200);
        let value: Value = serde_json::from_str(&fitted.text).unwrap();
        assert_eq!(value["omitted"], 1);
        assert_eq!(value["result"][0]["Link"], "https://example.com/a");
        assert!(value["result"][0]["Value"].as_str().unwrap().ends_with("é…"));
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_and_says_so() {
        let fitted = fit_json(&json!("a".repeat(1000)), 100);
        assert_eq!(fitted["truncated"], true);
        assert!(fitted["result"].as_str().unwrap().ends_with("a…"));
        assert!(fitted.get("omitted").is_none());
    }

    #[test]
    fn what_has_no_texts_to_cut_is_told_as_the_beginning_of_its_json() {
        let fitted = fit_json(&json!({ "numbers": (0..1000).collect::<Vec<_>>() }), 100);
        assert!(fitted["result"].as_str().unwrap().starts_with(r#"{"numbers":[0,1,2"#), "{fitted}");
    }

    proptest! {
        #[test]
        fn the_budget_holds(texts in proptest::collection::vec(".{0,60}", 0..12), most in 60_usize..400) {
            let items: Value = texts.iter().map(|text| json!({ "Value": text })).collect();
            let fitted = fit(&items, most);
            prop_assert!(fitted.text.chars().count() <= most, "{}", fitted.text);
            prop_assert!(serde_json::from_str::<Value>(&fitted.text).is_ok());
        }
    }
}
