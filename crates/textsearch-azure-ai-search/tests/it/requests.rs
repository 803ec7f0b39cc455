//! Requests to the service.

use std::time::Duration;

use serde_json::{Value, json};
use textsearch_azure_ai_search::{
    AzureSearchStore, ErrorKind, Filter,
    vector::{
        DataField, Distance, Fusion, GetOptions, HnswParameters, IndexKind, RecordDefinition,
        ScanOptions, VectorField, VectorSearchOptions, VectorStore as _, VectorStoreExt as _,
    },
};

use crate::{
    service::Standin,
    support::{config, empty, record},
};

const QUERY: [f32; 2] = [1.0, 0.0];

fn definition() -> RecordDefinition {
    let hnsw = HnswParameters { connections: 8, ..HnswParameters::default() };
    RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text_in("en").with_weight(2.0))
        .with_data(DataField::string("body").full_text().filterable())
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::string("only stored"))
        .with_vector(VectorField::new("embedding", 2).with_index(hnsw))
        .with_vector(VectorField::new("other", 3).with_distance(Distance::Euclidean))
}

fn search(standin: &Standin) -> Value {
    standin.bodies("search.post.search").pop().unwrap()
}

#[tokio::test]
async fn an_index_has_what_the_definition_says() {
    let (standin, _notes) = empty(definition()).await;
    let index = standin.bodies("/indexes('notes')").pop().unwrap();
    let fields = index["fields"].as_array().unwrap();
    let names: Vec<&str> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
    let expected =
        ["id", "textsearch_data_of_string", "title", "body", "year", "embedding", "other"];
    assert_eq!(names, expected);
    assert_eq!(fields[2]["analyzer"], "en.lucene");
    assert_eq!(fields[2]["filterable"], false);
    assert_eq!(fields[3]["analyzer"], "standard.lucene");
    let hnsw = &index["vectorSearch"]["algorithms"][0];
    let parameters = json!({ "m": 8, "efConstruction": 200, "efSearch": 128, "metric": "cosine" });
    assert_eq!(hnsw["hnswParameters"], parameters);
    assert_eq!(index["vectorSearch"]["algorithms"][1]["kind"], "exhaustiveKnn");
    let weights = json!({ "title": 2.0, "body": 1.0 });
    assert_eq!(index["scoringProfiles"][0]["text"]["weights"], weights);
}

#[tokio::test]
async fn a_document_holds_the_record_and_its_index_fields() {
    let (standin, notes) = empty(definition()).await;
    let data = json!({ "title": "a", "year": 2.0, "only stored": [1] });
    notes.upsert(vec![record("a/b", data).with_vector("embedding", [0.1, 1.0])]).await.unwrap();
    let batch = standin.bodies("search.index").pop().unwrap();
    let document = batch["value"][0].as_object().unwrap();
    let expected = json!({
        "@search.action": "upload",
        "id": "b64-YS9i",
        "textsearch_data_of_string": r#"{"id":"a/b","only stored":[1],"title":"a","year":2.0}"#,
        "title": "a",
        "year": 2,
        "embedding": [0.1, 1.0],
    });
    assert_eq!(Value::from(document.clone()), expected);
}

#[tokio::test]
async fn exact_searches_are_exhaustive() {
    let (standin, notes) = empty(definition()).await;
    for (options, expected) in [
        (VectorSearchOptions::top(3), false),
        (VectorSearchOptions::top(3).with_exact(true), true),
        (VectorSearchOptions::top(3).with_vector_field("other"), true),
    ] {
        let query = if options.vector_field.is_some() { &[1.0, 0.0, 0.0][..] } else { &QUERY };
        notes.search(query, &options).await.unwrap();
        let query = search(&standin)["vectorQueries"][0].clone();
        assert_eq!((&query["exhaustive"], &query["k"]), (&json!(expected), &json!(4)));
    }
}

#[tokio::test]
async fn an_exact_search_finds_what_an_approximate_one_misses() {
    let (_standin, notes) = empty(definition()).await;
    let records = (0..50_u16).map(|number| {
        let angle = f32::from(number).to_radians();
        record(&format!("{number:02}"), json!({}))
            .with_vector("embedding", [angle.cos(), angle.sin()])
    });
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    let first = async |is_exact| {
        let options = VectorSearchOptions::top(1).with_exact(is_exact);
        let results = notes.search(&QUERY[..], &options).await.unwrap().into_vec().await.unwrap();
        results[0].record.key.to_string()
    };
    assert_eq!(first(true).await, "00");
    assert_ne!(first(false).await, "00");
}

