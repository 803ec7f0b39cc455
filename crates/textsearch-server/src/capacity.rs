//! What requests may hold at once: places, and memory for their bodies.

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};

use crate::{
    ServerConfig,
    problem::{Answer, Kind, Problem, internal},
};

/// The places and the memory of a server, or the share of one tenant.
pub(crate) struct Capacity {
    requests: Arc<Semaphore>,
    body_bytes: Arc<Semaphore>,
    refusal: (Kind, &'static str),
}

/// A request that isn't admitted yet. It holds memory for the part of its body that arrived.
pub(crate) struct Admission<'c> {
    token: Option<Part<'c>>,
    server: Part<'c>,
    body_bytes: usize,
}

/// A request's place and the memory of its body, until the last clone is dropped. A stream keeps a
/// clone until its end, and work that outlives its request until it is done.
#[derive(Clone)]
pub(crate) struct Permit(Arc<Held>);

struct Held {
    body_bytes: usize,
    _of_tenant: Option<Permits>,
    _of_server: Permits,
}

/// What an admission takes from one capacity.
struct Part<'c> {
    capacity: &'c Capacity,
    permits: Permits,
}

#[derive(Default)]
struct Permits {
    place: Option<OwnedSemaphorePermit>,
    body: Option<OwnedSemaphorePermit>,
}

impl Capacity {
    pub(crate) fn of_server(config: &ServerConfig) -> Self {
        let refusal =
            (Kind::Overloaded, "the server runs as many requests as it may; try again later");
        Self::new(config.max_concurrent_requests, config, refusal)
    }

    /// Returns the share of a tenant: half of the server's capacity, so that no tenant can keep the
    /// others out. A single tenant has no share.
    pub(crate) fn of_tenant(config: &ServerConfig) -> Option<Self> {
        let refusal =
            (Kind::TooManyRequests, "the tenant has as many requests as it may; try again later");
        let half = config.max_concurrent_requests.div_ceil(2);
        let members = config.oauth.as_ref().map_or(0, |oauth| match &oauth.tenant_claim {
            Some(_) => usize::MAX,
            None => 1,
        });
        (config.tokens.len().saturating_add(members) > 1).then(|| Self::new(half, config, refusal))
    }

    fn new(requests: usize, config: &ServerConfig, refusal: (Kind, &'static str)) -> Self {
        let semaphore =
            |permits: usize| Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
        let body_bytes = requests.saturating_mul(config.max_body_bytes);
        Self { requests: semaphore(requests), body_bytes: semaphore(body_bytes), refusal }
    }
}

impl<'c> Admission<'c> {
    pub(crate) fn new(server: &'c Capacity, token: Option<&'c Capacity>) -> Self {
        let part = |capacity| Part { capacity, permits: Permits::default() };
        Self { token: token.map(part), server: part(server), body_bytes: 0 }
    }

    /// Takes memory for further bytes of the body.
    pub(crate) fn add_body(&mut self, bytes: usize) -> Answer<()> {
        self.body_bytes = self.body_bytes.saturating_add(bytes);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.parts().try_for_each(|part| {
            part.take(bytes, |capacity| &capacity.body_bytes, |permits| &mut permits.body)
        })
    }

    /// Takes a place.
    pub(crate) fn admit(mut self) -> Answer<Permit> {
        self.parts().try_for_each(|part| {
            part.take(1, |capacity| &capacity.requests, |permits| &mut permits.place)
        })?;
        Ok(Permit(Arc::new(Held {
            body_bytes: self.body_bytes,
            _of_tenant: self.token.map(|part| part.permits),
            _of_server: self.server.permits,
        })))
    }

    /// The token's share comes first: if it is used up, the token's own requests are the reason.
    fn parts(&mut self) -> impl Iterator<Item = &mut Part<'c>> {
        self.token.iter_mut().chain([&mut self.server])
    }
}

impl Part<'_> {
    fn take(
        &mut self,
        count: u32,
        from: fn(&Capacity) -> &Arc<Semaphore>,
        to: fn(&mut Permits) -> &mut Option<OwnedSemaphorePermit>,
    ) -> Answer<()> {
        let taken = Arc::clone(from(self.capacity)).try_acquire_many_owned(count);
        let taken = taken.map_err(|_: TryAcquireError| {
            let (kind, detail) = self.capacity.refusal;
            Problem::new(kind, detail).with_retry_after(Some(Duration::from_secs(1)))
        })?;
        match to(&mut self.permits) {
            Some(held) => held.merge(taken),
            none => *none = Some(taken),
        }
        Ok(())
    }
}

impl Permit {
    /// Returns the size of the request's body.
    pub(crate) fn body_bytes(&self) -> usize {
        self.0.body_bytes
    }

    /// Runs `work` on a thread where it may block, and keeps the permit until it ends, even if the
    /// request is gone.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Answer<T> {
        let permit = self.clone();
        let running = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        running.await.map_err(|error| internal(&error))
    }
}
