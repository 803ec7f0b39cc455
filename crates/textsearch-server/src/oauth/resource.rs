//! How clients find the identity provider (RFC 9728).

use http::HeaderValue;
use serde_json::{Value, json};

use super::OAuthConfig;
use crate::Right;

/// Where the metadata is.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The path of the MCP server.
const MCP: &str = "/mcp";

/// The server, as clients and the provider know it.
pub(crate) struct Resource {
    url: String,
    issuer: String,
    answers: bool,
}

impl Resource {
    pub(crate) fn new(config: &OAuthConfig, answers: bool) -> Self {
        let url = config.public_url.trim_end_matches('/').to_owned();
        Self { url, issuer: config.issuer.clone(), answers }
    }

    /// Describes the server to clients. `path` is `/mcp`, or empty for the whole server.
    pub(crate) fn metadata(&self, path: &str) -> Value {
        // A client asks its user for all of them, so none of them writes or shows metrics.
        let rights: &[Right] = match path {
            MCP => &[Right::Search],
            _ if self.answers => &[Right::Search, Right::Prompt, Right::Answer],
            _ => &[Right::Search, Right::Prompt],
        };
        let scopes: Vec<&str> = rights.iter().map(|right| right.scope()).collect();
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
