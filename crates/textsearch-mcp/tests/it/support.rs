//! Servers and clients of the tests.

use std::future;

use rmcp::{RoleClient, ServiceExt as _, service::RunningService};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use textsearch_kernel::{
    Kernel, KernelError, KernelFunction, KernelPlugin, TextSearchPlugins as _,
    function::{FunctionMetadata, NoArguments},
    textsearch_core::{FixedSearch, TextSearchResult, http::Url},
};
use textsearch_mcp::{McpHttpConfig, McpServer, McpServerConfig};
use tokio::net::TcpListener;

pub(crate) type Client = RunningService<RoleClient, ()>;

#[derive(Deserialize, JsonSchema)]
struct Sum {
    /// The first number.
    left: i64,
    #[serde(default)]
    right: i64,
}

/// A search and functions that add, fail, report and never end.
pub(crate) fn kernel() -> Kernel {
    let documents = [
        TextSearchResult::new("Filters\u{7} narrow a search.")
            .with_name("Filters")
            .with_id("filters#1"),
        TextSearchResult::new("Rust is a language.")
            .with_name("Rust")
            .with_link("https://www.rust-lang.org/"),
    ];
    let add = KernelFunction::from_fn("Add", "Adds two numbers.", |sum: Sum| async move {
        Ok::<_, KernelError>(sum.left + sum.right)
    });
    let fail = KernelFunction::from_fn("Fail", "Fails.", |_: NoArguments| async {
        Err::<String, _>("cannot reach 10.0.0.7 with key s3cret")
    });
    let report = KernelFunction::new(FunctionMetadata::new("Report", "Reports."), |_| async {
        Err(KernelError::reported("Tools-Report", "the page 7 doesn't exist"))
    });
    let hang = KernelFunction::new(FunctionMetadata::new("Hang", "Never ends."), |_| {
        future::pending::<Result<Value, KernelError>>()
    });
    let tools = [add, fail, report, hang].map(Result::unwrap);
    let mut kernel = Kernel::new();
    let docs = FixedSearch::new(documents).create_with_get_search_results("Docs").unwrap();
    kernel.add_plugin(docs).unwrap();
    kernel.add_plugin(KernelPlugin::new("Tools", "Tools.", tools).unwrap()).unwrap();
    kernel
}

pub(crate) fn config() -> McpServerConfig {
    McpServerConfig::new("test")
}

/// A client of the official SDK at the other end of a pipe.
pub(crate) async fn client_of(server: McpServer) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(ours);
    tokio::spawn(async move { server.serve(input, output).await });
    ().serve(theirs).await.unwrap()
}

pub(crate) async fn client() -> Client {
    client_of(McpServer::new(kernel(), config()).unwrap()).await
}

/// Serves over HTTP on loopback until the test ends.
pub(crate) async fn serve(server: McpServer, config: McpHttpConfig) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { server.serve_http(listener, config, future::pending()).await });
    Url::parse(&format!("http://{address}/mcp")).unwrap()
}

pub(crate) fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub(crate) fn query(text: &str) -> Map<String, Value> {
    arguments(json!({ "query": text }))
}
