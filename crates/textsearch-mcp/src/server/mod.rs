//! The server: functions, prompts and found documents for MCP clients.

mod config;
mod documents;
mod handler;
#[cfg(feature = "http-server")]
mod http;
mod lines;
mod prompts;
mod research;
mod tools;
mod trace;

pub use config::McpServerConfig;
#[cfg(feature = "http-server")]
pub use http::{McpHttpConfig, McpHttpService};
pub use research::McpDocuments;

use std::fmt;

use rmcp::ServiceExt as _;
use textsearch_kernel::Kernel;
use tokio::io::{AsyncRead, AsyncWrite};

use self::{handler::Handler, lines::Lines};
use crate::{McpError, Result};

/// Offers the functions of a kernel as tools, prompts as prompts, and the documents that searches
/// found as resources.
///
/// - A tool is named `Plugin-Function`. It runs through the kernel's function filters, and its
///   errors explain a caller's own mistakes without revealing internals.
/// - A tool returns text and, if the function declares its return value, `structuredContent`: an
///   object with the value as `result`.
/// - A search also returns links to the documents it found, which clients can read as resources.
///   The server remembers the latest ones.
/// - The tools `search` and `fetch` search and read whole documents, if the server
///   [has some](McpServerConfig::with_documents).
/// - A call ends when its client cancels it, or after
///   [`call_timeout`](McpServerConfig::call_timeout). A client that asks for progress hears every
///   second that the call still runs.
///
/// Everyone who reaches the server can call every function it offers and read every document that
/// any of them found. To keep tenants apart, create one server each.
///
/// Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    handler: Handler,
}

impl McpServer {
    /// Creates a server for the functions and prompts of `kernel`.
    ///
    /// # Errors
    ///
    /// - [`McpError::Kernel`] if the kernel lacks a function that `config` names, or a prompt can't
    ///   be compiled.
    /// - [`McpError::InvalidSetting`] if a prompt has no name or the name of another, or a limit is 0.
    pub fn new(kernel: Kernel, config: McpServerConfig) -> Result<Self> {
        Ok(Self { handler: Handler::new(kernel, config)? })
    }

    /// Serves the client at standard input and output until it closes them.
    ///
    /// A line that isn't JSON gets the JSON-RPC error -32700, and the next line is read.
    ///
    /// Nothing else may write to standard output: log to standard error.
    ///
    /// # Errors
    ///
    /// Returns [`McpError::Transport`] if the client doesn't speak MCP or the connection breaks.
    pub async fn serve_stdio(&self) -> Result<()> {
        let (input, output) = rmcp::transport::stdio_pipes();
        self.serve(input, output).await
    }

    /// Serves one client over a connection of the caller, such as a socket, until the client closes
    /// it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`serve_stdio`](Self::serve_stdio).
    pub async fn serve(
        &self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<()> {
        let running = self.handler.clone().serve(Lines::new(input, output)).await;
        let running =
            running.map_err(|error| McpError::transport("the client sent no greeting", error))?;
        let ended = running.waiting().await;
        ended.map(|_| ()).map_err(|error| McpError::transport("the server stopped", error))
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpServer").field("tools", &self.handler.tool_names()).finish()
    }
}
