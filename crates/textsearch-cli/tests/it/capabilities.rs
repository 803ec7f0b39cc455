use serde_json::{Value, json};
use textsearch_core::{filter::FilterOperator, vector::Distance};

use crate::support::Workplace;

#[test]
fn capabilities_list_the_in_memory_store() {
    let all = Workplace::with(&[]).json(&["capabilities", "--output", "json"]);
    let store = &all[0];
    assert_eq!(store["name"], "inmemory");
    assert_eq!(store["crate"], "textsearch-vector-inmemory");
    assert_eq!((&store["total_count"], &store["needs_key"]), (&true.into(), &false.into()));
    assert!(store["max_results"].is_null());
    let filters = store["filters"].as_array().unwrap();
    assert_eq!(filters.len(), FilterOperator::ALL_COMPARISONS.len() + 3);
    let searches = store["searches"].as_array().unwrap();
    assert_eq!((&searches[0], &searches[2]), (&"full text".into(), &"hybrid".into()));
    assert_eq!(searches[1].as_str().unwrap().split(", ").count(), Distance::ALL.len());
}

#[test]
fn markdown_output_has_a_row_per_connector() {
    let run = Workplace::with(&[]).run(&["capabilities", "--markdown"]);
    let connectors = 7;
    assert_eq!((run.code, run.stdout.lines().count()), (0, 2 + connectors));
    assert!(run.stdout.starts_with("| Connector | Crate | "));
    assert!(run.stdout.contains("\n| `inmemory` | `textsearch-vector-inmemory` | "));
}

#[test]
fn capabilities_list_the_web_connectors() {
    let all = Workplace::with(&[]).json(&["capabilities", "--output", "json"]);
    let row = |name: &str| all.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
    let facts = |name| {
        let row = row(name);
        ["max_results", "total_count", "needs_key"].map(|fact| row[fact].clone())
    };
    assert_eq!(facts("searxng"), [Value::Null, json!(true), json!(false)]);
    assert_eq!(facts("brave"), [json!(200), json!(false), json!(true)]);
    assert_eq!(facts("tavily"), [json!(20), json!(false), json!(true)]);
    assert_eq!(facts("google"), [json!(100), json!(true), json!(true)]);
    assert_eq!(row("bing-news")["crate"], "textsearch-bing");
    assert_eq!(row("searxng")["filters"], json!(["eq", "in", "and", "or"]));
}

#[test]
fn the_readme_has_the_printed_table() {
    let run = Workplace::with(&[]).run(&["capabilities", "--markdown"]);
    assert!(
        include_str!("../../README.md").contains(&run.stdout),
        "README.md should hold:\n{}",
        run.stdout
    );
}
