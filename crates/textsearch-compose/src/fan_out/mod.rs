//! Several searches at once, fused into one ranking.

mod ask;
mod fusion;
mod identity;
mod settings;

use std::sync::Arc;

use futures_util::{StreamExt, stream::FuturesUnordered};
use textsearch_core::{
    CheckedOptions, Error, FilterableField, Result, SearchOptions, SearchResults,
    TextSearchConnector,
    connector::Mapped,
    results::{AnyRecord, ExplanationStep, Metadata, TotalCount},
    schemars::Schema,
    serde_json::Value,
};

pub use self::settings::FanOutSettings;
use self::{
    ask::{Answer, Candidate},
    fusion::{Fused, Place, fuse},
    identity::Pages,
};
use crate::{
    Sources,
    failures::{Failures, SOURCE_METADATA, is_of_the_caller, refused},
    sources::Combined,
};

const NAME: &str = "fan_out";

/// The name under which metadata lists the sources.
const SOURCES: &str = "sources";

/// Asks all its sources at once and fuses their rankings by reciprocal rank.
///
/// Each source returns its best [`depth`](FanOutSettings::depth) results. Each result scores the sum of `1 / (60 + rank)` over the sources that found it
/// ([Cormack et al. 2009](https://dl.acm.org/doi/10.1145/1571941.1572114)). Ties are broken by the
/// best rank, then by the order of the sources.
///
/// # Results
///
/// - **Sources**: the metadata of a result has its rank in each source that found it, as
///   `"sources": {"notes": 1, "web": 3}`. Its score is the fused one; the rest, such as text and JSON,
///   is the record of the source that ranks it best.
/// - **Duplicates**: results that link to one page are one result. Links are compared without
///   fragment, tracking parameters such as `utm_source`, default port and trailing slash, and with
///   scheme and host in lower case. Results without a link are the same if their id, name and text
///   are. So are the records of one store that link to one page, such as the chunks of a document.
/// - **Paging**: all pages are windows of the same ranking, as long as the sources answer alike.
///   `skip + top` beyond the depth is [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions).
///   The call reads all that it fuses; reading the results takes no time.
/// - **Total count**: exact if every source returned all it has, without errors. Otherwise an
///   estimate, the largest count of a source, or none.
///
/// # Failures
///
/// - A source that fails or is slower than the
///   [`source_timeout`](FanOutSettings::source_timeout) takes part with the results that it returned
///   before. The metadata of the search has the number of results of each source (`sources`), the
///   kind of error of each source that failed (`failed_sources`, such as `timeout`), and the metadata
///   of each source (`source_metadata`).
/// - The search fails if fewer than [`min_sources`](FanOutSettings::min_sources) answer. The error
///   names each failed source with the kind of its error. The error's own kind is the first
///   [retryable](textsearch_core::Error::is_retryable) one, or else the first.
/// - If a source refuses the options, such as a filter or the depth, the search fails at once. A
///   `query` that one source refuses counts as its failure.
///
/// # Filters
///
/// A filter may use the fields and operators that all sources share. A fixed filter is accepted if
/// all sources accept it.
///
/// Calls need a Tokio runtime with time enabled.
///
/// ```
/// use textsearch_compose::{FanOut, FanOutSettings, Sources};
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let page = |link: &str| TextSearchResult::new("A page.").with_link(link);
/// let one = FixedSearch::new([page("https://example.com/a"), page("https://example.com/b")]);
/// let other = FixedSearch::new([page("https://Example.com/b/?utm_source=x")]);
/// let sources = Sources::new("one", one).with_source("other", other);
/// let search = FanOut::new(sources, FanOutSettings::default())?;
///
/// let results = search.text_search_results("page", &SearchOptions::top(5)).await?.into_vec().await?;
/// assert_eq!(results.len(), 2);
/// assert_eq!(results[0].metadata["sources"]["one"], 2);
/// assert_eq!(results[0].metadata["sources"]["other"], 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FanOut {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    combined: Combined,
    settings: FanOutSettings,
    /// Equal numbers for sources that search the same records.
    stores: Vec<usize>,
}

