//! The distinct values of a field, as facets.

use qdrant_client::qdrant::{FacetCounts, FacetHit, facet_value::Variant};
use textsearch_core::{Error, Filter, Result, filter::FilterValue, vector::DistinctValue};

use crate::{CONNECTOR, handle::QdrantCollection, path};

/// More than a field with counted values has.
const MAX_VALUES: usize = 1 << 20;

pub(crate) async fn distinct_values(
    collection: &QdrantCollection,
    field: &str,
    filter: Option<&Filter>,
    limit: usize,
) -> Result<Vec<DistinctValue>> {
    collection.definition.check_distinct_values(field, filter, CONNECTOR)?;
    if !path::is_plain(field) {
        let allowed = "a field without a dot: the server has no index for others";
        return Err(Error::invalid_options(CONNECTOR, "field", format_args!("`{field}`"), allowed));
    }
    let filter = collection.conditions(filter).await?;
    let counted = collection.request(|client| {
        let request = FacetCounts {
            collection_name: collection.name.clone(),
            key: path::native(field),
            filter: filter.clone(),
            // The server refuses zero, and makes room for all of them at once.
            limit: Some(limit.clamp(1, MAX_VALUES) as u64),
            exact: Some(true),
            ..FacetCounts::default()
        };
        async move { client.facet(request).await }
    });
    let hits = counted.await?.hits;
    Ok(hits.into_iter().filter_map(distinct_value).take(limit).collect())
}

fn distinct_value(hit: FacetHit) -> Option<DistinctValue> {
    let value = match hit.value?.variant? {
        Variant::StringValue(text) => FilterValue::String(text),
        Variant::IntegerValue(number) => FilterValue::Integer(number),
        Variant::BoolValue(value) => FilterValue::Bool(value),
    };
    Some(DistinctValue::new(value, hit.count))
}
