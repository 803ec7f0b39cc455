//! Definitions, records and embeddings, without a backend.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use textsearch_core::{
    ErrorKind, Filter, Result, SearchResults, TextSearchConnector, TextSearchRecord, async_trait,
    filter::FilterOperator,
    vector::{
        Collection, CollectionRecord, DataField, DataKind, Distance, GetOptions, KeyKind,
        RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorRecord, VectorSearchOptions, VectorStoreTextSearch,
    },
};

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text())
        .with_data(DataField::string("body").full_text().with_description("The text"))
        .with_data(DataField::string("url"))
        .with_data(DataField::integer("year").offered_to_model())
        .with_data(DataField::new("published", DataKind::DateTime))
        .with_vector(VectorField::new("embedding", 2))
        .with_name_field("title")
        .with_value_field("body")
        .with_link_field("url")
        .with_published_field("published")
}

fn data(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn the_fields_of_a_definition_make_the_result() {
    let fields = data(json!({
        "id": "a", "title": "Stores", "body": "Readers never wait.", "url": "https://example.com/a",
        "published": "2024-08-14", "year": 2024,
    }));
    let record = StoredRecord::new(fields, &definition()).unwrap();
    let result = Scored::new(record, 0.5, Arc::new(definition())).to_result();
    assert_eq!(result.name.as_deref(), Some("Stores"));
    assert_eq!(result.value, "Readers never wait.");
    assert_eq!(result.link.as_deref(), Some("https://example.com/a"));
    assert_eq!(result.id.as_deref(), Some("a"));
    assert_eq!(result.score, Some(0.5));
    assert_eq!(result.published.unwrap().to_string(), "2024-08-14T00:00:00Z");
}

#[test]
fn blank_link_is_left_out() {
    let record =
        StoredRecord::new(data(json!({ "id": "a", "url": " \n" })), &definition()).unwrap();
    assert_eq!(record.to_result(&definition()).link, None);
}

#[test]
fn no_field_but_the_key_is_required() {
    let record = StoredRecord::new(data(json!({ "id": "a" })), &definition()).unwrap();
    let result = record.to_result(&definition());
    assert_eq!((result.name, result.value.as_str(), result.link), (None, "", None));
}

#[test]
fn without_a_value_field_the_text_joins_full_text_fields() {
    let mut definition = definition();
    definition.value_field = None;
    let fields = data(json!({ "id": "a", "title": "Stores", "body": "Readers", "url": "u" }));
    let record = StoredRecord::new(fields, &definition).unwrap();
    assert_eq!(record.text(&definition), "Stores\nReaders");
}

#[test]
fn a_scored_record_serialises_flat_and_without_its_vector() {
    let record = StoredRecord::new(data(json!({ "id": "a", "year": 1 })), &definition())
        .unwrap()
        .with_vector("embedding", vec![1.0, 2.0]);
    let value = serde_json::to_value(Scored::new(record, 0.25, Arc::new(definition()))).unwrap();
    assert_eq!(value, json!({ "id": "a", "year": 1, "Score": 0.25 }));
}

#[test]
fn a_field_of_the_users_own_wins_over_the_score() {
    let record =
        StoredRecord::new(data(json!({ "id": "a", "Score": "12:3" })), &definition()).unwrap();
    let value = serde_json::to_value(Scored::new(record, 0.25, Arc::new(definition()))).unwrap();
    assert_eq!(value["Score"], "12:3");
}

#[test]
fn a_missing_or_mistyped_key_names_its_field() {
    for fields in [json!({}), json!({ "id": "" }), json!({ "id": 7 })] {
        let error = StoredRecord::new(data(fields), &definition()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidRecord { .. }));
        assert!(error.message().contains("`id`"), "{error}");
    }
    let by_number = definition().with_key_kind(KeyKind::Integer);
    let record = StoredRecord::new(data(json!({ "id": 7 })), &by_number).unwrap();
    assert_eq!(record.key, RecordKey::Integer(7));
}

#[test]
fn a_uuid_is_a_key_in_one_spelling() {
    const CANONICAL: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    let by_uuid = definition().with_key_kind(KeyKind::Uuid);
    for spelling in [
        CANONICAL,
        "67E55044-10B1-426F-9247-BB680E5FE0C8",
        "67e5504410b1426f9247bb680e5fe0c8",
        "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8",
    ] {
        let record = StoredRecord::new(data(json!({ "id": spelling })), &by_uuid).unwrap();
        assert_eq!((record.key, &record.data["id"]), (CANONICAL.into(), &json!(CANONICAL)));
        assert_eq!(*by_uuid.key.canonical(&spelling.into()), CANONICAL.into());
    }
    let error = StoredRecord::new(data(json!({ "id": "67e55044" })), &by_uuid).unwrap_err();
    assert!(error.message().ends_with("it must be a UUID"), "{error}");
}

