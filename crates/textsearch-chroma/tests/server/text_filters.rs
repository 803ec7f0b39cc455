//! Filters on texts: Chroma sends only records whose documents contain the text.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::TryStreamExt as _;
use serde_json::{Value, json};
use textsearch_chroma::{
    ChromaStore, Filter,
    http::{
        HttpClient, HttpSettings, HttpTransport, ReqwestTransport, TransportError,
        TransportRequest, TransportResponse,
    },
    vector::{
        DataField, IndexKind, RecordDefinition, ScanOptions, StoredRecord, VectorCollection,
        VectorField, VectorSearchOptions, VectorStore,
    },
};
use textsearch_conformance::core::async_trait;

const RECORDS: usize = 400;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").filterable())
        .with_data(DataField::integer("number").filterable())
        .with_vector(VectorField::new("embedding", 2).with_index(IndexKind::hnsw()))
}

/// Counts the documents of all responses.
#[derive(Debug)]
struct Counting {
    inner: ReqwestTransport,
    documents: Arc<AtomicUsize>,
}

#[async_trait]
impl HttpTransport for Counting {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let response = self.inner.send(request).await?;
        let body: Vec<_> = response.body.try_collect().await?;
        let body = body.concat();
        let read: Value = serde_json::from_slice(&body).unwrap_or_default();
        let documents = read["documents"].as_array().into_iter().flatten();
        // A query has a list for each vector.
        let count = documents.map(|document| document.as_array().map_or(1, Vec::len)).sum();
        self.documents.fetch_add(count, Ordering::SeqCst);
        Ok(TransportResponse::complete(response.status, response.headers, body))
    }
}

fn counted() -> (ChromaStore, Arc<AtomicUsize>) {
    let settings = HttpSettings::default();
    let documents = Arc::<AtomicUsize>::default();
    let inner = ReqwestTransport::from_settings(&settings).unwrap();
    let transport = Counting { inner, documents: Arc::clone(&documents) };
    let client = HttpClient::from_transport("chroma", settings, transport).unwrap();
    (ChromaStore::new(crate::config()).unwrap().with_http_client(client), documents)
}

/// Every hundredth text has the word `needle`, in upper case in half of them.
fn records() -> Vec<StoredRecord> {
    let record = |number: usize| {
        let text = match number % 200 {
            0 => "say \"needle\"\nand leave".to_owned(),
            100 => "say \"NEEDLE\"".to_owned(),
            _ => format!("hay {number}"),
        };
        let data = json!({ "id": format!("{number:04}"), "text": text, "number": number });
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition()).unwrap();
        record.with_vector("embedding", [1.0, number as f32])
    };
    (0..RECORDS).map(record).collect()
}

async fn scanned(collection: &dyn VectorCollection, filter: &str) -> Vec<String> {
    let options = ScanOptions::default().with_filter(filter.parse().unwrap());
    let records = collection.scan(&options).await.unwrap().into_vec().await.unwrap();
    records.iter().map(|record| record.key.to_string()).collect()
}

#[tokio::test]
async fn only_documents_with_the_text_are_transferred() {
    let (store, documents) = counted();
    let collection = store.stored_collection("chroma-text-filters", definition()).unwrap();
    collection.delete_collection().await.unwrap();
    collection.ensure_exists().await.unwrap();
    collection.upsert(records()).await.unwrap();

    // The text, the keys, and the number of candidates: two in lower case, four that begin so.
    let cases = [
        (r#"text contains "\"needle\"\n""#, vec!["0000", "0200"], 2),
        (r#"text contains "needle" and number > 100"#, vec!["0200"], 1),
        (r#"text starts_with "say \"""#, vec!["0000", "0100", "0200", "0300"], 4),
        (r#"text contains "NEEDLE" or text contains "hay 77""#, vec!["0077", "0100", "0300"], 3),
        (r#"text contains "nowhere""#, vec![], 0),
    ];
    for (filter, expected, candidates) in cases {
        documents.store(0, Ordering::SeqCst);
        assert_eq!(scanned(collection.as_ref(), filter).await, expected, "{filter}");
        // Once to filter them, once to return them.
        let read = documents.load(Ordering::SeqCst);
        assert_eq!(read, candidates + expected.len(), "{filter}");

        documents.store(0, Ordering::SeqCst);
        let options = VectorSearchOptions::top(RECORDS).with_filter(filter.parse().unwrap());
        let results = collection.search(&vec![1.0, 0.0].into(), &options).await.unwrap();
        let mut keys: Vec<String> = results
            .into_vec()
            .await
            .unwrap()
            .iter()
            .map(|scored| scored.record.key.to_string())
            .collect();
        keys.sort_unstable();
        assert_eq!(keys, expected, "{filter}");
        assert_eq!(documents.load(Ordering::SeqCst), candidates, "{filter}");
    }

    documents.store(0, Ordering::SeqCst);
    collection.delete_matching(&Filter::contains("text", "NEEDLE")).await.unwrap();
    assert_eq!(documents.load(Ordering::SeqCst), 2);
    assert_eq!(scanned(collection.as_ref(), r#"text starts_with "say""#).await, ["0000", "0200"]);
    collection.delete_collection().await.unwrap();
}
