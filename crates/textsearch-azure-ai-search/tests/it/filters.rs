//! Filters as the service evaluates them. Hostile values stay values.

use serde_json::json;
use textsearch_azure_ai_search::{
    ErrorKind, Filter,
    vector::{
        DataField, Fusion, GetOptions, RecordDefinition, ScanOptions, VectorField,
        VectorSearchOptions,
    },
};

use crate::support::{empty, record};

const QUERY: [f32; 2] = [1.0, 0.0];

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("tenant").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("embedding", 2))
}

const HOSTILE: [&str; 14] = [
    "'",
    "''",
    "a' or tenant ne 'x",
    "a') or (tenant ne 'x",
    "a' or true or tenant eq '",
    "b,a",
    "b|a;c\u{1f}d\u{1e}e",
    "a' -- ",
    "a%27 or 1 eq 1",
    "\\' or tenant eq 'b",
    "\u{2019} or tenant eq \u{2019}b",
    "a\u{0}'",
    "日本'語🦀",
    " a ",
];

#[tokio::test]
async fn hostile_values_find_only_their_own_records() {
    let (standin, notes) = empty(definition()).await;
    let mut records = vec![
        record("victim", json!({ "tenant": "b", "tags": ["b"], "text": "river" })),
        record("other", json!({ "tenant": "a", "tags": ["a"], "text": "river" })),
    ];
    records.extend(HOSTILE.iter().enumerate().map(|(number, value)| {
        record(&format!("h{number}"), json!({ "tenant": value, "tags": [value], "text": "river" }))
    }));
    let records = records.into_iter().map(|record| record.with_vector("embedding", QUERY));
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    for (number, value) in HOSTILE.into_iter().enumerate() {
        let filters = [
            Filter::eq("tenant", value),
            Filter::is_in("tenant", [value]),
            Filter::is_in("tenant", [value, "nobody"]),
            Filter::contains("tags", value),
            Filter::eq("tenant", value).and(!Filter::eq("tenant", "b")),
        ];
        for filter in filters {
            let options = VectorSearchOptions::top(50).with_filter(filter.clone());
            let near = notes.search(&QUERY[..], &options).await.unwrap().into_vec().await.unwrap();
            let worded = notes.full_text_search("river", &options).await.unwrap();
            let worded = worded.into_vec().await.unwrap();
            let scan = ScanOptions::default().with_filter(filter.clone());
            let scanned = notes.scan(&scan).await.unwrap().into_vec().await.unwrap();
            let keys =
                |results: Vec<String>| assert_eq!(results, [format!("h{number}")], "{filter}");
            keys(near.iter().map(|scored| scored.record.key.to_string()).collect());
            keys(worded.iter().map(|scored| scored.record.key.to_string()).collect());
            keys(scanned.iter().map(|record| record.key.to_string()).collect());
        }
    }
    assert_eq!(standin.violations(), [""; 0]);
}

#[tokio::test]
async fn hostile_values_delete_only_their_own_records() {
    let (_standin, notes) = empty(definition()).await;
    let values = HOSTILE.iter().chain(&["a", "b"]).enumerate();
    let records =
        values.map(|(number, value)| record(&format!("{number:02}"), json!({ "tenant": value })));
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    notes.delete_matching(&Filter::eq("tenant", HOSTILE[2])).await.unwrap();
    let left = notes.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    assert_eq!(left.len(), HOSTILE.len() + 1);
    assert!(left.iter().all(|record| record.data["tenant"] != HOSTILE[2]));
}

#[tokio::test]
async fn hostile_keys_read_only_their_own_records() {
    let (standin, notes) = empty(definition()).await;
    let keys = HOSTILE.iter().chain(&["b64-Jw", "sha256-x", "_"]);
    let records: Vec<_> = keys.clone().map(|key| record(key, json!({ "text": key }))).collect();
    notes.upsert(records).await.unwrap();
    for key in keys {
        let records = notes.get(&[(*key).into()], &GetOptions::default()).await.unwrap();
        assert_eq!(records.len(), 1, "{key:?}");
        assert_eq!(records[0].data["text"], **key);
    }
    assert_eq!(standin.violations(), [""; 0]);
}

#[tokio::test]
async fn a_ranking_is_read_until_enough_records_match() {
    let (standin, notes) = empty(definition()).await;
    let records = (0..300_u16).map(|number| {
        let tenant = if number % 100 == 99 { "b" } else { "a" };
        let angle = f32::from(number).to_radians() / 4.0;
        let record = record(&format!("{number:03}"), json!({ "tenant": tenant, "text": "river" }));
        record.with_vector("embedding", [angle.cos(), angle.sin()])
    });
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    // The service doesn't order texts.
    let options = VectorSearchOptions::top(2).with_filter(Filter::ge("tenant", "b"));
    let results = notes.search(&QUERY[..], &options).await.unwrap().into_vec().await.unwrap();
    let keys: Vec<String> = results.iter().map(|scored| scored.record.key.to_string()).collect();
    assert_eq!(keys, ["099", "199"]);
    let depths: Vec<u64> = standin
        .bodies("search.post.search")
        .iter()
        .map(|body| body["vectorQueries"][0]["k"].as_u64().unwrap())
        .collect();
    assert_eq!(depths, [3, 64, 256]);
}

#[tokio::test]
async fn hybrid_searches_refuse_filters_that_the_service_lacks() {
    let (standin, notes) = empty(definition()).await;
    let options = VectorSearchOptions::top(2)
        .with_fusion(Fusion::reciprocal_rank(60))
        .with_filter(Filter::starts_with("tenant", "b"));
    let before = standin.paths().len();
    let error = notes.hybrid_search("river", Some(QUERY.into()), &options).await.unwrap_err();
    let ErrorKind::UnsupportedFilter { field, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(field, "tenant");
    assert_eq!(standin.paths().len(), before, "a request was sent");
}
