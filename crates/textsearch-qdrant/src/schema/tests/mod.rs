//! Tests of creating collections, and of definitions that don't match an existing one.

mod parameters;

use qdrant_client::qdrant::{
    CollectionConfig, CollectionInfo, CollectionParams, CompressionRatio, vectors_config::Config,
};
use textsearch_core::vector::{DataField, Distribution, HnswParameters};

use super::*;

fn vector() -> VectorField {
    VectorField::new("embedding", 4)
}

fn created(field: VectorField) -> VectorParams {
    let definition = RecordDefinition::new("id").with_vector(field);
    let request = create("docs", &definition).unwrap();
    match request.vectors_config.unwrap().config.unwrap() {
        Config::ParamsMap(mut params) => params.map.remove("embedding").unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn exact_index_disables_graph() {
    assert_eq!(created(vector()).hnsw_config.unwrap().m, Some(0));
    let hnsw =
        HnswParameters { connections: 32, ef_construction: 100, ..HnswParameters::default() };
    let config = created(vector().with_index(hnsw)).hnsw_config.unwrap();
    assert_eq!((config.m, config.ef_construct), (Some(32), Some(100)));
}

#[test]
fn vectors_are_quantized_as_defined() {
    use quantization_config::Quantization as Packed;

    let packed = |kind| {
        let config = created(vector().with_quantization(kind)).quantization_config;
        config.unwrap().quantization.unwrap()
    };
    let Packed::Scalar(scalar) = packed(Quantization::Scalar) else { panic!("no scalar") };
    assert_eq!(scalar.r#type(), QuantizationType::Int8);
    assert_eq!(packed(Quantization::Binary), Packed::Binary(BinaryQuantization::default()));
    let Packed::Product(product) = packed(Quantization::Product) else { panic!("no product") };
    assert_eq!(product.compression(), CompressionRatio::X16);
    assert_eq!(created(vector()).quantization_config, None);
}

#[test]
#[expect(deprecated, reason = "servers before 1.19 know no other way to keep vectors on disk")]
fn vectors_are_on_disk_if_defined() {
    assert_eq!(created(vector().on_disk()).on_disk, Some(true));
    assert_eq!(created(vector()).on_disk, None);
}

#[test]
fn server_distances_order_like_ours() {
    let distance = |distance| created(vector().with_distance(distance)).distance();
    assert_eq!(distance(Distance::CosineDistance), ServerDistance::Cosine);
    assert_eq!(distance(Distance::NegativeDotProduct), ServerDistance::Dot);
    assert_eq!(distance(Distance::EuclideanSquared), ServerDistance::Euclid);
    assert_eq!(distance(Distance::Manhattan), ServerDistance::Manhattan);
}

#[test]
fn scores_are_on_the_scale_of_the_definition() {
    assert_eq!(score(Distance::CosineDistance, 0.75), 0.25);
    assert_eq!(score(Distance::NegativeDotProduct, 3.0), -3.0);
    assert_eq!(score(Distance::EuclideanSquared, 3.0), 9.0);
    assert_eq!(score(Distance::Manhattan, 3.0), 3.0);
}

#[test]
fn data_is_distributed_as_defined() {
    let distribution = Distribution {
        shards: Some(4),
        replication_factor: Some(2),
        write_consistency_factor: Some(1),
    };
    let definition = RecordDefinition::new("id").with_distribution(distribution);
    let request = create("docs", &definition).unwrap();
    assert_eq!(
        (request.shard_number, request.replication_factor, request.write_consistency_factor),
        (Some(4), Some(2), Some(1))
    );
}

#[test]
fn filterable_field_gets_index_of_its_kind() {
    let kinds = [
        ("a", DataKind::String),
        ("b", DataKind::Integer),
        ("c", DataKind::Number),
        ("d", DataKind::Boolean),
        ("e", DataKind::DateTime),
        ("f g", DataKind::Strings),
        ("h", DataKind::Json),
    ];
    let fields = kinds.into_iter().map(|(name, kind)| DataField::new(name, kind).filterable());
    let definition = fields.fold(RecordDefinition::new("id"), RecordDefinition::with_data);
    let definition = definition.with_data(DataField::string("not filterable"));
    let expected = [
        ("a", FieldType::Keyword),
        ("b", FieldType::Integer),
        ("c", FieldType::Float),
        ("d", FieldType::Bool),
        ("e", FieldType::Datetime),
        ("\"f g\"", FieldType::Keyword),
        ("_textsearch.odd", FieldType::Keyword),
    ];
    assert_eq!(indexes(&definition), expected.map(|(path, index)| (path.to_owned(), index)));
}

#[test]
fn rejects_definitions_beyond_server_limits() {
    let refused = |definition: RecordDefinition| {
        check_definition("docs", &definition).unwrap_err().to_string()
    };
    let hamming =
        RecordDefinition::new("id").with_vector(vector().with_distance(Distance::Hamming));
    assert_eq!(
        refused(hamming),
        "qdrant: `embedding.distance` is Hamming; expected a distance that Qdrant has: cosine, dot product, \
         euclidean or manhattan"
    );
    let reserved = RecordDefinition::new("id").with_data(DataField::string("_textsearch"));
    assert!(refused(reserved).contains("does not use"));
    assert!(check_definition("", &RecordDefinition::new("id")).is_err());
}

#[test]
fn create_allows_filters_on_unindexed_fields() {
    let strict = create("docs", &RecordDefinition::new("id")).unwrap().strict_mode_config.unwrap();
    assert_eq!(
        (strict.enabled, strict.unindexed_filtering_retrieve, strict.unindexed_filtering_update),
        (None, Some(true), Some(true))
    );
}

fn filterable(fields: &[(&str, DataKind)]) -> RecordDefinition {
    let fields = fields.iter().map(|(name, kind)| DataField::new(*name, *kind).filterable());
    fields.fold(RecordDefinition::new("id"), RecordDefinition::with_data)
}

fn existing(definition: &RecordDefinition, points: u64) -> CollectionInfo {
    let created = create("docs", definition).unwrap();
    let params = CollectionParams {
        vectors_config: created.vectors_config,
        sparse_vectors_config: created.sparse_vectors_config,
        shard_number: created.shard_number.unwrap_or(1),
        replication_factor: created.replication_factor.or(Some(1)),
        write_consistency_factor: created.write_consistency_factor.or(Some(1)),
        ..CollectionParams::default()
    };
    let metadata = created.metadata;
    let config = CollectionConfig { params: Some(params), metadata, ..CollectionConfig::default() };
    let config = Some(config);
    let points_count = Some(points);
    CollectionInfo { config, points_count, ..CollectionInfo::default() }
}

#[test]
fn rejects_changed_filterable_fields() {
    let there = filterable(&[("lang", DataKind::String)]);
    let refused = |definition: RecordDefinition| {
        check_existing(existing(&there, 1), &definition).map(drop).unwrap_err().to_string()
    };
    let remedy = "store its records again, in a new collection or after this one is deleted";
    assert_eq!(
        refused(filterable(&[("lang", DataKind::Json)])),
        format!(
            "qdrant: the definition of `lang` is filterable as json; expected filterable as string, as in the \
             collection that exists; {remedy}"
        )
    );
    let wider = filterable(&[("lang", DataKind::String), ("year", DataKind::Integer)]);
    let refusal = refused(wider.clone());
    assert!(refusal.contains("`year` is filterable as integer; expected not filterable"));
    assert!(refused(filterable(&[])).contains("`lang` is not filterable; expected filterable"));
    assert!(check_existing(existing(&there, 1), &there).unwrap().metadata.is_none());
    assert!(!Readable::new(&existing(&there, 1), &wider).has_columns);
    assert!(Readable::new(&existing(&wider, 1), &there).has_columns);
}

#[test]
fn rejects_changed_text_order() {
    let ordered = filterable(&[("lang", DataKind::String)]);
    let mut unordered = ordered.clone();
    unordered.data[0].text_order = false;
    let keys = ordered.clone().without_key_order();
    let refusal = refusal(&ordered, &unordered);
    let expected =
        "`lang` is filterable as string without text order; expected filterable as string, as in";
    assert!(refusal.contains(expected), "{refusal}");
    for (there, definition) in [(&ordered, &unordered), (&unordered, &ordered), (&keys, &ordered)] {
        assert!(check_existing(existing(there, 1), definition).is_err());
        assert!(!Readable::new(&existing(there, 1), definition).has_columns);
        assert!(Readable::new(&existing(there, 1), there).has_columns);
    }
}

fn refusal(there: &RecordDefinition, definition: &RecordDefinition) -> String {
    check_existing(existing(there, 1), definition).map(drop).unwrap_err().to_string()
}

#[test]
fn rejects_definition_without_existing_vector() {
    let picture = VectorField::new("picture", 2).with_distance(Distance::Euclidean);
    let there = RecordDefinition::new("id").with_vector(vector()).with_vector(picture);
    let narrower = RecordDefinition::new("id").with_vector(vector());
    assert_eq!(
        refusal(&there, &narrower),
        "qdrant: the definition of `picture` is missing; expected a vector compared by \"euclidean\", as in the \
         collection that exists; store its records again, in a new collection or after this one is deleted"
    );
    assert!(check_existing(existing(&there, 1), &there).is_ok());
}

#[test]
fn rejects_definition_without_existing_full_text_field() {
    let title = || DataField::string("title").full_text_in("en").with_mean_length(20.0);
    let body = DataField::string("body").full_text_in("en");
    let there = RecordDefinition::new("id").with_data(title()).with_data(body);
    let plain = DataField::string("body");
    let narrower = RecordDefinition::new("id").with_data(title()).with_data(plain);
    let refusal = refusal(&there, &narrower);
    let expected =
        "the definition of `body` is a field without full text; expected full text in `en` of ";
    assert!(refusal.contains(expected), "{refusal}");
}

#[test]
fn added_vector_updates_metadata() {
    let there = RecordDefinition::new("id").with_vector(vector());
    let wider = there.clone().with_vector(VectorField::new("picture", 2));
    // The server has the vector, but the metadata doesn't name it yet.
    let mut info = existing(&wider, 1);
    info.config.as_mut().unwrap().metadata = metadata(&there);
    let missing = check_existing(info, &wider).unwrap();
    assert_eq!(missing.metadata, Some(metadata(&wider)));
}

#[test]
fn filterable_fields_may_change_in_empty_collection() {
    let there = filterable(&[("lang", DataKind::String)]);
    let wider = filterable(&[("lang", DataKind::String), ("year", DataKind::Integer)]);
    let missing = check_existing(existing(&there, 0), &wider).unwrap();
    assert_eq!(missing.metadata, Some(metadata(&wider)));
}

#[test]
fn foreign_collection_has_no_columns() {
    let definition = filterable(&[("lang", DataKind::String)]);
    let foreign = CollectionInfo { points_count: Some(1), ..CollectionInfo::default() };
    assert!(!Readable::new(&foreign, &definition).has_columns);
    assert!(check_existing(foreign, &definition).unwrap().metadata.is_none());
}

#[test]
fn refusal_names_full_text_of_earlier_version() {
    let text = DataField::string("text").full_text_in("en").with_mean_length(20.0);
    let definition = RecordDefinition::new("id").with_data(text);
    for there in [json!("en"), json!(null)] {
        let known = json!({
            "key": definition.key,
            FULL_TEXT: { "text": there },
            DISTANCES: {},
            FILTERABLE: {},
        });
        let metadata = HashMap::from([(METADATA.to_owned(), known.into())]);
        let config = CollectionConfig { metadata, ..CollectionConfig::default() };
        let info = CollectionInfo { config: Some(config), ..CollectionInfo::default() };
        let refusal = check_existing(info, &definition).map(drop).unwrap_err().to_string();
        let expected = "expected full text as an earlier version of this crate wrote it, as in the collection that \
                        exists; store its records again, in a new collection or after this one is deleted";
        assert!(refusal.ends_with(expected), "{refusal}");
        assert!(!refusal.contains("null"), "{refusal}");
    }
}
