//! Endpoints: programs and URLs.

use std::{ffi::OsString, fmt, path::PathBuf};

#[cfg(feature = "http-client")]
use textsearch_core::http::{HttpSettings, Url, displayable};
use textsearch_core::secret::Secret;

/// How to reach a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum McpEndpoint {
    /// A program to start; it speaks MCP on standard input and output.
    Command(McpCommand),
    /// A server that speaks streamable HTTP.
    #[cfg(feature = "http-client")]
    Url(McpUrl),
}

/// A program that speaks MCP on standard input and output.
///
/// It runs without a shell. It inherits only the environment variables that programs need to run,
/// such as `PATH` and `HOME`: no keys. The end of the connection kills it and the programs that
/// it started. Its standard error is logged at the level `debug`.
#[derive(Clone)]
#[non_exhaustive]
pub struct McpCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Additional environment variables, often keys.
    pub environment: Vec<(String, Secret)>,
    /// Its working directory; this process's own by default.
    pub directory: Option<PathBuf>,
}

impl McpCommand {
    /// Creates the command of a program without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: None,
        }
    }

    /// Sets the arguments.
    #[must_use]
    pub fn with_arguments(
        mut self,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        self.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn with_environment_variable(
        mut self,
        name: impl Into<String>,
        value: impl Into<Secret>,
    ) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }
}

/// Hides the arguments, which may hold a key.
impl fmt::Debug for McpCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpCommand").field("program", &self.program).finish_non_exhaustive()
    }
}

impl From<McpCommand> for McpEndpoint {
    fn from(command: McpCommand) -> Self {
        Self::Command(command)
    }
}

/// The URL of a server that speaks streamable HTTP.
///
/// Redirects are errors, so no key reaches another server.
#[cfg(feature = "http-client")]
#[derive(Clone)]
#[non_exhaustive]
pub struct McpUrl {
    /// The URL, such as `https://mcp.example.com/mcp`.
    pub url: Url,
    /// The token of `Authorization: Bearer`; none by default.
    pub bearer_token: Option<Secret>,
    /// Additional headers, often keys.
    pub headers: Vec<(String, Secret)>,
    /// The connect timeout, the proxy and the user agent. The other settings have no effect.
    pub http: HttpSettings,
}

#[cfg(feature = "http-client")]
impl McpUrl {
    /// Creates the endpoint of a server without a key.
    pub fn new(url: Url) -> Self {
        Self { url, bearer_token: None, headers: Vec::new(), http: HttpSettings::default() }
    }

    /// Sets the token that each request sends.
    #[must_use]
    pub fn with_bearer_token(mut self, token: impl Into<Secret>) -> Self {
        self.bearer_token = Some(token.into());
        self
    }

    /// Adds a header to each request.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<Secret>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the connect timeout, the proxy and the user agent.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }
}

/// Shows no query and no password.
#[cfg(feature = "http-client")]
impl fmt::Debug for McpUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("McpUrl")
            .field("url", &displayable(&self.url).to_string())
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "http-client")]
impl From<McpUrl> for McpEndpoint {
    fn from(url: McpUrl) -> Self {
        Self::Url(url)
    }
}

impl McpEndpoint {
    /// For errors: without arguments, queries and passwords.
    pub(super) fn displayed(&self) -> String {
        match self {
            Self::Command(command) => command.program.to_string_lossy().into_owned(),
            #[cfg(feature = "http-client")]
            Self::Url(url) => displayable(&url.url).to_string(),
        }
    }
}
