//! `#[derive(VectorRecord)]`: definitions.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_core::{
    filter::DateTime,
    vector::{
        DataField, DataKind, Distance, Distribution, HnswParameters, KeyKind, Quantization,
        RecordDefinition, VectorField, VectorRecord,
    },
};

#[derive(Serialize, Deserialize, VectorRecord)]
#[serde(rename_all = "camelCase")]
#[record(shards = 4, replication_factor = 2)]
#[record(write_consistency_factor = 1)]
struct Everything {
    #[record(key)]
    record_number: u32,
    /// The main title.
    ///
    /// # Not for a model
    ///
    /// This is about the code.
    #[record(name, full_text = "en", filterable)]
    main_title: String,
    #[record(value, full_text)]
    body: Option<Cow<'static, str>>,
    #[serde(rename = "URL")]
    #[record(link, description = "Where it can be read.")]
    url: Box<str>,
    #[record(published, filterable, offered_to_model)]
    written: Option<DateTime>,
    #[record(kind = "date_time")]
    seen: String,
    r#type: Arc<str>,
    count: i64,
    weight: Option<f32>,
    is_open: bool,
    #[record(full_text = "de")]
    tags: Vec<String>,
    marks: Option<BTreeSet<String>>,
    author: Author,
    numbers: Vec<u32>,
    #[serde(skip)]
    note: u8,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
    #[record(vector(
        dimensions = WIDE,
        distance = "dot_product",
        index = "hnsw",
        connections = 32,
        ef_construction = 100,
        ef_search = 64,
        quantization = "scalar",
        on_disk,
        embedded_from(main_title, "body")
    ))]
    text_embedding: Vec<f32>,
    #[record(vector(distance = Distance::Manhattan))]
    image_embedding: Option<[f32; 3]>,
    #[record(vector(dimensions = 2, index = "exact"))]
    #[serde(skip)]
    other: Arc<[f32]>,
}

const WIDE: usize = 384;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Author {
    name: String,
}

#[test]
fn definition_matches_the_struct() {
    let graph = HnswParameters { connections: 32, ef_construction: 100, ef_search: 64 };
    let text = VectorField::new("textEmbedding", 384)
        .with_distance(Distance::DotProduct)
        .with_index(graph)
        .with_quantization(Quantization::Scalar)
        .on_disk()
        .embedded_from(["mainTitle", "body"]);
    let distribution = Distribution {
        shards: Some(4),
        replication_factor: Some(2),
        write_consistency_factor: Some(1),
    };
    let expected = RecordDefinition::new("recordNumber")
        .with_key_kind(KeyKind::Integer)
        .with_data(
            DataField::string("mainTitle")
                .with_description("The main title.")
                .full_text_in("en")
                .filterable(),
        )
        .with_data(DataField::string("body").full_text())
        .with_data(DataField::string("URL").with_description("Where it can be read."))
        .with_data(DataField::date_time("written").offered_to_model())
        .with_data(DataField::date_time("seen"))
        .with_data(DataField::string("type"))
        .with_data(DataField::integer("count"))
        .with_data(DataField::number("weight"))
        .with_data(DataField::boolean("isOpen"))
        .with_data(DataField::strings("tags").full_text_in("de"))
        .with_data(DataField::strings("marks"))
        .with_data(DataField::new("author", DataKind::Json))
        .with_data(DataField::new("numbers", DataKind::Json))
        .with_vector(text)
        .with_vector(VectorField::new("imageEmbedding", 3).with_distance(Distance::Manhattan))
        .with_vector(VectorField::new("other", 2))
        .with_name_field("mainTitle")
        .with_value_field("body")
        .with_link_field("URL")
        .with_published_field("written")
        .with_distribution(distribution);
    assert_eq!(Everything::definition(), expected);
    expected.validate("test").unwrap();
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Words {
    #[record(key)]
    id: String,
    #[record(full_text(language = "fr", mean_length = 12.5))]
    both: String,
    #[record(full_text(mean_length = 3))]
    length: String,
    #[record(full_text(language = "de"))]
    language: String,
    #[record(full_text(mean_length = USUAL))]
    constant: String,
}

const USUAL: f64 = 1_000.0;

#[test]
fn full_text_takes_a_language_and_a_mean_length() {
    let expected = RecordDefinition::new("id")
        .with_data(DataField::string("both").full_text_in("fr").with_mean_length(12.5))
        .with_data(DataField::string("length").full_text().with_mean_length(3.0))
        .with_data(DataField::string("language").full_text_in("de"))
        .with_data(DataField::string("constant").full_text().with_mean_length(1_000.0));
    assert_eq!(Words::definition(), expected);
}

macro_rules! with_settings {
    ($name:ident, $mean_length:expr, $distance:expr) => {
        #[derive(Serialize, Deserialize, VectorRecord)]
        struct $name {
            #[record(key)]
            id: String,
            #[record(full_text(mean_length = $mean_length))]
            text: String,
            #[record(vector(dimensions = 2, distance = $distance))]
            vector: Vec<f32>,
        }
    };
}

with_settings!(Whole, 50, "manhattan");
with_settings!(Fraction, 50.0, ("manhattan"));
with_settings!(Parenthesised, (50), Distance::Manhattan);

#[test]
fn settings_may_be_macro_arguments_or_parenthesised() {
    let expected = RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text().with_mean_length(50.0))
        .with_vector(VectorField::new("vector", 2).with_distance(Distance::Manhattan));
    assert_eq!(Whole::definition(), expected);
    assert_eq!(Fraction::definition(), expected);
    assert_eq!(Parenthesised::definition(), expected);
}

