//! One connection to a server.

use std::time::Duration;

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{CallToolRequestParams, CallToolResponse, SubscriptionFilter},
    service::{ClientCacheConfig, RunningService},
};
use tokio::{task::JoinSet, time};

use super::{
    McpEndpoint, McpPluginConfig,
    listing::{Listener, Tools},
    opening::Opening,
    process::Process,
    secrets::Secrets,
};
use crate::{McpError, Result};

/// Before a subscription that ended is made again.
const RENEWAL: Duration = Duration::from_secs(10);

pub(super) struct Connection {
    service: RunningService<RoleClient, Listener>,
    _process: Option<Process>,
    /// Aborted when dropped.
    _subscription: JoinSet<()>,
}

impl Connection {
    pub(super) async fn open(
        endpoint: &McpEndpoint,
        config: &McpPluginConfig,
        tools: &Tools,
        secrets: &Secrets,
    ) -> Result<Self> {
        let opening = Opening { endpoint, config, tools, secrets };
        let mut late = "it answered neither `server/discover` nor `initialize`";
        let opened = time::timeout(config.connect_timeout, async {
            let (service, process) = opening.greet().await?;
            late = "it didn't list its tools";
            // Lists are kept elsewhere, and a server could fill the cache.
            service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
            tools.refresh(service.peer()).await.map_err(|error| {
                opening.error("it doesn't list its tools", Some(secrets.cause(&error)))
            })?;
            Ok::<_, McpError>((service, process))
        });
        let (service, process) = opened.await.map_err(|_| {
            let seconds = config.connect_timeout.as_secs_f64();
            opening.error(format!("{late} within {seconds} s"), None)
        })??;
        let peer = service.peer();
        let mut subscription = JoinSet::new();
        if changes_by_subscription(peer) {
            subscription.spawn(subscribe(peer.clone(), tools.clone()));
        }
        Ok(Self { service, _process: process, _subscription: subscription })
    }

    pub(super) fn is_open(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    /// Dropping the future cancels the call at the server. The tool runs once, whatever it answers.
    pub(super) async fn call_tool(
        &self,
        request: CallToolRequestParams,
    ) -> Result<CallToolResponse, ServiceError> {
        self.service.call_tool_once(request).await
    }
}

/// Since 2026-07-28, servers announce changes only to clients that subscribe.
fn changes_by_subscription(peer: &Peer<RoleClient>) -> bool {
    peer.peer_info().is_some_and(|info| {
        let tools = info.capabilities.tools.as_ref();
        let has_changes = tools.is_some_and(|tools| tools.list_changed == Some(true));
        has_changes && !info.protocol_version.has_initialize()
    })
}

/// Ends when the server refuses the subscription, or with the connection.
async fn subscribe(peer: Peer<RoleClient>, tools: Tools) {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    loop {
        match peer.listen(filter.clone()).await {
            Ok(mut subscription) => {
                while let Ok(Some(_)) = subscription.next().await {
                    tools.changed(&peer).await;
                }
            }
            Err(error @ ServiceError::McpError(_)) => {
                tools.warn(&error, "the MCP server doesn't announce changes of its tools");
                return;
            }
            Err(_) => {}
        }
        if peer.is_transport_closed() {
            return;
        }
        time::sleep(RENEWAL).await;
        // A change may have been missed.
        tools.changed(&peer).await;
    }
}
