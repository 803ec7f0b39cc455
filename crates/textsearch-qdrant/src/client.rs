//! The nodes of a cluster: sends each request to a reachable node, and retries if that can help.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use qdrant_client::{Qdrant, QdrantError};
use textsearch_core::{Error, Result};
use tokio::time::{Instant, timeout};
use tonic::Status;

use crate::{
    CONNECTOR, QdrantConfig,
    error::{self, Context},
};

/// The longest pause that a server may ask for; the caller decides about longer ones.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

const DEFAULT_ATTEMPTS: u32 = 3;

pub(crate) struct Nodes {
    clients: Vec<Arc<Qdrant>>,
    /// The node that responded last.
    current: AtomicUsize,
    config: QdrantConfig,
}

impl Nodes {
    /// Doesn't connect.
    pub(crate) fn new(config: QdrantConfig) -> Result<Self> {
        let clients = config.nodes.iter().map(|url| client(url, &config));
        let clients = clients.collect::<Result<_>>()?;
        Ok(Self { clients, current: AtomicUsize::new(0), config })
    }

    pub(crate) fn config(&self) -> &QdrantConfig {
        &self.config
    }

    pub(crate) fn client(&self) -> Option<&Arc<Qdrant>> {
        self.clients.get(self.current.load(Ordering::Relaxed)).or(self.clients.first())
    }

    /// Retries failures if it can help. Every request of this crate may be repeated.
    ///
    /// By default, a request that fails because replicas are missing is retried until the total
    /// timeout: a cluster takes many seconds to notice that a node is down.
    ///
    /// # Errors
    /// Returns the error of the last full attempt. An attempt with hardly any time left would hide
    /// it behind a timeout.
    pub(crate) async fn request<T, Requested>(
        &self,
        collection: Option<&str>,
        mut request: impl FnMut(Arc<Qdrant>) -> Requested,
    ) -> Result<T>
    where
        Requested: Future<Output = Result<T, QdrantError>>,
    {
        let began = Instant::now();
        let mut pauses = self.pauses();
        let mut attempts = 0;
        loop {
            let failure = match self.attempt(&mut request, began).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            attempts += 1;
            let may_repeat = self.may_repeat(attempts, &failure);
            let context = Context { collection, api_key: self.config.api_key.as_ref() };
            let error = error::from_client(failure, context);
            let min_pause = error.retry_after().unwrap_or_default();
            let is_worth_it = may_repeat && error.is_retryable() && min_pause <= LONGEST_WAIT;
            let pause = pauses.next().map(|pause| pause.max(min_pause));
            let max_pause = self.left(began).saturating_sub(self.min_timeout());
            match pause.filter(|pause| is_worth_it && *pause < max_pause) {
                None => return Err(error),
                Some(pause) => {
                    announce(&error);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }

    fn may_repeat(&self, attempts: u32, failure: &QdrantError) -> bool {
        match self.config.max_attempts {
            Some(max) => attempts < max,
            None => attempts < DEFAULT_ATTEMPTS || error::lacks_replicas(failure),
        }
    }

    /// Fails over to the next node if one is unreachable or doesn't respond.
    async fn attempt<T, Requested>(
        &self,
        request: &mut impl FnMut(Arc<Qdrant>) -> Requested,
        began: Instant,
    ) -> Result<T, QdrantError>
    where
        Requested: Future<Output = Result<T, QdrantError>>,
    {
        let first = self.current.load(Ordering::Relaxed);
        let mut tried = 0;
        loop {
            let place = (first + tried) % self.clients.len().max(1);
            let Some(client) = self.clients.get(place) else {
                return Err(QdrantError::ConversionError("there is no node".to_owned()));
            };
            // Split the remaining time, so that a silent node can't use it all.
            let nodes_left = u32::try_from(self.clients.len() - tried).unwrap_or(u32::MAX);
            let time = self.config.timeout.min(self.left(began) / nodes_left);
            let answer = self.within(time, place, request(Arc::clone(client))).await;
            tried += 1;
            match answer {
                Err(failure) if error::may_be_answered_elsewhere(&failure) => {
                    if tried >= self.clients.len() {
                        return Err(failure);
                    }
                }
                answer => {
                    self.current.store(place, Ordering::Relaxed);
                    return answer;
                }
            }
        }
    }

    async fn within<T>(
        &self,
        time: Duration,
        place: usize,
        requested: impl Future<Output = Result<T, QdrantError>>,
    ) -> Result<T, QdrantError> {
        let asked = Instant::now();
        match timeout(time, requested).await {
            // The client's own timeout may end slightly earlier.
            Ok(Err(failure)) if error::is_timeout(&failure) && asked.elapsed() >= time => {
                Err(self.silence(place, time))
            }
            Ok(answer) => answer,
            Err(_) => Err(self.silence(place, time)),
        }
    }

    fn left(&self, began: Instant) -> Duration {
        self.config.longest().saturating_sub(began.elapsed())
    }

    /// The minimum time for another attempt: enough to connect to every node, or a quarter of a
    /// short total timeout.
    fn min_timeout(&self) -> Duration {
        let per_node = self.config.connect_timeout.min(self.config.timeout);
        self.config.for_all_nodes(per_node).min(self.config.longest() / 4)
    }

    fn silence(&self, place: usize, time: Duration) -> QdrantError {
        let url = self.config.nodes.get(place).map_or("", String::as_str);
        let seconds = time.as_secs_f64();
        let message = format!("`{url}` was silent for {seconds:.1} seconds");
        QdrantError::ResponseError { status: Status::deadline_exceeded(message) }
    }

    fn pauses(&self) -> impl Iterator<Item = Duration> + Send + use<> {
        ExponentialBuilder::default()
            .with_min_delay(self.config.backoff_base)
            .with_max_delay(self.config.backoff_max)
            .without_max_times()
            .with_jitter()
            .build()
    }
}

fn client(url: &str, config: &QdrantConfig) -> Result<Arc<Qdrant>> {
    let mut builder = Qdrant::from_url(url)
        .timeout(config.timeout)
        .connect_timeout(config.connect_timeout)
        .keep_alive_while_idle()
        // The check would connect immediately and print to the terminal.
        .skip_compatibility_check();
    builder.set_pool_size(config.connections);
    if let Some(key) = &config.api_key {
        builder = builder.api_key(key.expose());
    }
    let client = builder.build().map_err(|_| {
        let allowed = "an address such as http://localhost:6334";
        Error::invalid_options(CONNECTOR, "nodes", format_args!("`{url}`"), allowed)
    })?;
    Ok(Arc::new(client))
}

fn announce(error: &Error) {
    tracing::debug!(
        textsearch.connector = CONNECTOR,
        error.type = error.kind().name(),
        "the request failed and is tried again"
    );
}