#[tokio::test]
async fn a_search_by_words_has_no_operators() {
    let (standin, notes) = empty(definition()).await;
    let options = VectorSearchOptions::top(3).with_full_text_fields(["body"]);
    notes.full_text_search("-a \"b c\"* (d", &options).await.unwrap();
    let body = search(&standin);
    assert_eq!(body["search"], r#"\-a \"b c\"\* \(d"#);
    assert_eq!(body["searchFields"], "body");
    assert_eq!(body["queryType"], "simple");
    assert_eq!(body["searchMode"], "any");
    assert_eq!(standin.violations(), [""; 0]);
}

#[tokio::test]
async fn a_hybrid_search_leaves_the_fusion_to_the_service() {
    let (standin, notes) = empty(definition()).await;
    let vector = || Some(QUERY.into());
    let options = VectorSearchOptions::top(3).with_filter(Filter::ge("year", 2020));
    let error = notes.hybrid_search("river", vector(), &options).await.unwrap_err();
    assert!(error.message().contains("Fusion::reciprocal_rank(60)"), "{error}");
    assert!(standin.bodies("search.post.search").is_empty());
    let options = options.with_fusion(Fusion::reciprocal_rank(60));
    notes.hybrid_search("river", vector(), &options).await.unwrap();
    let body = search(&standin);
    assert_eq!(body["search"], "river");
    assert_eq!(body["vectorQueries"][0]["k"], 1_000);
    assert_eq!(body["filter"], "year ge 2020");
    assert_eq!(body["vectorFilterMode"], "preFilter");
    assert!(body.get("orderby").is_none(), "{body}");
}

#[tokio::test]
async fn another_ef_search_than_that_of_the_index_is_refused() {
    let (standin, notes) = empty(definition()).await;
    let before = standin.paths().len();
    let options = VectorSearchOptions::top(3).with_ef_search(500);
    let error = notes.search(&QUERY[..], &options).await.unwrap_err();
    assert!(error.message().contains("128"), "{error}");
    assert_eq!(standin.paths().len(), before);
}

#[tokio::test]
async fn the_service_chooses_parameters_by_default() {
    let vector = VectorField::new("embedding", 2).with_distance(Distance::DotProduct);
    let vector = vector.with_index(IndexKind::hnsw());
    let (standin, notes) = empty(RecordDefinition::new("id").with_vector(vector)).await;
    let index = standin.bodies("/indexes('notes')").pop().unwrap();
    let expected = json!({
        "name": "dot_product-hnsw-default", "kind": "hnsw",
        "hnswParameters": { "metric": "dotProduct" },
    });
    assert_eq!(index["vectorSearch"]["algorithms"], json!([expected]));
    notes.ensure_exists().await.unwrap();
    notes.search(&QUERY[..], &VectorSearchOptions::top(3)).await.unwrap();
    let options = VectorSearchOptions::top(3).with_ef_search(128);
    let error = notes.search(&QUERY[..], &options).await.unwrap_err();
    assert!(error.message().contains("the service chose it"), "{error}");
}

#[tokio::test]
async fn pages_reach_as_far_as_the_service_skips() {
    let (standin, notes) =
        empty(RecordDefinition::new("id").with_data(DataField::string("text").full_text())).await;
    let records = (0..2_500).map(|number| record(&number.to_string(), json!({ "text": "river" })));
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    let options = VectorSearchOptions::top(5).with_skip(2_400);
    let results =
        notes.full_text_search("river", &options).await.unwrap().into_vec().await.unwrap();
    let mut keys: Vec<String> = (0..2_500).map(|number| number.to_string()).collect();
    keys.sort();
    let page: Vec<String> = results.iter().map(|scored| scored.record.key.to_string()).collect();
    assert_eq!(page, keys[2_400..2_405], "equal scores come by key");
    let windows: Vec<(u64, u64)> = standin
        .bodies("search.post.search")
        .iter()
        .map(|body| (body["skip"].as_u64().unwrap(), body["top"].as_u64().unwrap()))
        .collect();
    assert_eq!(windows[..3], [(0, 1_000), (1_000, 1_000), (2_000, 406)]);
    assert_eq!(standin.bodies("search.index").len(), 3, "1,000 records in a request");
}

#[tokio::test]
async fn repeated_pages_are_an_error() {
    let (standin, notes) = empty(definition()).await;
    standin.repeat_page(json!({
        "@search.nextPageParameters": { "skip": 1 },
        "value": [{
            "@search.score": 1.0,
            "id": "a",
            "textsearch_data_of_string": r#"{"id":"a"}"#,
        }],
    }));
    let keys = ["a".into(), "b".into()];
    let read = async || notes.get(&keys, &GetOptions::default()).await.map(drop);
    let scan = async || notes.scan(&ScanOptions::default()).await.map(drop);
    let both = async { [read().await.unwrap_err(), scan().await.unwrap_err()] };
    let errors = tokio::time::timeout(Duration::from_secs(20), both).await.expect("they end");
    for (error, expected) in errors.iter().zip(["no requested record", "ends with the key `a`"]) {
        assert_eq!(*error.kind(), ErrorKind::Undecodable);
        assert!(error.message().contains(expected), "{error}");
    }
    assert_eq!(standin.bodies("search.post.search").len(), 4, "two requests for each");
}

#[tokio::test]
async fn indexes_of_other_programs_are_left_alone() {
    let standin = Standin::start();
    let field = json!({ "name": "id", "type": "Edm.String", "key": true });
    standin.define("foreign", &json!({ "name": "foreign", "fields": [field] }));
    let store = AzureSearchStore::new(config(&standin)).unwrap();
    let foreign = store.dynamic_collection("foreign", RecordDefinition::new("id")).unwrap();
    assert!(!foreign.exists().await.unwrap());
    for refused in [foreign.ensure_exists().await, foreign.delete_collection().await] {
        let error = refused.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
        assert!(error.message().contains("another program"), "{error}");
    }
    assert!(store.collection_names().await.unwrap().is_empty());
}
