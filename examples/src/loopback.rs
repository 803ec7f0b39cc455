//! A server with one response, so an example needs no network.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Answers every request with `body`, as long as the runtime lives. Returns host and port.
pub async fn serve(content_type: &'static str, body: &'static str) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let host = listener.local_addr()?.to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The client may have disconnected.
            let _ = answer(stream, content_type, body).await;
        }
    });
    Ok(host)
}

async fn answer(mut stream: TcpStream, content_type: &str, body: &str) -> io::Result<()> {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await?;
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}
