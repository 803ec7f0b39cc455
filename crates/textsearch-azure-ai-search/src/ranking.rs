//! Requests for rankings: by vector, by words, or by both.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result,
    vector::{Distance, Fusion, IndexKind, ScoreOrder, VectorField, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    definition::explicit_parameters,
    error::refused,
    filter::{Preselection, preselection, unsupported},
    handle::Index,
    score::Scoring,
    wire::{SearchRequest, VectorQuery},
    words::query,
};

/// The most vectors that a search ranks.
const MAX_VECTORS: usize = 10_000;

/// The service skips no more, and returns one page beyond.
const MAX_WORDS: usize = 101_000;

/// The semantic ranker reads no more.
const MAX_SEMANTIC: usize = 50;

/// The service fuses as many of its ranking by words.
const FUSED: usize = Fusion::DEPTH;

pub(crate) struct Ranking {
    /// Without its window.
    pub(crate) request: SearchRequest,
    pub(crate) scoring: Scoring,
    pub(crate) order: ScoreOrder,
    /// The most records that it can rank.
    pub(crate) max: usize,
    pub(crate) preselection: Preselection,
}

impl Index {
    pub(crate) fn by_vector(
        &self,
        vector: &Arc<[f32]>,
        options: &VectorSearchOptions,
    ) -> Result<Ranking> {
        let field = self.checked_vector(vector, options)?;
        let preselection = preselection(options.filter.as_ref(), &self.definition)?;
        let distance = field.distance;
        let scoring = match distance {
            Distance::CosineSimilarity | Distance::CosineDistance => Scoring::Cosine(distance),
            _ => Scoring::OfVector {
                field: field.name.clone(),
                vector: Arc::clone(vector),
                distance,
            },
        };
        let request = SearchRequest {
            vector_queries: vec![vector_query(field, vector, options.exact)],
            vector_filter_mode: Some("preFilter"),
            ..self.filtered(&preselection, &scoring, options)
        };
        let order = options.order(distance.is_higher_better(), CONNECTOR)?;
        Ok(Ranking { request, scoring, order, max: MAX_VECTORS, preselection })
    }

