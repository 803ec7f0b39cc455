//! The client's transport over streamable HTTP.

use std::collections::HashMap;

use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use textsearch_core::http::{HeaderName, HeaderValue, ReqwestTransport};

use super::{McpPluginConfig, McpUrl};
use crate::{McpError, Result};

/// The client has the TLS and proxy settings of all our clients, and follows no redirect.
pub(super) fn transport(
    endpoint: &McpUrl,
    limits: &McpPluginConfig,
) -> Result<StreamableHttpClientTransport<reqwest::Client>> {
    let server = textsearch_core::http::displayable(&endpoint.url).to_string();
    let client = ReqwestTransport::from_settings(&endpoint.http_settings).map_err(|error| {
        McpError::connect(&server, "the HTTP client can't be made", Some(error.into()))
    })?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str());
    config.auth_header = endpoint.bearer_token.as_ref().map(|token| token.expose().to_owned());
    config.custom_headers = headers(endpoint, &server)?;
    config.max_sse_event_size = limits.max_message_bytes;
    config.max_json_response_size = limits.max_message_bytes;
    Ok(StreamableHttpClientTransport::with_client(client.into_client(), config))
}

fn headers(endpoint: &McpUrl, server: &str) -> Result<HashMap<HeaderName, HeaderValue>> {
    let headers = endpoint.headers.iter().map(|(name, value)| {
        let parsed = HeaderName::try_from(name.as_str())
            .ok()
            .zip(HeaderValue::try_from(value.expose()).ok());
        let (parsed, mut value) = parsed.ok_or_else(|| {
            let message = format!("the header `{name}` has characters that HTTP doesn't allow");
            McpError::connect(server, message, None)
        })?;
        value.set_sensitive(true);
        Ok((parsed, value))
    });
    headers.collect()
}
