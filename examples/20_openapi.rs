//! Makes an HTTP service a plugin from its OpenAPI document: a template calls it, then a model.
//!
//! Needs: nothing; it runs offline against a built-in service.

mod model;

use model::Model;
use serde_json::json;
use textsearch_conformance::{
    Action, RecordedRequest, Response, Server,
    chat::{ModelScript, Turn},
};
use textsearch_core::{
    chat::{ChatHistory, ChatMessage},
    http::Secret,
};
use textsearch_kernel::{
    Kernel, KernelArguments, chat::FunctionChoiceBehavior, prompt::PromptTemplateConfig,
};
use textsearch_openapi::{Credentials, OpenApiPlugin, OpenApiSettings};

/// The server is relative to the document.
const DOCUMENT: &str = "
openapi: 3.1.0
info: { title: Harbours, description: Tides of a few harbours., version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /tides/{harbour}:
    get:
      operationId: getTides
      summary: Returns the times of high water in a harbour.
      parameters:
        - { name: harbour, in: path, required: true, description: The harbour's name., schema: { type: string } }
        - { name: days, in: query, description: The number of days., schema: { type: integer, default: 1 } }
      responses:
        '200': { description: The times., content: { application/json: { schema: { type: object } } } }
    delete:
      operationId: forgetTides
      summary: Deletes the times of a harbour.
      parameters:
        - { name: harbour, in: path, required: true, schema: { type: string } }
security: [{ token: [] }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
";

fn answer(request: &RecordedRequest) -> Response {
    println!("  {} {}", request.method, request.url);
    match request.path.as_str() {
        "/openapi.yaml" => Response::new(200, "application/yaml", DOCUMENT),
        _ if request.header("authorization") != Some("Bearer open sesame") => {
            Response::new(401, "text/plain", "no token")
        }
        "/v1/tides/Leith" => Response::json(&json!({ "high_water": ["05:10", "17:32"] })),
        _ => Response::json(&json!({ "detail": "unknown harbour" })).with_status(404),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let service = Server::start(|request, _| Action::Answer(answer(request))).await;

    // A model should only read, so `forgetTides` is left out.
    let settings = OpenApiSettings::new()
        .with_authenticator(Credentials::Bearer(Secret::from("open sesame")))
        .with_operation_filter(|operation| operation.read_only);
    let url = service.url().join("openapi.yaml")?;
    let imported = OpenApiPlugin::from_url("Harbours", url, settings).await?;
    for import in &imported.operations {
        println!("{} is {} {}", import.function, import.operation.method, import.operation.path);
    }
    for refusal in &imported.refused {
        println!("{} {}: {}", refusal.operation.method, refusal.operation.path, refusal.reason);
    }

    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(imported.plugin)?;

    let template = "High water in {{$harbour}}: {{Harbours.getTides $harbour days='2'}}";
    let prompt = kernel.compile_prompt(&PromptTemplateConfig::new(template))?;
    let arguments = KernelArguments::new().with("harbour", "Leith");
    println!("{}\n", prompt.render(&kernel, &arguments).await?.text);

    // The model misspells the harbour, sees the service's answer, and tries again.
    let turns = [
        Turn::tool_call("Harbours-getTides", &json!({ "harbour": "Leeth" })),
        Turn::tool_call("Harbours-getTides", &json!({ "harbour": "Leith" })),
        Turn::text("High water in Leith is at 05:10 and 17:32."),
    ];
    let model = Model::open(ModelScript::turns(turns)).await?;
    kernel.add_chat_service("default", model.chat)?;
    let history = ChatHistory::from(vec![ChatMessage::user("When is high water in Leith?")]);
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).await?;
    for call in &outcome.run.calls {
        println!("  {}: {:?}", call.call.name, call.result);
    }
    println!("{}", outcome.answer()?);
    Ok(())
}
