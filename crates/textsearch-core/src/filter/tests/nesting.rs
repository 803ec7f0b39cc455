//! Deeply nested filters.

use std::thread;

use serde_json::json;

use crate::filter::Filter;

const TEXTS: &[(&str, &str, &str)] = &[
    ("(", "f = 1", ")"),
    ("not ", "f = 1", ""),
    ("all(", "f = 1", ")"),
    ("a exists or a exists and (", "b exists", ")"),
    ("f = [", "1", "]"),
    ("f in [", "1", "]"),
    ("[", "1", "]"),
];

const JSON: &[(&str, &str, &str)] = &[
    (r#"{"not":"#, r#"{"field":"f","operator":"exists"}"#, "}"),
    (r#"{"or":["#, r#"{"field":"f","operator":"exists"}"#, "]}"),
    (r#"{"field":"f","operator":"eq","value":"#, "1", "}"),
    (r#"{"field":"f","operator":"in","values":["#, "1", "]}"),
    ("[", "1", "]"),
];

fn nested((start, middle, end): (&str, &str, &str), depth: usize) -> String {
    format!("{}{middle}{}", start.repeat(depth), end.repeat(depth))
}

fn use_filter(filter: &Filter) {
    assert_eq!(filter.to_string().parse::<Filter>().unwrap(), *filter);
    let json = serde_json::to_string(filter).unwrap();
    assert_eq!(serde_json::from_str::<Filter>(&json).unwrap(), filter.clone());
    filter.matches(&json!({ "f": [[1]] }));
    assert!(!format!("{filter:?}").is_empty());
}

#[test]
fn filters_nest_to_any_depth() {
    let work = || {
        for depth in [1, 10, 62, 63, 64, 65, 100, 128, 1_000, 10_000, 100_000] {
            let list = nested(("[", "1", "]"), depth);
            let texts = TEXTS.iter().map(|parts| nested(*parts, depth));
            let texts = texts.chain([format!("f = {list}"), format!("f in {list}")]);
            texts.filter_map(|text| text.parse().ok()).for_each(|filter| use_filter(&filter));
            let value = format!(r#"{{"field":"f","operator":"eq","value":{list}}}"#);
            let json = JSON.iter().map(|parts| nested(*parts, depth)).chain([value]);
            let json = json.filter_map(|text| serde_json::from_str(&text).ok());
            json.for_each(|filter| use_filter(&filter));
        }
    };
    // A debug build needs more than 256 KiB for 64 levels of text.
    thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
}