impl FanOut {
    /// Creates a search over `sources`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a name is empty or
    /// repeated, the depth is zero, or more sources must answer than there are.
    pub fn new(sources: Sources, settings: FanOutSettings) -> Result<Self> {
        let combined = Combined::new(NAME, sources)?;
        settings.check(NAME, &combined)?;
        let stores = stores(&combined);
        Ok(Self { inner: Arc::new(Inner { combined, settings, stores }) })
    }

    fn check(&self, options: &SearchOptions) -> Result<()> {
        self.inner.combined.check(options)?;
        let depth = self.inner.settings.depth;
        if options.skip.saturating_add(options.top) > depth {
            let value = format_args!("{} + {}", options.skip, options.top);
            let allowed = format!("at most {depth}, the depth of the fan-out");
            return Err(Error::invalid_options(NAME, "skip + top", value, allowed));
        }
        Ok(())
    }

    /// Returns the answers in the order of the sources.
    async fn ask_all(&self, query: &str, options: &SearchOptions) -> Result<Vec<Answer>> {
        let Inner { combined, settings, .. } = &*self.inner;
        let mut options = options.clone();
        (options.skip, options.top) = (0, settings.depth);
        let options = &options;
        let ask = |(number, source)| async move {
            (number, Answer::from_source(source, query, options, settings.source_timeout).await)
        };
        let mut asked: FuturesUnordered<_> = combined.sources.iter().enumerate().map(ask).collect();
        let mut answers: Vec<Answer> = combined.sources.iter().map(|_| Answer::default()).collect();
        while let Some((number, mut answer)) = asked.next().await {
            if let Some(error) = answer.error.take_if(|error| is_of_the_caller(error))
                && let Some(source) = combined.sources.get(number)
            {
                return Err(refused(NAME, &source.name, error));
            }
            if let Some(place) = answers.get_mut(number) {
                *place = answer;
            }
        }
        Ok(answers)
    }

    /// Takes the errors out of the answers.
    fn failures(&self, answers: &mut [Answer]) -> Result<Failures> {
        let Inner { combined, settings, .. } = &*self.inner;
        let answered = answers.iter().filter(|answer| answer.is_any()).count();
        let mut failures = Failures::default();
        for (source, answer) in combined.sources.iter().zip(answers) {
            if let Some(error) = answer.error.take() {
                failures.add(&source.name, error);
            }
        }
        if answered < settings.min_sources {
            let count = combined.sources.len();
            let min = settings.min_sources;
            let what = format_args!("{answered} of {count} sources answered, {min} must");
            return Err(failures.into_error(NAME, what));
        }
        Ok(failures)
    }

    fn metadata(&self, answers: &mut [Answer], failures: &Failures) -> Metadata {
        let mut metadata = Metadata::new();
        let mut counts = Metadata::new();
        let mut of_sources = Metadata::new();
        for (source, answer) in self.inner.combined.sources.iter().zip(answers) {
            counts.insert((*source.name).to_owned(), answer.candidates.len().into());
            if !answer.metadata.is_empty() {
                let metadata = std::mem::take(&mut answer.metadata);
                of_sources.insert((*source.name).to_owned(), metadata.into());
            }
        }
        metadata.insert(SOURCES.to_owned(), counts.into());
        if !of_sources.is_empty() {
            metadata.insert(SOURCE_METADATA.to_owned(), of_sources.into());
        }
        failures.report(&mut metadata);
        metadata
    }

    /// Takes the result at a place, and adds its fused score, its ranks and `steps`.
    fn result(
        &self,
        candidate: &mut Candidate,
        score: f64,
        ranks: impl Iterator<Item = (usize, usize)>,
        steps: Vec<ExplanationStep>,
    ) -> Mapped<AnyRecord> {
        let mut found_by = Metadata::new();
        for (number, rank) in ranks {
            if let Some(source) = self.inner.combined.sources.get(number) {
                found_by.insert((*source.name).to_owned(), rank.into());
            }
        }
        let mut result = std::mem::take(&mut candidate.result);
        result.score = Some(score);
        result.metadata.insert(SOURCES.to_owned(), Value::Object(found_by));
        let record = steps.into_iter().fold(candidate.record.clone(), AnyRecord::with_step);
        Mapped::new(record, result)
    }

