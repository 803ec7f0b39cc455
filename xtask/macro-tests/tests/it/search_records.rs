//! `#[derive(TextSearchRecord)]`.

use std::{borrow::Cow, sync::Arc};

use serde::Serialize;
use textsearch_core::schemars::JsonSchema;
use textsearch_core::{TextSearchRecord, TextSearchResult, filter::DateTime};

#[derive(Clone, Serialize, TextSearchRecord)]
#[serde(rename_all = "PascalCase")]
struct Page {
    #[result(name)]
    title: Option<String>,
    #[result(value)]
    snippet: String,
    #[result(link)]
    url: Cow<'static, str>,
    #[result(id)]
    number: u64,
    #[result(published)]
    age: Option<String>,
    #[result(score)]
    rank: f32,
    #[result(metadata)]
    page_language: Option<&'static str>,
    #[result(metadata)]
    #[serde(rename = "words")]
    count: usize,
    unmarked: bool,
}

fn page() -> Page {
    Page {
        title: Some("Title".into()),
        snippet: "What it says.".into(),
        url: "https://example.com/".into(),
        number: 7,
        age: Some("2024-05-01T00:00:00Z".into()),
        rank: 0.5,
        page_language: Some("en"),
        count: 3,
        unmarked: true,
    }
}

fn expected() -> TextSearchResult {
    TextSearchResult::new("What it says.")
        .with_name("Title")
        .with_link("https://example.com/")
        .with_id("7")
        .with_published(DateTime::parse("2024-05-01").unwrap())
        .with_score(0.5)
        .with_metadata("PageLanguage", "en")
        .with_metadata("words", 3)
}

#[test]
fn fields_become_the_marked_parts() {
    let page = page();
    assert!(page.unmarked);
    assert!(matches!(page.text(), Cow::Borrowed("What it says.")));
    assert_eq!(page.to_result(), expected());
    assert_eq!(page.clone().into_text(), "What it says.");
    assert_eq!(page.into_result(), expected());
}

#[test]
fn leaves_out_missing_parts() {
    let page = Page { title: None, age: Some("yesterday".into()), page_language: None, ..page() };
    let result = page.into_result();
    assert_eq!((result.name, result.published), (None, None));
    assert_eq!(result.metadata.keys().collect::<Vec<_>>(), ["words"]);
}

#[test]
fn a_blank_link_is_no_link() {
    let page = Page { url: " ".into(), ..page() };
    assert_eq!((page.to_result().link, page.into_result().link), (None, None));
}

#[test]
fn owned_forms_move_fields_out() {
    let page = page();
    let place = page.snippet.as_ptr();
    assert_eq!(page.clone().into_text().len(), 13);
    assert_eq!(page.into_result().value.as_ptr(), place);
}

#[derive(Serialize, TextSearchRecord)]
struct Wrapped<T: Serialize + JsonSchema + Send + Sync + 'static> {
    #[result(value)]
    text: Option<Box<str>>,
    other: T,
}

#[test]
fn accepts_generic_records_and_missing_text() {
    let wrapped = Wrapped { text: None, other: 7 };
    assert_eq!((wrapped.text(), wrapped.other), (Cow::Borrowed(""), 7));
    assert_eq!(wrapped.into_result(), TextSearchResult::default());
}

/// Written under other names than it is read by.
#[derive(serde::Deserialize, Serialize, TextSearchRecord)]
#[serde(rename_all(serialize = "camelCase", deserialize = "kebab-case"))]
struct Renamed {
    #[result(value)]
    text: String,
    #[result(metadata)]
    page_language: String,
    #[result(metadata)]
    #[serde(rename(serialize = "words", deserialize = "count"))]
    count: usize,
    #[result(metadata)]
    #[serde(rename(deserialize = "bytes"))]
    file_size: usize,
}

#[test]
fn metadata_has_serdes_written_names() {
    let read = r#"{ "text": "Text", "page-language": "en", "count": 3, "bytes": 4 }"#;
    let record: Renamed = serde_json::from_str(read).unwrap();
    let mut written = serde_json::to_value(&record).unwrap();
    written.as_object_mut().unwrap().remove("text");
    let metadata = record.into_result().metadata;
    assert_eq!(serde_json::to_value(metadata).unwrap(), written);
    let expected = serde_json::json!({ "pageLanguage": "en", "words": 3, "fileSize": 4 });
    assert_eq!(written, expected);
}

#[derive(Serialize, TextSearchRecord)]
#[serde(transparent)]
struct Bare {
    #[result(value)]
    text: String,
}

#[derive(Clone, Serialize, TextSearchRecord)]
#[serde(into = "Bare")]
struct Converted {
    #[result(value)]
    text: String,
}

impl From<Converted> for Bare {
    fn from(Converted { text }: Converted) -> Self {
        Self { text }
    }
}

#[test]
fn accepts_any_serialised_shape() {
    assert_eq!(Bare { text: "Text".into() }.text(), "Text");
    let converted = Converted { text: "Text".into() };
    assert_eq!(serde_json::to_value(&converted).unwrap(), "Text");
    assert_eq!(converted.into_text(), "Text");
}

/// Both derives go on one type.
#[derive(
    serde::Deserialize, Serialize, TextSearchRecord, textsearch_core::vector::VectorRecord,
)]
struct Both {
    #[result(id)]
    #[record(key)]
    id: String,
    #[result(value)]
    #[record(value)]
    text: String,
}

#[test]
fn one_type_can_derive_both_records() {
    use textsearch_core::vector::VectorRecord as _;
    let both = Both { id: "1".into(), text: "Text".into() };
    assert_eq!(both.text(), "Text");
    assert_eq!(both.to_result(), both.result_by(&Both::definition()));
    assert_eq!(Arc::new(both).text, "Text");
}

/// A page with a description.
#[derive(Default, Serialize, TextSearchRecord)]
#[serde(default, rename_all = "camelCase")]
struct Described {
    /// The text of the page.
    #[result(value)]
    #[schemars(length(max = 9))]
    page_text: String,
    inner: Option<Box<Described>>,
}

mod derived {
    use serde::{Deserialize, Serialize};
    use textsearch_core::schemars::{self, JsonSchema};

    /// A page with a description.
    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    #[serde(default, rename_all = "camelCase")]
    pub(super) struct Described {
        /// The text of the page.
        #[schemars(length(max = 9))]
        page_text: String,
        inner: Option<Box<Described>>,
    }
}

fn schema<T: JsonSchema>() -> serde_json::Value {
    textsearch_core::schemars::schema_for!(T).into()
}

#[test]
fn schema_matches_that_of_schemars() {
    let made = schema::<Described>();
    assert_eq!(made, schema::<derived::Described>());
    assert_eq!(made["properties"]["pageText"]["maxLength"], 9);
    assert_eq!(schema::<Wrapped<u8>>()["title"], "Wrapped");
}

#[derive(Serialize, TextSearchRecord)]
#[result(without_schema)]
struct OwnSchema {
    #[result(value)]
    text: String,
}

impl JsonSchema for OwnSchema {
    fn schema_name() -> Cow<'static, str> {
        "Own".into()
    }

    fn json_schema(
        _: &mut textsearch_core::schemars::SchemaGenerator,
    ) -> textsearch_core::schemars::Schema {
        true.into()
    }
}

#[test]
fn a_type_can_have_its_own_schema() {
    assert_eq!(OwnSchema::schema_name(), "Own");
}
