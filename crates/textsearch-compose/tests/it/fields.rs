//! What several sources have in common: fields, fixed filters, schemas and names.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use textsearch_compose::{Fallback, FanOut, FanOutSettings, Sources};
use textsearch_core::{
    ErrorKind, Filter, FilterableField, FixedSearch, SearchOptions, TextSearch,
    TextSearchConnector as _, TextSearchRecord, TextSearchResult, filter::FilterOperator,
};

use crate::support::{Source, failure, pages, with_results};

fn with_fields<const N: usize>(fields: [FilterableField; N]) -> FixedSearch {
    pages(&["x"]).with_fields(fields)
}

fn both(first: impl TextSearch + 'static, second: impl TextSearch + 'static) -> (Fallback, FanOut) {
    let sources = Sources::new("one", first).with_source("other", second);
    let fan_out = FanOut::new(sources.clone(), FanOutSettings::default()).unwrap();
    (Fallback::new(sources).unwrap(), fan_out)
}

#[test]
fn a_field_has_the_operators_of_all_sources() {
    use FilterOperator::{Contains, Eq, In, Ne};

    let site = |description, operators: &[FilterOperator]| {
        FilterableField::string("site", description).with_operators(operators)
    };
    let first = with_fields([site("The site", &[Eq, Ne, In])]);
    let second = with_fields([site("Where", &[In, Eq, Contains]).offered_to_model(false)]);
    let (fallback, fan_out) = both(first, second);
    let expected = site("The site", &[Eq, In]).offered_to_model(false);
    assert_eq!(fallback.fields(), std::slice::from_ref(&expected));
    assert_eq!(fan_out.fields(), [expected]);
}

#[test]
fn a_field_of_two_types_or_without_operators_is_none() {
    let only = |operator| FilterableField::string("b", "").with_operators([operator]);
    let year = FilterableField::integer("year", "");
    let first = with_fields([year, only(FilterOperator::Eq)]);
    let second = with_fields([FilterableField::string("year", ""), only(FilterOperator::Ne)]);
    assert!(both(first, second).0.fields().is_empty());
}

#[test]
fn descriptions_of_values_may_differ() {
    let year =
        |text| FilterableField::new("year", "", json!({ "type": "integer", "description": text }));
    let (fallback, _) = both(with_fields([year("When")]), with_fields([year("The year")]));
    assert_eq!(fallback.fields(), [year("When")]);
}

#[tokio::test]
async fn a_fixed_filter_needs_a_promise_of_each_source() {
    let name = FilterableField::string("Name", "");
    let careless = Source::ready("careless", |_| with_results([]))
        .with_fields([name.clone()])
        .without_fixed_filters();
    let (fallback, fan_out) = both(with_fields([name]), careless.clone());
    assert!(!fallback.supports_fixed_filter() && !fan_out.supports_fixed_filter());
    let options = SearchOptions::top(1).with_fixed_filter(Filter::eq("Name", "x"));
    for error in [failure(&fallback, &options).await, failure(&fan_out, &options).await] {
        let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!(option, "fixed_filter");
    }
    assert_eq!(careless.calls(), 0);
}

#[test]
fn names_are_neither_empty_nor_repeated() {
    for names in [["a", "a"], ["a", " "]] {
        let sources = Sources::new(names[0], pages(&[])).with_source(names[1], pages(&[]));
        let error = Fallback::new(sources.clone()).unwrap_err();
        let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!(option, "sources");
        assert!(FanOut::new(sources, FanOutSettings::default()).is_err());
    }
}

#[test]
fn the_data_source_names_all_sources() {
    let (fallback, fan_out) = both(pages(&[]), pages(&[]));
    assert_eq!((fallback.name(), fallback.data_source()), ("fallback", "one, other"));
    assert_eq!((fan_out.name(), fan_out.data_source()), ("fan_out", "one, other"));
}

#[derive(Serialize, JsonSchema)]
struct Author {
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Book {
    title: String,
    author: Author,
}

impl TextSearchRecord for Book {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.title)
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(&self.title)
    }
}

#[test]
fn sources_of_one_type_keep_its_schema() {
    let books = || FixedSearch::<Book>::new([]);
    let (fallback, fan_out) = both(books(), books());
    assert_eq!(fallback.schema(), books().schema());
    assert_eq!(fan_out.schema(), books().schema());
}

#[test]
fn sources_of_different_types_have_either_schema() {
    let schema = Value::from(both(pages(&[]), FixedSearch::<Book>::new([])).0.schema());
    let parts = schema["anyOf"].as_array().unwrap();
    assert!(parts[0]["properties"]["Link"].is_object());
    assert_eq!(parts[0].get("$schema"), None);
    // Its definitions would not be found from another root.
    assert_eq!(parts[1], json!({ "type": "object" }));
}
