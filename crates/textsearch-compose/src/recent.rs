//! A search that prefers recent results.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use jiff::{Span, Unit, civil};
use textsearch_core::{
    Error, Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord as _,
    TextSearchResult,
    connector::TextSearchWrapper,
    filter::{DateTime, lookup},
    results::{AnyRecord, ExplanationStep, RANK_CONSTANT},
    serde_json::Value,
};

use crate::blocks::{CANDIDATES, Rescore, Rescored, resorted};

const FLOOR: f64 = 0.5;

/// The dates of documents in records of `textsearch-documents`: when it was written, and when its file
/// changed.
const FIELDS: [&str; 2] = ["date", "modified"];

/// Years and months count as from this day.
const EPOCH: civil::Date = civil::date(2025, 1, 1);

const NANOSECONDS: f64 = 1e9;

/// A search that puts recent results before old ones of about the same relevance.
///
/// Each score is multiplied by a factor that falls with the age of the result, from 1 for a new one
/// to the [floor](Self::with_floor):
///
/// > floor + (1 − floor) · ½ ^ (age ÷ half-life)
///
/// - **Date**: when the result was published, or else the `date` or the `modified` of its record, which
///   documents have, or only [another field](Self::with_field). A date in the future counts as now. A
///   result without a date keeps its score, so it never falls below an older result.
/// - **Scores**: the factor needs scores that fall with the rank and aren't negative. If the search
///   returns others, such as distances or none, `1 / (60 + rank)` takes their place. Results have the
///   multiplied scores. The record's JSON stays as it is.
/// - **Windows**: the ranking of the inner search is read and sorted in blocks of the best
///   [candidates](Self::with_candidates), as [`Reranked`](crate::Reranked) does. So a result has the
///   same place on every page, and an old result of one block never falls into the next.
/// - **Order of wrappers**: put it around a [`Reranked`](crate::Reranked), a
///   [`FanOut`](crate::FanOut) or a hybrid search, whose scores say how relevant a result is.
///
/// Total count, metadata, filters and fixed filters are those of the inner search.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::Recent;
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult, filter::DateTime};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let page = |text: &str, score: f64, date: &str| {
///     let published = DateTime::parse(date)?;
///     Ok::<_, Box<dyn std::error::Error>>(TextSearchResult::new(text).with_score(score).with_published(published))
/// };
/// let pages = FixedSearch::new([page("Tides 2019", 0.8, "2019-01-01")?, page("Tides 2025", 0.7, "2025-05-01")?]);
/// let search = Recent::new(pages, Duration::from_secs(365 * 24 * 3600))
///     .with_now(DateTime::parse("2025-06-01")?);
/// let texts = search.search("tides", &SearchOptions::top(2)).await?.into_vec().await?;
/// assert_eq!(texts, ["Tides 2025", "Tides 2019"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recent {
    inner: Arc<dyn TextSearch>,
    settings: Settings,
    candidates: usize,
}

#[derive(Debug, Clone)]
struct Settings {
    half_life: Duration,
    floor: f64,
    field: Option<String>,
    now: Option<DateTime>,
}

impl Recent {
    /// Prefers recent results of `search`. After `half_life`, half of the possible reduction of a score
    /// is reached.
    ///
    /// A search returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the
    /// half-life is zero, the floor isn't from 0 to 1, or there are no candidates.
    pub fn new(search: impl TextSearch + 'static, half_life: Duration) -> Self {
        let settings = Settings { half_life, floor: FLOOR, field: None, now: None };
        Self { inner: Arc::new(search), settings, candidates: CANDIDATES }
    }

    /// Reads a half-life such as `90d`, `12w`, `6mo` or `1y`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use textsearch_compose::Recent;
    ///
    /// assert_eq!(Recent::parse_half_life("90d")?, Duration::from_secs(90 * 24 * 3600));
    /// assert!(Recent::parse_half_life("soon").is_err());
    /// # Ok::<(), textsearch_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) for any other text, and for
    /// no time at all.
    pub fn parse_half_life(text: &str) -> Result<Duration> {
        let span = text.parse::<Span>().ok();
        let seconds = span.and_then(|span| span.total((Unit::Second, EPOCH)).ok());
        let half_life = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        half_life.filter(|half_life| !half_life.is_zero()).ok_or_else(|| {
            let allowed = "a time above 0, such as 90d, 12w, 6mo or 1y";
            Error::invalid_options("recent", "half_life", format_args!("`{text}`"), allowed)
        })
    }

