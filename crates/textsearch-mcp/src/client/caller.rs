//! Calls tools, and connects again when the server has stopped.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, CallToolResult, JsonObject},
};
use serde_json::Value;
use textsearch_kernel::KernelError;
use tokio::{
    sync::{Mutex, watch},
    time,
};

use super::{
    McpEndpoint, McpPluginConfig,
    connection::{Connection, Tools},
    content,
    tools::Listed,
};
use crate::{McpError, Result};

/// Counts reconnects.
const MINUTE: Duration = Duration::from_secs(60);

/// Shared by the functions of all plugins of one server.
pub(super) struct Caller {
    name: String,
    endpoint: McpEndpoint,
    config: McpPluginConfig,
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
        let tools = Tools::new(sender, config.max_tools);
        (Self { name, endpoint, config, state: Mutex::default(), tools }, changes)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn endpoint(&self) -> &McpEndpoint {
        &self.endpoint
    }

    pub(super) fn uses(&self, tool: &str) -> bool {
        self.config.tools.as_ref().is_none_or(|used| used.iter().any(|name| name == tool))
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
        let connecting = Connection::open(&self.endpoint, &self.config, &self.tools);
        let connection = time::timeout(self.config.connect_timeout, connecting).await;
        let connection = Arc::new(connection.map_err(|_| self.too_slow())??);
        state.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    fn check_reconnects(&self, state: &mut State) -> Result<()> {
        let now = Instant::now();
        state.reconnects.retain(|reconnect| now.duration_since(*reconnect) < MINUTE);
        if state.reconnects.len() >= self.config.max_reconnects {
            let most = self.config.max_reconnects;
            let message =
                format!("it stopped, and was already reconnected {most} times in a minute");
            return Err(McpError::connect(&self.endpoint.displayed(), message, None));
        }
        state.reconnects.push_back(now);
        Ok(())
    }

    fn too_slow(&self) -> McpError {
        let seconds = self.config.connect_timeout.as_secs_f64();
        let message = format!("it didn't answer within {seconds} s");
        McpError::connect(&self.endpoint.displayed(), message, None)
    }

    /// `function` is the qualified name, for errors.
    pub(super) async fn call(
        &self,
        function: &str,
        tool: String,
        arguments: JsonObject,
    ) -> textsearch_kernel::Result<Value> {
        let failed = |error: McpError| KernelError::failed(function, error);
        let connection = self.connection().await.map_err(failed)?;
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        let calling = connection.call_tool(request);
        let Ok(called) = time::timeout(self.config.call_timeout, calling).await else {
            let seconds = self.config.call_timeout.as_secs_f64();
            let message = format!("the tool took longer than {seconds} s");
            return Err(KernelError::reported(function, message));
        };
        self.read(function, called)
    }

    fn read(
        &self,
        function: &str,
        called: Result<CallToolResult, ServiceError>,
    ) -> textsearch_kernel::Result<Value> {
        match called {
            Ok(result) if result.is_error == Some(true) => {
                Err(KernelError::reported(function, content::error_text(&result.content)))
            }
            Ok(result) => Ok(content::value(result)),
            Err(ServiceError::McpError(error)) => {
                Err(KernelError::reported(function, content::shorten(&error.message)))
            }
            Err(error) => {
                let server = self.endpoint.displayed();
                let message = "the call broke off; the server may have run it";
                let error = McpError::connect(&server, message, Some(error.into()));
                Err(KernelError::failed(function, error))
            }
        }
    }
}
