//! Searches one state.

#[cfg(feature = "hnsw")]
mod approximate;
mod distinct_values;
mod full_text;
mod hybrid;
mod nearest;
mod ranked;
mod scan;
mod scanner;
#[cfg(feature = "hnsw")]
mod selection;
mod top;

use std::sync::Arc;

use futures_util::stream;
use textsearch_core::{
    Result, SearchResults,
    vector::{Scored, SearchInput, StoredRecord, VectorSearchOptions},
};

#[cfg(feature = "hnsw")]
use self::approximate::Approximate;
pub(crate) use self::distinct_values::distinct_values;
pub(crate) use self::scan::scan;
use self::{
    nearest::Scan,
    ranked::Ranked,
    top::{Ranking, ScoredRow},
};
use crate::{error::CONNECTOR, state::State, threads::Threads};

type Results = SearchResults<Scored<StoredRecord>>;

pub(crate) struct Searcher {
    pub(crate) state: Arc<State>,
    pub(crate) threads: Arc<Threads>,
}

impl Searcher {
    /// Texts search by full text, since a plain collection has no embedding generator.
    pub(crate) async fn by_inputs(
        self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<Results>> {
        let vectors = inputs.iter().filter_map(|input| match input {
            SearchInput::Vector(vector) => Some(Arc::clone(vector)),
            SearchInput::Text(_) => None,
        });
        let mut ranked = self.by_vectors(vectors.collect(), options).await?.into_iter();
        let by_input = inputs.iter().map(|input| match input {
            SearchInput::Vector(_) => {
                Ok(results(&self.state, ranked.next().unwrap_or_default(), options))
            }
            SearchInput::Text(text) => {
                self.state.schema().definition().check_text_input(CONNECTOR)?;
                by_text(&self.state, text, options)
            }
        });
        by_input.collect()
    }

    async fn by_vectors(
        &self,
        vectors: Vec<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<Vec<Ranked>> {
        if vectors.is_empty() {
            return Ok(Vec::new());
        }
        let ranking = |higher_better| Ranking::new(options, higher_better);
        self.run(Scan::new(&self.state, vectors, options, ranking)?, options, Ok).await
    }

    pub(crate) async fn hybrid(
        self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        let scan = hybrid::scan(&self.state, vector, options)?;
        let state = Arc::clone(&self.state);
        let text = text.to_owned();
        let requested = options.clone();
        let finish = move |ranked| hybrid::rank(&state, ranked, &text, &requested);
        let ranked = self.run(scan, options, finish).await?;
        Ok(results(&self.state, ranked, options))
    }

    #[cfg_attr(not(feature = "hnsw"), expect(unused_variables, reason = "only walks read them"))]
    async fn run<T: Send + 'static>(
        &self,
        scan: Scan,
        options: &VectorSearchOptions,
        finish: impl FnOnce(Vec<Ranked>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let scan = Arc::new(scan);
        #[cfg(feature = "hnsw")]
        if let Some(walks) = Approximate::plan(&scan, options, &self.threads).await? {
            return walks.run(&self.threads, finish).await;
        }
        scan.run(&self.threads, finish).await
    }
}

pub(crate) fn by_text(
    state: &Arc<State>,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Results> {
    let (mut ranked, words) = full_text::rank(state, text, options, Ranking::new(options, true)?)?;
    if options.include_explanation {
        words.explain(&mut ranked, options.skip);
    }
    Ok(results(state, ranked, options))
}

/// Each record is copied when it is read.
fn results(state: &Arc<State>, ranked: Ranked, options: &VectorSearchOptions) -> Results {
    let state = Arc::clone(state);
    let with_vectors = options.include_vectors;
    let mut explanations = ranked.explanations.into_iter();
    let record = move |scored: ScoredRow| {
        let definition = Arc::clone(state.schema().definition());
        let record = state.record(scored.row, with_vectors)?;
        let mut scored = Scored::new(record, scored.score, definition);
        scored.explanation = explanations.next().unwrap_or_default();
        Ok(scored)
    };
    let rows = ranked.rows.into_iter().skip(options.skip);
    let results = SearchResults::from_stream(stream::iter(rows.map(record)));
    if options.include_total_count { results.with_total_count(ranked.count) } else { results }
}
