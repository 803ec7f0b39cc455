//! Tokens that the identity provider vouches for, one by one (RFC 7662).

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use textsearch_core::{Error, ErrorKind, secret::Secret};
use tokio::sync::{OnceCell, Semaphore};

use super::{
    PAUSE,
    claims::{Claims, Rules},
    provider::{Provider, failed},
    refusal::{refused, unavailable},
};
use crate::problem::{Answer, Problem};

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// At once. Other requests are refused, so that invented tokens flood neither server.
const MAX_REQUESTS: usize = 64;

pub(crate) struct Introspection {
    provider: Provider,
    /// The provider's metadata says where.
    endpoint: OnceCell<String>,
    credentials: Secret,
    rules: Rules,
    places: Arc<Semaphore>,
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
            places: Arc::new(Semaphore::new(MAX_REQUESTS)),
            failed: Mutex::default(),
        }
    }

    /// Returns the claims of a token that is active and for this server.
    pub(super) async fn claims(self: &Arc<Self>, token: &str) -> Answer<Claims> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| unavailable())?;
        let failed = *self.failed();
        if failed.is_some_and(|failed| failed.elapsed() < PAUSE) {
            return Err(unavailable());
        }
        let introspection = Arc::clone(self);
        let token = Secret::from(token);
        // Goes on if the request ends, so a silent provider is noticed.
        let answer = tokio::spawn(async move {
            let _place = place;
            introspection.ask(&token).await
        });
        let claims = answer.await.unwrap_or_else(|_| Err(unavailable()))?;
        if claims.get("active") != Some(&Value::Bool(true)) {
            return Err(refused("is not active"));
        }
        self.rules.check(&claims)?;
        Ok(claims)
    }

    async fn ask(&self, token: &Secret) -> Answer<Claims> {
        let endpoint = self.endpoint.get_or_try_init(|| async {
            let endpoint = self.provider.metadata().await?.introspection_endpoint;
            endpoint.ok_or_else(|| failed("the metadata has no `introspection_endpoint`"))
        });
        let endpoint = endpoint.await.map_err(|error| self.fail(&error))?;
        let claims = self.provider.introspect(endpoint, token, &self.credentials).await;
        claims.map_err(|error| match error.kind() {
            // About this token alone, perhaps by a firewall.
            ErrorKind::UnexpectedStatus { status: 400..500, .. } => {
                refused("is not accepted by the identity provider")
            }
            _ => self.fail(&error),
        })
    }

    fn fail(&self, error: &Error) -> Problem {
        let cause: &dyn std::error::Error = error;
        tracing::warn!(error = cause, "the identity provider cannot be asked about tokens");
        *self.failed() = Some(Instant::now());
        unavailable()
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
