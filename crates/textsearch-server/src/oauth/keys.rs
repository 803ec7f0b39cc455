//! The keys of the identity provider.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::Result;
use tokio::{
    sync::{Mutex, OwnedMutexGuard, Semaphore},
    task::JoinHandle,
    time::Instant,
};

use super::{
    OAuthConfig, PAUSE,
    provider::{Provider, failed},
    refusal::{refused, unavailable},
    signature::{Algorithm, Key},
};
use crate::problem::Answer;

/// Older keys are fetched again beside the requests that use them, so a key ends soon after the provider
/// took it back.
const MAX_AGE: Duration = Duration::from_secs(600);

/// After this time without an attempt to fetch the keys, requests wait for one.
const MAX_IDLE: Duration = Duration::from_secs(1200);

/// The requests that wait for one fetch. Others are refused.
const MAX_WAITING: usize = 256;

/// Keys, fetched when a token first needs them. While the provider is down, the known ones stay valid.
pub(super) struct Keys {
    provider: Provider,
    url: Option<String>,
    current: RwLock<Arc<KeySet>>,
    last: Arc<Mutex<Option<Fetch>>>,
    waiting: Semaphore,
}

#[derive(Default, Clone)]
pub(super) struct KeySet {
    keys: Vec<Arc<Key>>,
    fetched: Option<Instant>,
    /// The end of the last attempt.
    tried: Option<Instant>,
    /// Counts the changes.
    pub(super) version: u64,
}

/// The end of a request for the keys.
#[derive(Clone, Copy)]
struct Fetch {
    ended: Instant,
    succeeded: bool,
}

#[derive(Deserialize)]
struct Jwks {
    /// Read one by one: a key of an unknown kind spoils no other.
    keys: Vec<Value>,
}

impl Keys {
    pub(super) fn new(provider: Provider, config: &OAuthConfig) -> Self {
        Self {
            provider,
            url: config.jwks_url.clone(),
            current: RwLock::default(),
            last: Arc::default(),
            waiting: Semaphore::new(MAX_WAITING),
        }
    }

    pub(super) fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the key with this id and for this algorithm. Asks the provider if it isn't known.
    pub(super) async fn key(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: &Algorithm,
    ) -> Answer<Arc<Key>> {
        let current = self.current();
        if !is_older(current.tried, MAX_IDLE)
            && let Some(key) = current.find(id, algorithm)
        {
            if is_older(current.fetched, MAX_AGE)
                && let Ok(last) = Arc::clone(&self.last).try_lock_owned()
                && !is_recent(*last)
            {
                drop(self.fetch(last));
            }
            return Ok(key);
        }
        let _place = self.waiting.try_acquire().map_err(|_| unavailable())?;
        // Requests that need keys at the same time wait for one fetch.
        let last = Arc::clone(&self.last).lock_owned().await;
        let fetch = match *last {
            Some(fetch) if is_recent(Some(fetch)) => fetch,
            _ => self.fetch(last).await.unwrap_or_else(|_| Fetch::end(false)),
        };
        match self.current().find(id, algorithm) {
            Some(key) => Ok(key),
            None if fetch.succeeded => {
                Err(refused("has a key that is not one of the identity provider's"))
            }
            None => Err(unavailable()),
        }
    }

    /// Goes on if the request that began it ends.
    fn fetch(self: &Arc<Self>, mut last: OwnedMutexGuard<Option<Fetch>>) -> JoinHandle<Fetch> {
        let keys = Arc::clone(self);
        tokio::spawn(async move {
            let fetched = keys.fetched().await;
            let fetch = Fetch::end(fetched.is_ok());
            let mut set = KeySet::clone(&keys.current());
            set.tried = Some(fetch.ended);
            match fetched {
                Ok(keys) => {
                    set.fetched = set.tried;
                    set.version += u64::from(set.keys != keys);
                    set.keys = keys;
                }
                Err(error) => {
                    let cause: &dyn std::error::Error = &error;
                    tracing::warn!(error = cause, "the identity provider's keys are unavailable");
                }
            }
            *keys.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
            *last = Some(fetch);
            fetch
        })
    }

    /// A provider may withdraw all keys.
    async fn fetched(&self) -> Result<Vec<Arc<Key>>> {
        let url = match &self.url {
            Some(url) => url.clone(),
            None => self.provider.metadata().await?.jwks_uri.ok_or_else(|| {
                failed("the identity provider's metadata has no `jwks_uri`; name its keys' URL")
            })?,
        };
        let jwks: Jwks = self.provider.get(&url).await?;
        let keys = jwks.keys.iter().filter_map(|key| Key::deserialize(key).ok());
        let keys: Vec<Arc<Key>> = keys.filter(Key::is_usable).map(Arc::new).collect();
        if keys.is_empty() {
            tracing::warn!("the identity provider has no key for signatures that the server knows");
        }
        Ok(keys)
    }
}

impl KeySet {
    /// A header may leave out the key's id if there is one key for its algorithm.
    fn find(&self, id: Option<&str>, algorithm: &Algorithm) -> Option<Arc<Key>> {
        let is_named = |key: &Key| id.is_none() || key.id.as_deref() == id;
        let mut keys = self.keys.iter().filter(|key| is_named(key) && key.is_for(algorithm));
        let key = keys.next()?;
        keys.next().is_none().then(|| Arc::clone(key))
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

fn is_older(time: Option<Instant>, age: Duration) -> bool {
    time.is_some_and(|time| time.elapsed() > age)
}
