//! The columns of vectors: types, indexes, and distances as SQL.

mod check;
#[cfg(test)]
mod tests;

use textsearch_core::{
    serde::{Deserialize, Serialize},
    vector::{Distance, HnswParameters, IndexKind, VectorField},
};
use tokio_postgres::types::Type;

pub(crate) use self::check::{Built, check, check_ef_search};
use crate::{IvfFlatParameters, PgVectorTable, VectorType, columns::quoted, query::Value};

/// The largest number of a half vector.
const LARGEST_HALF: f32 = 65_504.0;

/// The smallest number of a half vector above zero.
const SMALLEST_HALF: f32 = 5.960_464_5e-8;

/// An index of a vector's column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "textsearch_core::serde", rename_all = "snake_case")]
pub(crate) enum Index {
    #[default]
    None,
    Hnsw(HnswParameters),
    IvfFlat(IvfFlatParameters),
}

/// The column of a vector field.
#[derive(Debug)]
pub(crate) struct VectorColumn {
    /// The column's name, in quotes.
    pub(crate) sql: String,
    pub(crate) kind: VectorType,
    pub(crate) index: Index,
    dimensions: usize,
    distance: Distance,
}

impl VectorColumn {
    pub(crate) fn new(field: &VectorField, settings: &PgVectorTable) -> Self {
        let index = match (&field.index, settings.ivf_flat.get(&field.name)) {
            (IndexKind::Hnsw(parameters), _) => Index::Hnsw(parameters.clone()),
            (_, Some(parameters)) => Index::IvfFlat(*parameters),
            _ => Index::None,
        };
        Self {
            sql: quoted(settings.column(&field.name)),
            kind: settings.vector_types.get(&field.name).copied().unwrap_or_default(),
            index,
            dimensions: field.dimensions,
            distance: field.distance,
        }
    }

    /// The type of the column.
    pub(crate) fn sql_type(&self) -> String {
        format!("{}({})", stored_type(self.kind), self.dimensions)
    }

    /// The type of a parameter, and the value of the column for the parameter `name`.
    pub(crate) fn written(&self, name: &str) -> (&'static str, String) {
        match self.kind {
            VectorType::Bit => ("text", format!("{name}::{}", self.sql_type())),
            VectorType::Half => ("vector", format!("{name}::{}", self.sql_type())),
            _ => ("vector", name.to_owned()),
        }
    }

    /// The vector as an array of `real`.
    pub(crate) fn elements(&self) -> String {
        match self.kind {
            VectorType::Bit => format!("string_to_array({}::text, NULL)::real[]", self.sql),
            _ => format!("{}::real[]", self.sql),
        }
    }

    /// The fault of a vector that the column can't hold.
    pub(crate) fn fault(&self, vector: &[f32]) -> Option<String> {
        match self.kind {
            VectorType::Bit => {
                let other = vector.iter().find(|element| **element != 0.0 && **element != 1.0);
                other.map(|element| format!("holds {element}; bits are 0 or 1"))
            }
            VectorType::Half | VectorType::HalfIndex if !self.fits_half(vector) => {
                let allowed = "a half vector needs elements within ±65504, and one of 6e-8 or more \
                               if directions are compared";
                Some(format!("has elements that are too large or too small; {allowed}"))
            }
            _ => None,
        }
    }

    /// The fault of a query's vector.
    pub(crate) fn query_fault(&self, vector: &[f32]) -> Option<String> {
        // The index is left out instead.
        if self.kind == VectorType::Bit { self.fault(vector) } else { None }
    }

    /// Whether the index can search by this vector.
    pub(crate) fn fits_index(&self, vector: &[f32]) -> bool {
        matches!(self.kind, VectorType::Single | VectorType::Bit) || self.fits_half(vector)
    }

    fn fits_half(&self, vector: &[f32]) -> bool {
        let largest = vector.iter().fold(0.0_f32, |largest, element| largest.max(element.abs()));
        largest <= LARGEST_HALF && (largest >= SMALLEST_HALF || !self.distance.needs_direction())
    }

    /// The query's vector as the first parameter.
    pub(crate) fn parameter(&self, vector: &[f32]) -> (Value, Type) {
        match self.kind {
            VectorType::Bit => (Box::new(bits(vector)), Type::TEXT),
            _ => (Box::new(vector.to_vec()), Type::FLOAT4_ARRAY),
        }
    }

