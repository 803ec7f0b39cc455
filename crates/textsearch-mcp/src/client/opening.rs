//! Greets a server, on one connection after the other.

use std::sync::atomic::Ordering;

use rmcp::{
    RoleClient,
    service::{ClientInitializeError, ClientServiceExt as _, RunningService},
    transport::Transport,
};

use textsearch_core::BoxError;

use super::{
    McpEndpoint, McpPluginConfig,
    bounded::Bounded,
    greeting::{Greeting, Probing},
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

/// A greeting that failed, and whether the server didn't answer `server/discover` in time.
struct Failed {
    error: ClientInitializeError,
    was_silent: bool,
}

impl Opening<'_> {
    /// Tries greetings until the server understands one. Each attempt opens a new connection.
    pub(super) async fn greet(&self) -> Result<(Service, Option<Process>)> {
        let mut greeting = Greeting::Probe;
        let mut was_silent = false;
        loop {
            let failed = match self.attempt(greeting).await? {
                Ok(opened) => return Ok(opened),
                Err(failed) => failed,
            };
            was_silent |= failed.was_silent;
            match greeting.after(&failed.error, was_silent) {
                Some(next) => greeting = next,
                None => return Err(self.explained(failed.error)),
            }
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
                let served = self.serve(transport, greeting, true).await;
                Ok(served.map(|service| (service, Some(process))))
            }
            #[cfg(feature = "http-client")]
            McpEndpoint::Url(url) => {
                let transport = super::http::transport(url, self.config)?;
                Ok(self.serve(transport, greeting, false).await.map(|service| (service, None)))
            }
        }
    }

    async fn serve<T: Transport<RoleClient> + 'static>(
        &self,
        transport: T,
        greeting: Greeting,
        reused: bool,
    ) -> Result<Service, Failed> {
        let patience = greeting.patience(self.config.connect_timeout);
        let transport = Probing::new(Bounded::new(transport), patience, reused);
        let was_silent = transport.was_silent();
        let listener = Listener(self.tools.clone());
        let served = listener.serve_with_lifecycle(transport, greeting.lifecycle()).await;
        served.map_err(|error| Failed { error, was_silent: was_silent.load(Ordering::Relaxed) })
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
