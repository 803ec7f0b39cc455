//! How clients find the identity provider (RFC 9728).

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::HeaderValue;
use serde_json::{Value, json};

use super::OAuthConfig;
use crate::{Right, endpoints, shared::Shared};

/// Where the metadata is.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

const MCP: &str = "/mcp";

/// The server, as clients and the provider know it.
pub(crate) struct Resource {
    url: String,
    issuer: String,
    rights: Vec<Right>,
}

impl Resource {
    pub(crate) fn new(config: &OAuthConfig, rights: Vec<Right>) -> Self {
        let url = config.public_url.trim_end_matches('/').to_owned();
        Self { url, issuer: config.issuer.clone(), rights }
    }

    /// `path` is `/mcp`, or empty for the whole server.
    fn metadata(&self, path: &str) -> Value {
        let scopes: Vec<&str> = match path {
            // A client asks its user for all of them.
            MCP => vec![Right::Search.scope()],
            _ => self.rights.iter().map(|right| right.scope()).collect(),
        };
        json!({
            "resource": format!("{}{path}", self.url),
            "resource_name": "textsearch",
            "authorization_servers": [self.issuer],
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
        })
    }

    /// Returns the value of `WWW-Authenticate` in a response to a request for `path`.
    pub(crate) fn challenge(
        &self,
        path: &str,
        right: Option<Right>,
        error: Option<&str>,
    ) -> Option<HeaderValue> {
        let resource = if path == MCP { MCP } else { "" };
        let mut challenge =
            format!("Bearer resource_metadata=\"{}{WELL_KNOWN}{resource}\"", self.url);
        if let Some(right) = right {
            challenge += &format!(", scope=\"{}\"", right.scope());
        }
        if let Some(error) = error {
            challenge += &format!(", error=\"{error}\"");
        }
        challenge.try_into().ok()
    }
}

/// Describes the whole server.
pub(crate) async fn resource_metadata(shared: State<Arc<Shared>>) -> Response {
    metadata_of(&shared, "").await
}

/// Describes `/mcp`.
pub(crate) async fn resource_metadata_of_mcp(shared: State<Arc<Shared>>) -> Response {
    metadata_of(&shared, MCP).await
}

async fn metadata_of(shared: &Shared, path: &str) -> Response {
    match &shared.resource {
        Some(resource) => Json(resource.metadata(path)).into_response(),
        None => endpoints::not_found().await.into_response(),
    }
}
