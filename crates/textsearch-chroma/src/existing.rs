//! Collections that exist. A collection's definition is in its metadata.

use textsearch_core::{Error, Result, vector::RecordDefinition};

use crate::{
    client::Described,
    error::{refused, undecodable},
};

pub(crate) const DEFINITION: &str = "textsearch_definition";

/// A collection of the server, by the definition that it was created with.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) id: String,
    pub(crate) definition: RecordDefinition,
}

/// # Errors
/// `InvalidOptions` if the collection is of another program.
pub(crate) fn existing(collection: Described) -> Result<Existing> {
    let definition = definition_of(&collection).ok_or_else(|| not_ours(&collection))?;
    let definition = serde_json::from_str(definition).map_err(|error| {
        let name = &collection.name;
        undecodable(format!("the definition of the collection `{name}` is unreadable: {error}"))
    })?;
    Ok(Existing { id: collection.id, definition })
}

/// Returns the definition as JSON, if the collection is ours.
pub(crate) fn definition_of(collection: &Described) -> Option<&str> {
    collection.metadata.as_ref()?.get(DEFINITION)?.as_str()
}

/// Returns the error for a collection of another program.
pub(crate) fn not_ours(collection: &Described) -> Error {
    let allowed = "a name that no other program's collection has";
    refused("name", format_args!("`{}`, which is of another program", collection.name), allowed)
}
