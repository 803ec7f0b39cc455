//! Encrypted connections. TLS ends in front of the server, because the installed one has none.

use rustls::version::TLS13;
use serde_json::json;
use textsearch_conformance::core::vector::{
    RecordDefinition, SearchInput, StoredRecord, VectorField, VectorSearchOptions, VectorStore as _,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::{Created, authority::Authority, behind, open_store};

const COLLECTION: &str = "pgvector-encrypted";

#[tokio::test]
#[ignore = "the other test runs it, on an encrypted connection"]
async fn write_and_search_alone() {
    let vector = VectorField::new("embedding", 2);
    let definition = RecordDefinition::new("id").with_vector(vector);
    let collection = open_store().await.stored_collection(COLLECTION, definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let data = json!({ "id": "a", "text": "é".repeat(100_000) });
    let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap();
    let record = record.with_vector("embedding", [1.0, 0.0]);
    collection.upsert(vec![record.clone()]).await.unwrap();
    let options = VectorSearchOptions::top(1).with_vectors(true);
    let results = collection.search(&SearchInput::from(vec![1.0, 0.0]), &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap()[0].record, record);
    collection.delete_collection().await.unwrap();
}

/// Decrypts each connection, and forwards it to the database.
async fn forward(listener: TcpListener, tls: TlsAcceptor, server: String) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let tls = tls.clone();
        let server = server.clone();
        tokio::spawn(async move {
            // Asks for encryption.
            client.read_exact(&mut [0; 8]).await.unwrap();
            client.write_all(b"S").await.unwrap();
            let mut client = tls.accept(client).await.unwrap();
            let mut server = TcpStream::connect(server).await.unwrap();
            let _ = copy_bidirectional(&mut client, &mut server).await;
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_written_and_found_on_an_encrypted_connection() {
    Created::new("encrypted").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (url, server) = behind(&format!("localhost:{port}"));
    let url = url.replace("sslmode=disable", "sslmode=verify-full");
    assert!(url.contains("sslmode=verify-full"), "the database's URL has no sslmode=disable");
    let authority = Authority::new("ours");
    tokio::spawn(forward(listener, authority.server("localhost", &TLS13), server));
    let run = move || authority.run("tls::write_and_search_alone", "POSTGRES_URL", &url);
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
}
