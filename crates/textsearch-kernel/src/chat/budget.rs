//! Fits a result, as JSON, into a number of characters.

use serde_json::{Value, json};

use crate::citations::is_label;

const ELLIPSIS: char = '…';

pub(crate) struct Fitted {
    /// A string as it is, any other value as JSON.
    pub(crate) text: String,
    /// `None` if nothing was cut.
    pub(crate) cut: Option<Value>,
}

/// Writes `value` as a text of at most `max` characters.
///
/// A longer value becomes `{"result": …, "truncated": true}`. A list keeps as many leading items as
/// fit, and `"omitted"` counts the rest. If not even one fits, or the value is no list, its strings
/// are all cut to the same length and end in `…`; names and links only if they alone don't fit.
pub(crate) fn fit(value: &Value, max: usize) -> Fitted {
    let text = written(value);
    if fits(&text, max) {
        return Fitted { text, cut: None };
    }
    let cut = match value {
        Value::Array(items) => fit_list(items, max),
        _ => fit_texts(value, 0, max),
    };
    Fitted { text: cut.to_string(), cut: Some(cut) }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn fit_list(items: &[Value], max: usize) -> Value {
    // The wrapper is longest when most items are omitted.
    let mut room = max.saturating_sub(length(&wrapped(json!([]), items.len())));
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
        (0, Some(first)) => fit_texts(&json!([first]), items.len() - 1, max),
        _ => wrapped(json!(items.split_at(kept).0), items.len() - kept),
    }
}

fn fit_texts(value: &Value, omitted: usize, max: usize) -> Value {
    // A cut link leads nowhere, and a cut name may be the name of another source.
    let cut = |longest: usize, labels: Labels| wrapped(shortened(value, longest, labels), omitted);
    let fits = |longest: usize, labels: Labels| length(&cut(longest, labels)) <= max;
    let labels = if fits(0, Labels::Kept) { Labels::Kept } else { Labels::Cut };
    if !fits(0, labels) {
        return fit_anything(value, omitted, max);
    }
    let mut short = 0;
    let mut long = max;
    while short < long {
        let middle = long - (long - short) / 2;
        if fits(middle, labels) {
            short = middle;
        } else {
            long = middle - 1;
        }
    }
    cut(short, labels)
}

#[derive(Clone, Copy, PartialEq)]
enum Labels {
    Kept,
    Cut,
}

fn fit_anything(value: &Value, omitted: usize, max: usize) -> Value {
    let text = Value::String(value.to_string());
    let around = length(&wrapped(json!(""), omitted));
    // Escaping the JSON as a string at most doubles each character.
    wrapped(shortened(&text, max.saturating_sub(around) / 2, Labels::Cut), omitted)
}

