use textsearch_conformance::{
    Action, Response, Server,
    chat::{ScriptedModel, Turn},
};
use textsearch_core::{
    async_trait,
    chat::{ChatHistory, ChatMessage},
    serde_json::{Value, json},
};
use textsearch_kernel::{
    Kernel, Result,
    chat::{
        AutoFunctionInvocationContext, AutoFunctionInvocationFilter, FunctionChoiceBehavior,
        NextAutoInvocation,
    },
};
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
    seen_by_model_with(server, arguments, |_| ()).await
}

async fn seen_by_model_with(
    server: &Server,
    arguments: Value,
    set_up: impl FnOnce(&mut Kernel),
) -> (Value, ScriptedModel) {
    let model =
        ScriptedModel::start([Turn::tool_call("P-op", &arguments), Turn::text("Done.")]).await;
    let chat = OpenAiChat::new(OpenAiConfig::without_key(model.base_url(), "any")).unwrap();
    let settings = quick().with_server_url(server.url());
    let imported = OpenApiPlugin::from_text("P", &tides().to_string(), settings).unwrap();
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", chat).unwrap();
    kernel.add_plugin(imported.plugin).unwrap();
    set_up(&mut kernel);
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

struct FixedHarbour;

#[async_trait]
impl AutoFunctionInvocationFilter for FixedHarbour {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        context.arguments.insert("harbour", "tenant-7");
        next.run(context).await
    }
}

#[tokio::test]
async fn a_model_never_sees_the_echo_of_a_fixed_argument() {
    let echo =
        |path: &str| Action::Answer(Response::json(&json!({ "input": path })).with_status(422));
    let server = Server::start(move |request, _| echo(&request.path)).await;
    let fixed = |kernel: &mut Kernel| kernel.add_auto_function_filter(FixedHarbour);
    let (content, _) = seen_by_model_with(&server, json!({ "harbour": "Leith" }), fixed).await;
    assert_eq!(server.requests()[0].path, "/tides/tenant-7");
    assert_eq!(content, "{\"error\":\"failed\",\"message\":\"the function failed\"}");
}
