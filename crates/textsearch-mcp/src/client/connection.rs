//! One connection to a server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ClientHandler, Peer, RoleClient, ServiceError, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
        PaginatedRequestParams, Tool,
    },
    service::{NotificationContext, RunningService},
    transport::async_rw::AsyncRwTransport,
};
use tokio::{
    sync::{Mutex, watch},
    time,
};

use super::{
    McpEndpoint, McpPluginConfig, bounded::Bounded, content, process::Process, secrets::Secrets,
    tools::Listed,
};
use crate::{McpError, Result};

/// Collects changes that a server announces one after the other.
const PAUSE: Duration = Duration::from_millis(100);

/// A server chooses how many pages it sends.
const MAX_PAGES: usize = 100;

pub(super) struct Connection {
    service: RunningService<RoleClient, Listener>,
    _process: Option<Process>,
}

impl Connection {
    pub(super) async fn open(
        endpoint: &McpEndpoint,
        config: &McpPluginConfig,
        tools: &Tools,
        secrets: &Secrets,
    ) -> Result<Self> {
        let server = endpoint.displayed();
        let listener = Listener { tools: tools.clone(), is_pending: Arc::default() };
        let (service, process) = match endpoint {
            McpEndpoint::Command(command) => {
                let (process, output, input) = Process::start(command, secrets)?;
                let transport = AsyncRwTransport::new_client(output, input)
                    .with_max_line_length(config.max_message_bytes);
                (listener.serve(Bounded::new(transport)).await, Some(process))
            }
            #[cfg(feature = "http-client")]
            McpEndpoint::Url(url) => {
                let transport = super::http::transport(url, config)?;
                (listener.serve(Bounded::new(transport)).await, None)
            }
        };
        let service = service.map_err(|error| {
            let message = match endpoint {
                McpEndpoint::Command(_) => {
                    "it doesn't greet as an MCP server: run it by hand to see why"
                }
                #[cfg(feature = "http-client")]
                McpEndpoint::Url(_) if error.is_authorization_required() => {
                    "it refuses the request without a valid token (401 or 403)"
                }
                #[cfg(feature = "http-client")]
                McpEndpoint::Url(_) => "it doesn't greet as an MCP server: check the URL",
            };
            McpError::connect(&server, message, Some(error.into()))
        })?;
        tools.refresh(service.peer()).await.map_err(|error| {
            let message = "it doesn't list its tools";
            McpError::connect(&server, message, Some(error.into()))
        })?;
        Ok(Self { service, _process: process })
    }

    pub(super) fn is_open(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    /// Dropping the future cancels the call at the server.
    pub(super) async fn call_tool(
        &self,
        request: CallToolRequestParams,
    ) -> Result<CallToolResult, ServiceError> {
        self.service.call_tool(request).await
    }
}

/// The server's tools, kept current.
#[derive(Clone)]
pub(super) struct Tools {
    listed: Arc<watch::Sender<Arc<Listed>>>,
    /// One listing at a time, so that none replaces a later one.
    listing: Arc<Mutex<()>>,
    wanted: Option<Arc<[String]>>,
    max_tools: usize,
    max_bytes: usize,
    timeout: Duration,
}

impl Tools {
    pub(super) fn new(listed: watch::Sender<Arc<Listed>>, config: &McpPluginConfig) -> Self {
        Self {
            listed: Arc::new(listed),
            listing: Arc::default(),
            wanted: config.tools.clone().map(Arc::from),
            max_tools: config.max_tools,
            max_bytes: config.max_message_bytes,
            timeout: config.connect_timeout,
        }
    }

    async fn refresh(&self, peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
        let _one = self.listing.lock().await;
        self.list(peer).await
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
        let (mut tools, mut bytes, mut is_cut) = (Vec::new(), 0, false);
        let mut cursor = None;
        for page in 1.. {
            let request = PaginatedRequestParams::default().with_cursor(cursor.take());
            let listed = peer.list_tools(Some(request)).await?;
            for tool in listed.tools.into_iter().filter(|tool| self.wants(&tool.name)) {
                let tool = shortened(tool);
                bytes += serde_json::to_string(&tool).map_or(0, |written| written.len());
                is_cut |= tools.len() == self.max_tools || bytes > self.max_bytes;
                if !is_cut {
                    tools.push(tool);
                }
            }
            cursor = listed.next_cursor;
            is_cut |= page == MAX_PAGES && cursor.is_some();
            if is_cut || cursor.is_none() {
                break;
            }
        }
        if is_cut {
            tracing::warn!(tools = tools.len(), "the MCP server has more tools than allowed");
        }
        let info = peer.peer_info();
        let instructions = info.as_ref().and_then(|info| info.instructions.clone());
        let description = content::shorten(&instructions.unwrap_or_default());
        self.listed.send_replace(Arc::new(Listed { description, tools }));
        Ok(())
    }

    fn wants(&self, tool: &str) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.iter().any(|name| name == tool))
    }
}

/// Keeps only the parts that a function gets.
fn shortened(mut tool: Tool) -> Tool {
    let text = tool.description.take().map(String::from).or(tool.title.take());
    tool.description = text.map(|text| content::shorten(&text).into());
    (tool.icons, tool.meta) = (None, None);
    tool
}

/// Hears when the tools change.
struct Listener {
    tools: Tools,
    is_pending: Arc<AtomicBool>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("textsearch", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }

    /// A server can announce changes without end: one listing covers all that come before it.
    async fn on_tool_list_changed(&self, context: NotificationContext<RoleClient>) {
        if self.is_pending.swap(true, Ordering::AcqRel) {
            return;
        }
        time::sleep(PAUSE).await;
        let _one = self.tools.listing.lock().await;
        self.is_pending.store(false, Ordering::Release);
        match time::timeout(self.tools.timeout, self.tools.list(&context.peer)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the MCP server's changed tools can't be listed");
            }
            Err(_) => tracing::warn!("the MCP server's changed tools weren't listed in time"),
        }
    }
}
