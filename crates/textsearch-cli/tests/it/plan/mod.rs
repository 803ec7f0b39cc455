//! `textsearch plan`, against a scripted model and services on loopback.

#[cfg(target_os = "linux")]
mod answers;
mod files;
mod goals;
mod kill;
mod plugins;

use assert_cmd::Command;
use serde_json::{Value, json};
use textsearch_conformance::{
    Action, RecordedRequest, Response, Server,
    chat::{ModelScript, ScriptedModel, Turn},
};

use crate::support::{Run, Workplace};

const GOAL: &str = "When is high water where the team meets?";
const PROGRAM: &str = env!("CARGO_BIN_EXE_textsearch");

fn docs() -> Workplace {
    Workplace::with(&[
        ("docs/team.md", "# Leith\n\nThe team meets here.\n"),
        ("docs/filters.md", "# Filters\n\nA filter is plain data.\n"),
    ])
}

struct Stage {
    place: Workplace,
    model: ScriptedModel,
}

impl Stage {
    /// The model writes these plans.
    async fn new(plans: impl IntoIterator<Item = Value>) -> Self {
        let turns = plans.into_iter().map(|plan| Turn::text(plan.to_string()));
        let model = ScriptedModel::start(ModelScript::turns(turns)).await;
        Self { place: docs(), model }
    }

    fn variables(&self) -> [(&'static str, String); 2] {
        [("OPENAI_BASE_URL", self.model.base_url()), ("OPENAI_MODEL", "scripted-model".to_owned())]
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(&[&["plan"], arguments].concat());
        command.envs(self.variables());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let run = self.command(arguments).output().unwrap().into();
        self.model.assert_valid();
        run
    }
}

fn search(id: &str, query: &str) -> Value {
    json!({ "id": id, "function": "SearchPlugin.GetSearchResults", "arguments": { "query": query } })
}

/// Finds the name of the document about the team.
fn search_plan() -> Value {
    json!({ "steps": [search("found", "team meets")], "result": "$.steps.found.result[0].Name" })
}

/// A service of tides that answers requests for tides with `answer`.
async fn tides(
    answer: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
) -> Server {
    const DOCUMENT: &str = "
openapi: 3.1.0
info: { title: Tides, version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ key: [] }, {}]
components: { securitySchemes: { key: { type: apiKey, in: header, name: x-key } } }
paths:
  /tides/{harbour}:
    parameters: [{ name: harbour, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getTides
      summary: Returns the times of high water in a harbour.
      responses:
        '200':
          description: The times.
          content:
            application/json:
              schema: { type: object, properties: { high_water: { type: array, items: { type: string } } } }
    delete:
      operationId: forgetTides
      summary: Deletes the times of a harbour.
  /chart:
    put: { operationId: putChart, requestBody: { content: { image/png: {} } } }
";
    Server::start(move |request, before| match request.path.as_str() {
        "/openapi.yaml" => Action::Answer(Response::new(200, "application/yaml", DOCUMENT)),
        _ => answer(request, before),
    })
    .await
}

fn high_water(request: &RecordedRequest) -> Action {
    let times = match request.path.as_str() {
        "/v1/tides/Leith" => vec!["05:10", "17:32"],
        _ => vec![],
    };
    Action::Answer(Response::json(&json!({ "high_water": times })))
}

fn requests_for_tides(service: &Server) -> Vec<String> {
    let all = service.requests().into_iter();
    all.map(|request| request.path).filter(|path| path.starts_with("/v1/")).collect()
}

fn tides_plugin(service: &Server) -> String {
    format!("Tides=openapi:{}openapi.yaml", service.url())
}
