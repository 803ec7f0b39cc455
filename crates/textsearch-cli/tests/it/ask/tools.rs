//! `--tools`: the model searches.

use super::*;
use crate::server::{Answer, Server};

#[tokio::test(flavor = "multi_thread")]
async fn the_model_searches_and_answers_from_results() {
    let stage = Stage::searching(query(), "One method.").await;
    let run = stage.ask(&["--tools"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "One method.\n", ""));
    let tools = ["GetSearchResults", "GetDocument", "ListDocuments"];
    assert_eq!(stage.request(0).tool_names(), tools.map(|name| format!("SearchPlugin-{name}")));
    assert_eq!(stage.request(0).last_user_text(), QUESTION);
    let tool_results = stage.tool_results(1);
    assert_eq!(tool_results[0][0]["Name"], "Connectors");
    assert_eq!(tool_results[0][0]["Citation"], "[1]");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_system_message_requests_citations() {
    let answers = || [Turn::text("One."), Turn::text("One."), Turn::text("One.")];
    let stage = Stage::new(answers()).await;
    stage.ask(&["--tools"]);
    stage.ask(&["--tools", "--system", "Be brief."]);
    stage.ask(&["--tools", "--system", ""]);
    let first = |number: usize| stage.request(number).messages()[0].clone();
    assert!(first(0)["content"].as_str().unwrap().contains("Cite each result"), "{}", first(0));
    assert_eq!(first(1), json!({ "role": "system", "content": "Be brief." }));
    assert_eq!(first(2)["role"], "user");
}

#[tokio::test(flavor = "multi_thread")]
async fn show_calls_prints_round_arguments_time_and_outcome() {
    let first = search(query()).with_tool_call("SearchPlugin-Delete", &json!({}));
    let second = search(query()).with_raw_tool_call(
        None,
        "SearchPlugin-GetSearchResults",
        "{\"query\": \u{1b}[2J",
    );
    let stage = Stage::new([first, second, Turn::text("One method.")]).await;
    let run = stage.ask(&["--tools", "--show-calls"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "One method.\n"));
    let lines: Vec<&str> = run.stderr.lines().collect();
    let name = "SearchPlugin-GetSearchResults";
    let searched = format!("textsearch: round 1: {name} {{\"query\":\"connector\"}}: 1 result in ");
    assert_eq!(lines.len(), 4, "{}", run.stderr);
    assert!(lines[0].starts_with(&searched) && lines[0].ends_with('s'), "{}", lines[0]);
    assert!(lines[1].contains("round 1: SearchPlugin-Delete {}: refused: "), "{}", lines[1]);
    assert!(
        lines[1].contains("offered functions are SearchPlugin-GetSearchResults"),
        "{}",
        lines[1]
    );
    let repeated = ": 1 result, as before: not searched again";
    assert!(lines[2].starts_with("textsearch: round 2") && lines[2].ends_with(repeated));
    assert!(lines[3].contains("must be a JSON object"), "{}", lines[3]);
    assert!(!run.stderr.contains("0.0ns"), "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn top_is_the_default_count_for_models() {
    let stage = Stage::searching(json!({ "query": "connector filter" }), "Two.").await;
    stage.ask(&["--tools", "--top", "1"]);
    assert_eq!(stage.tool_results(1)[0].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_answers_after_the_last_round() {
    let turn = |word: &str| search(json!({ "query": word }));
    let stage = Stage::new([turn("a"), turn("connector"), Turn::text("One method.")]).await;
    let run = stage.ask(&["--tools", "--max-rounds", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "One method.\n"));
    assert!(run.stderr.contains("try a larger --max-rounds"), "{}", run.stderr);
    assert_eq!(stage.request(2).tool_names(), Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_search_is_a_warning() {
    let stage = Stage::new([Turn::text("I know it all.")]).await;
    let run = stage.ask(&["--tools"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "I know it all.\n"));
    assert!(run.stderr.contains("warning: the model did not search"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_calls_are_not_reported_as_finding_nothing() {
    let refused = || [Turn::tool_call("SearchPlugin-Delete", &json!({})), Turn::text("Gone.")];
    let warning = "warning: every call was refused, so the answer is not grounded";
    let run = Stage::new(refused()).await.ask(&["--tools"]);
    assert_eq!(run.stderr, format!("textsearch: {warning}: try --show-calls to see why\n"));
    let run = Stage::new(refused()).await.ask(&["--tools", "--show-calls"]);
    assert!(run.stderr.ends_with(&format!("{warning}\n")), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_has_answer_calls_sources_citations_and_usage() {
    let stage = Stage::searching(query(), "One method [1], see https://made.up/.").await;
    let answer = stage.json(&["--tools", "--check-citations"]);
    assert_eq!(answer["answer"], "One method [1], see https://made.up/.");
    assert_eq!(answer["text"], answer["answer"]);
    assert_eq!((&answer["finish_reason"], &answer["end"]), (&json!("stop"), &json!("answered")));
    assert_eq!((&answer["rounds"], &answer["refusal"]), (&json!(2), &Value::Null));
    let call = &answer["calls"][0];
    assert_eq!(call["name"], "SearchPlugin-GetSearchResults");
    assert_eq!((&call["round"], &call["arguments"]), (&json!(1), &query()));
    assert_eq!((&call["results"], &call["error"]), (&json!(1), &Value::Null));
    assert!(call["seconds"].as_f64().unwrap() > 0.0, "{call}");
    let source = json!({ "number": 1, "name": "Connectors", "link": CONNECTORS });
    assert_eq!(answer["sources"], json!([source]));
    let expected = json!([
        { "kind": "number", "target": "1", "range": [11, 14], "supported": true, "source": 1 },
        { "kind": "url", "target": "https://made.up/", "range": [20, 36], "supported": false, "source": null },
    ]);
    assert_eq!(answer["citations"], expected);
    assert!(answer["usage"]["input_tokens"].as_u64().unwrap() > 0, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demonstration_model_answers_from_the_documents_of_this_repository() {
    let stage = Stage::new(ModelScript::demonstration()).await;
    let arguments = ["--from", "docs", "--tools", "--show-calls", "--check-citations"];
    let mut command = stage.command(&arguments);
    let run = stage.checked(command.current_dir(repository()).output().unwrap());
    stage.model.assert_valid();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("](docs/"), "{}", run.stdout);
    assert!(run.stderr.contains(": 5 results in "), "{}", run.stderr);
    assert_eq!(run.stderr.matches(": supported by [").count(), 3, "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_reads_pages_that_it_found_on_the_web() {
    let site = Server::start(|_| Answer::html("<title>Tides</title><p>High water is at nine.</p>"));
    let link = format!("{}/tides", site.url());
    let engine = Server::searxng_with(json!([{ "url": link, "title": "Tides", "content": "…" }]));
    let read = |link: &str| Turn::tool_call("SearchPlugin-GetDocument", &json!({ "id": link }));
    let elsewhere = format!("{link}?secret=1");
    let script = [search(query()), read(&elsewhere), read(&link), Turn::text("At nine.")];
    let stage = Stage::new(script).await;
    let source = ["--tools", "--source", "searxng", "--endpoint", &engine.url()];
    let pages = ["--full-pages", "--max-characters", "1", "--allow-host", &site.host()];
    let run = stage.ask_of(&[&source[..], &pages].concat());
    assert_eq!((run.code, run.stdout.as_str()), (0, "At nine.\n"), "{}", run.stderr);
    let tool_results = stage.tool_results(3);
    assert!(tool_results[1].to_string().contains("names no document"), "{}", tool_results[1]);
    assert_eq!(tool_results[2]["Text"], "High water is at nine.");
    assert!(site.requests().iter().all(|request| !request.contains("secret")));
}
