//! Capabilities of the in-memory store, found by using one.

use anyhow::{Context as _, Result};
use serde_json::json;
use textsearch_core::{
    Filter, SearchResults,
    filter::{Comparison, FilterOperator, FilterValue},
    vector::{
        Collection, DataField, Distance, RecordDefinition, Scored, SearchInput, StoredRecord,
        VectorField, VectorSearchOptions, VectorStoreExt as _,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::web::Capabilities;

const TEXT: &str = "text";
const LOGICAL: [FilterOperator; 3] = [FilterOperator::And, FilterOperator::Or, FilterOperator::Not];

type Found = textsearch_core::Result<SearchResults<Scored<StoredRecord>>>;

pub(super) async fn probe() -> Result<Capabilities> {
    let collection = collection(Distance::default()).await?;
    Ok(Capabilities {
        name: collection.store_name().to_owned(),
        crate_name: "textsearch-vector-inmemory",
        searches: searches(&collection).await?,
        filters: filters(&collection).await,
        max_results: max_results(&collection).await,
        total_count: counts(&collection).await?,
        // The store above needed none.
        needs_key: false,
    })
}

async fn collection(distance: Distance) -> Result<Collection> {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string(TEXT).full_text().filterable())
        .with_vector(VectorField::new("vector", 1).with_distance(distance));
    let collection = InMemoryVectorStore::new().dynamic_collection("probe", definition)?;
    collection.ensure_exists().await?;
    let data = json!({ "id": "1", TEXT: "word" });
    let data = data.as_object().cloned().context("a record is an object")?;
    let record = StoredRecord::new(data, collection.definition())?.with_vector("vector", [1.0]);
    collection.upsert(vec![record]).await?;
    Ok(collection)
}

async fn searches(collection: &Collection) -> Result<Vec<String>> {
    let options = VectorSearchOptions::default();
    let mut searches = Vec::new();
    if found(collection.full_text_search("word", &options).await).await {
        searches.push("full text".to_owned());
    }
    let distances = distances().await?;
    if !distances.is_empty() {
        searches.push(format!("vector ({})", distances.join(", ")));
    }
    if found(collection.hybrid_search("word", Some([1.0].into()), &options).await).await {
        searches.push("hybrid".to_owned());
    }
    Ok(searches)
}

async fn distances() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for distance in Distance::ALL {
        let collection = collection(distance).await?;
        let input = SearchInput::from(vec![1.0]);
        if found(collection.search(&input, &VectorSearchOptions::default()).await).await {
            let name = serde_json::to_value(distance)?;
            names.push(name.as_str().unwrap_or_default().replace('_', " "));
        }
    }
    Ok(names)
}

async fn filters(collection: &Collection) -> Vec<&'static str> {
    let mut names = Vec::new();
    for operator in FilterOperator::ALL_COMPARISONS.iter().copied().chain(LOGICAL) {
        let options = VectorSearchOptions::default().with_filter(filter_with(operator));
        if collection.full_text_search("word", &options).await.is_ok() {
            names.push(operator.name());
        }
    }
    names
}

fn filter_with(operator: FilterOperator) -> Filter {
    let comparison = Comparison::ALL.iter().find(|one| FilterOperator::from(**one) == operator);
    if let Some(&operator) = comparison {
        let value = FilterValue::from("word");
        return Filter::Compare { field: TEXT.to_owned(), operator, value };
    }
    let other = Filter::eq(TEXT, "word");
    match operator {
        FilterOperator::In => Filter::In { field: TEXT.to_owned(), values: vec!["word".into()] },
        FilterOperator::And => Filter::And(vec![other]),
        FilterOperator::Or => Filter::Or(vec![other]),
        FilterOperator::Not => Filter::Not(Box::new(other)),
        _ => Filter::Exists { field: TEXT.to_owned() },
    }
}

/// Returns the largest accepted 2ⁿ − 1, about the maximum; `None` if unlimited.
async fn max_results(collection: &Collection) -> Option<u64> {
    for power in (0..=u64::BITS).rev() {
        let top = 2_u128.pow(power).saturating_sub(1).try_into().unwrap_or(usize::MAX);
        let options = VectorSearchOptions::top(top);
        if found(collection.full_text_search("word", &options).await).await {
            return (top < usize::MAX).then_some(top as u64);
        }
    }
    Some(0)
}

async fn counts(collection: &Collection) -> Result<bool> {
    let options = VectorSearchOptions::default().with_total_count(true);
    Ok(collection.full_text_search("word", &options).await?.total_count().is_some())
}

/// Returns whether the search found the only record.
async fn found(results: Found) -> bool {
    match results {
        Ok(results) => results.into_vec().await.is_ok_and(|found| found.len() == 1),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_filter_for_each_operator() {
        for &operator in FilterOperator::ALL_COMPARISONS {
            let printed = filter_with(operator).to_string();
            assert!(printed.contains(TEXT), "{operator}: {printed}");
        }
        assert_eq!(filter_with(FilterOperator::Exists).to_string(), "text exists");
    }
}