#[test]
fn a_key_can_be_read_of_its_value_alone() {
    let key = |kind, value| definition().with_key_kind(kind).key.key_of(value);
    assert_eq!(key(KeyKind::String, Some(json!("a"))).unwrap(), "a".into());
    assert_eq!(key(KeyKind::Integer, Some(json!(7))).unwrap(), RecordKey::Integer(7));
    let uuid = Some(json!("67E5504410B1426F9247BB680E5FE0C8"));
    let expected = "67e55044-10b1-426f-9247-bb680e5fe0c8".into();
    assert_eq!(key(KeyKind::Uuid, uuid).unwrap(), expected);
    for (kind, value, fault) in [
        (KeyKind::String, None, "missing"),
        (KeyKind::String, Some(json!("")), "\"\""),
        (KeyKind::String, Some(json!(7)), "7"),
        (KeyKind::Integer, Some(json!(-7)), "-7"),
        (KeyKind::Integer, Some(json!([7])), "[7]"),
        (KeyKind::Uuid, Some(json!("A")), "\"A\""),
    ] {
        let error = key(kind, value).unwrap_err();
        assert!(error.message().contains(&format!("`id` is {fault}: it must be")), "{error}");
    }
}

#[test]
fn invalid_definitions_are_refused() {
    let twice = definition().with_data(DataField::string("title"));
    let flat = definition().with_vector(VectorField::new("other", 0));
    let absent = definition().with_link_field("href");
    for (wrong, named) in [(twice, "title"), (flat, "0 dimensions"), (absent, "href")] {
        let error = wrong.validate("docs").unwrap_err();
        assert!(error.message().contains(named), "{error}");
    }
    assert!(definition().validate("docs").is_ok());
}

#[test]
fn filters_accept_the_key_and_filterable_fields() {
    let fields = definition().with_data(DataField::string("tag").filterable()).filterable_fields();
    let names: Vec<_> =
        fields.iter().map(|field| (field.name.as_str(), field.offered_to_model)).collect();
    assert_eq!(names, [("id", false), ("year", true), ("tag", false)]);
    assert!(fields[1].operators.contains(&FilterOperator::Ge));
}

