//! `textsearch ask`, against a scripted model on loopback.

mod anthropic;
mod citations;
mod failures;
mod filters;
mod outcomes;
mod rag;
mod responses;
mod rewrite;
mod streams;
mod tools;

use std::{path::Path, process::Output};

use assert_cmd::Command;
use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelRequest, ModelScript, ScriptedModel, Turn};

use crate::support::{Run, Workplace};

const KEY: &str = "sk-open-sesame";

const QUESTION: &str = "How do I write a connector?";

const CONNECTORS: &str = "docs/connectors.md#connectors";

fn docs() -> Workplace {
    Workplace::with(&[
        ("docs/connectors.md", "# Connectors\n\nWrite one method to make a connector.\n"),
        ("docs/filters.md", "# Filters\n\nA filter is plain data.\n"),
    ])
}

struct Stage {
    place: Workplace,
    model: ScriptedModel,
}

impl Stage {
    async fn new(script: impl Into<ModelScript>) -> Self {
        let model = ScriptedModel::start(script.into().with_key(KEY)).await;
        Self { place: docs(), model }
    }

    /// The model searches with `arguments`, then returns `answer`.
    async fn searching(arguments: Value, answer: &str) -> Self {
        Self::new([search(arguments), Turn::text(answer)]).await
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(&[&["ask", QUESTION], arguments].concat());
        command.env("OPENAI_BASE_URL", self.model.base_url());
        command.env("OPENAI_API_KEY", KEY).env("OPENAI_MODEL", "scripted-model");
        command
    }

    /// Asks about the documents. The API must accept every request, and no output may show the key.
    fn ask(&self, arguments: &[&str]) -> Run {
        self.ask_of(&[&["--from", "docs"], arguments].concat())
    }

    /// Like `ask`, without selecting the documents.
    fn ask_of(&self, arguments: &[&str]) -> Run {
        let run = self.checked(self.command(arguments).output().unwrap());
        self.model.assert_valid();
        run
    }

    fn checked(&self, output: Output) -> Run {
        let run = Run::from(output);
        assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{}", run.stderr);
        run
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let run = self.ask(&[arguments, &["--output", "json"]].concat());
        serde_json::from_str(&run.stdout).unwrap()
    }

    fn request(&self, number: usize) -> ModelRequest {
        self.model.requests()[number].clone()
    }

    /// Returns the tool results in this request.
    fn tool_results(&self, number: usize) -> Vec<Value> {
        let request = self.request(number);
        let tools = request.messages().iter().filter(|message| message["role"] == "tool");
        let tool_results = tools.map(|message| message["content"].as_str().unwrap().to_owned());
        tool_results
            .map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)))
            .collect()
    }
}

fn search(arguments: Value) -> Turn {
    Turn::tool_call("SearchPlugin-GetSearchResults", &arguments)
}

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn query() -> Value {
    json!({ "query": "connector" })
}
