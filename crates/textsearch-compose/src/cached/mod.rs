//! A search with a cache.

mod answer;
mod flights;
mod key;
mod settings;

use std::{fmt, sync::Arc};

use foldhash::fast::RandomState;
use quick_cache::{
    Options, OptionsBuilder, Weighter,
    sync::{Cache, DefaultLifecycle},
};
use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, SearchResults, TextSearch,
    connector::TextSearchWrapper, results::AnyRecord,
};
use tokio::time::Instant;

pub use self::settings::CacheSettings;
use self::{
    answer::Answer,
    flights::{Flights, Joined},
    key::Key,
};

/// A search that keeps results for a while, in memory.
///
/// - **Key**: the query and all options: `top`, `skip`, the request for a count, the filter and the
///   fixed filter. So two tenants never share results. Don't cache a search whose results depend on
///   anything else, such as the task that asks.
/// - **Single flight**: callers who ask the same at the same time share one search. It
///   continues while a caller waits, and stops when the last one is dropped. Each gets a panic as an
///   error.
/// - **Kept**: complete results. Errors aren't, nor are results with an error among them, and those
///   that lack a source: put the cache around the sources of a [`FanOut`](crate::FanOut) if one is
///   often down. Records that can't be serialised and filters with a number that isn't finite
///   aren't kept either.
/// - **Reading**: the call reads the whole window, at most `top` results, and no further. A search for
///   more than [`max_results`](CacheSettings::max_results) passes through unread.
/// - **Unchanged**: order, counts, metadata, filters and errors of the inner search. Changes of its data
///   show when the time to live is over.
///
/// Clones share the cache.
///
/// ```
/// use textsearch_compose::{CacheSettings, Cached};
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let notes = FixedSearch::new([TextSearchResult::new("From a note.")]);
/// let search = Cached::new(notes, CacheSettings::default())?;
/// for _ in 0..2 {
///     // The second time, `notes` isn't asked.
///     assert_eq!(search.search("note", &SearchOptions::top(3)).await?.into_vec().await?, ["From a note."]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Cached {
    inner: Arc<dyn TextSearch>,
    settings: CacheSettings,
    kept: Arc<Cache<Arc<Key>, Kept, Weight, RandomState>>,
    flights: Arc<Flights>,
}

#[derive(Clone)]
struct Kept {
    answer: Arc<Answer>,
    weight: u64,
    expires: Instant,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Arc<Key>, Kept> for Weight {
    fn weight(&self, _: &Arc<Key>, kept: &Kept) -> u64 {
        kept.weight
    }
}

impl Cached {
    /// Keeps what `search` finds.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), naming the setting, if
    /// nothing could be kept, or something for longer than 100 years.
    pub fn new(search: impl TextSearch + 'static, settings: CacheSettings) -> Result<Self> {
        settings.check(search.name())?;
        let options = options(&settings, search.name())?;
        let hasher = RandomState::default();
        let lifecycle = DefaultLifecycle::default();
        let kept = Arc::new(Cache::with_options(options, Weight, hasher, lifecycle));
        Ok(Self { inner: Arc::new(search), settings, kept, flights: Arc::default() })
    }

    fn get(&self, key: &Arc<Key>) -> Option<Arc<Answer>> {
        let kept = self.kept.get(key)?;
        if kept.expires > Instant::now() {
            return Some(kept.answer);
        }
        self.kept.remove(key);
        None
    }

    /// Searches, and keeps the results before the flight ends.
    async fn find(self, options: SearchOptions, key: Arc<Key>) -> Result<Arc<Answer>> {
        let results = self.inner.search_any(&key.query, &options).await?;
        let answer = Arc::new(Answer::read(results, options.top).await);
        if answer.is_whole() {
            self.keep(key, &answer);
        }
        Ok(answer)
    }

    fn panicked(&self) -> Error {
        Error::new(ErrorKind::Backend, self.inner.name(), "the search panicked")
    }

    fn keep(&self, key: Arc<Key>, answer: &Arc<Answer>) {
        let Some(size) = answer.size() else { return };
        let weight = size.saturating_add(key.size()).max(self.settings.min_weight());
        let expires = Instant::now() + self.settings.time_to_live;
        self.kept.insert(key, Kept { answer: Arc::clone(answer), weight, expires });
    }
}

/// With one shard, because each shard limits its own bytes.
fn options(settings: &CacheSettings, connector: &str) -> Result<Options> {
    OptionsBuilder::new()
        .shards(1)
        .estimated_items_capacity(usize::try_from(settings.max_entries).unwrap_or(usize::MAX))
        .weight_capacity(settings.max_bytes)
        .build()
        .map_err(|error| {
            let message = format!("the cache can't be created with {settings:?}");
            Error::new(ErrorKind::Backend, connector, message).with_source(error)
        })
}

impl TextSearchWrapper for Cached {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let key = Key::new(query, options).filter(|_| options.top <= self.settings.max_results);
        let Some(key) = key.map(Arc::new) else {
            return self.inner.search_any(query, options).await;
        };
        if let Some(answer) = self.get(&key) {
            return Ok(answer.results());
        }
        let search = || self.clone().find(options.clone(), Arc::clone(&key));
        let answer = match self.flights.join(&key, || self.get(&key), search) {
            Joined::Flight(flight) => flight.await.ok_or_else(|| self.panicked())??,
            Joined::Landed(answer) => answer,
        };
        Ok(answer.results())
    }
}

impl fmt::Debug for Cached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Cached")
            .field("inner", &self.inner.name())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use textsearch_core::{FixedSearch, TextSearchResult};

    use super::*;

    /// Returns the number of searches kept and their weight.
    fn fill(settings: CacheSettings, text: &str) -> (u64, u64) {
        let search =
            Cached::new(FixedSearch::new([TextSearchResult::new(text)]), settings).unwrap();
        for number in 0..500 {
            let query = number.to_string();
            let outcome = search.search(&query, &SearchOptions::top(1)).now_or_never();
            outcome.expect("nothing here waits").unwrap();
        }
        (search.kept.len() as u64, search.kept.weight())
    }

    #[test]
    fn the_number_of_searches_is_limited() {
        let settings = CacheSettings { max_entries: 10, ..CacheSettings::default() };
        let (count, _) = fill(settings, "text");
        assert!((9..=10).contains(&count), "{count}");
    }

    #[test]
    fn the_bytes_are_limited() {
        let settings = CacheSettings { max_bytes: 50_000, ..CacheSettings::default() };
        let (count, weight) = fill(settings, &"x".repeat(10_000));
        assert_eq!(count, 4);
        assert!((40_000..50_000).contains(&weight), "{weight}");
    }

    #[test]
    fn a_search_larger_than_the_cache_is_not_kept() {
        let settings = CacheSettings { max_bytes: 5_000, ..CacheSettings::default() };
        assert_eq!(fill(settings, &"x".repeat(10_000)), (0, 0));
    }

    #[test]
    fn flights_leave_nothing_behind() {
        let search =
            Cached::new(FixedSearch::<TextSearchResult>::new([]), CacheSettings::default())
                .unwrap();
        search.search("query", &SearchOptions::top(1)).now_or_never().unwrap().unwrap();
        assert_eq!(search.flights.count(), 0);
    }
}
