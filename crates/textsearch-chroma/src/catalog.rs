//! Collections of the database.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use textsearch_core::{
    Error, Result,
    vector::{Distance, IndexKind, RecordDefinition},
};

use crate::{
    CONNECTOR,
    client::{Api, Described},
    definition::check_fits,
    error::{is_conflict, undecodable},
    existing::{DEFINITION, definition_of, existing, not_ours},
    handle::Handle,
};

pub(crate) async fn names(api: &Api) -> Result<Vec<String>> {
    let all =
        api.list().await?.into_iter().filter(|collection| definition_of(collection).is_some());
    let mut names: Vec<String> = all.map(|collection| collection.name).collect();
    names.sort_unstable();
    Ok(names)
}

pub(crate) async fn exists(handle: &Handle) -> Result<bool> {
    let collection = handle.api.find(&handle.name).await?;
    Ok(collection.is_some_and(|collection| definition_of(&collection).is_some()))
}

pub(crate) async fn ensure(handle: &Handle) -> Result<()> {
    let collection = match handle.api.find(&handle.name).await? {
        Some(collection) => collection,
        None => match create(handle).await {
            Ok(created) => created,
            // Another program has just created it.
            Err(error) if is_conflict(&error) => {
                let collection = handle.api.find(&handle.name).await?;
                collection.ok_or_else(|| Error::collection_not_found(CONNECTOR, &handle.name))?
            }
            Err(error) => return Err(error),
        },
    };
    let existing = existing(collection)?;
    check_fits(&handle.definition, &existing.definition)?;
    handle.remember(Some(Arc::new(existing)));
    Ok(())
}

pub(crate) async fn delete(handle: &Handle) -> Result<()> {
    let Some(collection) = handle.api.find(&handle.name).await? else { return Ok(()) };
    definition_of(&collection).ok_or_else(|| not_ours(&collection))?;
    handle.remember(None);
    handle.api.delete(&handle.name).await
}

async fn create(handle: &Handle) -> Result<Described> {
    let definition = serde_json::to_string(&*handle.definition).map_err(|error| {
        undecodable(format!("the definition cannot be written as JSON: {error}"))
    })?;
    let metadata = Map::from_iter([(DEFINITION.to_owned(), Value::from(definition))]);
    handle.api.create(&handle.name, &configuration(&handle.definition), &metadata).await
}

fn configuration(definition: &RecordDefinition) -> Value {
    match definition.vectors.first().map(|field| (field.distance, &field.index)) {
        Some((distance, IndexKind::Hnsw(parameters))) => json!({ "hnsw": {
            "space": space(distance),
            "max_neighbors": parameters.connections,
            "ef_construction": parameters.ef_construction,
            "ef_search": parameters.ef_search,
        }}),
        _ => json!({}),
    }
}

fn space(distance: Distance) -> &'static str {
    match distance {
        Distance::CosineSimilarity | Distance::CosineDistance => "cosine",
        Distance::DotProduct | Distance::NegativeDotProduct => "ip",
        _ => "l2",
    }
}
