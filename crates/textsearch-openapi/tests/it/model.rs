use textsearch_conformance::{
    Action, Response, Server,
    chat::{ScriptedModel, Turn},
};
use textsearch_core::{
    chat::{ChatHistory, ChatMessage},
    serde_json::{Value, json},
};
use textsearch_kernel::{Kernel, chat::FunctionChoiceBehavior};
use textsearch_openai::{OpenAiChat, OpenAiConfig};
use textsearch_openapi::OpenApiPlugin;

use crate::support::{get, quick};

fn tides() -> Value {
    get(
        "/tides/{harbour}",
        json!([
            { "name": "harbour", "in": "path", "required": true, "description": "The harbour.", "schema": { "type": "string" } },
        ]),
    )
}

/// Calls the function once with these arguments, and returns the tool message.
async fn seen_by_model(server: &Server, arguments: Value) -> (Value, ScriptedModel) {
    let model =
        ScriptedModel::start([Turn::tool_call("P-op", &arguments), Turn::text("Done.")]).await;
    let chat = OpenAiChat::new(OpenAiConfig::without_key(model.base_url(), "any")).unwrap();
    let settings = quick().with_server_url(server.url());
    let imported = OpenApiPlugin::from_text("P", &tides().to_string(), settings).unwrap();
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", chat).unwrap();
    kernel.add_plugin(imported.plugin).unwrap();
    let history = ChatHistory::from(vec![ChatMessage::user("When is high water?")]);
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "Done.");
    model.assert_valid();
    let messages = model.requests()[1].body["messages"].clone();
    let content = messages.as_array().unwrap().last().unwrap()["content"].clone();
    (content, model)
}

#[tokio::test]
async fn a_model_calls_an_operation() {
    let server = Server::of([Response::json(&json!({ "high": "06:12" }))]).await;
    let (content, model) = seen_by_model(&server, json!({ "harbour": "Port/Ellen" })).await;
    assert_eq!(server.requests()[0].path, "/tides/Port%2FEllen");
    assert_eq!(content, "{\"high\":\"06:12\"}");
    let parameters = &model.requests()[0].body["tools"][0]["function"]["parameters"];
    assert_eq!(parameters["required"], json!(["harbour"]));
    assert_eq!(parameters["properties"]["harbour"]["description"], "The harbour.");
}

#[tokio::test]
async fn a_model_learns_why_the_service_refused_its_arguments() {
    let server =
        Server::of([Response::json(&json!({ "detail": "no such harbour" })).with_status(404)])
            .await;
    let (content, _) = seen_by_model(&server, json!({ "harbour": "Atlantis" })).await;
    let content = content.as_str().unwrap();
    assert!(content.contains("refused by the service with status 404"), "{content}");
    assert!(content.contains("no such harbour"), "{content}");
    assert!(!content.contains("127.0.0.1"), "{content}");
}

#[tokio::test]
async fn a_model_learns_nothing_about_internal_failures() {
    let answer = Response::new(401, "text/plain", "token of tenant 7 expired");
    let server = Server::start(move |_, _| Action::Answer(answer.clone())).await;
    let (content, _) = seen_by_model(&server, json!({ "harbour": "Leith" })).await;
    assert_eq!(content, "{\"error\":\"failed\",\"message\":\"the function failed\"}");
}

#[tokio::test]
async fn a_model_learns_that_its_path_value_is_refused() {
    let server = Server::of([Response::json(&json!(1))]).await;
    let (content, _) = seen_by_model(&server, json!({ "harbour": ".." })).await;
    assert!(content.as_str().unwrap().contains("must not make a segment"), "{content}");
    assert_eq!(server.count(), 0);
}
