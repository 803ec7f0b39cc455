//! The ways to search any connector and to read its records.

use std::{borrow::Cow, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use textsearch_core::{
    CheckedOptions, ErrorKind, Filter, FilterableField, FixedSearch, Result, SearchOptions,
    SearchResults, TextSearch, TextSearchConnector, TextSearchRecord, TextSearchResult,
    connector::AnyTextSearch,
    results::{AnyRecord, TotalCount},
};

use crate::support::now;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Page {
    title: String,
    snippet: String,
    year: u32,
}

impl TextSearchRecord for Page {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.snippet)
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(&self.snippet).with_name(&self.title)
    }
}

fn page(title: &str, year: u32) -> Page {
    Page { title: title.to_owned(), snippet: format!("about {title}"), year }
}

fn search() -> FixedSearch<Page> {
    FixedSearch::new(vec![page("Rust", 2015), page("Go", 2009), page("Zig", 2016)])
        .with_fields([FilterableField::integer("Year", "When it appeared").with_all_operators()])
}

#[test]
fn one_search_reads_as_text_result_and_json() {
    let search: Arc<dyn TextSearch> = Arc::new(search());
    let options = SearchOptions::top(1);
    let texts = now(now(search.search("q", &options)).unwrap().into_vec()).unwrap();
    let results = now(now(search.text_search_results("q", &options)).unwrap().into_vec()).unwrap();
    let values = now(now(search.search_values("q", &options)).unwrap().into_vec()).unwrap();
    assert_eq!(texts, ["about Rust"]);
    assert_eq!(
        results,
        [TextSearchResult::new("about Rust").with_name("Rust").with_source("fixed")]
    );
    assert_eq!(values, [json!({ "Title": "Rust", "Snippet": "about Rust", "Year": 2015 })]);
}

#[test]
fn an_erased_record_is_restored_at_any_depth() {
    let erased = AnyRecord::new(AnyRecord::new(page("Rust", 2015)));
    assert_eq!(erased.downcast_ref::<Page>(), Some(&page("Rust", 2015)));
    assert_eq!(erased.downcast_ref::<TextSearchResult>(), None);
}

#[test]
fn clones_of_an_erased_record_read_as_the_record() {
    let erased = AnyRecord::new(page("Rust", 2015));
    let clone = erased.clone();
    assert_eq!(clone.clone().into_text(), "about Rust");
    assert_eq!(clone.into_result(), page("Rust", 2015).into_result());
    assert_eq!(erased.into_result(), page("Rust", 2015).into_result());
}

#[test]
fn filter_skip_top_and_count_work_on_given_records() {
    let options = SearchOptions::top(5).with_skip(1).with_filter(Filter::ge("Year", 2010));
    let results = now(search().records("q", &options)).unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(2)));
    assert_eq!(now(results.into_vec()).unwrap(), [Arc::new(page("Zig", 2016))]);
}

#[test]
fn a_filter_on_an_undeclared_field_is_refused() {
    let options = SearchOptions::top(5).with_filter(Filter::eq("Author", "me"));
    let error = now(search().records("q", &options)).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::UnsupportedFilter { field, .. } if field == "Author")
    );
}

#[test]
fn with_text_changes_the_text_and_nothing_else() {
    let search = search().with_text(|page| format!("{} ({})", page.title, page.year));
    let options = SearchOptions::top(1);
    let texts = now(now(search.search("q", &options)).unwrap().into_vec()).unwrap();
    let results = now(now(search.text_search_results("q", &options)).unwrap().into_vec()).unwrap();
    assert_eq!(texts, ["Rust (2015)"]);
    assert_eq!(results[0].value, "about Rust");
    assert_eq!(search.fields().len(), 1);
    assert!(search.supports_fixed_filter());
}

#[test]
fn with_result_changes_the_result_and_nothing_else() {
    let search = search().with_result(|page| TextSearchResult::new(&page.title).with_link("x:y"));
    let options = SearchOptions::top(1);
    let results = now(now(search.text_search_results("q", &options)).unwrap().into_vec()).unwrap();
    let values = now(now(search.search_values("q", &options)).unwrap().into_vec()).unwrap();
    assert_eq!(results[0].link.as_deref(), Some("x:y"));
    assert_eq!(values[0]["Title"], "Rust");
}

