//! The keys of the identity provider.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use jsonwebtoken::{
    Algorithm, DecodingKey, Header,
    jwk::{Jwk, PublicKeyUse},
};
use serde::Deserialize;
use serde_json::Value;
use textsearch_core::Result;
use tokio::{sync::Mutex, sync::OwnedMutexGuard, task::JoinHandle};

use super::{
    OAuthConfig, PAUSE,
    provider::{Provider, failed},
    refusal::{refused, unavailable},
};
use crate::problem::Answer;

/// Older keys are fetched again beside the requests that use them, so a key ends soon after the provider
/// took it back.
const MAX_AGE: Duration = Duration::from_secs(600);

/// Keys, fetched when a token first needs them. While the provider is down, the known ones stay valid.
pub(super) struct Keys {
    provider: Provider,
    url: Option<String>,
    current: RwLock<Arc<KeySet>>,
    last: Arc<Mutex<Option<Fetch>>>,
}

#[derive(Default)]
pub(super) struct KeySet {
    keys: Vec<Key>,
    fetched: Option<Instant>,
    /// Counts the fetches.
    pub(super) version: u64,
}

/// The end of a request for the keys.
#[derive(Clone, Copy)]
struct Fetch {
    ended: Instant,
    succeeded: bool,
}

#[derive(Clone)]
struct Key {
    id: Option<String>,
    algorithm: Option<String>,
    key: DecodingKey,
}

#[derive(Deserialize)]
struct Jwks {
    /// Read one by one: a key of an unknown kind spoils no other.
    keys: Vec<Value>,
}

impl Keys {
    pub(super) fn new(provider: Provider, config: &OAuthConfig) -> Self {
        let url = config.jwks_url.clone();
        Self { provider, url, current: RwLock::default(), last: Arc::default() }
    }

    pub(super) fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the key that the header names. Asks the provider if it isn't known.
    pub(super) async fn key(self: &Arc<Self>, header: &Header) -> Answer<DecodingKey> {
        let current = self.current();
        if let Some(key) = current.find(header) {
            if current.is_stale()
                && let Ok(last) = Arc::clone(&self.last).try_lock_owned()
                && !is_recent(*last)
            {
                drop(self.fetch(last));
            }
            return Ok(key);
        }
        // Requests that need keys at the same time wait for one fetch.
        let last = Arc::clone(&self.last).lock_owned().await;
        let current = self.current();
        let fetch = match *last {
            _ if let Some(key) = current.find(header) => return Ok(key),
            Some(fetch) if is_recent(Some(fetch)) => fetch,
            _ => self.fetch(last).await.unwrap_or_else(|_| Fetch::end(false)),
        };
        if !fetch.succeeded {
            return Err(unavailable());
        }
        let unknown = || refused("has a key that is not one of the identity provider's");
        self.current().find(header).ok_or_else(unknown)
    }

    /// Goes on if the request that began it ends.
    fn fetch(self: &Arc<Self>, mut last: OwnedMutexGuard<Option<Fetch>>) -> JoinHandle<Fetch> {
        let keys = Arc::clone(self);
        tokio::spawn(async move {
            let fetched = keys.fetched().await;
            let fetch = Fetch::end(fetched.is_ok());
            match fetched {
                Ok(set) => {
                    *keys.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
                }
                Err(error) => {
                    let cause: &dyn std::error::Error = &error;
                    tracing::warn!(error = cause, "the identity provider's keys are unavailable");
                }
            }
            *last = Some(fetch);
            fetch
        })
    }

    async fn fetched(&self) -> Result<KeySet> {
        let url = match &self.url {
            Some(url) => url.clone(),
            None => self.provider.metadata().await?.jwks_uri.ok_or_else(|| {
                failed("the identity provider's metadata has no `jwks_uri`; name its keys' URL")
            })?,
        };
        let jwks: Jwks = self.provider.get(&url).await?;
        let keys: Vec<Key> = jwks.keys.iter().filter_map(Key::from_jwk).collect();
        if keys.is_empty() {
            return Err(failed("the identity provider's key set has no key for signatures"));
        }
        let version = self.current().version + 1;
        Ok(KeySet { keys, fetched: Some(Instant::now()), version })
    }
}

impl KeySet {
    /// A header may leave out the key's id if there is one key for its algorithm.
    fn find(&self, header: &Header) -> Option<DecodingKey> {
        let mut keys = self
            .keys
            .iter()
            .filter(|key| (header.kid.is_none() || key.id == header.kid) && key.is_for(header.alg));
        let key = keys.next()?;
        keys.next().is_none().then(|| key.key.clone())
    }

    fn is_stale(&self) -> bool {
        self.fetched.is_some_and(|fetched| fetched.elapsed() > MAX_AGE)
    }
}

impl Key {
    /// Returns `None` for keys of other kinds, of clients' secrets, and for encryption.
    fn from_jwk(value: &Value) -> Option<Self> {
        let jwk = Jwk::deserialize(value).ok()?;
        let is_for_signatures =
            matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature));
        let key = is_for_signatures.then(|| DecodingKey::from_jwk(&jwk).ok()).flatten()?;
        let algorithm = jwk.common.key_algorithm.map(|algorithm| algorithm.to_string());
        Some(Self { id: jwk.common.key_id, algorithm, key })
    }

    fn is_for(&self, algorithm: Algorithm) -> bool {
        self.key.family() == algorithm.family()
            && self.algorithm.as_ref().is_none_or(|name| *name == format!("{algorithm:?}"))
    }
}

impl Fetch {
    fn end(succeeded: bool) -> Self {
        Self { ended: Instant::now(), succeeded }
    }
}

fn is_recent(fetch: Option<Fetch>) -> bool {
    fetch.is_some_and(|fetch| fetch.ended.elapsed() < PAUSE)
}
