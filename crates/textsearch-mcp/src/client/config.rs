//! Settings of a connection.

use std::time::Duration;

/// Limits of a connection, and the tools to use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpPluginConfig {
    /// The tools to use, by the server's spelling; all by default.
    pub tools: Option<Vec<String>>,
    /// The maximum time to start or reach the server and list its tools: 30 s.
    pub connect_timeout: Duration,
    /// The maximum time of a call: 60 s.
    pub call_timeout: Duration,
    /// The maximum number of tools: 256. Further ones are left out: a warning and
    /// [`refused_tools`](crate::McpPlugin::refused_tools) name them.
    pub max_tools: usize,
    /// The maximum size of a message from the server, in bytes: 4 MiB. A larger one fails its call. A
    /// program's message fails all calls that wait for it, because it can't be read to the end.
    pub max_message_bytes: usize,
}

impl McpPluginConfig {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses only these tools, by the server's spelling.
    #[must_use]
    pub fn with_tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }
}

impl Default for McpPluginConfig {
    fn default() -> Self {
        Self {
            tools: None,
            connect_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(60),
            max_tools: 256,
            max_message_bytes: 4 * 1024 * 1024,
        }
    }
}
