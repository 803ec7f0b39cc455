//! Filters that the model may set, and fixed filters that apply to every call.

use super::*;

fn parameters(stage: &Stage) -> Vec<String> {
    let request = stage.request(0);
    let tool = request.tools().next().unwrap().clone();
    tool["parameters"]["properties"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_filters_on_allowed_fields_only() {
    let stage = Stage::searching(query(), "One.").await;
    stage.ask(&["--tools"]);
    assert_eq!(parameters(&stage), ["count", "query", "skip"]);

    let narrowed = json!({ "query": "connector filter", "path": "docs/filters.md" });
    let stage = Stage::searching(narrowed, "One.").await;
    let run = stage.ask(&["--tools", "--allow-filter", "path"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(parameters(&stage), ["count", "path", "query", "skip"]);
    let tool_results = stage.tool_results(1);
    assert_eq!(tool_results[0].as_array().unwrap().len(), 1);
    assert_eq!(tool_results[0][0]["Name"], "Filters");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_sees_values_that_the_fixed_filter_leaves() {
    for (filter, expected) in [
        (&[][..], &["docs/connectors.md", "docs/filters.md"][..]),
        (&["--fixed-filter", "path = \"docs/filters.md\""], &["docs/filters.md"]),
    ] {
        let stage = Stage::searching(query(), "One.").await;
        let run = stage.ask(&[&["--tools", "--allow-filter", "path"], filter].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let tool = stage.request(0).tools().next().unwrap().clone();
        let path = &tool["parameters"]["properties"]["path"];
        assert_eq!(path["anyOf"][0]["examples"], json!(expected), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_field_is_refused_with_the_known_fields() {
    let stage = Stage::new([]).await;
    let run = stage.ask(&["--tools", "--allow-filter", "path", "--allow-filter", "colour"]);
    assert_eq!(run.code, 2);
    let start = "textsearch: --allow-filter: a model cannot filter on `colour`: try one of ";
    assert!(run.stderr.starts_with(start) && run.stderr.contains("path"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_with_the_same_parameter_name_are_refused() {
    let stage = Stage::new([]).await;
    stage.place.write("x.jsonl", r#"{"id":"1","text":"apple","a_b":"x","a":{"b":"y"}}"#);
    let arguments =
        ["--from", "x.jsonl", "--tools", "--allow-filter", "a_b", "--allow-filter", "a.b"];
    let run = stage.ask_of(&arguments);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
    assert!(run.stderr.contains("do not offer both"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_cannot_widen_the_filter_of_the_command_line() {
    for argument in ["--filter", "--fixed-filter"] {
        let elsewhere = json!({ "query": "filter data", "path": "docs/filters.md" });
        let stage = Stage::searching(elsewhere, "Nothing.").await;
        let fixed = "path = \"docs/connectors.md\"";
        let run = stage.ask(&["--tools", "--allow-filter", "path", argument, fixed]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(stage.tool_results(1), [json!([])], "{argument}");

        let unoffered = json!({ "query": "filter data", "path": "docs/filters.md" });
        let stage = Stage::searching(unoffered, "Nothing.").await;
        stage.ask(&["--tools", argument, fixed]);
        assert_eq!(stage.tool_results(1)[0]["error"], "invalid_arguments", "{argument}");
    }
}

mod web {
    use super::*;
    use crate::server::{Server, parameter};

    fn pages() -> Server {
        let page = |url: &str| json!({ "url": url, "title": "Tokio", "content": "A runtime." });
        Server::searxng_with(json!([
            page("https://docs.rs/tokio"),
            page("https://site.evil.example/x")
        ]))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn query_operators_cannot_leave_the_fixed_site() {
        let hostile = json!({ "query": "x OR site:evil.example" });
        let stage = Stage::searching(hostile, "See https://docs.rs/tokio.").await;
        let server = pages();
        let url = server.url();
        let source = ["--source", "searxng", "--endpoint", &url, "--tools", "--check-citations"];
        let run = stage.ask_of(&[&source[..], &["--filter", "site = \"docs.rs\""]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        for request in server.requests() {
            let sent = parameter(&request, "q").replace("%3A", ":").replace('+', " ");
            assert_eq!(sent, "x or site evil.example site:docs.rs");
        }
        assert!(!server.requests().is_empty());
        let tool_results = stage.tool_results(1);
        let links: Vec<&Value> =
            tool_results[0].as_array().unwrap().iter().map(|result| &result["Link"]).collect();
        assert_eq!(links, ["https://docs.rs/tokio"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_model_filters_web_searches_by_allowed_fields() {
        let narrowed = json!({ "query": "runtime", "site": "docs.rs" });
        let stage = Stage::searching(narrowed, "See https://docs.rs/tokio.").await;
        let server = pages();
        let source =
            ["--source", "searxng", "--endpoint", &server.url(), "--tools"].map(str::to_owned);
        let source: Vec<&str> = source.iter().map(String::as_str).collect();
        let run = stage.ask_of(&[&source[..], &["--allow-filter", "site"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(server.requests()[0].contains("docs.rs"), "{:?}", server.requests());
        let unknown = stage.ask_of(&[&source[..], &["--allow-filter", "colour"]].concat());
        assert_eq!(unknown.code, 2);
        let listed = "try one of site, language, time_range, category";
        assert!(unknown.stderr.contains(listed), "{}", unknown.stderr);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn details_of_a_failed_search_are_hidden_from_the_model() {
        let stage = Stage::searching(query(), "I could not look.").await;
        let server = Server::start(|_| crate::server::Answer::html("no").with_status(404));
        let source =
            ["--source", "searxng", "--endpoint", &server.url(), "--tools", "--show-calls"]
                .map(str::to_owned);
        let source: Vec<&str> = source.iter().map(String::as_str).collect();
        let run = stage.ask_of(&source);
        assert_eq!((run.code, run.stdout.as_str()), (0, "I could not look.\n"));
        assert!(
            run.stderr.contains("failed after") && run.stderr.contains("searxng: "),
            "{}",
            run.stderr
        );
        assert_eq!(stage.tool_results(1)[0]["error"], "failed");
        assert!(
            !stage.tool_results(1)[0].to_string().contains("404"),
            "{:?}",
            stage.tool_results(1)
        );
    }
}