macro_rules! with_key {
    ($name:ident, $key:ty, $($attribute:tt)*) => {
        #[derive(Serialize, Deserialize, VectorRecord)]
        struct $name {
            #[record(key)]
            $($attribute)*
            id: $key,
        }
    };
}

with_key!(Named, Box<str>,);
with_key!(Large, u64,);
with_key!(Unique, uuid::Uuid, #[schemars(with = "String")]);
with_key!(Odd, Slug, #[record(kind = "string")]);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Slug(String);

#[test]
fn a_key_is_a_text_a_number_or_a_uuid() {
    let kinds = [
        Named::definition().key.kind,
        Large::definition().key.kind,
        Unique::definition().key.kind,
        Odd::definition().key.kind,
    ];
    assert_eq!(kinds, [KeyKind::String, KeyKind::Integer, KeyKind::Uuid, KeyKind::String]);
}

#[test]
fn stored_names_match_serde() {
    let record = Everything {
        record_number: 7,
        main_title: "T".into(),
        body: None,
        url: "u".into(),
        written: None,
        seen: "2024-01-01".into(),
        r#type: "t".into(),
        count: 1,
        weight: None,
        is_open: true,
        tags: Vec::new(),
        marks: None,
        author: Author { name: "Ada".into() },
        numbers: vec![1],
        note: 5,
        rest: serde_json::Map::new(),
        text_embedding: Vec::new(),
        image_embedding: None,
        other: Arc::from([]),
    };
    assert_eq!(record.note, 5);
    let definition = Everything::definition();
    let stored = VectorRecord::into_stored(record, &definition).unwrap();
    let named: Vec<&str> = definition.data.iter().map(|field| field.name.as_str()).collect();
    let unnamed: Vec<_> =
        stored.data.keys().filter(|name| !named.contains(&name.as_str())).collect();
    assert_eq!(unnamed, ["recordNumber"]);
    assert_eq!(stored.data.len(), named.len() + 1);
}

#[test]
fn text_order_can_be_disabled() {
    #[derive(Serialize, Deserialize, VectorRecord)]
    struct Unordered {
        #[record(key, without_text_order)]
        id: String,
        #[record(filterable, without_text_order)]
        lang: String,
        #[record(filterable)]
        path: String,
    }
    let definition = Unordered::definition();
    let orders: Vec<bool> = definition.data.iter().map(|field| field.text_order).collect();
    assert_eq!((definition.key.text_order, orders), (false, vec![false, true]));
}
