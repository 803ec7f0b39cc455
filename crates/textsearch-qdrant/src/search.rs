//! Searches by vector or by words.

use std::sync::Arc;

use qdrant_client::qdrant::{
    self, Condition, Query, QueryBatchPoints, QueryPoints, ScoredPoint, SearchParams, VectorInput,
    WithPayloadSelector, query,
};
use textsearch_core::{
    Error, ErrorKind, Result, SearchResults,
    results::TotalCount,
    vector::{
        Distance, IndexKind, RecordKey, ScoreOrder, Scored, SearchInput, StoredRecord, VectorField,
        VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR,
    handle::{QdrantCollection, whole_payload},
    path, record, schema,
};

/// Maximum number of records read to order equal scores, to count records above a threshold, and to
/// fuse two rankings.
pub(crate) const MAX_LOOKED_AT: usize = 10_000;

pub(crate) type Results = SearchResults<Scored<StoredRecord>>;

/// A search whose input and options are checked.
pub(crate) struct Search<'a> {
    collection: &'a QdrantCollection,
    options: &'a VectorSearchOptions,
    order: ScoreOrder,
    /// How many of the best results the search needs.
    depth: usize,
    /// `None` for a text without words, which finds nothing.
    query: Option<Query>,
    /// The vector's name on the server: empty for the vector without a name.
    using: String,
    params: Option<SearchParams>,
    pub(crate) filter: Option<qdrant::Filter>,
    /// Defines the scale of scores. For words, higher is better, as for the dot product.
    distance: Distance,
    payload: WithPayloadSelector,
}

impl<'a> Search<'a> {
    /// A text searches by words, because a plain collection has no embedding generator.
    ///
    /// # Errors
    /// Returns `InvalidOptions` or `UnsupportedFilter` for input or options that the collection can't
    /// search with.
    pub(crate) async fn new(
        collection: &'a QdrantCollection,
        input: &SearchInput,
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        match input {
            SearchInput::Vector(vector) => Self::by_vector(collection, vector, options).await,
            SearchInput::Text(text) => {
                collection.definition.check_text_input(CONNECTOR)?;
                Self::by_words(collection, text, options).await
            }
        }
    }

    pub(crate) async fn by_vector(
        collection: &'a QdrantCollection,
        vector: &[f32],
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        let name = options.vector_field.as_deref();
        let field = collection.definition.vector_field(name, CONNECTOR)?;
        field.check_query(vector, CONNECTOR)?;
        Ok(Self {
            query: Some(nearest(VectorInput::new_dense(vector.to_vec()))),
            using: path::vector(&field.name).to_owned(),
            params: Some(params(field, options)),
            ..Self::unspecific(collection, field.distance, options).await?
        })
    }

    pub(crate) async fn by_words(
        collection: &'a QdrantCollection,
        text: &str,
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        let fields = &options.full_text_fields;
        let terms = collection.texts.query(&collection.definition, fields, text, CONNECTOR)?;
        let has_words = !terms.is_empty();
        let sparse = nearest(VectorInput::new_sparse(terms.numbers, terms.weights));
        Ok(Self {
            query: Some(sparse).filter(|_| has_words),
            using: path::TERMS.to_owned(),
            ..Self::unspecific(collection, Distance::DotProduct, options).await?
        })
    }

    /// Returns a search without a query.
    async fn unspecific(
        collection: &'a QdrantCollection,
        distance: Distance,
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        let order = options.order(distance.is_higher_better(), CONNECTOR)?;
        let filter = collection.conditions(options.filter.as_ref()).await?;
        let depth = match options.end() {
            end if end <= MAX_LOOKED_AT => end,
            // The server allocates memory for the requested number.
            end => end.min(usize::try_from(collection.count(None).await?).unwrap_or(usize::MAX)),
        };
        Ok(Self {
            collection,
            options,
            order,
            depth,
            query: None,
            using: String::new(),
            params: None,
            filter,
            distance,
            payload: whole_payload(),
        })
    }

    /// Reads no more of records than their keys.
    pub(crate) fn for_keys(mut self) -> Self {
        self.payload = self.collection.key_payload();
        self
    }

    pub(crate) async fn run(&self) -> Result<Results> {
        let points = match &self.query {
            Some(query) => self.points(query, self.first_limit()).await?,
            None => {
                self.collection.check_exists().await?;
                Vec::new()
            }
        };
        self.results(points).await
    }

    /// Runs searches of one collection. Their first requests are sent together.
    pub(crate) async fn run_all(
        collection: &QdrantCollection,
        searches: &[Self],
    ) -> Result<Vec<Results>> {
        let answers = first_points(collection, searches).await?;
        let mut results = Vec::with_capacity(searches.len());
        for (search, points) in searches.iter().zip(answers) {
            results.push(search.results(points).await?);
        }
        Ok(results)
    }

    /// Returns the keys of the best records with their scores. `points` are the first ones.
    pub(crate) async fn best_keys(
        &self,
        points: Vec<ScoredPoint>,
    ) -> Result<Vec<(RecordKey, f64)>> {
        let best = self.ranked(points).await?.into_iter().take(self.depth);
        Ok(best.map(|scored| (scored.record.key, scored.score)).collect())
    }

    async fn results(&self, points: Vec<ScoredPoint>) -> Result<Results> {
        let ranked = self.ranked(points).await?;
        let count = if self.options.include_total_count { Some(self.count().await?) } else { None };
        let window = self.options.window(ranked).collect();
        Ok(SearchResults::from_vec(window).with_total_count(count))
    }

