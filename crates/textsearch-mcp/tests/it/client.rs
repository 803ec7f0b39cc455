//! Tools of a server as a plugin, over HTTP.

use std::{error::Error as _, time::Duration};

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, Result,
    chat::{CallErrorKind, FunctionChoiceBehavior},
    textsearch_core::{chat::ToolCall, http::Url},
};
use textsearch_mcp::{
    McpCommand, McpError, McpHttpConfig, McpPlugin, McpPluginConfig, McpServer, McpUrl,
};
use textsearch_prompt::add_template_factories;

use crate::support::{config, kernel, serve};

async fn url() -> Url {
    serve(McpServer::new(kernel(), config()).unwrap(), McpHttpConfig::new()).await
}

async fn remote() -> Kernel {
    let plugin = McpPlugin::connect("Remote", McpUrl::new(url().await)).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    kernel
}

async fn invoke(kernel: &Kernel, name: &str, arguments: Value) -> Result<Value> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let result = kernel.invoke("Remote", name, KernelArguments::from(arguments)).await;
    result.map(|result| result.value.into_json())
}

#[tokio::test]
async fn tools_become_functions_with_their_schemas() {
    let kernel = remote().await;
    let plugin = &kernel.plugins()[0];
    let names: Vec<_> = plugin.functions().iter().map(KernelFunction::name).collect();
    let expected =
        ["Docs_GetSearchResults", "Tools_Add", "Tools_Fail", "Tools_Report", "Tools_Hang"];
    assert_eq!(names, expected);
    let search = plugin.functions()[0].metadata();
    assert_eq!(search.original_name.as_deref(), Some("Docs-GetSearchResults"));
    assert_eq!(search.parameters[0].name, "query");
    assert!(search.parameters[0].is_required);
    assert_eq!(search.parameter("count").unwrap().default, Some(json!(2)));
    assert_eq!(search.return_parameter.schema["type"], "array");
    assert_eq!(search.read_only, Some(true));
}

#[tokio::test]
async fn a_call_returns_the_value_without_its_wrapper() {
    let kernel = remote().await;
    let sum = invoke(&kernel, "Tools_Add", json!({ "left": 2, "right": 3 })).await.unwrap();
    assert_eq!(sum, json!(5));
    let results = invoke(&kernel, "Docs_GetSearchResults", json!({ "query": "x" })).await.unwrap();
    assert_eq!(results[0]["Name"], "Filters");
}

#[tokio::test]
async fn a_template_calls_a_tool() {
    let mut kernel = remote().await;
    add_template_factories(&mut kernel);
    let config = textsearch_kernel::prompt::PromptTemplateConfig::new(
        "2 + $left = {{Remote.Tools_Add left=$left right='2'}}",
    );
    let prompt = kernel.compile_prompt(&config).unwrap();
    let arguments = KernelArguments::new().with("left", 40);
    assert_eq!(prompt.render(&kernel, &arguments).await.unwrap().text, "2 + $left = 42");
}

#[tokio::test]
async fn the_error_of_a_tool_reaches_the_model() {
    let kernel = remote().await;
    let error = invoke(&kernel, "Tools_Report", json!({})).await.unwrap_err();
    assert!(matches!(&error, KernelError::Reported { .. }), "{error:?}");

    let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto()).unwrap();
    let call = ToolCall::new("1", "Remote-Tools_Report", "{}");
    let error = kernel.answer_call(&call, &offered, 1_000).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Failed);
    assert!(error.message.contains("the page 7 doesn't exist"), "{error}");
}

#[tokio::test]
async fn only_chosen_tools_become_functions() {
    let config = McpPluginConfig::new().with_tools(["Tools-Add"]);
    let endpoint = McpUrl::new(url().await);
    let plugin = McpPlugin::connect_with_config("Remote", endpoint, config).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().functions().len(), 1);
}

#[tokio::test]
async fn a_slow_tool_is_reported() {
    let mut config = McpPluginConfig::new();
    config.call_timeout = Duration::from_millis(50);
    let endpoint = McpUrl::new(url().await);
    let plugin = McpPlugin::connect_with_config("Remote", endpoint, config).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    let error = invoke(&kernel, "Tools_Hang", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("took longer than 0.05 s"), "{error}");
}

#[tokio::test]
async fn the_token_is_sent_and_never_shown() {
    let server = McpServer::new(kernel(), config()).unwrap();
    let url = serve(server, McpHttpConfig::new().with_bearer_token("s3cret")).await;
    let endpoint = McpUrl::new(url.clone()).with_bearer_token("s3cret");
    let plugin = McpPlugin::connect("Remote", endpoint.clone()).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().functions().len(), 5);
    assert!(!format!("{endpoint:?}{plugin:?}").contains("s3cret"));

    let wrong = McpUrl::new(url).with_bearer_token("wr0ng").with_header("x-key", "wr0ng");
    let error = McpPlugin::connect("Remote", wrong).await.unwrap_err();
    let source = error.source().map(|source| format!("{source}{source:?}"));
    let shown = format!("{error}{error:?}{source:?}");
    assert!(shown.contains("401") && !shown.contains("wr0ng"), "{shown}");
}

#[tokio::test]
async fn urls_with_a_password_and_other_schemes_are_refused() {
    for url in ["http://me:word@127.0.0.1/mcp", "file:///mcp"] {
        let endpoint = McpUrl::new(Url::parse(url).unwrap());
        let error = McpPlugin::connect("Remote", endpoint).await.unwrap_err();
        assert!(!format!("{error}{error:?}").contains("word@"), "{error:?}");
    }
}

#[tokio::test]
async fn impossible_settings_are_refused() {
    let connect = async |config| {
        let endpoint = McpUrl::new(url().await);
        McpPlugin::connect_with_config("Remote", endpoint, config).await.unwrap_err().to_string()
    };
    let config = McpPluginConfig::new().with_tools(["Tools-Add", "Tools-Gone"]);
    assert!(connect(config).await.contains("names `Tools-Gone`, which the server doesn't have"));
    let mut config = McpPluginConfig::new();
    config.max_tools = 0;
    assert_eq!(connect(config).await, "the setting `max_tools` is 0: expected more");
}

#[tokio::test]
async fn a_name_that_no_plugin_can_have_is_refused() {
    let error = McpPlugin::connect("no-name", McpUrl::new(url().await)).await.unwrap_err();
    assert!(matches!(error, McpError::Kernel(_)), "{error}");
}

#[tokio::test]
async fn a_program_that_does_not_start_is_an_error() {
    let error = McpPlugin::connect("X", McpCommand::new("/nowhere/server")).await.unwrap_err();
    assert!(matches!(&error, McpError::Connect { .. }));
    assert!(error.to_string().contains("check the program's name"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_speaks_no_mcp_is_an_error() {
    let command = McpCommand::new("sh").with_arguments(["-c", "echo hello; cat > /dev/null"]);
    let mut config = McpPluginConfig::new();
    config.connect_timeout = Duration::from_millis(500);
    let error = McpPlugin::connect_with_config("X", command, config).await.unwrap_err();
    let expected = "it answered neither `server/discover` nor `initialize` within 0.5 s";
    assert!(error.to_string().ends_with(expected), "{error}");
    let command = McpCommand::new("sh").with_arguments(["-c", "exit 3"]);
    let error = McpPlugin::connect("X", command).await.unwrap_err();
    assert!(error.to_string().contains("doesn't greet as an MCP server"), "{error}");
}
