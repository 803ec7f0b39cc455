//! The list of a server's tools, kept current.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ClientHandler, Peer, RoleClient, ServiceError,
    model::{
        ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, ProtocolVersion,
        Tool,
    },
    service::NotificationContext,
};
use tokio::{
    sync::{Mutex, watch},
    time,
};

use super::{McpPluginConfig, content, secrets::Secrets};

/// Collects changes that a server announces one after the other.
const PAUSE: Duration = Duration::from_millis(100);

/// A server chooses how many pages it sends.
const MAX_PAGES: usize = 100;

/// The maximum number of tools beyond the limit that are named.
const MAX_LEFT_OUT: usize = 256;

/// A tool that can't become a function, or is beyond a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedTool {
    /// The tool, in the server's spelling.
    pub name: String,
    /// Why the plugin lacks it.
    pub reason: String,
}

/// The tools of a server, and its description.
#[derive(Default, PartialEq)]
pub(super) struct Listed {
    pub(super) description: String,
    pub(super) tools: Vec<Tool>,
    /// The first tools beyond the limits.
    pub(super) left_out: Vec<RefusedTool>,
}

/// The server's tools, kept current.
#[derive(Clone)]
pub(super) struct Tools {
    listed: Arc<watch::Sender<Arc<Listed>>>,
    /// One listing at a time, so that none replaces a later one.
    listing: Arc<Mutex<()>>,
    allowed: Option<Arc<[String]>>,
    max_tools: usize,
    max_bytes: usize,
    timeout: Duration,
    is_pending: Arc<AtomicBool>,
    secrets: Secrets,
}

impl Tools {
    pub(super) fn new(
        listed: watch::Sender<Arc<Listed>>,
        config: &McpPluginConfig,
        secrets: Secrets,
    ) -> Self {
        Self {
            listed: Arc::new(listed),
            listing: Arc::default(),
            allowed: config.tools.clone().map(Arc::from),
            max_tools: config.max_tools,
            max_bytes: config.max_message_bytes,
            timeout: config.connect_timeout,
            is_pending: Arc::default(),
            secrets,
        }
    }

    pub(super) async fn refresh(&self, peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
        let _listing = self.listing.lock().await;
        self.list(peer).await
    }

    /// Lists tools that changed. A server can announce changes without end: one listing covers all
    /// that come before it.
    pub(super) async fn changed(&self, peer: &Peer<RoleClient>) {
        if self.is_pending.swap(true, Ordering::AcqRel) {
            return;
        }
        time::sleep(PAUSE).await;
        let _listing = self.listing.lock().await;
        self.is_pending.store(false, Ordering::Release);
        match time::timeout(self.timeout, self.list(peer)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.warn(&error, "the MCP server's changed tools can't be listed");
            }
            Err(_) => tracing::warn!("the MCP server's changed tools weren't listed in time"),
        }
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
        let mut tools = Vec::new();
        let mut left_out = Vec::new();
        let mut bytes = 0;
        let mut cursor = None;
        for page in 1.. {
            let request = PaginatedRequestParams::default().with_cursor(cursor.take());
            let listed = peer.list_tools(Some(request)).await?;
            for tool in listed.tools.into_iter().filter(|tool| self.wants(&tool.name)) {
                let tool = shortened(tool);
                bytes += serde_json::to_string(&tool).map_or(0, |written| written.len());
                if left_out.is_empty() && tools.len() < self.max_tools && bytes <= self.max_bytes {
                    tools.push(tool);
                } else if left_out.len() < MAX_LEFT_OUT {
                    left_out.push(self.left_out(&tool, bytes));
                }
            }
            cursor = listed.next_cursor;
            let is_cut = !left_out.is_empty() || page == MAX_PAGES;
            if cursor.is_some() && is_cut {
                tracing::warn!(
                    tools = tools.len(),
                    "the MCP server lists more tools: they are left out"
                );
            }
            if is_cut || cursor.is_none() {
                break;
            }
        }
        for RefusedTool { name, reason } in &left_out {
            tracing::warn!(tool = name, "an MCP tool is left out: {reason}");
        }
        let info = peer.peer_info();
        let instructions = info.as_ref().and_then(|info| info.instructions.clone());
        let description = content::shorten(&instructions.unwrap_or_default());
        let listing = Listed { description, tools, left_out };
        self.listed.send_if_modified(|listed| {
            let is_new = **listed != listing;
            if is_new {
                *listed = Arc::new(listing);
            }
            is_new
        });
        Ok(())
    }

    fn left_out(&self, tool: &Tool, bytes: usize) -> RefusedTool {
        let reason = if bytes > self.max_bytes {
            format!("the tools before it have {} bytes (`max_message_bytes`)", self.max_bytes)
        } else {
            format!("{} tools come before it (`max_tools`)", self.max_tools)
        };
        let reason = format!("{reason}; name the tools that you need with `with_tools`");
        RefusedTool { name: content::shorten(&tool.name), reason }
    }

    pub(super) fn warn(&self, error: &ServiceError, message: &str) {
        let error = self.secrets.cause(error);
        tracing::warn!(%error, "{message}");
    }

    fn wants(&self, tool: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name == tool))
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
pub(super) struct Listener(pub(super) Tools);

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("textsearch", env!("CARGO_PKG_VERSION"));
        // Only `initialize` sends this version.
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, context: NotificationContext<RoleClient>) {
        self.0.changed(&context.peer).await;
    }
}
