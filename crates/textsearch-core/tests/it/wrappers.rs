//! Wrappers over any text search, and the records that go through them.

use std::sync::Arc;

use textsearch_core::{
    Filter, FilterableField, FixedSearch, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, TextSearchRecord, TextSearchResult,
    connector::{Mapped, TextSearchWrapper},
    results::{AnyRecord, ExplanationStep},
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

fn source_of(record: AnyRecord) -> Option<String> {
    let source = record.to_result().source;
    assert_eq!(record.into_result().source, source);
    source
}

#[test]
fn the_first_source_of_a_record_stays() {
    let [inner, outer] = ["inner", "outer"].map(Arc::<str>::from);
    let record = AnyRecord::new(TextSearchResult::new("one"));
    assert_eq!(source_of(record.clone()), None);
    assert_eq!(source_of(record.with_source(&inner).with_source(&outer)), Some("inner".to_owned()));
    let named = AnyRecord::new(TextSearchResult::new("one").with_source("own"));
    assert_eq!(source_of(named.with_source(&outer)), Some("own".to_owned()));
}

#[test]
fn a_record_is_as_large_as_its_json() {
    let result = TextSearchResult::new("\"quoted\" ä").with_metadata("list", vec![1; 1000]);
    let json = serde_json::to_string(&result).unwrap();
    assert_eq!(AnyRecord::new(result).size().unwrap(), json.len());
}

#[test]
fn a_mapped_record_keeps_its_text_and_json() {
    let record = TextSearchResult::new("text").with_name("name");
    let mapped = Mapped::new(record.clone(), TextSearchResult::new("another"));
    assert_eq!(mapped.text(), "text");
    assert_eq!(mapped.to_result().value, "another");
    assert_eq!(serde_json::to_value(&mapped).unwrap(), serde_json::to_value(&record).unwrap());
}

#[test]
fn an_explanation_is_always_that_of_the_record() {
    let explained = |name: &'static str| {
        let mut result = TextSearchResult::new(name);
        result.explanation.push(ExplanationStep::new(name));
        result
    };
    let record = explained("vector");
    let mapped = Mapped::new(record.clone(), explained("made up"));
    assert_eq!(*mapped.explanation(), record.explanation);
    assert_eq!(mapped.to_result().explanation, record.explanation);
    assert_eq!(mapped.into_result().explanation, record.explanation);
}