    /// Returns `None` if the text has no words.
    pub(crate) fn by_words(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<Option<Ranking>> {
        let fields = self.text_fields(options)?;
        let preselection = preselection(options.filter.as_ref(), &self.definition)?;
        let order = options.order(true, CONNECTOR)?;
        let Some(search) = query(text, fields.len()) else { return Ok(None) };
        let semantic = self.service.config().semantic_configuration.as_deref();
        let (scoring, max) = match semantic {
            Some(_) => (Scoring::Semantic, MAX_SEMANTIC),
            None => (Scoring::Plain, MAX_WORDS),
        };
        if semantic.is_some() {
            self.check_whole(&preselection, options.filter.as_ref(), "the semantic ranker")?;
        }
        let request = SearchRequest {
            // Pages of equal scores fit together. The semantic ranker has its own order.
            orderby: semantic
                .is_none()
                .then(|| format!("search.score() desc,{} asc", self.definition.key.name)),
            ..self.worded(search, &fields, &preselection, &scoring, options)
        };
        Ok(Some(Ranking { request, scoring, order, max, preselection }))
    }

    /// The service fuses the rankings itself.
    ///
    /// # Errors
    /// Returns `InvalidOptions` for any other fusion than the service's.
    pub(crate) fn by_both(
        &self,
        text: &str,
        vector: &Arc<[f32]>,
        options: &VectorSearchOptions,
    ) -> Result<Ranking> {
        if options.fusion != OWN_FUSION {
            let allowed =
                "Fusion::reciprocal_rank(60): the service fuses by itself, and in no other way";
            return Err(refused("fusion", format_args!("{:?}", options.fusion), allowed));
        }
        let fields = self.text_fields(options)?;
        let field = self.checked_vector(vector, options)?;
        let preselection = preselection(options.filter.as_ref(), &self.definition)?;
        self.check_whole(&preselection, options.filter.as_ref(), "a hybrid search")?;
        let semantic = self.service.config().semantic_configuration.is_some();
        let search = query(text, fields.len());
        let (scoring, max) = match search {
            Some(_) if semantic => (Scoring::Semantic, MAX_SEMANTIC),
            // More than the service fuses, so that it shows that there are no more.
            _ => (Scoring::Plain, 2 * FUSED + 1),
        };
        let base = match search {
            Some(search) => self.worded(search, &fields, &preselection, &scoring, options),
            None => self.filtered(&preselection, &scoring, options),
        };
        let mut query = vector_query(field, vector, options.exact);
        query.k = FUSED;
        let request = SearchRequest {
            vector_queries: vec![query],
            vector_filter_mode: Some("preFilter"),
            ..base
        };
        let order = options.order(true, CONNECTOR)?;
        Ok(Ranking { request, scoring, order, max, preselection })
    }

    fn checked_vector(
        &self,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Result<&VectorField> {
        let field = self.definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        field.check_query(vector, CONNECTOR)?;
        let (IndexKind::Hnsw(built), Some(requested)) = (&field.index, options.ef_search) else {
            return Ok(field);
        };
        match explicit_parameters(built) {
            Some(built) if requested == built.ef_search => Ok(field),
            Some(built) => {
                let allowed = format!("{}, as the index was made, or unset", built.ef_search);
                Err(refused("ef_search", requested, &allowed))
            }
            None => {
                Err(refused("ef_search", requested, "unset: the service chose it for the index"))
            }
        }
    }

    fn text_fields(&self, options: &VectorSearchOptions) -> Result<Vec<&str>> {
        let fields =
            self.definition.full_text_fields_among(&options.full_text_fields, CONNECTOR)?;
        Ok(fields.into_iter().map(|field| field.name.as_str()).collect())
    }

    fn check_whole(
        &self,
        preselection: &Preselection,
        filter: Option<&Filter>,
        what: &str,
    ) -> Result<()> {
        match filter {
            Some(filter) if !preselection.is_exact => {
                Err(unsupported(filter, &self.definition, what))
            }
            _ => Ok(()),
        }
    }

    fn filtered(
        &self,
        preselection: &Preselection,
        scoring: &Scoring,
        options: &VectorSearchOptions,
    ) -> SearchRequest {
        let mut vectors: Vec<&str> = self.vector_names(options.include_vectors).collect();
        vectors.extend(scoring.vector_name().filter(|_| !options.include_vectors));
        SearchRequest {
            filter: preselection.odata.clone(),
            select: Some(self.selected(vectors)),
            ..SearchRequest::default()
        }
    }

    fn worded(
        &self,
        search: String,
        fields: &[&str],
        preselection: &Preselection,
        scoring: &Scoring,
        options: &VectorSearchOptions,
    ) -> SearchRequest {
        let semantic = self.service.config().semantic_configuration.clone();
        SearchRequest {
            search: Some(search),
            search_fields: Some(fields.join(",")),
            search_mode: Some("any"),
            query_type: Some(if semantic.is_some() { "semantic" } else { "simple" }),
            semantic_configuration: semantic,
            // Count words in the whole index, not per shard.
            scoring_statistics: Some("global"),
            ..self.filtered(preselection, scoring, options)
        }
    }
}

/// [Reciprocal rank fusion](https://learn.microsoft.com/azure/search/hybrid-search-ranking) with a
/// constant of 60, which the service applies to its own rankings.
const OWN_FUSION: Fusion = Fusion::reciprocal_rank(60);

/// The caller sets `k`.
fn vector_query(field: &VectorField, vector: &Arc<[f32]>, is_exact: bool) -> VectorQuery {
    VectorQuery {
        kind: "vector",
        vector: Arc::clone(vector),
        fields: field.name.clone(),
        k: 0,
        exhaustive: is_exact || field.index == IndexKind::Exact,
    }
}
