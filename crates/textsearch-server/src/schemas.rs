//! Schemas of the core's types in the description of the API.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use textsearch_core::{
    Filter, TextSearchResult,
    document::{DocumentInfo, DocumentPage},
};
use utoipa::openapi::{
    Ref, RefOr, Schema,
    schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Type},
};

const FILTER: &str = "Filter";
const RESULT: &str = "TextSearchResult";

/// A filter as text or as an object, or null.
pub(crate) fn filter_schema() -> Schema {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    AnyOfBuilder::new().item(text()).item(reference(FILTER)).item(null).build().into()
}

/// Texts, results or records. A result is a record too.
pub(crate) fn results_schema() -> Schema {
    let record = ObjectBuilder::new().schema_type(Type::Object);
    let item = AnyOfBuilder::new().item(text()).item(reference(RESULT)).item(record);
    ArrayBuilder::new().items(item).build().into()
}

pub(crate) fn documents_schema() -> Schema {
    let documents = ArrayBuilder::new().items(reference("DocumentInfo"));
    documents.description(Some("The documents, without their texts.")).build().into()
}

pub(crate) fn document_schema() -> RefOr<Schema> {
    let page = Ref::builder().ref_location_from_schema_name("DocumentPage");
    page.description(Some("A page of the document.")).build().into()
}

/// Adds the schemas that the others refer to. OpenAPI 3.1 takes JSON schemas as they are.
pub(crate) fn add_core_schemas(schemas: &mut Map<String, Value>) {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let _filter = generator.subschema_for::<Filter>();
    let _result = generator.subschema_for::<TextSearchResult>();
    let _document = generator.subschema_for::<DocumentInfo>();
    let _page = generator.subschema_for::<DocumentPage>();
    schemas.extend(generator.take_definitions(true));
}

fn reference(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).build().into()
}
