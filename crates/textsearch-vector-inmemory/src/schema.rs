//! The definition of a collection with precomputed lookups.

use std::{fmt, sync::Arc};

#[cfg(feature = "hnsw")]
use textsearch_core::vector::HnswParameters;
use textsearch_core::{
    Error, ErrorKind, Result,
    text_analysis::{Analyzer, TermReader},
    vector::{DataField, IndexKind, KeyField, RecordDefinition, VectorField},
};

use crate::{
    error::{CONNECTOR, invalid_options},
    vectors::MAX_DIMENSIONS,
};

/// The time and memory of each walk grow with the candidates.
#[cfg(feature = "hnsw")]
const MAX_CANDIDATES: u32 = 65_536;

pub(crate) struct Schema {
    definition: Arc<RecordDefinition>,
    columns: Vec<String>,
    text_fields: Vec<TextField>,
}

pub(crate) struct TextField {
    pub(crate) name: String,
    pub(crate) analyzer: Analyzer,
    /// Replaces the mean of the stored texts.
    pub(crate) mean_length: Option<f64>,
    pub(crate) weight: f64,
}

impl Schema {
    pub(crate) fn new(definition: Arc<RecordDefinition>) -> Self {
        let text_field = |field: &DataField| {
            let read = field.full_text.clone().unwrap_or_default();
            TextField {
                name: field.name.clone(),
                analyzer: Analyzer::new(read.language.as_deref()),
                mean_length: read.mean_length,
                weight: read.weight_or_default(),
            }
        };
        let columns = definition.data.iter().filter(|field| field.filterable);
        Self {
            columns: columns.map(|field| field.name.clone()).collect(),
            text_fields: definition.full_text_fields().map(text_field).collect(),
            definition,
        }
    }

    pub(crate) fn definition(&self) -> &Arc<RecordDefinition> {
        &self.definition
    }

    pub(crate) fn text_fields(&self) -> &[TextField] {
        &self.text_fields
    }

    pub(crate) fn term_readers(&self) -> Vec<TermReader<'_>> {
        self.text_fields.iter().map(|field| TermReader::new(&field.analyzer)).collect()
    }

    /// The key is filterable too, but not included.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// Takes the first vector field if `name` is `None`.
    pub(crate) fn vector(&self, name: Option<&str>) -> Result<(usize, &VectorField)> {
        let field = self.definition.vector_field(name, CONNECTOR)?;
        let place = self.definition.vectors.iter().position(|vector| vector.name == field.name);
        Ok((place.unwrap_or_default(), field))
    }

    /// No names means all fields.
    pub(crate) fn text_places(&self, names: &[String]) -> Result<Vec<usize>> {
        let searched = self.definition.full_text_fields_among(names, CONNECTOR)?;
        let fields = self.text_fields.iter().enumerate();
        let is_searched = |field: &TextField| searched.iter().any(|other| other.name == field.name);
        Ok(fields.filter(|(_, field)| is_searched(field)).map(|(place, _)| place).collect())
    }

    /// A definition must read the records in the same way. It may have fewer or more fields.
    pub(crate) fn check_handle(&self, other: &RecordDefinition) -> Result<()> {
        let old_key = &self.definition.key;
        let new_key = &other.key;
        if (&old_key.name, old_key.kind) != (&new_key.name, new_key.kind) {
            return Err(differs(&new_key.name, described_key(new_key), described_key(old_key)));
        }
        self.definition.vectors.iter().try_for_each(|old| {
            let same = other.vectors.iter().find(|field| field.name == old.name);
            same.map_or(Ok(()), |new| check_vector(old, new))
        })
    }

    /// The stored records must fit the new definition.
    pub(crate) fn check_change(&self, new: &RecordDefinition) -> Result<()> {
        self.check_handle(new)?;
        let is_kept = |old: &VectorField| new.vectors.iter().any(|field| field.name == old.name);
        match self.definition.vectors.iter().find(|old| !is_kept(old)) {
            None => Ok(()),
            Some(old) => Err(differs(&old.name, "missing", described(old))),
        }
    }

    pub(crate) fn is_stored_like(&self, other: &Self) -> bool {
        let vectors = |schema: &Self| -> Vec<_> {
            schema.definition.vectors.iter().map(|field| field.name.clone()).collect()
        };
        let texts = |schema: &Self| -> Vec<_> {
            let fields = schema.definition.full_text_fields();
            let language = |field: &DataField| field.full_text.as_ref()?.language.clone();
            fields.map(|field| (field.name.clone(), language(field))).collect()
        };
        vectors(self) == vectors(other)
            && texts(self) == texts(other)
            && self.columns == other.columns
    }
}

/// Includes the limits of this store.
pub(crate) fn check_definition(collection: &str, definition: &RecordDefinition) -> Result<()> {
    if collection.is_empty() {
        return Err(invalid_options("name", "empty", "a name for the collection"));
    }
    definition.validate(CONNECTOR)?;
    definition.vectors.iter().try_for_each(|field| {
        check_dimensions(field)?;
        check_index(field)
    })
}

fn check_dimensions(field: &VectorField) -> Result<()> {
    if field.dimensions <= MAX_DIMENSIONS {
        return Ok(());
    }
    let option = format!("{}.dimensions", field.name);
    Err(invalid_options(option, field.dimensions, format!("from 1 to {MAX_DIMENSIONS}")))
}

fn check_index(field: &VectorField) -> Result<()> {
    let allowed = match &field.index {
        IndexKind::Exact => return Ok(()),
        #[cfg(feature = "hnsw")]
        IndexKind::Hnsw(parameters) => match unusable(parameters) {
            None => return Ok(()),
            Some(allowed) => allowed,
        },
        #[cfg(not(feature = "hnsw"))]
        IndexKind::Hnsw(_) => {
            "Exact; or turn the feature `hnsw` of the crate `textsearch-vector-inmemory` on"
        }
        _ => "Exact or Hnsw",
    };
    let index = format_args!("{:?}", field.index);
    Err(invalid_options(format!("{}.index", field.name), index, allowed))
}

/// Returns the allowed range that `parameters` miss.
#[cfg(feature = "hnsw")]
fn unusable(parameters: &HnswParameters) -> Option<&'static str> {
    let candidates = 1..=MAX_CANDIDATES;
    match parameters {
        parameters if !(2..=512).contains(&parameters.connections) => {
            Some("from 2 to 512 connections")
        }
        parameters
            if ![parameters.ef_construction, parameters.ef_search]
                .iter()
                .all(|number| candidates.contains(number)) =>
        {
            Some("from 1 to 65536 candidates in `ef_construction` and `ef_search`")
        }
        _ => None,
    }
}

fn check_vector(old: &VectorField, new: &VectorField) -> Result<()> {
    if (new.dimensions, new.distance) == (old.dimensions, old.distance) {
        return Ok(());
    }
    Err(differs(&old.name, described(new), described(old)))
}

fn described(field: &VectorField) -> String {
    format!("{} dimensions, {:?}", field.dimensions, field.distance)
}

fn described_key(key: &KeyField) -> String {
    format!("{:?} `{}`", key.kind, key.name)
}

fn differs(field: &str, actual: impl fmt::Display, expected: impl fmt::Display) -> Error {
    let allowed = format!("{expected}, as in the existing collection; delete it to start over");
    let message = format!("the definition of `{field}` is {actual}; expected {allowed}");
    let option = format!("definition.{field}");
    Error::new(ErrorKind::invalid_options(option, allowed), CONNECTOR, message)
}
