//! Tokens that the identity provider vouches for, one by one (RFC 7662).

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use textsearch_core::{Result, secret::Secret};
use tokio::sync::{OnceCell, Semaphore};

use super::{
    MAX_WAITING, PAUSE,
    claims::{Claims, Rules},
    provider::{Provider, failed},
    refusal::{refused, unavailable},
};
use crate::problem::Answer;

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) struct Introspection {
    provider: Provider,
    /// The provider's metadata says where.
    endpoint: OnceCell<String>,
    credentials: Secret,
    rules: Rules,
    places: Semaphore,
    /// When the provider failed last.
    failed: Mutex<Option<Instant>>,
}

impl Introspection {
    pub(super) fn new(provider: Provider, client_id: &str, secret: &Secret, rules: Rules) -> Self {
        // Both as in forms, says RFC 6749.
        let [id, secret] = [client_id, secret.expose()]
            .map(|part| utf8_percent_encode(part, RESERVED).to_string());
        let credentials = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
        Self {
            provider,
            endpoint: OnceCell::new(),
            credentials: Secret::from(credentials),
            rules,
            places: Semaphore::new(MAX_WAITING),
            failed: Mutex::default(),
        }
    }

    /// Returns the claims of a token that is active and for this server.
    pub(super) async fn claims(&self, token: &str) -> Answer<Claims> {
        let _place = self.places.try_acquire().map_err(|_| unavailable())?;
        let failed = *self.failed();
        if failed.is_some_and(|failed| failed.elapsed() < PAUSE) {
            return Err(unavailable());
        }
        let claims = self.introspected(token).await.map_err(|error| {
            let cause: &dyn std::error::Error = &error;
            tracing::warn!(error = cause, "the identity provider cannot be asked about tokens");
            *self.failed() = Some(Instant::now());
            unavailable()
        })?;
        if claims.get("active") != Some(&Value::Bool(true)) {
            return Err(refused("is not active"));
        }
        self.rules.check(&claims)?;
        Ok(claims)
    }

    async fn introspected(&self, token: &str) -> Result<Claims> {
        let endpoint = self.endpoint.get_or_try_init(|| async {
            let endpoint = self.provider.metadata().await?.introspection_endpoint;
            endpoint.ok_or_else(|| failed("the metadata has no `introspection_endpoint`"))
        });
        self.provider.introspect(endpoint.await?, &Secret::from(token), &self.credentials).await
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