fn shortened(value: &Value, longest: usize, labels: Labels) -> Value {
    match value {
        Value::String(text) => Value::String(shortened_text(text, longest)),
        Value::Array(items) => items.iter().map(|item| shortened(item, longest, labels)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let is_kept = labels == Labels::Kept && value.is_string() && is_label(name);
                let value = if is_kept { value.clone() } else { shortened(value, longest, labels) };
                (name.clone(), value)
            };
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

/// Counts the `…` in `longest`. Cuts at the end of a sentence, or else of a word, if one ends
/// within the last quarter.
fn shortened_text(text: &str, longest: usize) -> String {
    if text.len() <= longest || text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    let end = text.char_indices().nth(longest.saturating_sub(1)).map_or(0, |(end, _)| end);
    let (mut head, rest) = text.split_at(end);
    let min = head.len() - head.len() / 4;
    let ends = [end_of_sentence(head, rest), end_of_word(head, rest)];
    if let Some(end) = ends.into_iter().flatten().find(|end| *end >= min) {
        head = head.split_at(end).0;
    }
    format!("{head}{ELLIPSIS}")
}

fn end_of_sentence(head: &str, rest: &str) -> Option<usize> {
    let ends = head.char_indices().rev().filter_map(|(start, character)| {
        let end = start + character.len_utf8();
        let next = head.split_at(end).1.chars().chain(rest.chars()).next();
        let is_end = match character {
            '。' | '！' | '？' | '\n' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        is_end.then_some(end)
    });
    ends.map(|end| head.split_at(end).0.trim_end().len()).next()
}

fn end_of_word(head: &str, rest: &str) -> Option<usize> {
    if rest.starts_with(char::is_whitespace) {
        return Some(head.trim_end().len());
    }
    let (before, _) = head.rsplit_once(char::is_whitespace)?;
    Some(before.trim_end().len())
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

fn fits(text: &str, max: usize) -> bool {
    text.len() <= max || text.chars().count() <= max
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fit_json(value: &Value, max: usize) -> Value {
        serde_json::from_str(&fit(value, max).text).unwrap()
    }

    #[test]
    fn values_that_fit_stay_unchanged() {
        let value = json!([{ "Value": "one" }]);
        let fitted = fit(&value, value.to_string().len());
        assert_eq!(fitted.text, r#"[{"Value":"one"}]"#);
        assert!(fitted.cut.is_none());
        assert_eq!(fit(&json!("plain text"), 10).text, "plain text");
        assert_eq!(fit(&Value::Null, 10).text, "null");
    }

    #[test]
    fn omits_the_last_results_first() {
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
    fn cuts_texts_only_if_the_first_result_is_too_long() {
        let long = json!([{ "Value": "é".repeat(500), "Link": "https://example.com/a" }, { "Value": "b" }]);
        let fitted = fit(&long, 200);
        assert_eq!(fitted.text.chars().count(), 200);
        let value: Value = serde_json::from_str(&fitted.text).unwrap();
        assert_eq!(value["omitted"], 1);
        assert_eq!(value["result"][0]["Link"], "https://example.com/a");
        assert!(value["result"][0]["Value"].as_str().unwrap().ends_with("é…"));
    }

    #[test]
    fn keeps_name_and_link_of_a_result_whole() {
        let name = "A long name. ".repeat(8);
        let link = format!("https://example.com/{}", "a".repeat(150));
        let value = json!([{ "Name": name, "Value": "A text. ".repeat(500), "Link": link, "Citation": "[12]" }]);
        let fitted = fit_json(&value, 500);
        let result = &fitted["result"][0];
        assert_eq!(fitted["truncated"], true);
        assert_eq!((&result["Name"], &result["Link"]), (&json!(name), &json!(link)));
        assert_eq!(result["Citation"], "[12]");
        assert!(result["Value"].as_str().unwrap().ends_with("A text.…"), "{result}");
    }

    #[test]
    fn cuts_overlong_names_and_links() {
        let value =
            json!([{ "Name": "n".repeat(500), "Value": "v".repeat(500), "Link": "l".repeat(500) }]);
        let fitted = fit(&value, 200);
        assert_eq!(fitted.text.chars().count(), 200 - 200 % 3 + 2, "{}", fitted.text);
    }

    #[test]
    fn cuts_texts_at_the_end_of_a_sentence_or_word() {
        for (text, longest, expected) in [
            ("One two. Three four", 11, "One two.…"),
            ("One two. Three four", 9, "One two.…"),
            ("Version of 1.25 is", 14, "Version of…"),
            ("Version 1.25 of it", 13, "Version 1.25…"),
            ("One two three four", 10, "One two…"),
            ("One two three four", 14, "One two three…"),
            ("一二三。四五六", 6, "一二三。…"),
            ("abcdefghij", 5, "abcd…"),
            ("abcdefghij", 1, "…"),
            ("abcdefghij", 0, "…"),
            ("abcdefghij", 10, "abcdefghij"),
        ] {
            assert_eq!(shortened_text(text, longest), expected, "{text} {longest}");
        }
    }

    #[test]
    fn marks_a_cut_text_as_truncated() {
        let fitted = fit_json(&json!("a".repeat(1000)), 100);
        assert_eq!(fitted["truncated"], true);
        assert!(fitted["result"].as_str().unwrap().ends_with("a…"));
        assert!(fitted.get("omitted").is_none());
    }

    #[test]
    fn a_value_without_texts_becomes_the_beginning_of_its_json() {
        let fitted = fit_json(&json!({ "numbers": (0..1000).collect::<Vec<_>>() }), 100);
        assert!(fitted["result"].as_str().unwrap().starts_with(r#"{"numbers":[0,1,2"#), "{fitted}");
    }

    proptest! {
        #[test]
        fn a_larger_limit_never_shortens_a_text(text in "[ab é。.\n]{0,60}", longest in 0_usize..60) {
            let less = shortened_text(&text, longest);
            let more = shortened_text(&text, longest + 1);
            prop_assert!(less.chars().count() <= more.chars().count(), "{less} {more}");
            prop_assert!(less.chars().count() <= longest.max(1));
        }

        #[test]
        fn the_budget_holds(texts in proptest::collection::vec(".{0,60}", 0..12), max in 60_usize..400) {
            let items: Value = texts.iter().map(|text| json!({ "Value": text })).collect();
            let fitted = fit(&items, max);
            prop_assert!(fitted.text.chars().count() <= max, "{}", fitted.text);
            prop_assert!(serde_json::from_str::<Value>(&fitted.text).is_ok());
        }
    }
}
