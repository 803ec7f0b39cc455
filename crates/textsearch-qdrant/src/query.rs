//! Queries by vector and by words, and their hits.

use qdrant_client::qdrant::{
    self, Query, QueryPoints, ScoredPoint, SearchParams, VectorInput, query,
};
use textsearch_core::{
    Error, Result,
    vector::{Distance, IndexKind, RecordKey, StoredRecord, VectorField, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    handle::{QdrantCollection, whole_payload},
    path, point, schema,
};

#[derive(Clone)]
pub(crate) struct Ranking {
    pub(crate) query: Query,
    /// Empty for the vector without a name.
    pub(crate) using: String,
    pub(crate) params: Option<SearchParams>,
    pub(crate) filter: Option<qdrant::Filter>,
    /// Defines the scale of scores. For words, higher is better, as for the dot product.
    pub(crate) distance: Distance,
}

pub(crate) struct Hit {
    pub(crate) record: StoredRecord,
    pub(crate) score: f64,
}

impl Ranking {
    /// # Errors
    /// Returns `InvalidOptions` if the vector can't be compared, or `UnsupportedFilter`.
    pub(crate) async fn by_vector(
        collection: &QdrantCollection,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Result<Self> {
        let name = options.vector_field.as_deref();
        let field = collection.definition.vector_field(name, CONNECTOR)?;
        check_vector(vector, field)?;
        Ok(Self {
            query: nearest(VectorInput::new_dense(vector.to_vec())),
            using: path::vector(&field.name).to_owned(),
            params: Some(params(field, options)),
            filter: collection.conditions(options.filter.as_ref()).await?,
            distance: field.distance,
        })
    }

    /// Returns `None` if the text has no words.
    ///
    /// # Errors
    /// Returns `InvalidOptions` if there is no such full-text field, or `UnsupportedFilter`.
    pub(crate) async fn by_words(
        collection: &QdrantCollection,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<Option<Self>> {
        let fields = &options.full_text_fields;
        let terms = collection.texts.query(&collection.definition, fields, text, CONNECTOR)?;
        let filter = collection.conditions(options.filter.as_ref()).await?;
        Ok((!terms.is_empty()).then(|| Self {
            query: nearest(VectorInput::new_sparse(terms.numbers, terms.weights)),
            using: path::TERMS.to_owned(),
            params: None,
            filter,
            distance: Distance::DotProduct,
        }))
    }

    pub(crate) fn request(
        &self,
        collection: &QdrantCollection,
        limit: usize,
        with_vectors: bool,
    ) -> QueryPoints {
        QueryPoints {
            collection_name: collection.name.clone(),
            query: Some(self.query.clone()),
            using: Some(self.using.clone()).filter(|name| !name.is_empty()),
            params: self.params.clone(),
            filter: self.filter.clone(),
            limit: Some(limit as u64),
            with_payload: Some(whole_payload()),
            with_vectors: collection.vectors(with_vectors),
            ..QueryPoints::default()
        }
    }
}

impl Hit {
    pub(crate) fn new(
        collection: &QdrantCollection,
        found: ScoredPoint,
        distance: Distance,
    ) -> Result<Self> {
        let score = schema::score(distance, found.score);
        let record = point::record(&collection.definition, found.id, found.payload, found.vectors)?;
        Ok(Self { record, score })
    }
}

pub(crate) fn order<T>(hits: &mut [T], higher_better: bool, of: impl Fn(&T) -> (f64, &RecordKey)) {
    hits.sort_by(|left, right| {
        let ((left, left_key), (right, right_key)) = (of(left), of(right));
        let order = left.total_cmp(&right);
        let order = if higher_better { order.reverse() } else { order };
        order.then_with(|| left_key.cmp(right_key))
    });
}

fn nearest(input: VectorInput) -> Query {
    Query { variant: Some(query::Variant::Nearest(input)) }
}

fn check_vector(vector: &[f32], field: &VectorField) -> Result<()> {
    let Some(fault) = field.fault(vector) else { return Ok(()) };
    let allowed =
        format!("{} finite numbers that `{}` can be compared with", field.dimensions, field.name);
    let found = format_args!("a vector that {fault}");
    Err(Error::invalid_options(CONNECTOR, "vector", found, allowed))
}

fn params(field: &VectorField, options: &VectorSearchOptions) -> SearchParams {
    let of_index = match &field.index {
        IndexKind::Hnsw(parameters) => Some(parameters.ef_search),
        _ => None,
    };
    let is_exact = options.exact || of_index.is_none();
    let candidates = options.ef_search.or(of_index).filter(|_| !is_exact);
    SearchParams {
        hnsw_ef: candidates.map(u64::from),
        exact: Some(is_exact),
        ..SearchParams::default()
    }
}
