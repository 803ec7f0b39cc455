//! Greets a server, on one connection after the other.

use rmcp::{
    RoleClient,
    service::{ClientInitializeError, ClientServiceExt as _, RunningService},
    transport::Transport,
};

use textsearch_core::BoxError;
use tokio::time;

use super::{
    McpEndpoint, McpPluginConfig,
    greeting::Greeting,
    lines::Lines,
    listing::{Listener, Tools},
    process::Process,
    secrets::Secrets,
};
use crate::{McpError, Result};

type Service = RunningService<RoleClient, Listener>;

/// A connection that isn't open yet.
pub(super) struct Opening<'a> {
    pub(super) endpoint: &'a McpEndpoint,
    pub(super) config: &'a McpPluginConfig,
    pub(super) tools: &'a Tools,
    pub(super) secrets: &'a Secrets,
}

/// Why a greeting failed: an error, or `None` if the server was silent.
type Failed = Option<ClientInitializeError>;

impl Opening<'_> {
    /// Tries greetings until the server understands one. Each attempt opens a new connection.
    pub(super) async fn greet(&self) -> Result<(Service, Option<Process>)> {
        let mut greeting = Greeting::Probe;
        let mut was_silent = false;
        loop {
            greeting = match self.attempt(greeting).await? {
                Ok(opened) => return Ok(opened),
                Err(None) => {
                    was_silent = true;
                    Greeting::Initialize
                }
                Err(Some(error)) => match greeting.after(&error, was_silent) {
                    Some(next) => next,
                    None => return Err(self.explained(error)),
                },
            };
        }
    }

    async fn attempt(
        &self,
        greeting: Greeting,
    ) -> Result<Result<(Service, Option<Process>), Failed>> {
        match self.endpoint {
            McpEndpoint::Command(command) => {
                let (process, output, input) = Process::start(command, self.secrets)?;
                let transport = Lines::new(output, input, self.config.max_message_bytes);
                let served = self.serve(transport, greeting).await;
                Ok(served.map(|service| (service, Some(process))))
            }
            #[cfg(feature = "http-client")]
            McpEndpoint::Url(url) => {
                let transport = super::http::transport(url, self.config)?;
                Ok(self.serve(transport, greeting).await.map(|service| (service, None)))
            }
        }
    }

    async fn serve<T: Transport<RoleClient> + 'static>(
        &self,
        transport: T,
        greeting: Greeting,
    ) -> Result<Service, Failed> {
        let listener = Listener(self.tools.clone());
        let serving = listener.serve_with_lifecycle(transport, greeting.lifecycle());
        let served = match greeting.patience(self.config.connect_timeout) {
            Some(patience) => time::timeout(patience, serving).await.map_err(|_| None)?,
            None => serving.await,
        };
        served.map_err(Some)
    }

    pub(super) fn error(&self, message: impl Into<String>, cause: Option<BoxError>) -> McpError {
        McpError::connect(&self.endpoint.displayed(), message, cause)
    }

    fn explained(&self, error: ClientInitializeError) -> McpError {
        let message = match (self.endpoint, &error) {
            (_, ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. }) => {
                let versions = server_supported.iter().map(|version| version.as_str());
                let versions = self.secrets.shorten(&versions.collect::<Vec<_>>().join(", "));
                let message = format!(
                    "it speaks only the protocol of {versions}; expected 2026-07-28 or older"
                );
                return self.error(message, None);
            }
            (McpEndpoint::Command(_), _) => {
                "it doesn't greet as an MCP server: run it by hand to see why"
            }
            #[cfg(feature = "http-client")]
            (McpEndpoint::Url(_), error) if error.is_authorization_required() => {
                "it refuses the request without a valid token (401 or 403)"
            }
            #[cfg(feature = "http-client")]
            (McpEndpoint::Url(_), _) => "it doesn't greet as an MCP server: check the URL",
        };
        self.error(message, Some(self.secrets.cause(&error)))
    }
}
