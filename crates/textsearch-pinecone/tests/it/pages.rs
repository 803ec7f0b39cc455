//! Scans of a server whose pages repeat.

use serde_json::{Value, json};
use textsearch_pinecone::{
    Error, ErrorKind, Filter, Result,
    vector::{ScanOptions, VectorCollection},
};

use crate::{
    stand_in::{Answer, Behavior, StandIn},
    support::{notes, record},
};

/// A page of both kinds of scans: a list of identifiers, and records by their metadata.
fn page(id: &str, next: Option<&str>) -> [Answer; 2] {
    let data = json!({ "id": id, "year": 1 }).to_string();
    let vector =
        json!({ "id": id, "values": [1.0, 0.0], "metadata": { "_textsearch_data": data } });
    [json!([{ "id": id }]), json!({ id: vector })].map(|vectors: Value| {
        let mut page = json!({ "vectors": vectors });
        if let Some(next) = next {
            page["pagination"] = json!({ "next": next });
        }
        Answer::json(200, page)
    })
}

async fn scanned(notes: &dyn VectorCollection, options: &ScanOptions) -> Result<Vec<String>> {
    let records = notes.scan(options).await?.into_vec().await?;
    Ok(records.iter().map(|record| record.key.to_string()).collect())
}

/// Scans by list and by metadata, with these answers.
async fn scans(pages: &[(&str, Option<&str>)]) -> [Result<Vec<String>>; 2] {
    let stand_in = StandIn::start(Behavior::default());
    let notes = notes(&stand_in.store()).await;
    notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    let plan = |kind: usize| {
        for (id, next) in pages {
            stand_in.answer_next(page(id, *next)[kind].clone());
        }
    };
    plan(0);
    let listed = scanned(&*notes, &ScanOptions::default()).await;
    plan(1);
    let filtered = ScanOptions::default().with_filter(Filter::ge("year", 1));
    [listed, scanned(&*notes, &filtered).await]
}

fn is_undecodable(error: &Error, expected: &str) {
    assert_eq!(*error.kind(), ErrorKind::Undecodable);
    assert!(error.message().contains(expected), "{error}");
}

#[tokio::test]
async fn a_repeated_token_ends_the_scan() {
    for scanned in scans(&[("a", Some("t")), ("b", Some("t"))]).await {
        is_undecodable(&scanned.unwrap_err(), "repeats the pagination token");
    }
}

#[tokio::test]
async fn a_repeated_page_ends_the_scan() {
    for scanned in scans(&[("a", Some("t")), ("a", Some("u"))]).await {
        is_undecodable(
            &scanned.unwrap_err(),
            "a page before the last one has no new identifiers (1 identifiers so far)",
        );
    }
}

#[tokio::test]
async fn a_record_on_two_pages_is_found_once() {
    for scanned in scans(&[("a", Some("t")), ("a", None)]).await {
        assert_eq!(scanned.unwrap(), ["a"]);
    }
}