    /// Returns a step for each source that found the result, and one for the fused ranking.
    fn steps(
        &self,
        candidates: &[Vec<Candidate>],
        place: &Place,
        ranks: impl Iterator<Item = (usize, usize)>,
        rank: usize,
    ) -> Vec<ExplanationStep> {
        let constant = f64::from(self.inner.settings.rank_constant);
        let sources = ranks.filter_map(|(number, rank)| {
            let source = self.inner.combined.sources.get(number)?;
            let candidate = candidates.get(number)?.get(rank - 1)?;
            Some(ExplanationStep {
                detail: Some((*source.name).to_owned()),
                rank: Some(rank),
                score: candidate.result.score,
                contribution: Some(1.0 / (constant + rank as f64)),
                ..ExplanationStep::new(ExplanationStep::SOURCE)
            })
        });
        let fused = ExplanationStep {
            detail: Some("reciprocal_rank".to_owned()),
            rank: Some(rank),
            score: Some(place.score),
            ..ExplanationStep::new(ExplanationStep::FUSION)
        };
        sources.chain([fused]).collect()
    }

    fn window(
        &self,
        mut candidates: Vec<Vec<Candidate>>,
        fused: &Fused,
        options: &SearchOptions,
    ) -> Vec<Mapped<AnyRecord>> {
        let mut window = Vec::with_capacity(options.top.min(fused.places.len()));
        let places = fused.places.iter().zip(1..).skip(options.skip).take(options.top);
        for (place, rank) in places {
            let (source, position) = place.best;
            let steps = if options.include_explanation {
                self.steps(&candidates, place, fused.ranks(place), rank)
            } else {
                Vec::new()
            };
            let of_source = candidates.get_mut(source);
            if let Some(candidate) = of_source.and_then(|all| all.get_mut(position)) {
                window.push(self.result(candidate, place.score, fused.ranks(place), steps));
            }
        }
        window
    }
}

/// Returns the number of the first source with the same connector and data.
fn stores(combined: &Combined) -> Vec<usize> {
    let store = |source: &crate::sources::Source| {
        (Arc::clone(&source.connector), source.search.data_source().to_owned())
    };
    let all: Vec<_> = combined.sources.iter().map(store).collect();
    let first = |store| all.iter().position(|other| other == store).unwrap_or_default();
    all.iter().map(first).collect()
}

impl TextSearchConnector for FanOut {
    type Record = Mapped<AnyRecord>;

    fn name(&self) -> &str {
        NAME
    }

    fn data_source(&self) -> &str {
        &self.inner.combined.data_source
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<Self::Record>> {
        self.check(options)?;
        if options.top == 0 && !options.include_total_count {
            return Ok(SearchResults::from_vec(Vec::new()));
        }
        let mut answers = self.ask_all(query, options).await?;
        let failures = self.failures(&mut answers)?;
        let metadata = self.metadata(&mut answers, &failures);
        let is_complete = failures.is_empty()
            && answers.iter().all(|answer| answer.candidates.len() < self.inner.settings.depth);
        let counts = answers.iter().filter_map(|answer| answer.total_count);
        let max = counts.map(TotalCount::value).max();
        let candidates: Vec<Vec<Candidate>> =
            answers.into_iter().map(|answer| answer.candidates).collect();
        let fused = {
            let pages = Pages::new(&candidates);
            let identities = pages.identities(&candidates, &self.inner.stores);
            fuse(identities, self.inner.settings.rank_constant)
        };
        let count = if is_complete {
            Some(TotalCount::Exact(fused.places.len() as u64))
        } else {
            max.map(TotalCount::Estimated)
        };
        let results = SearchResults::from_vec(self.window(candidates, &fused, options));
        Ok(results.with_metadata(metadata).with_total_count(count))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.inner.combined.fields
    }

    fn schema(&self) -> Schema {
        self.inner.combined.schema()
    }

    fn supports_fixed_filter(&self) -> bool {
        self.inner.combined.supports_fixed_filter
    }
}
