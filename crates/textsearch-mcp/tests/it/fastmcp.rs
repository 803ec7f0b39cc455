//! Our client with a FastMCP server, which `cargo xtask integration mcp` installs.

use std::{env, net::TcpListener, process::Command, time::Duration};

use serde_json::{Value, json};
use textsearch_kernel::{Kernel, KernelArguments, KernelError, Result, textsearch_core::http::Url};
use textsearch_mcp::{McpCommand, McpPlugin, McpPluginConfig, McpUrl};

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("`cargo xtask integration mcp` sets {name}"))
}

fn command() -> McpCommand {
    McpCommand::new(variable("TEXTSEARCH_MCP_PYTHON"))
        .with_arguments([variable("TEXTSEARCH_MCP_SERVER")])
}

fn kernel_of(plugin: &McpPlugin) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.replace_plugin(plugin.plugin().unwrap());
    kernel
}

async fn invoke(kernel: &Kernel, function: &str, arguments: Value) -> Result<Value> {
    let arguments = KernelArguments::from(arguments.as_object().unwrap().clone());
    Ok(kernel.invoke("Kitchen", function, arguments).await?.value.into_json())
}

async fn check_calls(plugin: &McpPlugin) {
    let kernel = kernel_of(plugin);
    let add = kernel.function(Some("Kitchen"), "add").unwrap().metadata();
    assert_eq!(add.description, "Adds two numbers.");
    assert_eq!(add.parameter("right").unwrap().description, "The second number.");
    assert_eq!(add.parameter("right").unwrap().default, Some(json!(1)));
    assert_eq!(invoke(&kernel, "add", json!({ "left": 2 })).await.unwrap(), 3);

    // Its schema refers to definitions.
    let order = kernel.function(Some("Kitchen"), "order").unwrap().metadata();
    let meal = &order.parameter("order").unwrap().schema["properties"]["meal"];
    assert_eq!(meal["properties"]["minutes"]["type"], "integer");
    let arguments = json!({ "order": { "meal": { "name": "soup", "minutes": 9 }, "guests": 2 } });
    let ordered = invoke(&kernel, "order", arguments).await.unwrap();
    assert_eq!(ordered, json!({ "name": "2 × soup", "minutes": 9 }));

    let error = invoke(&kernel, "fail", json!({ "reason": "no salt" })).await.unwrap_err();
    assert!(matches!(error, KernelError::Reported { .. }), "{error:?}");
    assert!(error.to_string().contains("no meal: no salt"), "{error}");
}

#[tokio::test]
#[ignore = "needs Python packages: cargo xtask integration mcp"]
async fn calls_a_program() {
    let plugin = McpPlugin::connect("Kitchen", command()).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().description(), "Ask about meals.");
    check_calls(&plugin).await;
}

#[tokio::test]
#[ignore = "needs Python packages: cargo xtask integration mcp"]
async fn a_slow_tool_stops_at_its_timeout() {
    let mut config = McpPluginConfig::new();
    config.call_timeout = Duration::from_secs(1);
    let plugin = McpPlugin::connect_with_config("Kitchen", command(), config).await.unwrap();
    let kernel = kernel_of(&plugin);
    let error = invoke(&kernel, "slow", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("longer than 1 s"), "{error}");
    // The connection still works.
    assert_eq!(invoke(&kernel, "add", json!({ "left": 2 })).await.unwrap(), 3);
}

#[tokio::test]
#[ignore = "needs Python packages: cargo xtask integration mcp"]
async fn hears_of_a_new_tool() {
    let mut plugin = McpPlugin::connect("Kitchen", command()).await.unwrap();
    let before = plugin.plugin().unwrap().functions().len();
    invoke(&kernel_of(&plugin), "grow", json!({})).await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), plugin.changed()).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().functions().len(), before + 1);
    assert_eq!(invoke(&kernel_of(&plugin), "grown", json!({})).await.unwrap(), "new");
}

#[tokio::test]
#[ignore = "needs Python packages: cargo xtask integration mcp"]
async fn calls_a_url() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new(variable("TEXTSEARCH_MCP_PYTHON"))
        .args([variable("TEXTSEARCH_MCP_SERVER"), port.to_string()])
        .spawn()
        .unwrap();
    let url = Url::parse(&format!("http://127.0.0.1:{port}/mcp")).unwrap();
    let mut connected = None;
    for _ in 0..100 {
        if let Ok(plugin) = McpPlugin::connect("Kitchen", McpUrl::new(url.clone())).await {
            connected = Some(plugin);
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    if let Some(plugin) = &connected {
        check_calls(plugin).await;
    }
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(connected.is_some(), "the server never answered");
}
