//! Filters that the model may set, and fixed filters that apply to every call.

use super::*;

fn parameters(stage: &Stage) -> Vec<String> {
    let request = stage.request(0);
    let tool = request.tools().next().unwrap().clone();
    tool["parameters"]["properties"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_may_filter_on_the_fields_that_are_allowed_and_on_no_other() {
    let stage = Stage::searching(query(), "One.").await;
    stage.ask(&["--tools"]);
    assert_eq!(parameters(&stage), ["count", "query", "skip"]);

    let narrowed = json!({ "query": "connector filter", "path": "docs/filters.md" });
    let stage = Stage::searching(narrowed, "One.").await;
    let run = stage.ask(&["--tools", "--allow-filter", "path"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(parameters(&stage), ["count", "path", "query", "skip"]);
    let told = stage.told(1);
    assert_eq!(told[0].as_array().unwrap().len(), 1);
    assert_eq!(told[0][0]["Name"], "Filters");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_is_not_there_is_an_error_that_lists_those_that_are() {
    let stage = Stage::new([]).await;
    let run = stage.ask(&["--tools", "--allow-filter", "path", "--allow-filter", "colour"]);
    assert_eq!(run.code, 2);
    let start = "textsearch: --allow-filter: a model cannot filter on `colour`: try one of ";
    assert!(run.stderr.starts_with(start) && run.stderr.contains("path"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_fields_that_would_be_one_parameter_cannot_both_be_allowed() {
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
        assert_eq!(stage.told(1), [json!([])], "{argument}");

        let unoffered = json!({ "query": "filter data", "path": "docs/filters.md" });
        let stage = Stage::searching(unoffered, "Nothing.").await;
        stage.ask(&["--tools", argument, fixed]);
        assert_eq!(stage.told(1)[0]["error"], "invalid_arguments", "{argument}");
    }
}

#[cfg(feature = "web")]
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
    async fn a_query_with_operators_finds_nothing_outside_the_site_that_is_fixed() {
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
        let told = stage.told(1);
        let links: Vec<&Value> =
            told[0].as_array().unwrap().iter().map(|result| &result["Link"]).collect();
        assert_eq!(links, ["https://docs.rs/tokio"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_model_may_narrow_a_web_search_by_the_fields_that_are_allowed() {
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
    async fn a_search_that_fails_is_told_to_the_person_and_not_to_the_model() {
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
        assert_eq!(stage.told(1)[0]["error"], "failed");
        assert!(!stage.told(1)[0].to_string().contains("404"), "{:?}", stage.told(1));
    }
}
