//! The client: another program's tools as a plugin.

mod caller;
mod config;
mod connection;
mod content;
mod endpoint;
mod greeting;
#[cfg(feature = "http-client")]
mod http;
mod lines;
mod listing;
mod opening;
mod process;
mod secrets;
mod tools;
mod unreadable;

pub use config::McpPluginConfig;
#[cfg(feature = "http-client")]
pub use endpoint::McpUrl;
pub use endpoint::{McpCommand, McpEndpoint};
pub use listing::RefusedTool;

use std::{fmt, sync::Arc};

use textsearch_kernel::KernelPlugin;
use tokio::sync::watch;

use self::{caller::Caller, listing::Listed};
use crate::Result;

/// The tools of an MCP server as a plugin for templates and models.
///
/// ```no_run
/// use textsearch_kernel::{Kernel, KernelArguments};
/// use textsearch_mcp::{McpCommand, McpPlugin};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let command = McpCommand::new("npx").with_arguments(["-y", "@modelcontextprotocol/server-everything"]);
/// let everything = McpPlugin::connect("Everything", command).await?;
/// let mut kernel = Kernel::new();
/// kernel.add_plugin(everything.plugin()?)?;
/// let arguments = KernelArguments::new().with("message", "hello");
/// println!("{}", kernel.invoke("Everything", "echo", arguments).await?.text());
/// # Ok(())
/// # }
/// ```
///
/// - Each tool becomes a function. Characters that function names can't have become `_`, and
///   [`original_name`](textsearch_kernel::function::FunctionMetadata::original_name) keeps the
///   server's spelling.
/// - A result is the tool's structured content, or else its text. Structured content with the one
///   field `result` is unwrapped. Results are untrusted, like search results. Names and descriptions
///   of tools become part of a model's instructions: connect only to servers you trust.
/// - An error that the tool reports is a [`KernelError::Reported`], which a model may read.
/// - The next call starts or reaches a stopped server again, within the call's own time. No call is
///   repeated, since the server may have run it.
/// - Dropping a call cancels it at the server.
/// - Servers may speak any revision of the protocol up to 2026-07-28. The client tries the newest
///   one first.
///
/// The connection lives as long as this value, its clones, and the functions of its plugins.
///
/// [`KernelError::Reported`]: textsearch_kernel::KernelError::Reported
#[derive(Clone)]
pub struct McpPlugin {
    caller: Arc<Caller>,
    changes: watch::Receiver<Arc<Listed>>,
}

impl McpPlugin {
    /// Connects to a server and lists its tools. `name` becomes the plugin's name.
    ///
    /// # Errors
    ///
    /// - [`McpError::Connect`](crate::McpError::Connect) if the server can't be started or reached
    ///   in time, or doesn't speak MCP.
    /// - [`McpError::Kernel`](crate::McpError::Kernel) if the name can't be a plugin's.
    /// - [`McpError::InvalidSetting`](crate::McpError::InvalidSetting) if a limit is 0, or the
    ///   server lacks a tool that the settings name.
    pub async fn connect(
        name: impl Into<String>,
        endpoint: impl Into<McpEndpoint>,
    ) -> Result<Self> {
        Self::connect_with_config(name, endpoint, McpPluginConfig::new()).await
    }

    /// Like [`connect`](Self::connect), with other limits or only some tools.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`connect`](Self::connect).
    pub async fn connect_with_config(
        name: impl Into<String>,
        endpoint: impl Into<McpEndpoint>,
        config: McpPluginConfig,
    ) -> Result<Self> {
        let (caller, mut changes) = Caller::new(name.into(), endpoint.into(), config);
        KernelPlugin::new(caller.name(), "", [])?;
        caller.check_limits()?;
        caller.connection().await?;
        caller.check_tools(&changes.borrow())?;
        changes.mark_unchanged();
        Ok(Self { caller: Arc::new(caller), changes })
    }

    /// Returns the plugin with the server's current tools.
    ///
    /// # Errors
    ///
    /// Returns [`McpError::Kernel`](crate::McpError::Kernel) if the plugin's name is invalid.
    pub fn plugin(&self) -> Result<KernelPlugin> {
        let listed = Arc::clone(&self.changes.borrow());
        Ok(tools::plugin(&self.caller, &listed)?.0)
    }

    /// Returns the tools that [`plugin`](Self::plugin) lacks, each with the reason. At most the first 256
    /// beyond a limit are named.
    pub fn refused_tools(&self) -> Vec<RefusedTool> {
        let listed = Arc::clone(&self.changes.borrow());
        tools::plugin(&self.caller, &listed).map(|(_, refused)| refused).unwrap_or_default()
    }

    /// Waits until the server's tools change. Then put the new ones into the kernel with
    /// [`replace_plugin`](textsearch_kernel::Kernel::replace_plugin).
    pub async fn changed(&mut self) {
        // The caller holds the sender, so it can't be closed.
        let _ = self.changes.changed().await;
    }
}

impl fmt::Debug for McpPlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = self.changes.borrow();
        formatter
            .debug_struct("McpPlugin")
            .field("name", &self.caller.name())
            .field("endpoint", self.caller.endpoint())
            .field("tools", &listed.tools.len())
            .finish_non_exhaustive()
    }
}
