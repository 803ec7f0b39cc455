//! Functions as tools, called by the official SDK's client.

use std::{
    future,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient, ServiceError, ServiceExt as _,
    model::{
        CacheScope, CallToolRequestParams, CallToolResult, ClientRequest,
        ProgressNotificationParam, Request,
    },
    service::{NotificationContext, PeerRequestOptions},
};
use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelError, KernelFunction, KernelPlugin, function::FunctionMetadata,
};
use textsearch_mcp::{McpError, McpServer};

use crate::support::{Client, arguments, client, client_of, config, kernel, query};

async fn call(client: &Client, tool: &'static str, written: Value) -> CallToolResult {
    let request = CallToolRequestParams::new(tool).with_arguments(arguments(written));
    client.call_tool(request).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn functions_are_tools_with_their_schemas() {
    let client = client().await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        ["Docs-GetSearchResults", "Tools-Add", "Tools-Fail", "Tools-Report", "Tools-Hang"]
    );
    let search = &tools[0];
    assert_eq!(search.input_schema["required"], json!(["query"]));
    let output = search.output_schema.as_ref().unwrap();
    assert_eq!(output["required"], json!(["result"]));
    assert_eq!(output["properties"]["result"]["type"], "array");
    let hints = search.annotations.as_ref().unwrap();
    assert_eq!((hints.read_only_hint, hints.destructive_hint), (Some(true), Some(false)));
    assert_eq!(tools[1].annotations.as_ref().unwrap().read_only_hint, None);
    assert_eq!(tools[4].output_schema, None);
}

#[tokio::test]
async fn a_search_returns_text_structure_and_links() {
    let client = client().await;
    let result = call(&client, "Docs-GetSearchResults", json!({ "query": "x" })).await;
    let results = result.structured_content.as_ref().unwrap()["result"].clone();
    assert_eq!(results[0]["Value"], "Filters narrow a search.");
    assert_eq!(text(&result), results.to_string());
    let links = result.content.iter().filter_map(|block| block.as_resource_link());
    let links: Vec<_> = links.map(|link| (link.uri.as_str(), link.name.as_str())).collect();
    assert_eq!(
        links,
        [("textsearch://fixed/filters%231", "Filters"), ("https://www.rust-lang.org/", "Rust"),]
    );
}

#[tokio::test]
async fn arguments_have_types_and_defaults() {
    let client = client().await;
    let sum = call(&client, "Tools-Add", json!({ "left": 2, "right": 3 })).await;
    assert_eq!(sum.structured_content, Some(json!({ "result": 5 })));
    assert_eq!(text(&call(&client, "Tools-Add", json!({ "left": 2 })).await), "2");
}

#[tokio::test]
async fn a_wrong_argument_is_explained() {
    let result = call(&client().await, "Tools-Add", json!({ "left": "two" })).await;
    assert_eq!(result.is_error, Some(true));
    assert!(text(&result).contains("the argument `left` of `Tools-Add`"), "{}", text(&result));
}

#[tokio::test]
async fn an_internal_failure_stays_hidden() {
    let result = call(&client().await, "Tools-Fail", json!({})).await;
    assert_eq!(result.is_error, Some(true));
    assert_eq!(text(&result), r#"{"error":"failed","message":"the function failed"}"#);
}

#[tokio::test]
async fn a_reported_error_reaches_the_client() {
    let result = call(&client().await, "Tools-Report", json!({})).await;
    assert!(text(&result).contains("the page 7 doesn't exist"), "{}", text(&result));
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let client = client().await;
    let error = client.call_tool(CallToolRequestParams::new("Tools-Delete")).await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert!(error.message.contains("no function `Tools-Delete`"), "{error}");
    assert!(error.message.contains("Tools-Add"), "{error}");
}

#[tokio::test]
async fn only_offered_functions_are_tools() {
    let config = config().with_functions(["Docs-GetSearchResults"]);
    let client = client_of(McpServer::new(kernel(), config).unwrap()).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 1);
    assert!(client.call_tool(CallToolRequestParams::new("Tools-Add")).await.is_err());
}

#[tokio::test]
async fn a_long_result_is_cut_and_still_structured() {
    let mut config = config();
    config.max_result_characters = 110;
    let client = client_of(McpServer::new(kernel(), config).unwrap()).await;
    let request =
        CallToolRequestParams::new("Docs-GetSearchResults").with_arguments(query("anything"));
    let result = client.call_tool(request).await.unwrap();
    let structured = result.structured_content.as_ref().unwrap();
    assert_eq!(structured["truncated"], true);
    assert_eq!(structured["result"].as_array().unwrap().len(), 1);
    assert_eq!(result.content.len(), 2, "one text, one link");
}

#[tokio::test]
async fn a_call_ends_after_its_timeout() {
    let mut config = config();
    config.call_timeout = Duration::from_millis(50);
    let client = client_of(McpServer::new(kernel(), config).unwrap()).await;
    let result = call(&client, "Tools-Hang", json!({})).await;
    assert_eq!(text(&result), "the call took longer than 0.05 s and was stopped");
}

