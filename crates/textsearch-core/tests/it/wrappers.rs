//! Wrappers over any text search, and the records that go through them.

use std::sync::Arc;

use textsearch_core::{
    Filter, FilterableField, FixedSearch, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, TextSearchRecord, TextSearchResult,
    connector::{AnyTextSearch, Mapped, TextSearchWrapper},
    results::AnyRecord,
};

use crate::support::now;

/// Asks for one result.
struct Shortest(Arc<dyn TextSearch>);

impl TextSearchWrapper for Shortest {
    fn inner(&self) -> &dyn TextSearch {
        &self.0
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let mut options = options.clone();
        options.top = options.top.min(1);
        self.0.search_any(query, &options).await
    }
}

fn search() -> FixedSearch {
    let results = ["one", "two"].map(|name| TextSearchResult::new(name).with_name(name));
    FixedSearch::new(results).with_fields([FilterableField::string("Name", "The title")])
}

#[test]
fn a_wrapper_keeps_names_fields_and_schema() {
    let wrapper = Shortest(Arc::new(search()));
    assert_eq!((wrapper.name(), wrapper.data_source()), ("fixed", "fixed"));
    assert_eq!(wrapper.fields(), search().fields());
    assert_eq!(wrapper.schema(), search().schema());
    assert!(wrapper.supports_fixed_filter());
}

#[test]
fn a_fixed_filter_holds_through_a_wrapper() {
    let wrapper = Shortest(Arc::new(search()));
    let options = SearchOptions::top(5).with_fixed_filter(Filter::eq("Name", "two"));
    let texts = now(now(wrapper.search("q", &options)).unwrap().into_vec()).unwrap();
    assert_eq!(texts, ["two"]);
}

#[test]
fn an_erased_result_names_its_connector() {
    let mut records = now(search().search_any("q", &SearchOptions::top(2))).unwrap();
    let shared = now(records.next()).unwrap().unwrap();
    assert_eq!(shared.to_result().source.as_deref(), Some("fixed"));
    let owned = now(records.next()).unwrap().unwrap();
    assert_eq!(owned.into_result().source.as_deref(), Some("fixed"));
}

#[test]
fn an_erased_result_keeps_its_own_source() {
    let named = FixedSearch::new([TextSearchResult::new("one").with_source("own")]);
    let search = AnyTextSearch::new(named);
    let mut records = now(search.search_any("q", &SearchOptions::top(1))).unwrap();
    assert_eq!(now(records.next()).unwrap().unwrap().to_result().source.as_deref(), Some("own"));
}

#[test]
fn a_mapped_record_keeps_its_text_and_json() {
    let record = TextSearchResult::new("text").with_name("name");
    let mapped = Mapped::new(record.clone(), TextSearchResult::new("another"));
    assert_eq!(mapped.text(), "text");
    assert_eq!(mapped.to_result().value, "another");
    assert_eq!(serde_json::to_value(&mapped).unwrap(), serde_json::to_value(&record).unwrap());
}
