//! A network that is lost: no packet arrives, and no connection is closed.

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, Instant},
};

use socket2::{SockFilter, SockRef};
use textsearch_conformance::core::{
    ErrorKind,
    vector::{RecordDefinition, ScanOptions, VectorCollection, VectorField, VectorStore},
};
use textsearch_pgvector::{PgVectorConfig, PgVectorStore};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::sleep,
};
use tokio_postgres::NoTls;

use crate::{Created, behind, config};

/// A second each, so that the tests are short.
const LIMITS: &str = "tcp_user_timeout=1&keepalives_idle=1&keepalives_interval=1";

/// The BPF instruction that returns a constant; 0 drops the packet.
const RETURN: u16 = 6;

/// Forwards connections to the database.
struct Network {
    url: String,
    lost: Arc<Notify>,
}

impl Network {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (url, server) = behind(&listener.local_addr().unwrap().to_string());
        let url = format!("{url}&{LIMITS}");
        let lost = Arc::new(Notify::new());
        tokio::spawn(accept(listener, server, Arc::clone(&lost)));
        Self { url, lost }
    }

    async fn collection(&self, name: &str) -> Arc<dyn VectorCollection> {
        let store = PgVectorStore::connect(PgVectorConfig::new(self.url.as_str())).await.unwrap();
        let definition = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2));
        let collection = store.stored_collection(name, definition).unwrap();
        collection.ensure_exists().await.unwrap();
        collection
    }

    /// Loses all open connections; later ones work.
    async fn lose(&self) {
        self.lost.notify_waiters();
        sleep(Duration::from_millis(100)).await;
    }
}

async fn accept(listener: TcpListener, server: String, lost: Arc<Notify>) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        tokio::spawn(forward(client, server.clone(), Arc::clone(&lost)));
    }
}

async fn forward(mut client: TcpStream, server: String, lost: Arc<Notify>) {
    let mut server = TcpStream::connect(server).await.unwrap();
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        () = lost.notified() => {
            let drop_all = [SockFilter::new(RETURN, 0, 0, 0)];
            SockRef::from(&client).attach_filter(&drop_all).unwrap();
            // Or the server's session would hold its locks until the end of the test.
            drop(server);
            pending::<()>().await;
        }
    }
}

/// Checks that the call on a lost connection fails soon, and that the next one connects again.
async fn check_lost(collection: &dyn VectorCollection) {
    let start = Instant::now();
    let error = collection.scan(&ScanOptions::default()).await.err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(collection.exists().await.unwrap());
}

#[tokio::test]
async fn a_request_that_never_arrives_fails() {
    let created = Created::new("lost-request").await;
    let network = Network::new().await;
    let collection = network.collection(created.name()).await;
    network.lose().await;
    check_lost(collection.as_ref()).await;
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn an_answer_that_never_arrives_fails() {
    let created = Created::new("lost-answer").await;
    let network = Network::new().await;
    let collection = network.collection(created.name()).await;
    let (mut client, connection) =
        tokio_postgres::connect(config().url.expose(), NoTls).await.unwrap();
    tokio::spawn(connection);
    // The server receives the request, and waits.
    let blocking = client.transaction().await.unwrap();
    blocking.batch_execute(&format!("LOCK TABLE \"{}\"", created.name())).await.unwrap();
    let lose = async {
        sleep(Duration::from_millis(300)).await;
        network.lose().await;
    };
    tokio::join!(check_lost(collection.as_ref()), lose);
    blocking.rollback().await.unwrap();
    collection.delete_collection().await.unwrap();
}
