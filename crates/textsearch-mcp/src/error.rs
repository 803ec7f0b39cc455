//! Errors of servers and clients.

use textsearch_core::BoxError;
use textsearch_kernel::KernelError;

/// The result of any fallible MCP operation.
pub type Result<T, E = McpError> = std::result::Result<T, E>;

/// Why an MCP server can't start, or a client can't connect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// A setting is invalid.
    #[error("the setting `{setting}` {message}")]
    #[non_exhaustive]
    InvalidSetting {
        /// The setting.
        setting: &'static str,
        /// The value found and the values allowed.
        message: String,
    },
    /// A function or prompt can't be offered, or a plugin can't be created.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The server can't be started or reached.
    #[error("cannot connect to the MCP server `{server}`: {message}")]
    #[non_exhaustive]
    Connect {
        /// The command or the URL without its query.
        server: String,
        /// The problem and the expected fix.
        message: String,
        /// The cause.
        source: Option<BoxError>,
    },
    /// Reading or writing messages failed.
    #[error("the MCP connection failed: {message}")]
    #[non_exhaustive]
    Transport {
        /// The failed step.
        message: String,
        /// The cause.
        source: BoxError,
    },
}

impl McpError {
    #[cfg(any(feature = "client", feature = "server"))]
    pub(crate) fn invalid_setting(setting: &'static str, message: impl Into<String>) -> Self {
        Self::InvalidSetting { setting, message: message.into() }
    }

    #[cfg(feature = "server")]
    pub(crate) fn transport(message: &str, source: impl Into<BoxError>) -> Self {
        Self::Transport { message: message.to_owned(), source: source.into() }
    }

    #[cfg(feature = "client")]
    pub(crate) fn connect(
        server: &str,
        message: impl Into<String>,
        source: Option<BoxError>,
    ) -> Self {
        Self::Connect { server: server.to_owned(), message: message.into(), source }
    }
}
