//! A minimal loopback server, so the benchmark measures the client.

use std::{fmt::Write as _, net::TcpListener, thread};

use flate2::{Compress, Compression, FlushCompress};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// `start`, then `piece` repeated.
struct Answer {
    start: Vec<u8>,
    piece: Vec<u8>,
    times: usize,
}

pub(crate) struct Server {
    address: String,
}

impl Server {
    pub(crate) fn with_ten_results() -> Self {
        let mut results = String::new();
        for number in 0..10 {
            let comma = if number > 0 { "," } else { "" };
            let words = "some words about the programming language ".repeat(6);
            let _ = write!(
                results,
                r#"{comma}{{"title":"Result {number}","url":"https://example.com/{number}","description":"{words}",
                "page_age":"2026-03-31T08:00:00","language":"en","family_friendly":true,
                "profile":{{"name":"Example","url":"https://example.com"}}}}"#
            );
        }
        let body = format!(r#"{{"query":{{"original":"rust"}},"web":{{"results":[{results}]}}}}"#);
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        let start = [head.into_bytes(), body.into_bytes()].concat();
        Self::start(Answer { start, piece: Vec::new(), times: 0 })
    }

    pub(crate) fn with_large_body() -> Self {
        let start =
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
        Self::start(Answer { start: start.to_vec(), piece: vec![b' '; 100_000], times: 1_000 })
    }

    /// Serves 10 GB compressed to 10 MB.
    pub(crate) fn with_gzip_bomb() -> Self {
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
        let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        let mut deflate = Compress::new(Compression::best(), false);
        let mut piece = Vec::with_capacity(100_000);
        let zeros = vec![b' '; 10_000_000];
        deflate.compress_vec(&zeros, &mut piece, FlushCompress::Full).expect("it is compressed");
        Self::start(Answer { start: [head.as_slice(), &gzip].concat(), piece, times: 1_000 })
    }

    fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it has an address");
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(serve(listener, answer));
        });
        Self { address: format!("http://{address}/res/v1/web/search") }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

async fn serve(listener: TcpListener, answer: Answer) {
    listener.set_nonblocking(true).expect("the listener can be asynchronous");
    let listener = tokio::net::TcpListener::from_std(listener).expect("it is a listener");
    let answer = std::sync::Arc::new(answer);
    while let Ok((stream, _)) = listener.accept().await {
        let answer = std::sync::Arc::clone(&answer);
        tokio::spawn(async move { converse(stream, &answer).await });
    }
}

/// Requests arrive in sequence and have no body.
async fn converse(mut stream: TcpStream, answer: &Answer) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = Vec::with_capacity(4_096);
    while stream.read_buf(&mut request).await? > 0 {
        if !request.ends_with(b"\r\n\r\n") {
            continue;
        }
        request.clear();
        stream.write_all(&answer.start).await?;
        for _ in 0..answer.times {
            stream.write_all(&answer.piece).await?;
        }
        if answer.times > 0 {
            return Ok(());
        }
    }
    Ok(())
}
