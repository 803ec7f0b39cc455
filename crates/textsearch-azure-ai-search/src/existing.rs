//! An index as the service describes it.

use std::fmt;

use serde::Deserialize;
use textsearch_core::{
    Result,
    vector::{IndexKind, KeyKind, RecordDefinition, VectorField},
};

use crate::{columns::columns, error::refused, handle::data_field, schema};

#[derive(Debug, Deserialize)]
pub(crate) struct Existing {
    pub(crate) name: String,
    #[serde(default)]
    fields: Vec<Field>,
    #[serde(default)]
    semantic: Option<Semantic>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    #[serde(rename = "type")]
    edm: String,
    #[serde(default)]
    key: Option<bool>,
    #[serde(default)]
    searchable: Option<bool>,
    #[serde(default)]
    filterable: Option<bool>,
    #[serde(default)]
    analyzer: Option<String>,
    #[serde(default)]
    dimensions: Option<usize>,
    #[serde(default)]
    vector_search_profile: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Semantic {
    #[serde(default)]
    configurations: Vec<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

/// What an index field and a field of a definition have in common.
#[derive(PartialEq)]
enum Shape {
    Missing,
    Key(KeyKind),
    Column { edm: String, is_filterable: bool, analyzer: Option<String> },
    Vector { dimensions: usize, profile: String },
}

impl Existing {
    /// Returns whether this crate made the index.
    pub(crate) fn is_own(&self) -> bool {
        self.key_kind().is_some()
    }

    pub(crate) fn has_semantic(&self, name: &str) -> bool {
        let mut all = self.semantic.iter().flat_map(|semantic| &semantic.configurations);
        all.any(|configuration| configuration.name == name)
    }

    /// Checks that the index holds records of `definition`, in the same index fields.
    pub(crate) fn check_fits(&self, definition: &RecordDefinition) -> Result<()> {
        let key = [definition.key.name.as_str()];
        let data = columns(definition).map(|(field, _)| field.name.as_str());
        let vectors = definition.vectors.iter().map(|field| field.name.as_str());
        let own = self.fields.iter().map(|field| field.name.as_str());
        let own = own.filter(|name| !name.starts_with(crate::definition::RESERVED));
        for name in key.into_iter().chain(data).chain(vectors).chain(own) {
            let defined = defined_shape(name, definition);
            let existing = self.shape(name);
            if defined != existing && !self.is_exact_over_hnsw(name, definition) {
                let allowed = format!("{existing}, as in the index; or another collection");
                return Err(refused(name, defined, &allowed));
            }
        }
        Ok(())
    }

    /// An exhaustive search needs no index of the vectors, and ignores one.
    fn is_exact_over_hnsw(&self, name: &str, definition: &RecordDefinition) -> bool {
        let Some(field) = definition.vectors.iter().find(|field| field.name == name) else {
            return false;
        };
        let Shape::Vector { dimensions, profile } = self.shape(name) else { return false };
        field.index == IndexKind::Exact
            && dimensions == field.dimensions
            && profile.starts_with(&format!("{}-hnsw-", schema::distance(field)))
    }

    fn shape(&self, name: &str) -> Shape {
        let Some(field) = self.fields.iter().find(|field| field.name == name) else {
            return Shape::Missing;
        };
        if field.key == Some(true) {
            return self.key_kind().map_or(Shape::Missing, Shape::Key);
        }
        if let (Some(dimensions), Some(profile)) = (field.dimensions, &field.vector_search_profile)
        {
            return Shape::Vector { dimensions, profile: profile.clone() };
        }
        Shape::Column {
            edm: field.edm.clone(),
            is_filterable: field.filterable == Some(true),
            analyzer: field.analyzer.clone().filter(|_| field.searchable == Some(true)),
        }
    }

    fn key_kind(&self) -> Option<KeyKind> {
        let has = |kind: &KeyKind| self.fields.iter().any(|field| field.name == data_field(*kind));
        [KeyKind::String, KeyKind::Integer, KeyKind::Uuid].into_iter().find(has)
    }
}

fn defined_shape(name: &str, definition: &RecordDefinition) -> Shape {
    if name == definition.key.name {
        return Shape::Key(definition.key.kind);
    }
    let vector = |field: &VectorField| Shape::Vector {
        dimensions: field.dimensions,
        profile: schema::profile(field),
    };
    if let Some(field) = definition.vectors.iter().find(|field| field.name == name) {
        return vector(field);
    }
    let column = columns(definition).find(|(field, _)| field.name == name);
    column.map_or(Shape::Missing, |(field, edm)| Shape::Column {
        edm: edm.name().to_owned(),
        is_filterable: field.filterable,
        analyzer: schema::field_analyzer(field).map(str::to_owned),
    })
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => formatter.write_str("without an index field"),
            Self::Key(kind) => write!(formatter, "a key of the kind {kind:?}"),
            Self::Column { edm, is_filterable, analyzer } => {
                let filterable = if *is_filterable { ", filterable" } else { "" };
                let analyzed = analyzer.as_ref().map(|name| format!(", analyzed by {name}"));
                write!(formatter, "{edm}{filterable}{}", analyzed.unwrap_or_default())
            }
            Self::Vector { dimensions, profile } => {
                write!(formatter, "a vector of {dimensions} dimensions, {profile}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, HnswParameters};

    use super::*;

    fn made(definition: &RecordDefinition) -> Existing {
        serde_json::from_value(schema::index("notes", definition, None)).unwrap()
    }

    fn base() -> RecordDefinition {
        RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2))
    }

    fn year(definition: RecordDefinition) -> RecordDefinition {
        definition.with_data(DataField::integer("year").filterable())
    }

    fn text(language: &str) -> RecordDefinition {
        base().with_data(DataField::string("text").full_text_in(language))
    }

    #[test]
    fn a_definition_fits_the_index_made_from_it() {
        for definition in [base(), year(base()), text("en"), RecordDefinition::new("id")] {
            made(&definition).check_fits(&definition).unwrap();
        }
        let stored = base().with_data(DataField::string("only stored"));
        made(&base()).check_fits(&stored).unwrap();
    }

    #[test]
    fn other_index_fields_do_not_fit() {
        let three = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 3));
        let cases = [
            (base().with_key_kind(KeyKind::Uuid), base(), "`id`"),
            (three, base(), "`embedding`"),
            (RecordDefinition::new("id"), base(), "`embedding`"),
            (year(base()), base(), "`year`"),
            (base(), year(base()), "`year`"),
            (text("en"), text("de"), "en.lucene"),
        ];
        for (new, old, expected) in cases {
            let error = made(&old).check_fits(&new).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
    }

    #[test]
    fn an_exact_definition_fits_an_approximate_index() {
        let with_graph = |hnsw: HnswParameters| {
            let field = VectorField::new("embedding", 2).with_index(hnsw);
            RecordDefinition::new("id").with_vector(field)
        };
        let explicit = with_graph(HnswParameters { connections: 8, ..HnswParameters::default() });
        for approximate in [with_graph(HnswParameters::default()), explicit.clone()] {
            made(&approximate).check_fits(&base()).unwrap();
            assert!(made(&base()).check_fits(&approximate).is_err());
        }
        assert!(made(&with_graph(HnswParameters::default())).check_fits(&explicit).is_err());
    }
}
