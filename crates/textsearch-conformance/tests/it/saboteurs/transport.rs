//! A transport that follows redirects to any server.

use textsearch_conformance::core::{
    async_trait,
    http::{
        HeaderMap, HeaderName, HeaderValue, HttpTransport, StatusCode, TransportError,
        TransportErrorKind, TransportRequest, TransportResponse, Url,
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[derive(Debug)]
pub(super) struct Following;

#[async_trait]
impl HttpTransport for Following {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let mut url = request.url.clone();
        for _ in 0..10 {
            let (status, headers, body) = get(&url, &request.headers)
                .await
                .map_err(|error| TransportError::new(TransportErrorKind::Connect, error))?;
            match headers.get("location").and_then(|to| url.join(to.to_str().ok()?).ok()) {
                Some(to) => url = to,
                None => return Ok(TransportResponse::complete(status, headers, body)),
            }
        }
        Ok(TransportResponse::complete(StatusCode::TEMPORARY_REDIRECT, HeaderMap::new(), ""))
    }
}

async fn get(url: &Url, headers: &HeaderMap) -> std::io::Result<(StatusCode, HeaderMap, Vec<u8>)> {
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let mut stream = TcpStream::connect(&address).await?;
    let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let mut head = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let body = answer.split_off(end + 4);
    let head = String::from_utf8_lossy(&answer);
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let headers = head.lines().filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| {
        let name: HeaderName = name.parse().unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    });
    Ok((status, headers.collect(), body))
}
