//! A simple model that needs no script.

mod results;

use serde_json::{Value, json};

use super::{ModelRequest, Turn, request::text_of};
use results::{SearchResult, results_in};

const CITED: usize = 3;

pub(super) fn turn(request: &ModelRequest) -> Turn {
    let question = request.last_user_text();
    let texts = tool_results(request);
    if texts.is_empty()
        && let Some(name) = search_tool(request)
    {
        return Turn::tool_call(name, &json!({ "query": question.trim() }));
    }
    let mut results: Vec<SearchResult> = texts.iter().flat_map(|text| results_in(text)).collect();
    if texts.is_empty() {
        // A grounded prompt has a result on each line.
        results.extend(question.lines().flat_map(results_in));
    }
    results.dedup();
    Turn::text(answer(&results))
}

/// Since the last user message.
fn tool_results(request: &ModelRequest) -> Vec<String> {
    let role = |message: &Value| message.get("role").and_then(Value::as_str).map(str::to_owned);
    let newest = request.messages().iter().rev();
    let since = newest.take_while(|message| role(message).as_deref() != Some("user"));
    let mut results: Vec<String> =
        since.filter(|message| role(message).as_deref() == Some("tool")).map(text_of).collect();
    results.reverse();
    results
}

/// The tool that looks like a search, if the model may call one.
fn search_tool(request: &ModelRequest) -> Option<&str> {
    let choice = request.body.get("tool_choice");
    if choice.and_then(Value::as_str) == Some("none") {
        return None;
    }
    if let Some(name) = choice.and_then(|choice| choice.pointer("/function/name")?.as_str()) {
        return Some(name);
    }
    let is_search = |tool: &&Value| {
        let words = ["name", "description"].map(|field| tool.get(field).and_then(Value::as_str));
        words.into_iter().flatten().any(|words| words.to_lowercase().contains("search"))
    };
    let takes_query = |tool: &&Value| tool.pointer("/parameters/properties/query").is_some();
    let tool = request.tools().find(|tool| is_search(tool) && takes_query(tool));
    tool.or_else(|| request.tools().find(takes_query))?.get("name")?.as_str()
}

fn answer(results: &[SearchResult]) -> String {
    let Some(first) = results.first() else {
        return "I have found nothing that answers this.".to_owned();
    };
    let sentence = first.sentence();
    let source = first.citation();
    let more: Vec<String> =
        results.iter().take(CITED).skip(1).map(SearchResult::citation).collect();
    let more =
        if more.is_empty() { String::new() } else { format!(" See also {}.", more.join(" and ")) };
    format!("{sentence} ({source}){more}")
}
