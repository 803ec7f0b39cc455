//! Lines from clients that aren't messages.

use serde_json::{Value, json};
use textsearch_mcp::McpServer;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};

use crate::support::{config, kernel};

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";

/// A client after its greeting.
struct RawClient(Lines<BufReader<DuplexStream>>);

impl RawClient {
    async fn greeted() -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = McpServer::new(kernel(), config()).unwrap();
        let (input, output) = tokio::io::split(ours);
        tokio::spawn(async move { server.serve(input, output).await });
        let mut client = Self(BufReader::new(theirs).lines());
        let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "raw", "version": "1" },
        } });
        client.send(format!("{greeting}\n").as_bytes()).await;
        assert_eq!(client.next().await["id"], 1);
        client.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
        client
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().get_mut().write_all(bytes).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.0.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// Sends `line` and then a ping, and returns the answer to the line.
    async fn refused(&mut self, line: &[u8]) -> Value {
        self.send(&[line, b"\n", PING].concat()).await;
        let refusal = self.next().await;
        assert_eq!(self.next().await["id"], 7);
        assert_eq!(refusal["id"], Value::Null);
        assert!(refusal.as_object().unwrap().contains_key("id"), "{refusal}");
        refusal["error"].clone()
    }
}

#[tokio::test]
async fn lines_that_are_not_json_get_a_parse_error() {
    let mut client = RawClient::greeted().await;
    let deep = "[".repeat(100_000);
    for line in [&b"hello"[..], b"{\"jsonrpc\":", b"\xff\xfe", deep.as_bytes()] {
        assert_eq!(client.refused(line).await["code"], -32700);
    }
    let error = client.refused(b"hello").await;
    assert_eq!(error["message"], "the line isn't JSON: expected value at line 1 column 1");
}

#[tokio::test]
async fn json_that_is_no_message_is_an_invalid_request() {
    let mut client = RawClient::greeted().await;
    for line in [&b"[]"[..], b"3", b"{\"foo\":\"bar\"}", b"{\"jsonrpc\":\"2.0\",\"id\":1.5}"] {
        let error = client.refused(line).await;
        assert_eq!(error["code"], -32600, "{error}");
    }
}

#[tokio::test]
async fn a_line_above_the_limit_is_refused_at_once() {
    let mut client = RawClient::greeted().await;
    let error = client.refused(&vec![b'x'; (16 << 20) + 1]).await;
    assert_eq!(error["message"], "the line has more than 16777216 bytes");
}

#[tokio::test]
async fn a_bad_first_line_does_not_end_the_server() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let server = McpServer::new(kernel(), config()).unwrap();
    let (input, output) = tokio::io::split(ours);
    tokio::spawn(async move { server.serve(input, output).await });
    let mut client = RawClient(BufReader::new(theirs).lines());
    assert_eq!(client.refused(b"GET / HTTP/1.1").await["code"], -32700);
}
