//! Collections and indexes in Milvus's terms.

use prost::Message as _;
use textsearch_core::{
    Result,
    text_analysis::Analyzer,
    vector::{DataKind, KeyKind, RecordDefinition, VectorField},
};

use crate::{
    columns::{ABSENT, Columns, DATA, LONG, LONGEST_TEXT, MAX_ELEMENTS, TERM_NUMBERS, TERMS},
    definition::{hnsw, metric},
    error::refused,
    proto::{CollectionSchema, CreateCollection, DataType, FieldSchema, KeyValuePair, pair},
};

/// The property with the definition, as JSON.
const DEFINITION: &str = "textsearch.definition";

/// The property with the version of the analysis that made the words.
const ANALYZER: &str = "textsearch.analyzer";

/// Returns the request without the database and the consistency level.
pub(crate) fn create(
    name: &str,
    definition: &RecordDefinition,
    columns: &Columns,
) -> Result<CreateCollection> {
    let written = serde_json::to_string(definition).map_err(|error| {
        refused("definition", format_args!("not JSON: {error}"), "finite numbers")
    })?;
    let schema = CollectionSchema { name: name.to_owned(), fields: fields(columns) };
    Ok(CreateCollection {
        collection_name: name.to_owned(),
        schema: schema.encode_to_vec(),
        // Checked with the definition.
        shards_num: definition.distribution.shards.unwrap_or(1).cast_signed(),
        properties: vec![pair(DEFINITION, written), pair(ANALYZER, Analyzer::VERSION)],
        ..CreateCollection::default()
    })
}

/// Reads the definition of a collection that this crate created.
pub(crate) fn definition(properties: &[KeyValuePair]) -> Option<RecordDefinition> {
    let property = properties.iter().find(|property| property.key == DEFINITION)?;
    serde_json::from_str(&property.value).ok()
}

/// Checks that the words of a collection can be found.
pub(crate) fn check_words(
    definition: &RecordDefinition,
    properties: &[KeyValuePair],
) -> Result<()> {
    let property = properties.iter().find(|property| property.key == ANALYZER);
    let current = Analyzer::VERSION.to_string();
    let version = property.map_or("none", |property| &property.value);
    if definition.full_text_fields().next().is_none() || version == current {
        return Ok(());
    }
    let value =
        format_args!("version {current}, and the collection's words have version {version}");
    Err(refused("analyzer", value, "a collection that is written again with this version"))
}

fn fields(columns: &Columns) -> Vec<FieldSchema> {
    let key = match columns.key_kind {
        KeyKind::Integer => field(&columns.key, DataType::Int64),
        _ => text(&columns.key),
    };
    let mut fields = vec![FieldSchema { is_primary_key: true, ..key }];
    fields.push(field(DATA, DataType::Json));
    fields.push(list(LONG, DataType::VarChar));
    fields.extend(columns.data.iter().map(|column| {
        let name = &column.column;
        let field = match column.kind {
            DataKind::Integer => field(name, DataType::Int64),
            DataKind::Number => field(name, DataType::Double),
            DataKind::Boolean => field(name, DataType::Bool),
            DataKind::Strings => list(name, DataType::VarChar),
            _ => text(name),
        };
        FieldSchema { nullable: true, ..field }
    }));
    if !columns.vectors.is_empty() {
        fields.push(list(ABSENT, DataType::VarChar));
    }
    fields.extend(columns.vectors.iter().map(|column| {
        let type_params = vec![pair("dim", column.dimensions)];
        FieldSchema { type_params, ..field(&column.column, DataType::FloatVector) }
    }));
    if columns.has_terms {
        fields.push(list(TERM_NUMBERS, DataType::Int64));
        fields.push(field(TERMS, DataType::SparseFloatVector));
    }
    fields
}

fn field(name: &str, data_type: DataType) -> FieldSchema {
    FieldSchema { name: name.to_owned(), data_type: data_type as i32, ..FieldSchema::default() }
}

fn text(name: &str) -> FieldSchema {
    let type_params = vec![pair("max_length", LONGEST_TEXT)];
    FieldSchema { type_params, ..field(name, DataType::VarChar) }
}

fn list(name: &str, element_type: DataType) -> FieldSchema {
    let mut type_params = vec![pair("max_capacity", MAX_ELEMENTS)];
    if element_type == DataType::VarChar {
        type_params.push(pair("max_length", LONGEST_TEXT));
    }
    let element_type = element_type as i32;
    FieldSchema { type_params, element_type, ..field(name, DataType::Array) }
}

/// Returns the columns that need an index, with its parameters. Milvus loads no vector without.
pub(crate) fn indexes(
    definition: &RecordDefinition,
    columns: &Columns,
) -> Vec<(String, Vec<KeyValuePair>)> {
    let vectors = definition.vectors.iter().zip(&columns.vectors);
    let vectors = vectors.map(|(field, column)| (column.column.clone(), index(field)));
    let terms = columns.has_terms.then(|| {
        let kind = pair("index_type", "SPARSE_INVERTED_INDEX");
        (TERMS.to_owned(), vec![kind, pair("metric_type", "IP")])
    });
    vectors.chain(terms).collect()
}

fn index(field: &VectorField) -> Vec<KeyValuePair> {
    let mut parameters = vec![pair("metric_type", metric(field.distance).unwrap_or_default())];
    match hnsw(field) {
        Some(graph) => {
            let connections = graph.connections;
            let candidates = graph.ef_construction;
            let settings = serde_json::json!({ "M": connections, "efConstruction": candidates });
            parameters.extend([pair("index_type", "HNSW"), pair("params", settings)]);
        }
        None => parameters.push(pair("index_type", "FLAT")),
    }
    parameters
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, IndexKind};

    use super::*;

    #[test]
    fn definition_reads_back() {
        let definition = RecordDefinition::new("id")
            .with_key_kind(KeyKind::Integer)
            .with_data(DataField::string("text").full_text_in("en").with_weight(2.5))
            .with_vector(VectorField::new("embedding", 3).with_index(IndexKind::hnsw()));
        let columns = Columns::new(&definition);
        let request = create("notes", &definition, &columns).unwrap();
        assert_eq!(super::definition(&request.properties), Some(definition));
    }

    #[test]
    fn words_of_another_version_are_refused() {
        let words = RecordDefinition::new("id").with_data(DataField::string("text").full_text());
        let created = create("notes", &words, &Columns::new(&words)).unwrap();
        assert!(check_words(&words, &created.properties).is_ok());
        let other = [pair(ANALYZER, "old")];
        let expected = format!(
            "`analyzer` is version {}, and the collection's words have version old; expected a collection that is written \
             again with this version",
            Analyzer::VERSION
        );
        assert_eq!(check_words(&words, &other).unwrap_err().message(), expected);
        assert!(check_words(&RecordDefinition::new("id"), &other).is_ok());
    }

    #[test]
    fn each_vector_has_an_index() {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("text").full_text())
            .with_vector(VectorField::new("my vector", 3).with_index(IndexKind::hnsw()));
        let columns = Columns::new(&definition);
        let indexes = indexes(&definition, &columns);
        let columns: Vec<&str> = indexes.iter().map(|(column, _)| column.as_str()).collect();
        assert_eq!(columns, ["textsearch_my_20_vector", "textsearch_terms"]);
        assert!(indexes[0].1.contains(&pair("params", r#"{"M":16,"efConstruction":200}"#)));
    }
}
