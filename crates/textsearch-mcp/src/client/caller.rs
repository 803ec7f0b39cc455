//! Calls tools, and connects again when the server has stopped.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, CallToolResponse, JsonObject},
};
use serde_json::Value;
use textsearch_kernel::KernelError;
use tokio::{
    sync::{Mutex, watch},
    time,
};

use super::{
    McpEndpoint, McpPluginConfig,
    connection::Connection,
    content,
    listing::{Listed, Tools},
    secrets::Secrets,
};
use crate::{McpError, Result};

/// Counts reconnects.
const MINUTE: Duration = Duration::from_secs(60);

/// The maximum number of times in a minute that a stopped server is started or reached again.
const MAX_RECONNECTS: usize = 3;

const NOT_COMPLETE: &str = "the tool asks for more input, or runs as a task: neither is supported";

/// Shared by the functions of all plugins of one server.
pub(super) struct Caller {
    name: String,
    endpoint: McpEndpoint,
    config: McpPluginConfig,
    secrets: Secrets,
    state: Mutex<State>,
    tools: Tools,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    /// The latest reconnects.
    reconnects: VecDeque<Instant>,
}

impl Caller {
    pub(super) fn new(
        name: String,
        endpoint: McpEndpoint,
        config: McpPluginConfig,
    ) -> (Self, watch::Receiver<Arc<Listed>>) {
        let (sender, changes) = watch::channel(Arc::default());
        let secrets = Secrets::from_endpoint(&endpoint);
        let tools = Tools::new(sender, &config, secrets.clone());
        (Self { name, endpoint, config, secrets, state: Mutex::default(), tools }, changes)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn endpoint(&self) -> &McpEndpoint {
        &self.endpoint
    }

    pub(super) fn check_limits(&self) -> Result<()> {
        let config = &self.config;
        for (setting, is_zero) in [
            ("connect_timeout", config.connect_timeout.is_zero()),
            ("call_timeout", config.call_timeout.is_zero()),
            ("max_tools", config.max_tools == 0),
            ("max_message_bytes", config.max_message_bytes == 0),
        ] {
            if is_zero {
                return Err(McpError::invalid_setting(setting, "is 0: expected more"));
            }
        }
        Ok(())
    }

    /// Refuses names that the server doesn't list.
    pub(super) fn check_tools(&self, listed: &Listed) -> Result<()> {
        let names = self.config.tools.iter().flatten();
        let mut missing =
            names.filter(|name| !listed.tools.iter().any(|tool| tool.name == name.as_str()));
        match missing.next() {
            Some(name) => {
                let message = format!("names `{name}`, which the server doesn't have");
                Err(McpError::invalid_setting("tools", message))
            }
            None => Ok(()),
        }
    }

    /// Returns the connection; connects first if there is none or the server has stopped.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>> {
        let mut state = self.state.lock().await;
        if let Some(connection) = &state.connection {
            if connection.is_open() {
                return Ok(Arc::clone(connection));
            }
            self.check_reconnects(&mut state)?;
            tracing::warn!(server = self.endpoint.displayed(), "the MCP server stopped");
        }
        let connecting = Connection::open(&self.endpoint, &self.config, &self.tools, &self.secrets);
        let connection = Arc::new(connecting.await?);
        state.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    fn check_reconnects(&self, state: &mut State) -> Result<()> {
        let now = Instant::now();
        state.reconnects.retain(|reconnect| now.duration_since(*reconnect) < MINUTE);
        if state.reconnects.len() >= MAX_RECONNECTS {
            let message = format!(
                "it stopped, and was already reconnected {MAX_RECONNECTS} times in a minute"
            );
            return Err(McpError::connect(&self.endpoint.displayed(), message, None));
        }
        state.reconnects.push_back(now);
        Ok(())
    }

    /// `function` is the qualified name, for errors.
    pub(super) async fn call(
        &self,
        function: &str,
        tool: String,
        arguments: JsonObject,
    ) -> textsearch_kernel::Result<Value> {
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        let calling = async {
            let connection = self.connection().await?;
            Ok::<_, McpError>(connection.call_tool(request).await)
        };
        match time::timeout(self.config.call_timeout, calling).await {
            Ok(Ok(called)) => self.read(function, called),
            Ok(Err(error)) => Err(KernelError::failed(function, error)),
            Err(_) => {
                let seconds = self.config.call_timeout.as_secs_f64();
                let message = format!("the tool took longer than {seconds} s");
                Err(KernelError::reported(function, message))
            }
        }
    }

    fn read(
        &self,
        function: &str,
        called: Result<CallToolResponse, ServiceError>,
    ) -> textsearch_kernel::Result<Value> {
        match called {
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
                let text = content::error_text(&result.content, &self.secrets);
                Err(KernelError::reported(function, text))
            }
            Ok(CallToolResponse::Complete(result)) => Ok(content::value(result)),
            Ok(_) => Err(KernelError::reported(function, NOT_COMPLETE)),
            Err(ServiceError::McpError(error)) => {
                Err(KernelError::reported(function, self.secrets.shorten(&error.message)))
            }
            Err(error) => {
                let server = self.endpoint.displayed();
                let message = "the call broke off; the server may have run it";
                let cause = self.secrets.cause(&error);
                let error = McpError::connect(&server, message, Some(cause));
                Err(KernelError::failed(function, error))
            }
        }
    }
}
