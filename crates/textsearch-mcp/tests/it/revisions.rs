//! Servers of each revision of the protocol, made with the official SDK.

use std::{
    borrow::Cow,
    env,
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
        SubscriptionFilter, Tool,
    },
    service::{RequestContext, SubscriptionContext},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::Value;
use textsearch_kernel::{Kernel, KernelArguments, textsearch_core::http::Url};
use textsearch_mcp::{McpCommand, McpEndpoint, McpPlugin, McpPluginConfig, McpUrl};
use tokio::{net::TcpListener, sync::Notify, time};

use crate::support::arguments;

const NEW: &[ProtocolVersion] = &[ProtocolVersion::V_2026_07_28];
const OLD: &[ProtocolVersion] = &[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subscriptions {
    Served,
    Refused,
    Flooded,
}

/// The tool `revision` answers with the revision of the call. The tool `grow` adds `grown`.
#[derive(Clone)]
struct Peer {
    versions: &'static [ProtocolVersion],
    has_grown: Arc<AtomicBool>,
    grows: Arc<Notify>,
    subscriptions: Subscriptions,
}

impl Peer {
    fn new(versions: &'static [ProtocolVersion]) -> Self {
        let subscriptions = Subscriptions::Served;
        Self { versions, has_grown: Arc::default(), grows: Arc::default(), subscriptions }
    }
}

impl ServerHandler for Peer {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.versions)
    }

    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        ServerConfig::new(tools.build()).with_instructions("Ask for the revision.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut names = vec!["revision", "grow"];
        names.extend(self.has_grown.load(Ordering::SeqCst).then_some("grown"));
        let tools =
            names.into_iter().map(|name| Tool::new(name, "", Arc::new(arguments(Value::Null))));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "grow" {
            self.has_grown.store(true, Ordering::SeqCst);
            self.grows.notify_one();
        }
        let revision = context.protocol_version().map(|version| version.to_string());
        let content = ContentBlock::text(revision.unwrap_or_default());
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![content])))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        (self.subscriptions != Subscriptions::Refused).then(|| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        if self.subscriptions == Subscriptions::Flooded {
            while context.sink().notify_tool_list_changed().await.is_ok() {}
        }
        self.grows.notified().await;
        // The client may have left.
        let _ = context.sink().notify_tool_list_changed().await;
        context.cancelled().await;
        Ok(())
    }
}

/// Serves over HTTP until the test ends.
async fn http(peer: Peer) -> McpUrl {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let service = StreamableHttpService::new(
        move || Ok(peer.clone()),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default().with_legacy_session_mode(false),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    McpUrl::new(Url::parse(&url).unwrap())
}

/// Starts this test program as the server.
fn program(versions: &str) -> McpCommand {
    McpCommand::new(env::current_exe().unwrap())
        .with_arguments(["revisions::serves_a_client", "--exact", "--ignored", "--nocapture"])
        .with_environment_variable("TEXTSEARCH_TEST_VERSIONS", versions)
}

#[tokio::test]
#[ignore = "other tests start it"]
async fn serves_a_client() {
    let versions = match env::var("TEXTSEARCH_TEST_VERSIONS").as_deref() {
        Ok("new") => NEW,
        Ok(_) => OLD,
        Err(_) => return,
    };
    // The name of this test is on the same line.
    writeln!(std::io::stdout()).unwrap();
    let served = Peer::new(versions).serve(rmcp::transport::stdio()).await.unwrap();
    served.waiting().await.unwrap();
}

async fn connect(endpoint: impl Into<McpEndpoint>) -> (McpPlugin, Kernel) {
    let plugin = McpPlugin::connect("Far", endpoint).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    (plugin, kernel)
}

async fn call(kernel: &Kernel, name: &str) -> Value {
    let called = kernel.invoke("Far", name, KernelArguments::new()).await;
    called.unwrap().value.into_json()
}

async fn revision(endpoint: impl Into<McpEndpoint>) -> Value {
    let (plugin, kernel) = connect(endpoint).await;
    assert_eq!(plugin.plugin().unwrap().description(), "Ask for the revision.");
    call(&kernel, "revision").await
}

#[tokio::test]
async fn a_new_server_is_discovered_over_http() {
    assert_eq!(revision(http(Peer::new(NEW)).await).await, "2026-07-28");
}

#[tokio::test]
async fn an_old_server_is_initialized_over_http() {
    assert_eq!(revision(http(Peer::new(OLD)).await).await, "2025-11-25");
}

#[tokio::test]
async fn a_server_of_both_revisions_speaks_the_new_one() {
    let both = http(Peer::new(ProtocolVersion::KNOWN_VERSIONS)).await;
    assert_eq!(revision(both).await, "2026-07-28");
}

#[tokio::test]
async fn no_timeout_is_too_long() {
    for versions in [NEW, OLD] {
        let mut config = McpPluginConfig::new();
        config.connect_timeout = Duration::MAX;
        let peer = http(Peer::new(versions)).await;
        McpPlugin::connect_with_config("Far", peer, config).await.unwrap();
    }
}

#[tokio::test]
async fn a_new_program_is_discovered() {
    assert_eq!(revision(program("new")).await, "2026-07-28");
}

#[tokio::test]
async fn an_old_program_is_initialized() {
    assert_eq!(revision(program("old")).await, "2025-11-25");
}

async fn check_growth(endpoint: impl Into<McpEndpoint>) {
    let (mut plugin, kernel) = connect(endpoint).await;
    call(&kernel, "grow").await;
    time::timeout(Duration::from_secs(5), plugin.changed()).await.unwrap();
    let names: Vec<String> = plugin
        .plugin()
        .unwrap()
        .functions()
        .iter()
        .map(|function| function.name().to_owned())
        .collect();
    assert_eq!(names, ["revision", "grow", "grown"]);
}

#[tokio::test]
async fn changes_of_a_new_server_are_heard() {
    check_growth(http(Peer::new(NEW)).await).await;
    check_growth(program("new")).await;
}

#[tokio::test]
async fn no_subscription_is_needed_for_calls() {
    for subscriptions in [Subscriptions::Refused, Subscriptions::Flooded] {
        let (_plugin, kernel) = connect(http(Peer { subscriptions, ..Peer::new(NEW) }).await).await;
        time::sleep(Duration::from_millis(300)).await;
        assert_eq!(call(&kernel, "revision").await, "2026-07-28");
    }
}
