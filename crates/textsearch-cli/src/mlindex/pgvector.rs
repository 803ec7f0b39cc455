//! The kind `pgvector`.

use std::sync::Arc;

use textsearch_core::{
    Result, TextSearch,
    vector::{RecordDefinition, VectorStore as _},
};
use textsearch_mlindex::{FieldMapping, IndexContext};
use textsearch_pgvector::{
    ExistingTable, POSTGRES_URL, PgVectorConfig, PgVectorStore, PgVectorTable,
};

/// Opens a collection, or the table of another program.
pub(super) async fn open(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let name = context.settings.required_index()?.to_owned();
    let schema = match context.settings.other.get("schema") {
        None => "public",
        Some(schema) => schema
            .as_str()
            .ok_or_else(|| context.settings.invalid("schema", "no text", "the name of a schema"))?,
    };
    let url = context.connection_string(POSTGRES_URL)?;
    let config = PgVectorConfig::new(url).with_schema(schema);
    let store = PgVectorStore::connect(config.clone()).await?;
    if store.collection_names().await?.contains(&name) {
        let store = store.with_settings_of(&name).await?;
        let known = store.existing_definition(&name).await?;
        return context.text_search(&store, known);
    }
    let table = PgVectorTable::from_existing(ExistingTable::new(schema, &name));
    let store = PgVectorStore::connect(config.with_table(&name, table)).await?;
    let known = store.existing_definition(&name).await?;
    context.text_search(&store, mapped(known, &context.settings.fields))
}

/// Leaves out columns that the file doesn't name: they can hold anything.
fn mapped(mut known: RecordDefinition, fields: &FieldMapping) -> RecordDefinition {
    let FieldMapping { content, title, url, filename, metadata, .. } = fields;
    let named: Vec<&str> = [content, title, url, filename, metadata]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let is_named = |column: &str| {
        let is_path = |name: &str| {
            name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        named.iter().any(|name| is_path(name))
    };
    known.data.retain(|field| is_named(&field.name));
    known
}