    /// Sets the smallest factor, for the oldest results: 0.5 by default. With 1, age changes nothing.
    #[must_use]
    pub fn with_floor(mut self, floor: f64) -> Self {
        self.settings.floor = floor;
        self
    }

    /// Sets the field of the record's JSON with its date, such as `updated` or `facts.written`; no other
    /// date counts. Default: when the result was published, or else `date`, or else `modified`.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.settings.field = Some(field.into());
        self
    }

    /// Sets how many of the best results are sorted at once: 50 by default. If the search has a maximum
    /// number of results, such as the depth of a [`FanOut`](crate::FanOut), the candidates must divide
    /// it.
    #[must_use]
    pub fn with_candidates(mut self, candidates: usize) -> Self {
        self.candidates = candidates;
        self
    }

    /// Sets the time from which ages are counted, for tests. Default: the time of each search.
    #[must_use]
    pub fn with_now(mut self, now: DateTime) -> Self {
        self.settings.now = Some(now);
        self
    }
}

impl Settings {
    fn check(&self, connector: &str) -> Result<()> {
        if self.half_life.is_zero() {
            return Err(Error::invalid_options(connector, "half_life", 0, "more than 0"));
        }
        if !(0.0..=1.0).contains(&self.floor) {
            return Err(Error::invalid_options(connector, "floor", self.floor, "from 0 to 1"));
        }
        Ok(())
    }

    fn date(&self, record: &AnyRecord, result: &TextSearchResult) -> Option<DateTime> {
        if let (true, Some(published)) = (self.field.is_none(), result.published) {
            return Some(published);
        }
        let Ok(Value::Object(json)) = record.to_value() else { return None };
        let date = |field: &str| DateTime::parse(lookup(&json, field)?.as_str()?).ok();
        match &self.field {
            Some(field) => date(field),
            None => FIELDS.into_iter().find_map(date),
        }
    }

    fn factor(&self, date: DateTime, now: DateTime) -> f64 {
        let age = now.unix_nanoseconds().saturating_sub(date.unix_nanoseconds()).max(0);
        let half_lives = age as f64 / NANOSECONDS / self.half_life.as_secs_f64();
        self.floor + (1.0 - self.floor) * 0.5_f64.powf(half_lives)
    }
}

/// The recency of one search.
struct Recency {
    settings: Settings,
    now: DateTime,
    is_explained: bool,
}

impl Rescore for Recency {
    async fn rescore(&self, records: &[AnyRecord], before: usize) -> Result<Vec<Rescored>> {
        let results: Vec<_> = records.iter().map(|record| record.to_result()).collect();
        let are_usable = are_usable(&results);
        let rescored =
            records.iter().zip(&results).zip(before + 1..).map(|((record, result), rank)| {
                let by_rank = || 1.0 / (f64::from(RANK_CONSTANT) + rank as f64);
                let score = result.score.filter(|_| are_usable).unwrap_or_else(by_rank);
                let date = self.settings.date(record, result);
                let factor = date.map_or(1.0, |date| self.settings.factor(date, self.now));
                let step = || ExplanationStep {
                    detail: date.map(|date| date.to_string()),
                    score_before: Some(score),
                    score: Some(score * factor),
                    weight: Some(factor),
                    ..ExplanationStep::new(ExplanationStep::RECENCY)
                };
                Rescored { score: score * factor, step: self.is_explained.then(step) }
            });
        Ok(rescored.collect())
    }
}

/// Returns whether the scores fall with the rank, and none is negative, infinite or missing.
fn are_usable(results: &[TextSearchResult]) -> bool {
    let scores = || results.iter().map(|result| result.score.unwrap_or(f64::NAN));
    scores().all(|score| score.is_finite() && score >= 0.0)
        && scores().is_sorted_by(|better, worse| better >= worse)
}

impl TextSearchWrapper for Recent {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        self.settings.check(self.inner.name())?;
        let recency = Recency {
            settings: self.settings.clone(),
            now: self.settings.now.unwrap_or_else(|| SystemTime::now().into()),
            is_explained: options.include_explanation,
        };
        resorted(&*self.inner, query, options, self.candidates, recency).await
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Recent")
            .field("inner", &self.inner.name())
            .field("settings", &self.settings)
            .field("candidates", &self.candidates)
            .finish()
    }
}
