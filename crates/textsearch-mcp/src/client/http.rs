//! The client's transport over streamable HTTP.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::BoxStream};
use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        SseError, StreamableHttpClient, StreamableHttpClientTransport,
        StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
        StreamableHttpResponseLimits,
    },
};
use sse_stream::Sse;
use textsearch_core::http::{HeaderName, HeaderValue, ReqwestTransport, displayable};

use super::{McpPluginConfig, McpUrl, unreadable::failed_answer};
use crate::{
    McpError, Result,
    lines::{Unreadable, parse},
};

/// A server may ask for any pause before a reconnect, also none.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// The client has the TLS and proxy settings of all our clients, and follows no redirect.
pub(super) fn transport(
    endpoint: &McpUrl,
    limits: &McpPluginConfig,
) -> Result<StreamableHttpClientTransport<WithoutUrls>> {
    let server = displayable(&endpoint.url).to_string();
    check(endpoint, &server)?;
    let client = ReqwestTransport::from_settings(&endpoint.http).map_err(|error| {
        McpError::connect(&server, "the HTTP client can't be made", Some(error.into()))
    })?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str());
    config.auth_header = endpoint.bearer_token.as_ref().map(|token| token.expose().to_owned());
    config.custom_headers = headers(endpoint, &server)?;
    config.max_sse_event_size = limits.max_message_bytes;
    config.max_json_response_size = limits.max_message_bytes;
    let client = WithoutUrls(client.into_client());
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn check(endpoint: &McpUrl, server: &str) -> Result<()> {
    let url = &endpoint.url;
    let message = if !matches!(url.scheme(), "http" | "https") {
        "expected a URL with http or https"
    } else if !url.username().is_empty() || url.password().is_some() {
        "the URL has a user or password; set `with_bearer_token` or `with_header` instead"
    } else {
        return Ok(());
    };
    Err(McpError::connect(server, message, None))
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

type Headers = HashMap<HeaderName, HeaderValue>;
type HttpResult<T> = Result<T, StreamableHttpError<reqwest::Error>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Removes URLs from errors, which the caller sees and rmcp logs: a query often holds a key.
#[derive(Clone)]
pub(super) struct WithoutUrls(reqwest::Client);

impl StreamableHttpClient for WithoutUrls {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let request = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let client = &self.0;
        let posted = client
            .post_message_with_response_limits(uri, message, session, token, headers, limits)
            .await;
        match (posted, request) {
            (Ok(StreamableHttpPostResponse::Sse(events, session)), request) => {
                let max_bytes = limits.max_sse_event_size;
                let events = events.map(move |event| readable(event, request.as_ref(), max_bytes));
                Ok(StreamableHttpPostResponse::Sse(tamed(events.boxed()), session))
            }
            (Err(StreamableHttpError::ResponseBodyTooLarge { max_size }), Some(request)) => {
                let unreadable = Unreadable::TooLong { max_bytes: max_size };
                let failed = failed_answer(&unreadable, &request);
                let failed =
                    failed.ok_or(StreamableHttpError::ResponseBodyTooLarge { max_size })?;
                Ok(StreamableHttpPostResponse::Json(failed, None))
            }
            (posted, _) => posted.map_err(without_url),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> HttpResult<()> {
        self.0.delete_session(uri, session, token, headers).await.map_err(without_url)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> HttpResult<Events> {
        let stream = self.0.get_stream(uri, session, last_event, token, headers).await;
        stream.map(tamed).map_err(without_url)
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        max: usize,
    ) -> HttpResult<Events> {
        let client = &self.0;
        let stream = client
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, max)
            .await;
        stream.map(tamed).map_err(without_url)
    }
}

/// Replaces an event that can't be read: rmcp drops it, and the call would wait for its timeout.
fn readable(
    event: Result<Sse, SseError>,
    request: Option<&RequestId>,
    max_bytes: usize,
) -> Result<Sse, SseError> {
    let unreadable = match &event {
        Ok(Sse { data: Some(data), .. }) => parse::<ServerJsonRpcMessage>(data).err(),
        // rmcp's error has no public type.
        Err(SseError::Body(error)) if error.to_string().starts_with("SSE event exceeded") => {
            Some(Unreadable::TooLong { max_bytes })
        }
        _ => None,
    };
    let failed =
        unreadable.zip(request).and_then(|(answer, request)| failed_answer(&answer, request));
    let failed = failed.and_then(|failed| serde_json::to_string(&failed).ok());
    failed.map_or(event, |failed| Ok(Sse::default().data(failed)))
}

fn without_url(error: StreamableHttpError<reqwest::Error>) -> StreamableHttpError<reqwest::Error> {
    match error {
        StreamableHttpError::Client(error) => StreamableHttpError::Client(error.without_url()),
        StreamableHttpError::Sse(error) => StreamableHttpError::Sse(without_url_in_events(error)),
        other => other,
    }
}

fn without_url_in_events(error: SseError) -> SseError {
    match error {
        SseError::Body(error) => match error.downcast::<reqwest::Error>() {
            Ok(error) => SseError::Body(error.without_url().into()),
            // rmcp wraps the error of the body.
            Err(_) => SseError::Body("the event stream broke off".into()),
        },
        other => other,
    }
}

fn tamed(events: Events) -> Events {
    let shortest = SHORTEST_PAUSE.as_millis() as u64;
    let event = move |event: Result<Sse, SseError>| {
        let mut event = event.map_err(without_url_in_events)?;
        event.retry = event.retry.map(|pause| pause.max(shortest));
        Ok(event)
    };
    events.map(event).boxed()
}
