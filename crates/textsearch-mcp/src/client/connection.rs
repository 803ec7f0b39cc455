//! One connection to a server.

use std::{
    process::Stdio,
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
        PaginatedRequestParams,
    },
    service::{NotificationContext, RunningService},
    transport::async_rw::AsyncRwTransport,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader},
    process::{Child, Command},
    sync::watch,
    time,
};

use super::{McpCommand, McpEndpoint, McpPluginConfig, content, tools::Listed};
use crate::{McpError, Result};

/// The environment of a started server. No variable here holds a key.
const ENVIRONMENT: [&str; 17] = [
    "APPDATA",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PATHEXT",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMPDIR",
    "USER",
    "USERPROFILE",
];

/// Collects changes that a server announces one after the other.
const PAUSE: Duration = Duration::from_millis(100);

/// A server chooses how many pages it sends.
const MAX_PAGES: usize = 100;

/// Of one line on standard error.
const MAX_LOG_LINE: u64 = 4096;

pub(super) struct Connection {
    service: RunningService<RoleClient, Listener>,
    /// Killed when dropped.
    _child: Option<Child>,
}

impl Connection {
    pub(super) async fn open(
        endpoint: &McpEndpoint,
        config: &McpPluginConfig,
        tools: &Tools,
    ) -> Result<Self> {
        let server = endpoint.displayed();
        let listener = Listener { tools: tools.clone(), is_pending: Arc::default() };
        let (service, child) = match endpoint {
            McpEndpoint::Command(command) => {
                let mut child = start(command).map_err(|error| {
                    let message = format!("it doesn't start ({error}); check the program's name");
                    McpError::connect(&server, message, Some(error.into()))
                })?;
                let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
                    return Err(McpError::connect(&server, "it has no input or output", None));
                };
                if let Some(log) = child.stderr.take() {
                    tokio::spawn(log_lines(server.clone(), log));
                }
                let transport = AsyncRwTransport::new_client(output, input)
                    .with_max_line_length(config.max_message_bytes);
                (listener.serve(transport).await, Some(child))
            }
            #[cfg(feature = "http-client")]
            McpEndpoint::Url(url) => {
                (listener.serve(super::http::transport(url, config)?).await, None)
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
            let message = format!("it doesn't list its tools ({error})");
            McpError::connect(&server, content::shorten(&message), Some(error.into()))
        })?;
        Ok(Self { service, _child: child })
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

fn start(command: &McpCommand) -> std::io::Result<Child> {
    let mut process = Command::new(&command.program);
    process.args(&command.arguments).env_clear();
    for name in ENVIRONMENT {
        if let Some(value) = std::env::var_os(name) {
            process.env(name, value);
        }
    }
    for (name, value) in &command.environment {
        process.env(name, value.expose());
    }
    if let Some(directory) = &command.directory {
        process.current_dir(directory);
    }
    let piped = process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.kill_on_drop(true).spawn()
}

async fn log_lines(server: String, log: impl AsyncRead + Unpin) {
    let mut log = BufReader::new(log);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut log).take(MAX_LOG_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = content::clean(String::from_utf8_lossy(&line).trim_end());
                tracing::debug!(server, "{text}");
            }
        }
    }
}

/// The server's tools, kept current.
#[derive(Clone)]
pub(super) struct Tools {
    listed: Arc<watch::Sender<Arc<Listed>>>,
    most: usize,
}

impl Tools {
    pub(super) fn new(listed: watch::Sender<Arc<Listed>>, most: usize) -> Self {
        Self { listed: Arc::new(listed), most }
    }

    async fn refresh(&self, peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let request = PaginatedRequestParams::default().with_cursor(cursor.take());
            let page = peer.list_tools(Some(request)).await?;
            tools.extend(page.tools);
            cursor = page.next_cursor;
            if cursor.is_none() || tools.len() > self.most {
                break;
            }
        }
        if tools.len() > self.most || cursor.is_some() {
            tracing::warn!(max_tools = self.most, "the MCP server has more tools than allowed");
            tools.truncate(self.most);
        }
        let info = peer.peer_info();
        let instructions = info.as_ref().and_then(|info| info.instructions.clone());
        let description = content::shorten(&instructions.unwrap_or_default());
        self.listed.send_replace(Arc::new(Listed { description, tools }));
        Ok(())
    }
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

    /// A server can announce changes without end: one listing covers all that come in the pause.
    async fn on_tool_list_changed(&self, context: NotificationContext<RoleClient>) {
        if self.is_pending.swap(true, Ordering::AcqRel) {
            return;
        }
        time::sleep(PAUSE).await;
        self.is_pending.store(false, Ordering::Release);
        if let Err(error) = self.tools.refresh(&context.peer).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the MCP server's changed tools can't be listed");
        }
    }
}