    /// The distance to the first parameter; lower is nearer, as pgvector orders.
    pub(crate) fn distance(&self) -> String {
        let column = self.whole();
        let query = self.query();
        match self.distance {
            Distance::Manhattan => format!("l1_distance({column}, {query})"),
            _ => format!("{column} {} {query}", self.operator()),
        }
    }

    /// The distance in an index, which may be of half vectors.
    pub(crate) fn indexed_distance(&self) -> String {
        let query = match self.kind {
            VectorType::Half | VectorType::HalfIndex => {
                format!("$1::halfvec({})", self.dimensions)
            }
            _ => self.query(),
        };
        format!("{} {} {query}", self.indexed(), self.operator())
    }

    /// Whether the index orders by less than the whole vectors.
    pub(crate) fn is_index_coarse(&self) -> bool {
        matches!(self.kind, VectorType::Half | VectorType::HalfIndex)
    }

    /// The score as [`Distance::score`] defines it.
    pub(crate) fn score(&self) -> String {
        let distance = self.distance();
        match self.distance {
            Distance::CosineSimilarity => format!("1 - ({distance})"),
            Distance::DotProduct => format!("-({distance})"),
            Distance::EuclideanSquared => {
                format!("vector_l2_squared_distance({}, {})", self.whole(), self.query())
            }
            _ => format!("({distance})"),
        }
    }

    /// The kind of the index and its operators, if the column has one.
    pub(crate) fn index_method(&self) -> Option<(&'static str, String)> {
        let method = match &self.index {
            Index::None => return None,
            Index::Hnsw(_) => "hnsw",
            Index::IvfFlat(_) => "ivfflat",
        };
        Some((method, self.operators()))
    }

    /// The column as it is without its index.
    pub(crate) fn unindexed(&self) -> Built {
        let kind = match self.kind {
            VectorType::HalfIndex => VectorType::Single,
            kind => kind,
        };
        Built { kind, index: Index::None }
    }

    /// Creates the index, if the column has one.
    pub(crate) fn create_index(&self, table: &str) -> Option<String> {
        let (method, operators) = self.index_method()?;
        let parameters = match &self.index {
            Index::None => return None,
            Index::Hnsw(HnswParameters { connections, ef_construction, .. }) => {
                format!("m = {connections}, ef_construction = {ef_construction}")
            }
            Index::IvfFlat(parameters) => format!("lists = {}", parameters.lists),
        };
        let column = self.indexed();
        Some(format!(
            "CREATE INDEX ON {table} USING {method} ({column} {operators}) WITH ({parameters})"
        ))
    }

    /// The column as a type with exact distances.
    fn whole(&self) -> String {
        match self.kind {
            VectorType::Half => format!("{}::vector", self.sql),
            _ => self.sql.clone(),
        }
    }

    fn indexed(&self) -> String {
        match self.kind {
            VectorType::HalfIndex => format!("({}::halfvec({}))", self.sql, self.dimensions),
            _ => self.sql.clone(),
        }
    }

    fn query(&self) -> String {
        match self.kind {
            VectorType::Bit => format!("$1::bit({})", self.dimensions),
            _ => "$1::vector".to_owned(),
        }
    }

    fn operator(&self) -> &'static str {
        match self.distance {
            Distance::CosineSimilarity | Distance::CosineDistance => "<=>",
            Distance::DotProduct | Distance::NegativeDotProduct => "<#>",
            Distance::Manhattan => "<+>",
            Distance::Hamming => "<~>",
            Distance::Jaccard => "<%>",
            _ => "<->",
        }
    }

    fn operators(&self) -> String {
        let kind = match self.kind {
            VectorType::Single => "vector",
            VectorType::Half | VectorType::HalfIndex => "halfvec",
            VectorType::Bit => "bit",
        };
        let distance = match self.distance {
            Distance::CosineSimilarity | Distance::CosineDistance => "cosine",
            Distance::DotProduct | Distance::NegativeDotProduct => "ip",
            Distance::Manhattan => "l1",
            Distance::Hamming => "hamming",
            Distance::Jaccard => "jaccard",
            _ => "l2",
        };
        format!("{kind}_{distance}_ops")
    }
}

/// The name of the column's type.
pub(crate) fn stored_type(kind: VectorType) -> &'static str {
    match kind {
        VectorType::Single | VectorType::HalfIndex => "vector",
        VectorType::Half => "halfvec",
        VectorType::Bit => "bit",
    }
}

/// A vector of zeros and ones as Postgres writes bits.
pub(crate) fn bits(vector: &[f32]) -> String {
    vector.iter().map(|element| if *element == 0.0 { '0' } else { '1' }).collect()
}
