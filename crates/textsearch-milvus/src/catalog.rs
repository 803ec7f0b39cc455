//! Creation, comparison and deletion of collections.

use std::time::Duration;

use textsearch_core::{Result, vector::RecordDefinition};

use crate::{
    client::Client,
    definition::check_fits,
    error::{is_collection_not_found, refused},
    handle::Handle,
    names, proto, schema,
};

/// Pauses while another program creates a collection, in milliseconds.
const CREATION: [u64; 5] = [20, 50, 100, 200, 400];

/// Returns the names of all collections, in alphabetical order.
pub(crate) async fn names(client: &Client) -> Result<Vec<String>> {
    let request = proto::ShowCollections { db_name: client.database() };
    let shown: proto::Shown = client.call("ShowCollections", &request, None).await?;
    let mut names: Vec<String> =
        shown.collection_names.iter().map(|name| names::decode(name)).collect();
    names.sort_unstable();
    Ok(names)
}

/// Creates the collection with its indexes and loads it, or completes and compares an existing one.
pub(crate) async fn ensure(handle: &Handle) -> Result<()> {
    if !is_there(handle).await? {
        let created: Result<proto::Status, _> =
            handle.call("CreateCollection", &create(handle)?).await;
        if let Err(failure) = created
            && !appears(handle).await?
        {
            return Err(failure.error);
        }
    }
    for (column, parameters) in schema::indexes(&handle.definition, &handle.columns) {
        ensure_index(handle, column, parameters).await?;
    }
    handle.load().await
}

fn create(handle: &Handle) -> Result<proto::CreateCollection> {
    let request = schema::create(&handle.encoded(), &handle.definition, &handle.columns)?;
    Ok(proto::CreateCollection {
        db_name: handle.client.database(),
        consistency_level: handle.client.config().consistency_level.number(),
        ..request
    })
}

/// Returns whether the collection comes to exist: another program may be creating it, or an attempt
/// that seemed to fail.
async fn appears(handle: &Handle) -> Result<bool> {
    for pause in CREATION {
        if is_there(handle).await? {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    is_there(handle).await
}

/// Returns whether the collection exists.
///
/// # Errors
/// Returns `InvalidOptions` if it has another definition or words of another analysis, or is another
/// program's.
async fn is_there(handle: &Handle) -> Result<bool> {
    let Some((existing, described)) = existing(handle).await? else { return Ok(false) };
    check_fits(&handle.definition, &existing)?;
    schema::check_words(&handle.definition, &described.properties)?;
    Ok(true)
}

async fn existing(handle: &Handle) -> Result<Option<(RecordDefinition, proto::Described)>> {
    let described: Result<proto::Described, _> =
        handle.call("DescribeCollection", &handle.named()).await;
    let described = match described {
        Ok(described) => described,
        Err(failure) if is_collection_not_found(&failure.error) => return Ok(None),
        Err(failure) => return Err(failure.error),
    };
    match schema::definition(&described.properties) {
        Some(definition) => Ok(Some((definition, described))),
        None => {
            let value = format_args!("`{}`, a collection of another program", handle.name);
            Err(refused("name", value, "the name of a new collection, or of one of this crate"))
        }
    }
}

async fn ensure_index(
    handle: &Handle,
    column: String,
    parameters: Vec<proto::KeyValuePair>,
) -> Result<()> {
    let request = proto::DescribeIndex {
        db_name: handle.client.database(),
        collection_name: handle.encoded(),
        field_name: column.clone(),
    };
    let described: Result<proto::DescribedIndexes, _> =
        handle.call("DescribeIndex", &request).await;
    if described.is_ok() {
        return Ok(());
    }
    let create = proto::CreateIndex {
        db_name: handle.client.database(),
        collection_name: handle.encoded(),
        index_name: column.clone(),
        field_name: column,
        extra_params: parameters,
    };
    let created: Result<proto::Status, _> = handle.call("CreateIndex", &create).await;
    let Err(failure) = created else { return Ok(()) };
    let described: Result<proto::DescribedIndexes, _> =
        handle.call("DescribeIndex", &request).await;
    described.map(drop).map_err(|_| failure.error)
}

/// Deletes the collection, unless another program created it.
pub(crate) async fn delete(handle: &Handle) -> Result<()> {
    if existing(handle).await?.is_none() {
        return Ok(());
    }
    let dropped: Result<proto::Status, _> = handle.call("DropCollection", &handle.named()).await;
    match dropped {
        Err(failure) if is_collection_not_found(&failure.error) => Ok(()),
        dropped => Ok(dropped.map(drop)?),
    }
}
