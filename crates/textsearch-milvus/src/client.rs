//! Requests to the server: one connection, credentials, timeouts and retries.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use prost::Message;
use textsearch_core::{Error, Result};
use tonic::{
    Request, Status,
    client::Grpc,
    codegen::http::uri::PathAndQuery,
    metadata::{Ascii, MetadataValue},
    transport::{Channel, ClientTlsConfig, Endpoint},
};

use crate::{
    CONNECTOR, MilvusConfig,
    codec::Encoded,
    error::{Context, Failure, refused, response_failure, status_failure, undecodable},
    proto::Response,
};

/// Responses are as large as the records that were asked for.
const LARGEST_RESPONSE: usize = 512 * 1024 * 1024;

const SERVICE: &str = "/milvus.proto.milvus.MilvusService/";

pub(crate) struct Client {
    channel: Channel,
    config: MilvusConfig,
    authorization: Option<MetadataValue<Ascii>>,
    database: Option<MetadataValue<Ascii>>,
    last_write: AtomicU64,
}

impl Client {
    /// Doesn't connect: the first request does.
    pub(crate) fn new(config: MilvusConfig) -> Result<Self> {
        config.check()?;
        let invalid = |error: tonic::transport::Error| {
            refused("url", format_args!("`{}`, {error}", config.url), "an address of a server")
        };
        let mut endpoint = Endpoint::from_shared(config.url.clone()).map_err(invalid)?;
        if config.url.starts_with("https://") {
            let tls = ClientTlsConfig::new().with_native_roots();
            endpoint = endpoint.tls_config(tls).map_err(invalid)?;
        }
        let channel = endpoint
            .connect_timeout(config.connect_timeout)
            .keep_alive_while_idle(true)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .tcp_nodelay(true)
            .connect_lazy();
        let authorization = config.token.as_ref().map(|token| {
            let value = BASE64_STANDARD.encode(token.expose());
            let mut value = MetadataValue::try_from(value).map_err(|_| {
                refused("token", "not a valid header", "USER:PASSWORD or an API key")
            })?;
            value.set_sensitive(true);
            Ok::<_, Error>(value)
        });
        let database = config.database.as_deref().map(|name| {
            let allowed = "a name of visible ASCII characters";
            MetadataValue::try_from(name).map_err(|_| refused("database", name, allowed))
        });
        Ok(Self {
            channel,
            authorization: authorization.transpose()?,
            database: database.transpose()?,
            last_write: AtomicU64::new(0),
            config,
        })
    }

    pub(crate) fn config(&self) -> &MilvusConfig {
        &self.config
    }

    pub(crate) fn database(&self) -> String {
        self.config.database.clone().unwrap_or_default()
    }

    /// Returns the timestamp of the newest write that a read must see.
    pub(crate) fn guarantee(&self) -> u64 {
        self.config.consistency_level.guarantee(self.last_write.load(Ordering::Relaxed))
    }

    pub(crate) fn wrote(&self, timestamp: u64) {
        self.last_write.fetch_max(timestamp, Ordering::Relaxed);
    }

    /// Sends a request, again if that can help. Each request of this crate may be repeated.
    ///
    /// # Errors
    /// Returns the failure of the last attempt.
    pub(crate) async fn call<R: Response>(
        &self,
        method: &'static str,
        request: &impl Message,
        collection: Option<&str>,
    ) -> Result<R, Failure> {
        let context = Context { method, collection, token: self.config.token.as_ref() };
        let bytes = Bytes::from(request.encode_to_vec());
        let mut pauses = ExponentialBuilder::default()
            .with_min_delay(self.config.backoff_base)
            .with_max_delay(self.config.backoff_max)
            .with_max_times(self.config.max_attempts.saturating_sub(1) as usize)
            .with_jitter()
            .build();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut failure = match self.attempt(bytes.clone(), context).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let may_help = failure.error.is_retryable() && !failure.not_loaded;
            let Some(pause) = pauses.next().filter(|_| may_help) else {
                failure.error = failure.error.with_attempts(attempts);
                return Err(failure);
            };
            tracing::debug!(
                textsearch.connector = CONNECTOR,
                error.type = failure.error.kind().name(),
                "the request failed and is tried again"
            );
            tokio::time::sleep(pause).await;
        }
    }

    async fn attempt<R: Response>(&self, bytes: Bytes, context: Context<'_>) -> Result<R, Failure> {
        let answered = tokio::time::timeout(self.config.timeout, self.send(bytes, context.method));
        let response: R = match answered.await {
            Ok(answered) => answered.map_err(|status| status_failure(status, context))?,
            Err(_) => {
                let silence = format!("no response within {:?}", self.config.timeout);
                return Err(status_failure(Status::deadline_exceeded(silence), context));
            }
        };
        let Some(status) = response.status() else {
            return Err(undecodable(context.method, "it has no status").into());
        };
        response_failure(status, context).map_or(Ok(response), Err)
    }

    async fn send<R: Response>(&self, bytes: Bytes, method: &str) -> Result<R, Status> {
        let path = PathAndQuery::try_from(format!("{SERVICE}{method}"));
        let path = path.map_err(|error| Status::internal(error.to_string()))?;
        let mut request = Request::new(bytes);
        let metadata = request.metadata_mut();
        if let Some(value) = &self.authorization {
            metadata.insert("authorization", value.clone());
        }
        if let Some(value) = &self.database {
            metadata.insert("dbname", value.clone());
        }
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(LARGEST_RESPONSE);
        grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
        Ok(grpc.unary(request, path, Encoded::default()).await?.into_inner())
    }
}
