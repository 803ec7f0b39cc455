//! `--source`: the connectors, each against a server that simulates its service.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::{
    server::{Answer, Server, parameter},
    support::{Run, Workplace},
};

const KEY: &str = "sesame-1f2e3d";

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let place = Workplace::with(&[]);
    let mut command = place.command(arguments);
    command.envs(variables.iter().copied()).output().unwrap().into()
}

fn search(server: &Server, arguments: &[&str]) -> Run {
    let source = ["search", "rust", "--source", "searxng", "--endpoint", &server.url()];
    run(&[&source, arguments].concat(), &[])
}

fn parsed(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn links(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["Link"].as_str().unwrap()).collect()
}

#[test]
fn results_come_from_as_few_pages_as_possible() {
    let server = Server::searxng(1000);
    let answer = parsed(&search(&server, &["--top", "25", "--output", "json"]));
    let links = links(&answer);
    assert_eq!((links.len(), links.iter().collect::<HashSet<_>>().len()), (25, 25));
    let pages: Vec<String> = server
        .requests()
        .iter()
        .map(|request| parameter(request.lines().next().unwrap(), "pageno"))
        .collect();
    assert_eq!(pages, ["1", "2", "3"]);
    assert_eq!(answer["total_count"], json!({ "estimated": 1000 }));
    assert_eq!(answer["results"][0]["Source"], "searxng");
}

#[test]
fn skip_leaves_out_the_best_results() {
    let server = Server::searxng(40);
    let answer = parsed(&search(&server, &["--top", "2", "--skip", "15", "--output", "json"]));
    assert_eq!(links(&answer), ["https://example.com/15", "https://example.com/16"]);
    let text = search(&server, &["--top", "1", "--skip", "15"]);
    assert!(text.stdout.starts_with("16. Page 15\n   https://example.com/15\n"), "{}", text.stdout);
}

#[test]
fn kind_selects_texts_results_or_records() {
    let server = Server::searxng(3);
    let texts = search(&server, &["--kind", "text", "--top", "1"]);
    assert_eq!(texts.stdout, "What page 0 says of rust.\n\n");
    let records = search(&server, &["--kind", "records", "--top", "1"]);
    let record: Value = serde_json::from_str(&records.stdout).unwrap();
    assert!(record.as_object().unwrap().values().any(|value| value == "stub"), "{record}");
}

#[test]
fn a_prompt_is_grounded_in_web_results() {
    let server = Server::searxng(3);
    let arguments = ["prompt", "rust", "--source", "searxng", "--endpoint", &server.url()];
    let prompt = run(&arguments, &[]);
    assert_eq!((prompt.code, prompt.stderr.as_str()), (0, ""));
    assert!(prompt.stdout.contains("What page 2 says of rust."), "{}", prompt.stdout);
    assert!(prompt.stdout.contains("https://example.com/2"), "{}", prompt.stdout);
    assert!(prompt.stdout.contains("Include citations"), "{}", prompt.stdout);
}

