//! Settings for the tables of single collections.

use std::collections::{BTreeMap, BTreeSet};

use textsearch_core::{
    serde::{Deserialize, Serialize},
    vector::{DataField, DataKind, RecordDefinition},
};

use crate::columns::has_column;

/// Settings for the table of one collection: vector types and indexes that a definition can't
/// express, or the columns of an existing table.
///
/// ```
/// use textsearch_pgvector::{IvfFlatParameters, PgVectorConfig, PgVectorTable, VectorType};
///
/// let table = PgVectorTable::new()
///     .with_vector_type("embedding", VectorType::Half)
///     .with_ivf_flat("embedding", IvfFlatParameters::new(100).with_probes(10));
/// let config = PgVectorConfig::new("postgres://localhost/app").with_table("notes", table);
/// assert_eq!(config.tables["notes"].vector_types["embedding"], VectorType::Half);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PgVectorTable {
    /// The table of another program; `None` for a table that the store creates.
    pub existing: Option<ExistingTable>,
    /// The types of vector fields; [`VectorType::Single`] by default.
    pub vector_types: BTreeMap<String, VectorType>,
    /// The vector fields with an IVFFlat index.
    pub ivf_flat: BTreeMap<String, IvfFlatParameters>,
    /// The data fields with a column, if a table that the store created says so.
    pub(crate) columns: Option<BTreeSet<String>>,
}

impl PgVectorTable {
    /// Creates the settings of a table that the store creates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the settings of a collection in a table of another program.
    pub fn from_existing(table: ExistingTable) -> Self {
        Self { existing: Some(table), ..Self::default() }
    }

    /// Returns the column of a field.
    pub(crate) fn column<'a>(&'a self, field: &'a str) -> &'a str {
        self.existing.as_ref().map_or(field, |existing| existing.column(field))
    }

    /// Turns filterable fields that the table has no column for into JSON: Postgres would reject a
    /// filter on them, and the client checks filters on JSON. Returns `None` if no column is missing.
    pub(crate) fn without_missing_columns(
        &self,
        definition: &RecordDefinition,
    ) -> Option<RecordDefinition> {
        let columns = self.columns.as_ref()?;
        let is_missing = |field: &DataField| has_column(field) && !columns.contains(&field.name);
        if !definition.data.iter().any(is_missing) {
            return None;
        }
        let mut narrow = definition.clone();
        let missing = narrow.data.iter_mut().filter(|field| is_missing(field));
        missing.for_each(|field| field.kind = DataKind::Json);
        Some(narrow)
    }

    /// Sets the type of the vector field `field`. Default for an existing table: the column's.
    #[must_use]
    pub fn with_vector_type(mut self, field: impl Into<String>, kind: VectorType) -> Self {
        self.vector_types.insert(field.into(), kind);
        self
    }

    /// Gives the vector field `field` an IVFFlat index. The definition's index must be the default,
    /// [`Exact`](crate::vector::IndexKind::Exact).
    ///
    /// `ensure_exists` computes the centers of the lists from the stored vectors. It builds no index
    /// while there are fewer vectors than lists: load records, and call it again. Until then, searches
    /// compare all vectors.
    #[must_use]
    pub fn with_ivf_flat(
        mut self,
        field: impl Into<String>,
        parameters: IvfFlatParameters,
    ) -> Self {
        self.ivf_flat.insert(field.into(), parameters);
        self
    }
}

/// A table that another program created, and its columns. The store never creates, alters or drops
/// the table. Upserts and deletes change its rows.
///
/// Each field of the definition is a column of its name, unless [`with_column`](Self::with_column)
/// names another. Upserts leave other columns unchanged. A field such as `metadata.title` is a path into
/// the JSON column `metadata`.
///
/// ```
/// use textsearch_pgvector::{ExistingTable, FullTextRanking, PgVectorConfig, PgVectorTable};
///
/// let articles = ExistingTable::new("public", "articles")
///     .with_column("title", "headline")
///     .with_text_vector("body", "search");
/// let config = PgVectorConfig::new("postgres://localhost/app")
///     .with_full_text_ranking(FullTextRanking::TsRank)
///     .with_table("articles", PgVectorTable::from_existing(articles));
/// # let _ = config;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExistingTable {
    /// The schema of the table.
    pub schema: String,
    /// The name of the table.
    pub name: String,
    /// The columns of fields that have other names.
    pub columns: BTreeMap<String, String>,
    /// The columns with the words of full-text fields.
    pub text_vectors: BTreeMap<String, String>,
}

impl ExistingTable {
    /// Creates the settings of the table `name` in `schema`.
    pub fn new(schema: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            schema: schema.into(),
            name: name.into(),
            columns: BTreeMap::new(),
            text_vectors: BTreeMap::new(),
        }
    }

    /// Sets the column of the field `field`, which may be the key or a vector.
    #[must_use]
    pub fn with_column(mut self, field: impl Into<String>, column: impl Into<String>) -> Self {
        self.columns.insert(field.into(), column.into());
        self
    }

    /// Sets the `tsvector` column of the full-text field `field`, which your database must keep up to
    /// date. By default, each search computes the words from the field's column. An index on
    /// `to_tsvector('english', body)` makes that fast.
    #[must_use]
    pub fn with_text_vector(mut self, field: impl Into<String>, column: impl Into<String>) -> Self {
        self.text_vectors.insert(field.into(), column.into());
        self
    }

    /// Returns the column of a field.
    pub(crate) fn column<'a>(&'a self, field: &'a str) -> &'a str {
        self.columns.get(field).map_or(field, String::as_str)
    }
}

/// The type of a vector's column. All but [`Single`](Self::Single) need pgvector 0.7.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "textsearch_core::serde", rename_all = "snake_case")]
#[non_exhaustive]
pub enum VectorType {
    /// `vector`: four bytes per element. This is the default.
    #[default]
    Single,
    /// `vector`, and an index of [`halfvec`](https://github.com/pgvector/pgvector#half-precision-indexing):
    /// half the size, for up to 4,000 dimensions. A search ranks the candidates of the index again,
    /// by the stored vectors.
    HalfIndex,
    /// `halfvec`: two bytes per element. Elements are rounded to 11 bits and lie within ±65,504.
    Half,
    /// `bit`: each element is 0 or 1. The distance must be
    /// [`Hamming`](crate::vector::Distance::Hamming) or
    /// [`Jaccard`](crate::vector::Distance::Jaccard).
    Bit,
}

/// Parameters of an [IVFFlat index](https://github.com/pgvector/pgvector#ivfflat): vectors are
/// divided into lists, and a search reads the nearest lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "textsearch_core::serde")]
#[non_exhaustive]
pub struct IvfFlatParameters {
    /// The number of lists. pgvector suggests a thousandth of the rows, and the square root of the
    /// rows beyond a million.
    pub lists: u32,
    /// The number of lists that a search reads; the square root of [`lists`](Self::lists) by default.
    pub probes: u32,
}

impl IvfFlatParameters {
    /// Creates the parameters of an index with this number of lists.
    pub fn new(lists: u32) -> Self {
        Self { lists, probes: lists.isqrt().max(1) }
    }

    /// Sets [`probes`](Self::probes).
    #[must_use]
    pub fn with_probes(mut self, probes: u32) -> Self {
        self.probes = probes;
        self
    }
}