/// Ends when its guard is dropped.
pub(crate) fn watched() -> (Kernel, Arc<Mutex<Vec<&'static str>>>) {
    struct Guard(Arc<Mutex<Vec<&'static str>>>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.lock().unwrap().push("dropped");
        }
    }
    let events = Arc::<Mutex<Vec<_>>>::default();
    let seen = Arc::clone(&events);
    let hang = KernelFunction::new(FunctionMetadata::new("Hang", ""), move |_| {
        seen.lock().unwrap().push("started");
        let guard = Guard(Arc::clone(&seen));
        async move {
            let _guard = guard;
            future::pending::<Result<Value, KernelError>>().await
        }
    });
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("Tools", "", [hang.unwrap()]).unwrap()).unwrap();
    (kernel, events)
}

pub(crate) async fn eventually(is_so: impl Fn() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never happened");
}

#[tokio::test]
async fn a_cancelled_call_is_dropped() {
    let (kernel, events) = watched();
    let client = client_of(McpServer::new(kernel, config()).unwrap()).await;
    let request = Request::new(CallToolRequestParams::new("Tools-Hang"));
    let request = ClientRequest::CallToolRequest(request);
    let options = PeerRequestOptions::no_options();
    let running = client.send_cancellable_request(request, options).await.unwrap();
    eventually(|| *events.lock().unwrap() == ["started"]).await;
    running.cancel(Some("changed my mind".to_owned())).await.unwrap();
    eventually(|| *events.lock().unwrap() == ["started", "dropped"]).await;
}

#[derive(Clone, Default)]
struct Progress(Arc<Mutex<Vec<f64>>>);

impl ClientHandler for Progress {
    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.lock().unwrap().push(progress.progress);
    }
}

#[tokio::test]
async fn a_slow_call_reports_progress() {
    let seen = Progress::default();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(ours);
    let mut config = config();
    config.call_timeout = Duration::from_millis(3_500);
    let server = McpServer::new(kernel(), config).unwrap();
    tokio::spawn(async move { server.serve(input, output).await });
    let client = seen.clone().serve(theirs).await.unwrap();
    client.call_tool(CallToolRequestParams::new("Tools-Hang")).await.unwrap();
    assert!(seen.0.lock().unwrap().starts_with(&[1.0, 2.0]));
}

#[tokio::test]
async fn calls_wait_for_their_turn() {
    let mut config = config();
    config.max_concurrent_calls = 1;
    config.call_timeout = Duration::from_millis(1_500);
    let client = client_of(McpServer::new(kernel(), config).unwrap()).await;
    let hang = call(&client, "Tools-Hang", json!({}));
    let add = async {
        tokio::time::sleep(Duration::from_millis(750)).await;
        call(&client, "Tools-Add", json!({ "left": 1 })).await
    };
    let (hang, add) = tokio::join!(hang, add);
    assert_eq!(hang.is_error, Some(true));
    assert_eq!(text(&add), "1");
}

#[test]
fn impossible_settings_are_refused() {
    let mut no_call = config();
    no_call.max_concurrent_calls = 0;
    let error = McpServer::new(kernel(), no_call).unwrap_err();
    let expected = "the setting `max_concurrent_calls` is 0: expected 1 or more";
    assert_eq!(error.to_string(), expected);
    let mut no_time = config();
    no_time.call_timeout = Duration::ZERO;
    let error = McpServer::new(kernel(), no_time).unwrap_err();
    assert!(error.to_string().contains("`call_timeout` is 0"), "{error}");
    let mut any_documents = config();
    any_documents.max_documents = usize::MAX;
    McpServer::new(kernel(), any_documents).unwrap();
    let error = McpServer::new(kernel(), config().with_functions(["Docs-Gone"])).unwrap_err();
    assert!(matches!(error, McpError::Kernel(KernelError::FunctionNotFound { .. })), "{error}");
}

#[tokio::test]
async fn the_greeting_names_server_and_instructions() {
    let mut config = config().with_instructions("Search first.");
    config.version = "7.0".to_owned();
    let client = client_of(McpServer::new(kernel(), config).unwrap()).await;
    let info = client.peer_info().unwrap();
    assert_eq!(info.instructions.as_deref(), Some("Search first."));
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("test", "7.0"));
    assert!(info.capabilities.prompts.is_none() && info.capabilities.resources.is_some());
}

#[tokio::test]
async fn lists_say_how_long_they_may_be_kept() {
    let client = client().await;
    let tools = client.list_tools(None).await.unwrap();
    assert_eq!((tools.ttl_ms, tools.cache_scope), (Some(300_000), Some(CacheScope::Private)));
    let resources = client.list_resources(None).await.unwrap();
    assert_eq!((resources.ttl_ms, resources.cache_scope), (Some(0), Some(CacheScope::Private)));
}