#[test]
fn any_text_search_can_be_mapped_like_a_connector() {
    let any: Arc<dyn TextSearch> = Arc::new(search());
    let mapped = AnyTextSearch::new(any).with_text(|record| record.text().to_uppercase());
    let texts = now(now(mapped.search("q", &SearchOptions::top(1))).unwrap().into_vec()).unwrap();
    assert_eq!(texts, ["ABOUT RUST"]);
    assert_eq!(mapped.schema(), search().schema());
}

/// Read from what a provider sends, and written under the names that models see.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Wire {
    #[serde(rename(serialize = "Title", deserialize = "ti"))]
    title: String,
    #[serde(skip_serializing)]
    token: String,
}

impl TextSearchRecord for Wire {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.title)
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(&self.title).with_id(&self.token)
    }
}

#[test]
fn a_records_schema_describes_its_serialized_form() {
    let records = vec![Wire { title: "Rust".to_owned(), token: "t".to_owned() }];
    let search = FixedSearch::new(records);
    let schema: Value = search.schema().into();
    let values = now(now(search.search_values("q", &SearchOptions::top(1))).unwrap().into_vec());
    assert_eq!(values.unwrap(), [json!({ "Title": "Rust" })]);
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["Title"]);
}

#[derive(JsonSchema)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("no JSON for this"))
    }
}

impl TextSearchRecord for Unwritable {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed("text")
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new("text")
    }
}

/// Promises nothing about fixed filters.
struct Careless;

impl TextSearchConnector for Careless {
    type Record = Unwritable;

    fn name(&self) -> &str {
        "careless"
    }

    async fn search_records(
        &self,
        _: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<Unwritable>> {
        Ok(SearchResults::from_vec(vec![Unwritable, Unwritable]))
    }
}

#[test]
fn an_unserializable_record_is_an_error_in_the_stream() {
    let mut values = now(Careless.search_values("q", &SearchOptions::default())).unwrap();
    assert_eq!(*now(values.next()).unwrap().unwrap_err().kind(), ErrorKind::Undecodable);
    assert!(now(values.next()).unwrap().is_err());
    let texts = now(Careless.search("q", &SearchOptions::default())).unwrap();
    assert_eq!(now(texts.into_vec()).unwrap(), ["text", "text"]);
}

#[test]
fn connectors_that_cannot_enforce_fixed_filters_refuse_them() {
    let options = SearchOptions::top(5).with_fixed_filter(Filter::eq("tenant", "a"));
    let error = now(Careless.search("q", &options)).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "fixed_filter")
    );
    let error = now(Careless.records("q", &options)).unwrap_err();
    assert!(error.to_string().contains("fixed_filter"), "{error}");
}

#[test]
fn a_connector_without_fields_gets_no_filter() {
    let options = SearchOptions::top(5).with_filter(Filter::eq("tenant", "a"));
    let error = now(Careless.search("q", &options)).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::UnsupportedFilter { field, .. } if field == "tenant"),
        "{error}"
    );
    let expected = "cannot filter on `tenant`: there are no filterable fields";
    assert_eq!(error.message(), expected);
}

#[test]
fn a_connector_without_fields_refuses_the_filter_false() {
    let search = |filter| now(Careless.search("q", &SearchOptions::top(5).with_filter(filter)));
    let error = search(Filter::any([])).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "filter"),
        "{error}"
    );
    assert!(search(Filter::all([])).is_ok());
}

#[test]
fn a_connector_and_a_dyn_search_share_their_names() {
    fn described(search: &impl TextSearch) -> (&str, usize, bool) {
        (search.name(), search.fields().len(), search.supports_fixed_filter())
    }
    let connector = search();
    let shared: Arc<dyn TextSearch> = Arc::new(search());
    assert_eq!(connector.name(), shared.name());
    assert_eq!(connector.data_source(), shared.data_source());
    assert_eq!(connector.schema(), shared.schema());
    assert_eq!(described(&connector), described(&shared));
}
