//! `textsearch serve`, called over HTTP.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use textsearch_conformance::chat::{ScriptedModel, Turn};
use textsearch_core::{
    Result,
    http::{HttpClient, HttpRequest, HttpSettings, Method, Url},
    secret::Secret,
};

use crate::support::Workplace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_textsearch");
const ACME: &str = "acme-acme-acme-acme";
const GLOBEX: &str = "globex-globex-globex";
const TOKENS: &str = r#"
[[tokens]]
name = "acme"
token = "acme-acme-acme-acme"
rights = ["search", "upsert"]
filter = 'tenant = "acme"'

[[tokens]]
name = "globex"
token = "globex-globex-globex"
rights = ["search", "upsert"]
filter = 'tenant = "globex"'
"#;

fn documents() -> Workplace {
    Workplace::with(&[
        ("public/fruit.md", "# Fruit\n\nApples and pears are fruit.\n"),
        ("private/plan.md", "# Plan\n\nThe secret plan is about fruit.\n"),
    ])
}

/// A server, killed when dropped.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) url: String,
    client: HttpClient,
}

impl Served {
    pub(crate) fn start(place: &Workplace, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments);
        command.env_remove("OPENAI_MODEL").env_remove("ANTHROPIC_MODEL");
        command.env_remove("TEXTSEARCH_TOKEN");
        command.envs(variables.iter().copied());
        command.current_dir(place.path("")).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split(' ').find_map(|word| word.strip_suffix("/;"));
        let url = url.unwrap_or_else(|| panic!("no URL in {line}")).to_owned();
        let settings = HttpSettings::default().with_proxy(false).with_max_attempts(1);
        let client = HttpClient::new("test", settings).unwrap();
        Self { process, url, client }
    }

    async fn send(&self, method: Method, path: &str, body: Value, token: &str) -> Result<Value> {
        let url = Url::parse(&format!("{}{path}", self.url)).unwrap();
        let request = HttpRequest::new(method, url).with_json(&body);
        // MCP requires both.
        let request = request.with_header("accept", "application/json, text/event-stream");
        let request = request.with_bearer(&Secret::from(token));
        Ok(self.client.send_json::<Value>(request).await?.body)
    }

    pub(crate) async fn post(&self, path: &str, body: Value, token: &str) -> Result<Value> {
        self.send(Method::POST, path, body, token).await
    }

    async fn names(&self, body: Value) -> Vec<String> {
        let response = self.post("/v1/search", body, ACME).await.unwrap();
        let results = response["results"].as_array().unwrap().clone();
        let mut names: Vec<_> =
            results.iter().map(|item| item["Name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    }

    /// Waits until a search has these results.
    async fn becomes(&self, query: &str, expected: &[&str]) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.names(json!({ "query": query })).await != expected {
            assert!(Instant::now() < deadline, "{query} never finds {expected:?}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn a_request_searches_the_files() {
    let served = Served::start(&documents(), &["--from", "."], &[]);
    assert_eq!(served.names(json!({ "query": "fruit" })).await, ["Fruit", "Plan"]);
    let filter = "path starts_with \"private/\"";
    assert_eq!(served.names(json!({ "query": "fruit", "filter": filter })).await, ["Plan"]);
    let template = json!({ "template": "{{#each (SearchPlugin-GetSearchResults 'apples')}}{{Name}}{{/each}}" });
    let rendered = served.post("/v1/prompt", template, ACME).await.unwrap();
    assert_eq!(rendered["text"], "Fruit");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_during_rebuilds_are_of_one_store() {
    let place = Workplace::with(&[]);
    let write = |title: &str| {
        for number in 0..10 {
            place.write(&format!("docs/{number}.md"), format!("# {title}\n\nAn apple.\n"));
        }
    };
    write("0");
    place.index(&["docs"]);
    let served = Served::start(&place, &[], &[]);
    let query = || json!({ "query": "apple", "top": 10 });
    for rebuild in 1..=5 {
        let [old, new] = [rebuild - 1, rebuild].map(|number| number.to_string());
        write(&new);
        let mut command = Command::new(PROGRAM);
        command.args(["index", "docs", "--rebuild"]).stdout(Stdio::null());
        let mut program = command.current_dir(place.path("")).spawn().unwrap();
        while program.try_wait().unwrap().is_none() {
            // Between the two stores there is none.
            let Ok(answer) = served.post("/v1/search", query(), ACME).await else { continue };
            let results = answer["results"].as_array().unwrap();
            let is_all_of = |title: &str| results.iter().all(|result| result["Name"] == title);
            assert!(results.len() == 10 && (is_all_of(&old) || is_all_of(&new)), "{answer}");
        }
        assert_eq!(served.names(query()).await, [new.as_str(); 10]);
    }
}

#[tokio::test]
async fn the_fixed_filter_holds_for_everyone() {
    let fixed = ["--from", ".", "--fixed-filter", "path starts_with \"public/\""];
    let served = Served::start(&documents(), &fixed, &[]);
    assert_eq!(served.names(json!({ "query": "fruit" })).await, ["Fruit"]);
}

#[tokio::test]
async fn watch_follows_changes_also_when_a_path_is_deleted() {
    let place = documents();
    let paths = ["--from", "public", "--from", "private/plan.md"];
    let served = Served::start(&place, &[&paths[..], &["--watch"]].concat(), &[]);
    served.becomes("fruit", &["Fruit", "Plan"]).await;
    place.remove("private/plan.md");
    served.becomes("fruit", &["Fruit"]).await;
    place.write("public/sea.md", "# Sea\n\nFruit floats.\n");
    served.becomes("fruit", &["Fruit", "Sea"]).await;
    place.write("private/plan.md", "# Plan\n\nMore fruit.\n");
    served.becomes("fruit", &["Fruit", "Plan", "Sea"]).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_slow_walk_stops_no_search() {
    let place = documents();
    let one_thread = [("TOKIO_WORKER_THREADS", "1")];
    let served = Served::start(&place, &["--from", ".", "--watch"], &one_thread);
    // A walk reads it until the other end closes.
    let pipe = place.path(".ignore");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    place.write("public/sea.md", "# Sea\n\nApples float.\n");
    let open = move || std::fs::File::options().write(true).open(pipe);
    let writer = tokio::task::spawn_blocking(open).await.unwrap().unwrap();
    assert_eq!(served.names(json!({ "query": "apples" })).await, ["Fruit"]);
    drop(writer);
    served.becomes("float", &["Sea"]).await;
}

#[tokio::test]
async fn documents_that_change_have_no_example_values() {
    let place = documents();
    place.write("tokens.toml", "[[tokens]]\nname = \"acme\"\ntoken = \"acme-acme-acme-acme\"\n");
    place.index(&["public"]);
    for (arguments, has_examples) in [
        (&["--from", "public"][..], true),
        (&["--from", "public", "--watch"], false),
        (&["--tokens", "tokens.toml"], true),
        (&["--tokens", "tokens.toml", "--writable"], false),
    ] {
        let arguments = [arguments, &["--allow-filter", "kind"]].concat();
        let served = Served::start(&place, &arguments, &[]);
        let described = served.send(Method::GET, "/v1/capabilities", json!(null), ACME).await;
        let described = described.unwrap().to_string();
        assert_eq!(described.contains("examples"), has_examples, "{arguments:?}: {described}");
    }
}

#[tokio::test]
async fn a_stranger_learns_where_to_log_in() {
    let provider = ["--oauth-issuer", "https://login.example"];
    let arguments =
        [&["--from", ".", "--public-url", "http://127.0.0.1:1"], &provider[..]].concat();
    let served = Served::start(&documents(), &arguments, &[]);
    let path = "/.well-known/oauth-protected-resource/mcp";
    let metadata = served.send(Method::GET, path, json!(null), ACME).await.unwrap();
    assert_eq!(metadata["authorization_servers"], json!(["https://login.example"]));
    assert_eq!(metadata["resource"], "http://127.0.0.1:1/mcp");
    assert!(served.post("/v1/search", json!({ "query": "apples" }), ACME).await.is_err());
}

#[tokio::test]
async fn the_model_of_the_environment_answers() {
    let model = ScriptedModel::start([Turn::text("Apples are fruit.")]).await;
    let variables = [("OPENAI_MODEL", "m"), ("OPENAI_BASE_URL", &model.base_url())];
    let served = Served::start(&documents(), &["--from", "."], &variables);
    let url = Url::parse(&format!("{}/v1/answer", served.url)).unwrap();
    let client = HttpClient::new("test", HttpSettings::default().with_proxy(false)).unwrap();
    let request = HttpRequest::post(url).with_json(&json!({ "question": "What are apples?" }));
    let answer = client.send_json::<Value>(request).await;
    // A stream of events is no JSON, so the error quotes it.
    assert!(answer.is_err());
    assert!(model.requests()[0].last_user_text().contains("Apples and pears are fruit."));
}

/// The model must respond while this thread waits for the server to start.
#[tokio::test(flavor = "multi_thread")]
async fn documents_with_embeddings_have_three_modes() {
    let model = ScriptedModel::start([Turn::text("x")]).await;
    let variables = [("OPENAI_BASE_URL", model.base_url())];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let arguments = ["--from", ".", "--embeddings", "openai:m", "--mode", "hybrid"];
    let served = Served::start(&documents(), &arguments, &variables);
    for mode in ["hybrid", "text", "vector"] {
        let body = json!({ "query": "pears", "mode": mode, "top": 1 });
        assert_eq!(served.names(body).await, ["Fruit"], "{mode}");
    }
    let error = served.post("/v1/search", json!({ "query": "x", "mode": "web" }), ACME).await;
    assert!(error.unwrap_err().to_string().contains("hybrid"));
}

#[tokio::test]
async fn an_acknowledged_write_survives_a_kill() {
    let place = Workplace::with(&[("tokens.toml", TOKENS)]);
    let arguments = ["--store", "notes.index", "--tokens", "tokens.toml", "--writable"];
    let document =
        json!({ "id": "plan", "text": "Acme sells anvils.", "metadata": { "author": "Ann" } });
    let mut served = Served::start(&place, &arguments, &[]);
    for round in 0..3 {
        let id = format!("plan-{round}");
        let mut document = document.clone();
        document["id"] = json!(id);
        let stored = served.post("/upsert", json!({ "documents": [document] }), ACME).await;
        assert_eq!(stored.unwrap(), json!({ "ids": [id] }));
        served.process.kill().unwrap();
        served.process.wait().unwrap();
        served = Served::start(&place, &arguments, &[]);
    }
    let query = json!({ "queries": [{ "query": "anvils", "top_k": 9 }] });
    let response = served.post("/query", query.clone(), ACME).await.unwrap();
    let results = response["results"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["metadata"]["author"], "Ann");
    let other = served.post("/query", query, GLOBEX).await.unwrap();
    assert_eq!(other["results"][0]["results"], json!([]));
}

#[tokio::test]
async fn files_and_written_documents_share_a_store() {
    let place = documents();
    place.write("tokens.toml", TOKENS);
    place.index(&["public", "--store", "notes.index"]);
    let arguments = ["--store", "notes.index", "--tokens", "tokens.toml", "--writable"];
    let served = Served::start(&place, &arguments, &[]);
    let body = json!({ "documents": [{ "id": "plan", "text": "Acme sells fruit." }] });
    served.post("/upsert", body, ACME).await.unwrap();
    assert_eq!(served.names(json!({ "query": "fruit" })).await.len(), 1);
    let run = place.run(&["index", "public", "--store", "notes.index"]);
    assert!(run.stderr.contains("is writing `notes.index`"), "{}", run.stderr);
    drop(served);
    assert_eq!(place.index(&["public", "--store", "notes.index"]), [0, 0, 1, 0]);
    assert_eq!(place.links(&["fruit", "--store", "notes.index", "--kind", "results"]).len(), 2);
}

#[test]
fn a_server_open_to_all_is_refused() {
    let place = documents();
    place.write("tokens.toml", TOKENS);
    let run = place.run(&["serve", "--from", ".", "--listen", "0.0.0.0:0"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("try --tokens FILE"), "{}", run.stderr);
    let tokens = ["serve", "--from", ".", "--listen", "0.0.0.0:0", "--tokens", "tokens.toml"];
    let run = place.run(&tokens);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("try --public-host"), "{}", run.stderr);
}

#[test]
fn wrong_arguments_are_explained() {
    let place = documents();
    place.write("tokens.toml", TOKENS);
    place.write("broken.toml", "[[tokens]]\nname = \"a\"\ntoken = 5\n");
    for (arguments, advice) in [
        (vec!["--writable"], "only a token may write"),
        (vec!["--from", ".", "--allow-filter", "colour"], "try one of"),
        (vec!["--from", ".", "--allow-origin", "app.example"], "such as https://app.example"),
        (vec!["--from", ".", "--tokens", "broken.toml"], "line 3: expected a list `tokens`"),
        (vec!["--from", ".", "--oauth-issuer", "https://login.example"], "--public-url"),
        (vec!["--from", ".", "--tenant-filter", "path = \"{org}\""], "--tenant-claim"),
        (
            vec![
                "--from",
                ".",
                "--oauth-issuer",
                "http://login.example",
                "--public-url",
                "http://a",
            ],
            "expected https://",
        ),
        (vec!["--from", ".", "--tokens", "tokens.toml"], "there is no such filterable field"),
    ] {
        let run = place.run(&[vec!["serve"], arguments].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(advice), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn signals_end_the_server_cleanly() {
    for signal in ["-INT", "-TERM"] {
        let mut served = Served::start(&documents(), &["--from", "."], &[]);
        let sent = Command::new("kill").args([signal, &served.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(served.process.wait().unwrap().code(), Some(0), "{signal}");
    }
}
