//! Finds out the connectors' capabilities by calling them offline.

use std::sync::Arc;

use anyhow::Result;
use serde_json::Value;
use textsearch_core::{
    Filter, FilterableField, SearchOptions, TextSearch,
    filter::{FilterOperator, FilterValue},
};

use super::{
    capabilities::Capabilities,
    sources::{SOURCES, Source},
};

/// More than any service serves: a connector that accepts this accepts any number.
const ENDLESS: usize = 1_000_000;

pub(crate) async fn capabilities() -> Result<Vec<Capabilities>> {
    let mut all = Vec::new();
    for source in &SOURCES {
        all.push(probe(source).await?);
    }
    Ok(all)
}

async fn probe(source: &Source) -> Result<Capabilities> {
    let search = source.describe()?;
    Ok(Capabilities {
        name: source.name.to_owned(),
        crate_name: source.crate_name,
        searches: vec![source.finds.to_owned()],
        filters: filters(&search).await,
        max_results: max_results(&search).await,
        total_count: counts(&search).await?,
        needs_key: source.key_variable.is_some(),
    })
}

/// Returns the comparisons declared for any field, and the logical operators accepted.
async fn filters(search: &Arc<dyn TextSearch>) -> Vec<&'static str> {
    let fields = search.fields();
    let is_declared =
        |operator: &&FilterOperator| fields.iter().any(|field| field.operators.contains(*operator));
    let comparisons = FilterOperator::ALL_COMPARISONS.iter().filter(is_declared);
    let mut names: Vec<&str> = comparisons.map(|operator| operator.name()).collect();
    for (operator, filters) in joined(fields) {
        if is_any_applied(search, filters).await {
            names.push(operator.name());
        }
    }
    names
}

async fn is_any_applied(search: &Arc<dyn TextSearch>, filters: Vec<Filter>) -> bool {
    for filter in filters {
        let options = SearchOptions::top(1).with_filter(filter);
        if search.search_any("word", &options).await.is_ok() {
            return true;
        }
    }
    false
}

/// Returns several filters per operator: a connector may combine conditions on some fields only.
fn joined(fields: &[FilterableField]) -> [(FilterOperator, Vec<Filter>); 3] {
    let single: Vec<Filter> = fields.iter().map(equal).collect();
    let pairs = || single.iter().flat_map(|one| single.iter().map(move |other| [one, other]));
    let pairs = || pairs().map(|pair| pair.map(Filter::clone).to_vec());
    let and = pairs().filter(|pair| pair.first() != pair.last()).map(Filter::And).collect();
    let or = pairs().map(Filter::Or).collect();
    let not = single.iter().cloned().map(|one| Filter::Not(Box::new(one))).collect();
    [(FilterOperator::And, and), (FilterOperator::Or, or), (FilterOperator::Not, not)]
}

/// Returns an equality with a value that the schema of the field allows.
fn equal(field: &FilterableField) -> Filter {
    let first = field.schema.get("enum").and_then(|values| values.get(0));
    let is_date = field.schema.get("format").and_then(Value::as_str) == Some("date");
    let value = match first {
        Some(Value::String(text)) => FilterValue::from(text.as_str()),
        Some(other) => FilterValue::from(other.as_i64().unwrap_or_default()),
        None if is_date => FilterValue::from("2025-01-01"),
        None => FilterValue::from("example.com"),
    };
    Filter::eq(field.name.clone(), value)
}

async fn max_results(search: &Arc<dyn TextSearch>) -> Option<u64> {
    if is_taken(search, ENDLESS).await {
        return None;
    }
    let (mut taken, mut refused) = (0, ENDLESS);
    while refused - taken > 1 {
        let middle = taken.midpoint(refused);
        if is_taken(search, middle).await {
            taken = middle;
        } else {
            refused = middle;
        }
    }
    Some(taken as u64)
}

async fn is_taken(search: &Arc<dyn TextSearch>, top: usize) -> bool {
    search.search_any("word", &SearchOptions::top(top)).await.is_ok()
}

async fn counts(search: &Arc<dyn TextSearch>) -> Result<bool> {
    let options = SearchOptions::top(1).with_total_count(true);
    Ok(search.search_any("word", &options).await?.total_count().is_some())
}