#[test]
fn texts_without_order_are_compared_but_not_ordered() {
    let definition = RecordDefinition::new("id")
        .without_key_order()
        .with_data(DataField::string("title").filterable().without_text_order())
        .with_data(DataField::string("lang").filterable());
    let check = |filter: &str| definition.check_filter(Some(&filter.parse().unwrap()), "shelf");
    for allowed in [
        r#"title = "a" and title != "b" and title contains "c" and title in ["d"]"#,
        r#"lang > "a" and lang starts_with "e""#,
        r#"title > date "2024-01-01" and id > 7"#,
    ] {
        check(allowed).unwrap();
    }
    let error = check(r#"lang = "en" or not (title starts_with "a")"#).unwrap_err();
    let expected = "shelf: cannot apply `starts_with` to `title`: its texts are kept without their order \
                    (`DataField::without_text_order`); drop that setting and store the records again";
    assert_eq!(error.to_string(), expected);
    let error = check(r#"id <= "a""#).unwrap_err();
    assert!(error.message().contains("`RecordDefinition::without_key_order`"), "{error}");
    let json = serde_json::to_value(&definition).unwrap();
    assert_eq!(
        (&json["key"]["text_order"], json["data"][1].get("text_order")),
        (&false.into(), None)
    );
    assert_eq!(serde_json::from_value::<RecordDefinition>(json).unwrap(), definition);
}

#[test]
fn a_definition_survives_json() {
    let written = serde_json::to_string(&definition()).unwrap();
    assert_eq!(serde_json::from_str::<RecordDefinition>(&written).unwrap(), definition());
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Note {
    id: String,
    title: String,
    #[serde(default)]
    embedding: Option<Vec<f32>>,
}

impl VectorRecord for Note {
    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title"))
            .with_vector(VectorField::new("embedding", 2))
            .with_value_field("title")
    }
}

#[test]
fn user_types_round_trip() {
    let note = || Note { id: "n".into(), title: "A note".into(), embedding: Some(vec![0.5, 1.0]) };
    let stored = CollectionRecord::into_stored(note(), &Note::definition()).unwrap();
    assert_eq!(stored.vectors["embedding"].as_ref(), [0.5, 1.0]);
    assert!(!stored.data.contains_key("embedding"));
    assert_eq!(<Note as CollectionRecord>::from_stored(stored).unwrap(), note());
    assert_eq!(CollectionRecord::text(&note(), &Note::definition()), "A note");
}

#[test]
fn a_list_without_elements_is_no_vector() {
    let note = || Note { id: "n".into(), title: "A note".into(), embedding: Some(Vec::new()) };
    let stored = CollectionRecord::into_stored(note(), &Note::definition()).unwrap();
    assert!(stored.vectors.is_empty() && !stored.data.contains_key("embedding"), "{stored:?}");
    let (_, vectors) = CollectionRecord::split_vectors(note(), &Note::definition()).unwrap();
    assert!(vectors.is_empty(), "{vectors:?}");
}

#[test]
fn a_non_finite_element_is_named_by_record_and_position() {
    for element in [f32::NAN, f32::INFINITY] {
        let embedding = Some(vec![0.5, element]);
        let note = Note { id: "n".into(), title: "A note".into(), embedding };
        let error = CollectionRecord::into_stored(note, &Note::definition()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::invalid_record("n"));
        assert_eq!(
            error.message(),
            "the record `n` cannot be stored: its vector `embedding` holds null, which NaN and infinity are in JSON, at \
             index 1: expected are finite numbers"
        );
    }
}

#[test]
fn invalid_vectors_are_refused_with_their_record() {
    for (vector, fault) in [
        (json!("0.5 1.0"), "isn't a list: expected a list of numbers"),
        (
            json!([0.5, 1e39]),
            "holds a number beyond 32 bits at index 1: expected are finite numbers",
        ),
        (
            json!([[], 1.0]),
            "holds a value that isn't a number at index 0: expected are finite numbers",
        ),
    ] {
        let record = json!({ "id": "n", "title": "A note", "embedding": vector });
        let error = StoredRecord::from_serialize(&record, &Note::definition()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::invalid_record("n"));
        assert!(error.message().ends_with(fault), "{error}");
    }
}

struct Nowhere(Arc<RecordDefinition>);

#[async_trait]
impl VectorCollection for Nowhere {
    fn name(&self) -> &str {
        "nowhere"
    }

    fn store_name(&self) -> &str {
        "nothing"
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.0
    }

    async fn exists(&self) -> Result<bool> {
        Ok(false)
    }

    async fn ensure_exists(&self) -> Result<()> {
        Ok(())
    }

    async fn delete_collection(&self) -> Result<()> {
        Ok(())
    }

    async fn upsert(&self, _: Vec<StoredRecord>) -> Result<()> {
        Ok(())
    }

    async fn get(&self, _: &[RecordKey], _: &GetOptions) -> Result<Vec<StoredRecord>> {
        Ok(Vec::new())
    }

    async fn delete(&self, _: &[RecordKey]) -> Result<()> {
        Ok(())
    }

    async fn delete_matching(&self, _: &Filter) -> Result<()> {
        Ok(())
    }

    async fn scan(&self, _: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        Ok(SearchResults::from_vec(Vec::new()))
    }

    async fn search(
        &self,
        _: &SearchInput,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Ok(SearchResults::from_vec(Vec::new()))
    }

    async fn full_text_search(
        &self,
        _: &str,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Ok(SearchResults::from_vec(Vec::new()))
    }

    async fn hybrid_search(
        &self,
        _: &str,
        _: Option<Arc<[f32]>>,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Ok(SearchResults::from_vec(Vec::new()))
    }
}

fn schema_of<R: CollectionRecord>(definition: RecordDefinition) -> Value {
    let collection = Collection::<R>::new(Arc::new(Nowhere(Arc::new(definition))));
    let search = VectorStoreTextSearch::new(collection);
    search.clone().schema().into()
}

#[test]
fn a_searchs_schema_describes_its_results() {
    let schema = schema_of::<Note>(Note::definition());
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["Score", "id", "title"]);
    assert!(!schema["required"].to_string().contains("embedding"), "{schema}");

    let schema = schema_of::<StoredRecord>(definition());
    assert_eq!(schema["properties"]["year"], json!({ "type": "integer" }));
    assert_eq!(schema["properties"].get("embedding"), None);
}

mod elsewhere {
    #[derive(serde::Serialize, schemars::JsonSchema)]
    pub(super) struct Note {
        page: u32,
    }
}

#[test]
fn scored_records_of_one_name_have_schemas_of_their_own() {
    let here = <Scored<Note> as JsonSchema>::schema_id();
    assert_ne!(here, <Scored<elsewhere::Note> as JsonSchema>::schema_id());
}

#[test]
fn every_distance_scores_as_defined() {
    let left = [1.0, 2.0, 2.0];
    let right = [2.0, 2.0, 1.0];
    let expected = [8.0 / 9.0, 1.0 / 9.0, 8.0, -8.0, 2.0_f64.sqrt(), 2.0, 2.0, 2.0, 0.0];
    for (distance, expected) in Distance::ALL.into_iter().zip(expected) {
        let score = distance.score(&left, &right);
        assert!((score - expected).abs() < 1e-12, "{distance:?}: {score} is not {expected}");
    }
}

#[test]
fn jaccard_compares_elements_other_than_zero() {
    let score = |left: [f32; 4], right: [f32; 4]| Distance::Jaccard.score(&left, &right);
    assert_eq!(score([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]), 1.0 - 1.0 / 3.0);
    assert_eq!(score([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]), 1.0);
    assert_eq!(score([0.0; 4], [0.0; 4]), 1.0);
}