    /// Returns the best records, plus all that tie with the last wanted one.
    async fn ranked(&self, points: Vec<ScoredPoint>) -> Result<Vec<Scored<StoredRecord>>> {
        let points = self.with_ties(points).await?;
        let definition = &self.collection.definition;
        let scored = points.into_iter().map(|point| {
            let score = schema::score(self.distance, point.score);
            let record = record::read(definition, point.id, point.payload, point.vectors)?;
            Ok(Scored::new(record, score, Arc::clone(definition)))
        });
        let mut scored = scored.collect::<Result<Vec<_>>>()?;
        self.order.rank(&mut scored, |scored| (scored.score, &scored.record.key));
        Ok(scored)
    }

    /// Adds the points that tie with the last wanted one; their keys decide which of them are
    /// results.
    async fn with_ties(&self, mut points: Vec<ScoredPoint>) -> Result<Vec<ScoredPoint>> {
        let Some(query) = &self.query else { return Ok(points) };
        let mut limit = self.first_limit();
        let max = MAX_LOOKED_AT.max(self.depth);
        loop {
            let cutoff = self.depth.checked_sub(1).and_then(|place| points.get(place));
            let is_cut = match (cutoff, points.last()) {
                (Some(cutoff), Some(last)) => points.len() >= limit && cutoff.score == last.score,
                _ => false,
            };
            if !is_cut || limit >= max {
                return Ok(points);
            }
            limit = limit.saturating_mul(4).max(64).min(max);
            points = self.points(query, limit).await?;
        }
    }

    async fn count(&self) -> Result<TotalCount> {
        let Some(query) = &self.query else { return Ok(TotalCount::Exact(0)) };
        let conditions = self.filter.clone().map(Condition::from).into_iter();
        let has_vector = Condition::has_vector(self.using.clone());
        let conditions = qdrant::Filter::must(conditions.chain([has_vector]));
        let all = self.collection.count(Some(conditions)).await?;
        if self.options.score_threshold.is_none() && self.using != path::TERMS {
            return Ok(TotalCount::Exact(all));
        }
        // The server can't count by score or by words, so rank the records.
        let request = QueryPoints {
            with_payload: None,
            with_vectors: self.collection.vectors(false),
            ..self.request(query, MAX_LOOKED_AT)
        };
        let points = self.send(request).await?;
        if points.len() >= MAX_LOOKED_AT {
            return Ok(TotalCount::Estimated(all));
        }
        let scores = points.iter().map(|point| schema::score(self.distance, point.score));
        Ok(TotalCount::Exact(scores.filter(|score| self.order.reaches(*score)).count() as u64))
    }

    /// One more than wanted shows whether the last result has ties.
    fn first_limit(&self) -> usize {
        self.depth.saturating_add(1)
    }

    async fn points(&self, query: &Query, limit: usize) -> Result<Vec<ScoredPoint>> {
        self.send(self.request(query, limit)).await
    }

    fn request(&self, query: &Query, limit: usize) -> QueryPoints {
        QueryPoints {
            collection_name: self.collection.name.clone(),
            query: Some(query.clone()),
            using: Some(self.using.clone()).filter(|name| !name.is_empty()),
            params: self.params.clone(),
            filter: self.filter.clone(),
            limit: Some(limit as u64),
            with_payload: Some(self.payload.clone()),
            with_vectors: self.collection.vectors(self.options.include_vectors),
            ..QueryPoints::default()
        }
    }

    async fn send(&self, request: QueryPoints) -> Result<Vec<ScoredPoint>> {
        let answered = self.collection.request(|client| {
            let request = request.clone();
            async move { client.query(request).await }
        });
        Ok(answered.await?.result)
    }
}

/// Returns the first points of each search, from one request.
///
/// # Errors
/// Returns `Undecodable` if the response has a different number of rankings: it doesn't say which
/// one is missing.
pub(crate) async fn first_points(
    collection: &QdrantCollection,
    searches: &[Search<'_>],
) -> Result<Vec<Vec<ScoredPoint>>> {
    let requests = searches
        .iter()
        .filter_map(|search| Some(search.request(search.query.as_ref()?, search.first_limit())));
    let requests: Vec<QueryPoints> = requests.collect();
    let mut rankings = Vec::new();
    if requests.is_empty() {
        collection.check_exists().await?;
    } else {
        let answered = collection.request(|client| {
            let request = QueryBatchPoints {
                collection_name: collection.name.clone(),
                query_points: requests.clone(),
                ..QueryBatchPoints::default()
            };
            async move { client.query_batch(request).await }
        });
        rankings = answered.await?.result;
    }
    if rankings.len() != requests.len() {
        let message = format!(
            "the response to a batch of {} searches has the results of {} and does not say which",
            requests.len(),
            rankings.len()
        );
        return Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message));
    }
    let mut rankings = rankings.into_iter();
    let points = searches.iter().map(|search| {
        let ranking = search.query.as_ref().and_then(|_| rankings.next());
        ranking.map(|ranking| ranking.result).unwrap_or_default()
    });
    Ok(points.collect())
}

fn nearest(input: VectorInput) -> Query {
    Query { variant: Some(query::Variant::Nearest(input)) }
}

fn params(field: &VectorField, options: &VectorSearchOptions) -> SearchParams {
    let index_candidates = match &field.index {
        IndexKind::Hnsw(parameters) => Some(parameters.ef_search),
        _ => None,
    };
    let is_exact = options.exact || index_candidates.is_none();
    let candidates = options.ef_search.or(index_candidates).filter(|_| !is_exact);
    SearchParams {
        hnsw_ef: candidates.map(u64::from),
        exact: Some(is_exact),
        ..SearchParams::default()
    }
}
