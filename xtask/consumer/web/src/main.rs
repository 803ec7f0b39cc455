//! A web search, against a server of one response on loopback.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use textsearch_brave::{BraveConfig, BraveTextSearch};
use textsearch_core::{SearchOptions, TextSearch};

const BODY: &str = r#"{"type":"search","query":{"original":"async"},"web":{"type":"search","results":[
    {"title":"Async","url":"https://docs.example/async","description":"Traits that wait."}]}}"#;

// Without tokio's macros, which would count as a crate of the connector.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(search())
}

async fn search() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let server = thread::spawn(move || respond(&listener));

    let search = BraveTextSearch::new(BraveConfig::new("a key").with_endpoint(endpoint))?;
    let results =
        search.text_search_results("async", &SearchOptions::top(1)).await?.into_vec().await?;
    assert_eq!(results[0].link.as_deref(), Some("https://docs.example/async"));
    server.join().expect("the server ends")?;
    Ok(())
}

fn respond(listener: &TcpListener) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept()?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let length = BODY.len();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    write!(stream, "{head}\r\ncontent-length: {length}\r\n\r\n{BODY}")
}
