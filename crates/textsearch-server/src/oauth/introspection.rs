//! Tokens that the identity provider vouches for, one by one (RFC 7662).

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jsonwebtoken::get_current_timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use textsearch_core::{Result, secret::Secret};
use tokio::sync::{OnceCell, Semaphore};

use super::{
    LEEWAY, PAUSE,
    provider::{Provider, failed},
    refusal::{refused, unavailable},
};
use crate::problem::Answer;

/// The requests to the provider at once, so that invented tokens don't flood it.
const MAX_CONCURRENT: usize = 32;

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) struct Introspection {
    provider: Provider,
    /// The provider's metadata says where.
    endpoint: OnceCell<String>,
    credentials: Secret,
    audiences: Vec<String>,
    places: Semaphore,
    /// When the provider failed last.
    failed: Mutex<Option<Instant>>,
}

impl Introspection {
    pub(super) fn new(
        provider: Provider,
        client_id: &str,
        secret: &Secret,
        audiences: Vec<String>,
    ) -> Self {
        // Both as in forms, says RFC 6749.
        let [id, secret] = [client_id, secret.expose()]
            .map(|part| utf8_percent_encode(part, RESERVED).to_string());
        let credentials = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
        Self {
            provider,
            endpoint: OnceCell::new(),
            credentials: Secret::from(credentials),
            audiences,
            places: Semaphore::new(MAX_CONCURRENT),
            failed: Mutex::default(),
        }
    }

    /// Returns the claims of a token that is active and for this server.
    pub(super) async fn claims(&self, token: &str) -> Answer<Map<String, Value>> {
        // It is never closed.
        let _place = self.places.acquire().await.ok();
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
        self.check(&claims)?;
        Ok(claims)
    }

    async fn introspected(&self, token: &str) -> Result<Map<String, Value>> {
        let endpoint = self.endpoint.get_or_try_init(|| async {
            let endpoint = self.provider.metadata().await?.introspection_endpoint;
            endpoint.ok_or_else(|| failed("the metadata has no `introspection_endpoint`"))
        });
        self.provider.introspect(endpoint.await?, &Secret::from(token), &self.credentials).await
    }

    fn check(&self, claims: &Map<String, Value>) -> Answer<()> {
        let now = get_current_timestamp() as f64;
        let leeway = LEEWAY as f64;
        let time = |name: &str| claims.get(name).and_then(Value::as_f64);
        let is_for_us = |audience: &Value| {
            audience.as_str().is_some_and(|name| self.audiences.iter().any(|known| known == name))
        };
        if claims.get("active") != Some(&Value::Bool(true)) {
            return Err(refused("is not active"));
        }
        if claims.get("iss").is_some_and(|issuer| issuer != self.provider.issuer()) {
            return Err(refused("is from another issuer"));
        }
        let audience = claims.get("aud").unwrap_or(&Value::Null);
        if !audience.as_array().map_or_else(|| is_for_us(audience), |all| all.iter().any(is_for_us))
        {
            return Err(refused("is for another server: its `aud` isn't accepted"));
        }
        if time("exp").is_some_and(|expiry| expiry + leeway < now) {
            return Err(refused("has expired"));
        }
        if time("nbf").is_some_and(|begin| begin > now + leeway) {
            return Err(refused("isn't valid yet"));
        }
        Ok(())
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
