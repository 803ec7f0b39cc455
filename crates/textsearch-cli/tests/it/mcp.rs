//! `textsearch mcp`, called by the client of `textsearch-mcp`.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use textsearch_core::{http::Url, secret::Secret};
use textsearch_kernel::{Kernel, KernelArguments, KernelError, Result};
use textsearch_mcp::{McpCommand, McpPlugin, McpUrl};

use crate::{
    server::{Answer, Server},
    support::Workplace,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_textsearch");

fn documents() -> Workplace {
    Workplace::with(&[
        ("public/fruit.md", "# Fruit\n\nApples and pears are fruit.\n"),
        ("private/plan.md", "# Plan\n\nThe secret plan is about fruit.\n"),
    ])
}

async fn connected(place: &Workplace, arguments: &[&str]) -> Kernel {
    let arguments = ["mcp", "--from", "."].iter().chain(arguments);
    let mut command = McpCommand::new(PROGRAM).with_arguments(arguments);
    command.directory = Some(place.path(""));
    let plugin = McpPlugin::connect("Docs", command).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    kernel
}

async fn search(kernel: &Kernel, arguments: Value) -> Result<Vec<String>> {
    let function = kernel.plugins()[0].functions()[0].name().to_owned();
    let arguments = KernelArguments::from(arguments.as_object().unwrap().clone());
    let results = kernel.invoke("Docs", &function, arguments).await?.value.into_json();
    let names = results.as_array().unwrap().iter().map(|item| match &item["Name"] {
        Value::String(name) => name.clone(),
        _ => item.to_string(),
    });
    Ok(names.collect())
}

#[tokio::test]
async fn a_client_searches_the_files() {
    let kernel = connected(&documents(), &[]).await;
    assert_eq!(kernel.plugins()[0].functions().len(), 3);
    let names = search(&kernel, json!({ "query": "apples" })).await.unwrap();
    assert_eq!(names, ["Fruit"]);
}

#[tokio::test]
async fn a_client_fetches_only_what_the_filters_show() {
    let fixed = ["--fixed-filter", "path starts_with \"public/\""];
    let kernel = connected(&documents(), &fixed).await;
    let call = async |tool: &str, argument: &str, text: &str| {
        let arguments = KernelArguments::new().with(argument, text);
        Ok::<_, KernelError>(kernel.invoke("Docs", tool, arguments).await?.value.into_json())
    };
    let results = call("search", "query", "fruit").await.unwrap();
    assert_eq!(results["results"].as_array().map(Vec::len), Some(1));
    let id = results["results"][0]["id"].as_str().unwrap();
    let document = call("fetch", "id", id).await.unwrap();
    assert_eq!(document["text"], "# Fruit\n\nApples and pears are fruit.");
    let hidden = call("fetch", "id", "private/plan.md").await.unwrap_err();
    assert!(hidden.to_string().contains("there is no such document"), "{hidden}");
}

#[tokio::test]
async fn watch_searches_what_changed() {
    let place = documents();
    let kernel = connected(&place, &["--watch"]).await;
    let names = async |word: &str| search(&kernel, json!({ "query": word })).await.unwrap();
    let becomes = async |word: &str, expected: &[&str]| {
        let deadline = Instant::now() + Duration::from_secs(30);
        while names(word).await != expected {
            assert!(Instant::now() < deadline, "{word}: {:?}", names(word).await);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    becomes("apples", &["Fruit"]).await;
    fs::write(place.path("public/fruit.md"), "# Fruit\n\nOnly pears are fruit.\n").unwrap();
    fs::write(place.path("public/sea.md"), "# Sea\n\nApples float.\n").unwrap();
    fs::remove_file(place.path("private/plan.md")).unwrap();
    becomes("apples", &["Sea"]).await;
    becomes("secret", &[]).await;
    fs::write(place.path("public/sea.pdf"), "no PDF").unwrap();
    fs::write(place.path("notes.jsonl"), r#"{"text": "Plums are blue.", "colour": "blue"}"#)
        .unwrap();
    becomes("plums", &["L1"]).await;
    becomes("apples", &["Sea"]).await;
}

#[tokio::test]
async fn kind_selects_the_tool() {
    let kernel = connected(&documents(), &["--kind", "text"]).await;
    assert_eq!(kernel.plugins()[0].functions()[0].name(), "SearchPlugin_Search");
    let names = search(&kernel, json!({ "query": "apples" })).await.unwrap();
    assert!(names[0].contains("Apples and pears"), "{names:?}");
}

#[tokio::test]
async fn no_call_leaves_the_fixed_filter() {
    let fixed = ["--fixed-filter", "path starts_with \"public/\"", "--allow-filter", "path"];
    let kernel = connected(&documents(), &fixed).await;
    let names = search(&kernel, json!({ "query": "fruit", "count": 9 })).await.unwrap();
    assert_eq!(names, ["Fruit"]);
    let other = json!({ "query": "fruit", "path": "private/plan.md" });
    assert!(search(&kernel, other).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_field_that_is_not_allowed_is_no_argument() {
    let kernel = connected(&documents(), &[]).await;
    let metadata = kernel.plugins()[0].functions()[0].metadata();
    assert!(metadata.parameter("path").is_none());
    assert_eq!((metadata.read_only, metadata.is_open_world), (Some(true), Some(false)));
}

/// A server over HTTP, killed when dropped.
struct Served(Child, Url);

impl Served {
    fn start(place: &Workplace, arguments: &[&str], token: Option<&str>) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["mcp", "--from", ".", "--http", "127.0.0.1:0"]).args(arguments);
        command.current_dir(place.path("")).stderr(Stdio::piped());
        if let Some(token) = token {
            command.env("TEXTSEARCH_TOKEN", token);
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split(' ').find_map(|word| word.strip_suffix(';')).unwrap_or_default();
        Self(child, Url::parse(url).unwrap_or_else(|_| panic!("no URL in {line}")))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_server_over_http_wants_its_token() {
    let served = Served::start(&documents(), &[], Some("s3cret"));
    assert!(McpPlugin::connect("Docs", McpUrl::new(served.1.clone())).await.is_err());
    let endpoint = McpUrl::new(served.1.clone()).with_bearer_token(Secret::from("s3cret"));
    let plugin = McpPlugin::connect("Docs", endpoint).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    assert_eq!(search(&kernel, json!({ "query": "plan" })).await.unwrap(), ["Plan"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_cleanly() {
    for signal in ["-INT", "-TERM"] {
        let mut served = Served::start(&documents(), &[], None);
        let sent = Command::new("kill").args([signal, &served.0.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(served.0.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn a_server_open_to_all_is_refused() {
    let place = documents();
    let run = place.run(&["mcp", "--from", ".", "--http", "0.0.0.0:0"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("try a token in TEXTSEARCH_TOKEN"), "{}", run.stderr);
}

#[tokio::test]
async fn a_wrong_argument_is_explained_to_the_model() {
    let kernel = connected(&documents(), &[]).await;
    let error = search(&kernel, json!({ "query": "x", "count": 99 })).await.unwrap_err();
    assert!(matches!(error, KernelError::InvalidArgument { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_fetches_pages_that_it_found_on_the_web() {
    let site = Server::start(|_| Answer::html("<title>Tides</title><p>High water is at nine.</p>"));
    let link = format!("{}/tides", site.url());
    let engine = Server::searxng_with(json!([{ "url": link, "title": "Tides", "content": "…" }]));
    let source = ["mcp", "--source", "searxng", "--endpoint", &engine.url()];
    let pages = ["--full-pages", "--allow-host", &site.host()];
    let filter = ["--fixed-filter", "site = \"127.0.0.1\""];
    let command = McpCommand::new(PROGRAM).with_arguments([&source[..], &pages, &filter].concat());
    let plugin = McpPlugin::connect("Web", command).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    let call = async |tool: &str, argument: &str, text: &str| {
        let arguments = KernelArguments::new().with(argument, text);
        Ok::<_, KernelError>(kernel.invoke("Web", tool, arguments).await?.value.into_json())
    };
    call("fetch", "id", &link).await.unwrap_err();
    assert_eq!(call("search", "query", "tides").await.unwrap()["results"][0]["id"], link.as_str());
    assert_eq!(call("fetch", "id", &link).await.unwrap()["text"], "High water is at nine.");
    let other = call("fetch", "id", &format!("{link}?secret=1")).await.unwrap_err();
    assert!(other.to_string().contains("there is no such document"), "{other}");
}