#[test]
fn a_filter_reaches_the_service_or_is_refused() {
    let server = Server::searxng(3);
    let applied = search(&server, &["--filter", "time_range = \"week\""]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(parameter(&server.requests()[0], "time_range"), "week");
    let sent = server.requests().len();
    for (filter, supported) in [
        (
            "colour = \"red\"",
            "cannot filter on `colour`: try one of site, language, time_range, category, engine, safesearch\n",
        ),
        ("site contains \"a\"", "cannot apply `contains` to `site`: expected eq\n"),
    ] {
        let refused = search(&server, &["--filter", filter]);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{filter}");
        assert!(refused.stderr.contains(supported), "{filter}: {}", refused.stderr);
    }
    assert_eq!(server.requests().len(), sent);
}

#[test]
fn the_endpoint_comes_from_argument_or_environment() {
    let server = Server::searxng(3);
    let arguments = ["search", "rust", "--source", "searxng", "--top", "1"];
    let variables = [("SEARXNG_ENDPOINT", server.url()), ("SEARXNG_LANGUAGE", "de".to_owned())];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(run(&arguments, &variables).code, 0);
    let elsewhere = Server::searxng(3);
    let named = elsewhere.url();
    let named = [&arguments[..], &["--endpoint", &named]].concat();
    assert_eq!(run(&named, &variables).code, 0);
    assert_eq!((server.requests().len(), elsewhere.requests().len()), (1, 1));
    assert_eq!(parameter(&elsewhere.requests()[0], "language"), "de");

    let nowhere = run(&arguments, &[]);
    assert_eq!((nowhere.code, nowhere.stderr.lines().count()), (2, 1));
    for needed in ["try --endpoint http://", "SEARXNG_ENDPOINT", "README of textsearch-searxng"] {
        assert!(nowhere.stderr.contains(needed), "{}", nowhere.stderr);
    }
}

#[test]
fn a_missing_key_is_refused_with_its_variable() {
    for (source, variable) in [
        ("brave", "BRAVE_API_KEY"),
        ("brave-context", "BRAVE_API_KEY"),
        ("tavily", "TAVILY_API_KEY"),
        ("perplexity", "PERPLEXITY_API_KEY"),
        ("exa", "EXA_API_KEY"),
        ("webiq", "WEBIQ_API_KEY"),
        ("linkup", "LINKUP_API_KEY"),
        ("serper", "SERPER_API_KEY"),
        ("bing", "BING_API_KEY"),
        ("bing-news", "BING_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
    ] {
        for endpoint in [&[][..], &["--endpoint", "http://127.0.0.1:1"]] {
            let run = run(&[&["search", "rust", "--source", source], endpoint].concat(), &[]);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{source}: {}", run.stderr);
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
            assert!(run.stderr.contains(variable), "{}", run.stderr);
        }
    }
    let engine = run(&["search", "rust", "--source", "google"], &[("GOOGLE_API_KEY", KEY)]);
    assert_eq!(engine.code, 2);
    assert!(engine.stderr.contains("GOOGLE_SEARCH_ENGINE_ID"), "{}", engine.stderr);
}

#[test]
fn each_connector_sends_its_key_and_reads_results() {
    let page = json!({ "url": "https://example.com/", "link": "https://example.com/" });
    let page = |more: Value| {
        let mut page = page.clone();
        page.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        page
    };
    let brave = page(json!({ "title": "Rust", "description": "A language." }));
    let tavily = page(json!({ "title": "Rust", "content": "A language.", "score": 0.5 }));
    let perplexity = page(json!({ "title": "Rust", "snippet": "A language." }));
    let bing = page(json!({ "name": "Rust", "snippet": "A language." }));
    let news = page(json!({ "name": "Rust", "description": "A language." }));
    let google = page(json!({ "title": "Rust", "snippet": "A language." }));
    for (source, variable, body) in [
        ("brave", "BRAVE_API_KEY", json!({ "web": { "results": [brave] } })),
        (
            "brave-context",
            "BRAVE_API_KEY",
            json!({ "grounding": { "generic": [page(json!({ "title": "Rust", "snippets": ["A language."] }))] } }),
        ),
        ("tavily", "TAVILY_API_KEY", json!({ "results": [tavily] })),
        ("perplexity", "PERPLEXITY_API_KEY", json!({ "results": [perplexity] })),
        (
            "exa",
            "EXA_API_KEY",
            json!({ "results": [page(json!({ "title": "Rust", "text": "A language." }))] }),
        ),
        (
            "webiq",
            "WEBIQ_API_KEY",
            json!({ "webResults": [page(json!({ "title": "Rust", "content": "A language." }))] }),
        ),
        (
            "linkup",
            "LINKUP_API_KEY",
            json!({ "results": [page(json!({ "name": "Rust", "content": "A language." }))] }),
        ),
        (
            "serper",
            "SERPER_API_KEY",
            json!({ "organic": [page(json!({ "title": "Rust", "snippet": "A language." }))] }),
        ),
        ("bing", "BING_API_KEY", json!({ "webPages": { "value": [bing] } })),
        ("bing-news", "BING_API_KEY", json!({ "value": [news] })),
        ("google", "GOOGLE_API_KEY", json!({ "items": [google] })),
    ] {
        let server = Server::start(move |_| Answer::json(&body));
        let endpoint = server.url();
        let arguments = ["search", "rust", "--source", source, "--endpoint", &endpoint];
        let variables = [(variable, KEY), ("GOOGLE_SEARCH_ENGINE_ID", "engine")];
        let run = run(&[&arguments[..], &["--top", "1"]].concat(), &variables);
        let expected = "1. Rust\n   https://example.com/\n   A language.\n\n";
        // Some services report scores.
        let stdout = run.stdout.replace("  (0.500)", "");
        assert_eq!(stdout, expected, "{source}: {}", run.stderr);
        let requests = server.requests();
        assert_eq!(requests.len(), 1, "{source}");
        assert!(requests[0].contains(KEY), "{source}: {}", requests[0]);
    }
}

#[test]
fn a_refused_key_is_named_by_variable_and_hidden() {
    let server = Server::start(|_| {
        let body =
            json!({ "error": { "code": "UNAUTHORIZED", "detail": format!("{KEY} is wrong") } });
        Answer::json(&body).with_status(401)
    });
    for command in ["search", "prompt"] {
        let arguments = [command, "rust", "--source", "brave", "--endpoint", &server.url(), "-v"];
        let arguments = arguments.map(str::to_owned);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = run(&arguments, &[("BRAVE_API_KEY", KEY), ("RUST_LOG", "trace")]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        let last = run.stderr.lines().last().unwrap();
        assert!(last.ends_with("try another key in BRAVE_API_KEY"), "{last}");
        assert!(run.stderr.lines().count() > 1, "nothing was logged");
        assert!(!run.stderr.contains(KEY), "{}", run.stderr);
    }
}

#[tokio::test]
async fn an_unreachable_service_is_reported_with_its_address() {
    let nowhere = textsearch_conformance::Server::nowhere().await;
    let endpoint = nowhere.as_str().trim_end_matches('/');
    let run = run(&["search", "rust", "--source", "searxng", "--endpoint", endpoint], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains(&format!("cannot connect to {endpoint}")), "{}", run.stderr);
    let advice = "no server answered at this URL: try another --endpoint or SEARXNG_ENDPOINT\n";
    assert!(run.stderr.ends_with(advice), "{}", run.stderr);
}

#[test]
fn an_html_error_page_is_reported_in_one_line() {
    let html = "<html>\u{1b}[2J\n<h1>Gateway</h1>\n</html>";
    for status in [200, 404] {
        let server = Server::start(move |_| Answer::html(html).with_status(status));
        let run = search(&server, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.starts_with("textsearch: searxng: "), "{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    }
}

#[test]
fn the_manual_lists_the_connectors_fields_without_a_key() {
    let manual = run(&["manual", "--source", "brave"], &[]);
    let manual = parsed(&manual);
    assert_eq!(manual[0]["name"], "SearchPlugin.GetSearchResults");
    let properties = manual[0]["parameters"]["properties"].as_object().unwrap();
    for parameter in ["query", "count", "site", "freshness", "filetype"] {
        assert!(properties.contains_key(parameter), "{parameter}: {:?}", properties.keys());
    }
    let searxng = parsed(&run(&["manual", "--source", "searxng", "--format", "openai"], &[]));
    let properties = &searxng[0]["function"]["parameters"]["properties"];
    assert!(properties["time_range"].is_object(), "{properties}");
}

#[test]
fn hostile_results_cannot_forge_lines_or_control_terminals() {
    let hostile = "rust \u{1b}]0;owned\u{7} \u{9b}2J \u{202e}gpj.exe\r\n2. Forged\n   http://b";
    let server = Server::searxng_with(json!([
        { "url": "http://127.0.0.1:1/a\n2. Forged", "title": hostile, "content": hostile },
    ]));
    for kind in ["text", "results", "records"] {
        for more in [&["--output", "text"][..], &["--output", "json"], &["--full-pages"]] {
            let run = search(&server, &[&["--kind", kind], more].concat());
            assert!(run.stdout.contains("rust"), "{kind} {more:?}: {}", run.stderr);
            let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!run.stdout.contains(steers), "{kind} {more:?}: {:?}", run.stdout);
            let is_forged = kind == "results" && run.stdout.contains("\n2. ");
            assert!(!is_forged, "{kind} {more:?}: {:?}", run.stdout);
        }
    }
}

#[test]
fn an_unknown_connector_is_refused_with_the_known_ones() {
    let run = run(&["search", "rust", "--source", "altavista"], &[]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (
            2,
            "textsearch: there is no connector `altavista`: try one of searxng, brave, brave-context, tavily, perplexity, exa, webiq, linkup, serper, bing, bing-news, google\n"
        )
    );
}

const QUERIES: &str = "{\"_id\":\"q1\",\"text\":\"rust\"}\n{\"_id\":\"q2\",\"text\":\"async\"}\n";

fn eval(server: &Server, arguments: &[&str]) -> Run {
    let place = Workplace::with(&[
        ("queries.jsonl", QUERIES),
        ("qrels.tsv", "q1\thttps://example.com/1\t1\nq2\thttps://example.com/99\t1\n"),
    ]);
    let files = ["eval", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"];
    let source = ["--source", "searxng", "--endpoint", &server.url()];
    place.run(&[&files[..], &source, arguments].concat())
}

#[test]
fn eval_identifies_web_results_by_link() {
    let server = Server::searxng(1000);
    let report = parsed(&eval(&server, &["--output", "json"]));
    assert_eq!(report["mrr"], 0.25);
    assert_eq!(report["per_query"][0]["documents"][9]["id"], "https://example.com/9");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn eval_prints_no_measures_if_a_query_fails() {
    let server = Server::start(|target| match parameter(target, "q").as_str() {
        "async" => Answer::json(&json!({})).with_status(400),
        _ => Answer::json(&json!({ "results": [] })),
    });
    let run = eval(&server, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("textsearch: the query `q2` failed: "), "{}", run.stderr);
}

#[test]
fn eval_refuses_full_pages() {
    let run = eval(&Server::searxng(10), &["--full-pages"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--full-pages changes the texts of results"), "{}", run.stderr);
}
