use textsearch_core::{
    Result,
    vector::{DataField, DataKind, KeyKind, RecordDefinition, VectorField},
};
use textsearch_mlindex::MlIndex;

use crate::support::with_index;

fn known() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_key_kind(KeyKind::Uuid)
        .with_vector(VectorField::new("image", 2))
        .with_vector(VectorField::new("embedding", 3))
}

fn definition(mapping: &str, known: RecordDefinition) -> Result<RecordDefinition> {
    let yaml = with_index(&format!("  kind: a\n  field_mapping: {{ {mapping} }}\n"));
    MlIndex::from_yaml(&yaml).unwrap().index.definition(known)
}

#[test]
fn mapped_fields_get_their_roles() {
    let mapping = "content: text, title: name, url: link, filename: path, metadata: meta, embedding: embedding";
    let definition = definition(mapping, known()).unwrap();
    assert_eq!(definition.value_field.as_deref(), Some("text"));
    assert_eq!(definition.name_field.as_deref(), Some("name"));
    assert_eq!(definition.link_field.as_deref(), Some("link"));
    let fields = definition.data.iter().map(|field| (field.name.as_str(), field.filterable));
    let expected =
        [("name", true), ("link", true), ("path", true), ("text", false), ("meta", false)];
    assert_eq!(fields.collect::<Vec<_>>(), expected);
    assert_eq!(definition.data_field("meta").unwrap().kind, DataKind::Json);
    assert_eq!(definition.vectors[0].name, "embedding");
    assert_eq!(definition.vectors.len(), 2);
}

#[test]
fn the_file_name_replaces_a_missing_title() {
    let definition = definition("content: text, filename: path", known()).unwrap();
    assert_eq!(definition.name_field.as_deref(), Some("path"));
    assert_eq!(definition.link_field, None);
}

#[test]
fn fields_in_several_roles_and_known_ones_are_kept_once() {
    let known = known().with_data(DataField::string("text").full_text_in("en"));
    let definition =
        definition("content: text, title: text, url: id, metadata: text", known).unwrap();
    assert_eq!(definition.data.len(), 1);
    assert!(definition.data[0].full_text.is_some());
    assert_eq!(definition.link_field.as_deref(), Some("id"));
}

#[test]
fn a_missing_content_is_named_with_its_line() {
    assert_eq!(
        definition("title: name", known()).unwrap_err().message(),
        "`index.field_mapping.content` is missing (line 5); expected the field that holds the text"
    );
}

#[test]
fn an_unknown_vector_lists_the_existing_ones() {
    assert_eq!(
        definition("content: text, embedding: vector", known()).unwrap_err().message(),
        "`index.field_mapping.embedding` is no vector of the index (line 5); expected `image` or `embedding`"
    );
    let without = RecordDefinition::new("id");
    let error = definition("content: text, embedding: vector", without).unwrap_err();
    assert!(error.message().ends_with("expected an index with vectors"), "{error}");
}
