//! Errors of the server itself. Errors of requests are problems: see `problem`.

use textsearch_core::Error;
use textsearch_kernel::KernelError;
use textsearch_mcp::McpError;

/// The result of any fallible operation of a server.
pub type Result<T, E = ServerError> = std::result::Result<T, E>;

/// Why a server can't start or had to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// A setting or a service is invalid.
    #[error("the setting `{setting}` {message}")]
    #[non_exhaustive]
    InvalidSetting {
        /// The setting.
        setting: &'static str,
        /// The value found and the values allowed.
        message: String,
    },
    /// A file of tokens can't be read. The message repeats nothing from the file but filters.
    #[error("the tokens cannot be read: {message}")]
    #[non_exhaustive]
    InvalidTokens {
        /// The position and the expected input.
        message: String,
    },
    /// A search can't apply the fixed filter of a token.
    #[error("the filter of `{token}` cannot be used: it does not fit the source `{source_name}`")]
    #[non_exhaustive]
    UnsupportedFilter {
        /// The name of the token, or `oauth` for the filter of an identity provider's tenants.
        token: String,
        /// The name of the source.
        source_name: String,
        /// The search's own error.
        source: Error,
    },
    /// A function of a source can't be created.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The MCP server can't be created.
    #[error(transparent)]
    Mcp(#[from] McpError),
}

impl ServerError {
    pub(crate) fn setting(setting: &'static str, message: impl Into<String>) -> Self {
        Self::InvalidSetting { setting, message: message.into() }
    }

    pub(crate) fn tokens(message: impl Into<String>) -> Self {
        Self::InvalidTokens { message: message.into() }
    }
}
