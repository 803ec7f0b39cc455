//! Encrypted connections to a server that speaks Postgres's protocol until the login.

use std::{env, time::Duration};

use rustls::version::{TLS12, TLS13};
use textsearch_pgvector::{PgVectorConfig, PgVectorStore};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::authority::Authority;

/// The program's URL in [`connect_alone`].
const CHILD_URL: &str = "TEXTSEARCH_TLS_TEST_URL";

/// [SSLRequest](https://www.postgresql.org/docs/current/protocol-message-formats.html): its length,
/// and 80877103.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

#[tokio::test]
#[ignore = "the other tests run it, with other root certificates"]
async fn connect_alone() {
    let config = PgVectorConfig::new(env::var(CHILD_URL).unwrap());
    println!("{}", PgVectorStore::connect(config).await.unwrap_err());
}

/// Returns the error of a program that trusts the authority alone.
fn connect(url: &str, trusted: &Authority) -> String {
    let output = trusted.run("tls::connect_alone", CHILD_URL, url);
    String::from_utf8(output.stdout).unwrap()
}

/// A server on loopback, and its URL under the name `localhost`.
async fn listen(mode: &str) -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let address = format!("localhost:{port}/app?hostaddr=127.0.0.1&sslmode={mode}");
    (listener, format!("postgres://me:sesame@{address}"))
}

/// Accepts a connection, and answers its request for encryption.
async fn accept(listener: TcpListener, answer: u8) -> TcpStream {
    // A client may fail before it connects.
    let accepted = tokio::time::timeout(Duration::from_secs(30), listener.accept()).await;
    let (mut stream, _) = accepted.unwrap().unwrap();
    let mut request = [0; 8];
    stream.read_exact(&mut request).await.unwrap();
    assert_eq!(request, SSL_REQUEST);
    stream.write_all(&[answer]).await.unwrap();
    stream
}

/// Reads the packet that begins a session: its length, which counts itself, and the rest.
async fn startup(mut stream: impl AsyncRead + Unpin) -> Vec<u8> {
    let length = stream.read_u32().await.unwrap();
    let mut packet = vec![0; length as usize - 4];
    stream.read_exact(&mut packet).await.unwrap();
    packet
}

/// Returns the client's error, and the packet that begins a session if the client sent it.
async fn meet(mode: &str, tls: TlsAcceptor, trusted: Authority) -> (String, Option<Vec<u8>>) {
    let (listener, url) = listen(mode).await;
    let client = tokio::task::spawn_blocking(move || connect(&url, &trusted));
    let stream = accept(listener, b'S').await;
    let packet = match tls.accept(stream).await {
        Ok(stream) => Some(startup(stream).await),
        Err(_) => None,
    };
    (client.await.unwrap(), packet)
}

#[tokio::test]
async fn a_trusted_server_receives_the_login() {
    for version in [&TLS12, &TLS13] {
        for mode in ["require", "verify-full"] {
            let trusted = Authority::new("ours");
            let tls = trusted.server("localhost", version);
            let (error, packet) = meet(mode, tls, trusted).await;
            let packet = String::from_utf8(packet.expect(&error)).unwrap();
            assert!(packet.contains("user\0me\0database\0app\0"), "{packet:?}");
            assert!(!packet.contains("sesame") && !error.contains("sesame"), "{error}");
        }
    }
}

#[tokio::test]
async fn an_unknown_authority_is_refused() {
    for mode in ["prefer", "require", "verify-ca", "verify-full"] {
        let tls = Authority::new("others").server("localhost", &TLS13);
        let (error, packet) = meet(mode, tls, Authority::new("ours")).await;
        assert!(error.contains("invalid peer certificate: UnknownIssuer"), "{mode}: {error}");
        assert_eq!(packet, None);
    }
}

#[tokio::test]
async fn another_host_name_is_refused() {
    for mode in ["require", "verify-ca", "verify-full"] {
        let trusted = Authority::new("ours");
        let tls = trusted.server("db.example", &TLS13);
        let (error, packet) = meet(mode, tls, trusted).await;
        assert!(error.contains("certificate not valid for name \"localhost\""), "{mode}: {error}");
        assert_eq!(packet, None);
    }
}

#[tokio::test]
async fn a_server_without_encryption_receives_nothing() {
    for mode in ["require", "verify-ca", "verify-full"] {
        let (listener, url) = listen(mode).await;
        let client = PgVectorStore::connect(PgVectorConfig::new(url));
        let server = async {
            let mut received = Vec::new();
            accept(listener, b'N').await.read_to_end(&mut received).await.unwrap();
            received
        };
        let (error, received) = tokio::join!(client, server);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("server does not support TLS"), "{mode}: {error}");
        assert_eq!(received, b"");
    }
}
