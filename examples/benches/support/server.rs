//! A model on loopback with minimal overhead.

use std::{
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

type Bodies = Arc<Mutex<Vec<Vec<u8>>>>;

pub(crate) struct Server {
    base_url: String,
    bodies: Bodies,
}

/// A call if the request has no result yet, else an answer.
struct Answers {
    call: Vec<u8>,
    text: Vec<u8>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let bodies = Bodies::default();
        let kept = Arc::clone(&bodies);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(serve(listener, kept))
        });
        Self { base_url, bodies }
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.lock().expect("nobody panicked").clone()
    }
}

impl Answers {
    fn new() -> Self {
        let arguments = r#"{"query":"how tides are predicted","count":5}"#;
        let function = json!({ "name": "Web-GetSearchResults", "arguments": arguments });
        let call = json!({ "id": "call_1", "type": "function", "function": function });
        let asks = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
        let text = "By a sum of cosines, see [1]. ".repeat(10);
        let says = json!({ "role": "assistant", "content": text, "refusal": null });
        Self { call: response(&asks, "tool_calls"), text: response(&says, "stop") }
    }

    fn of(&self, body: &[u8]) -> &[u8] {
        let result = br#""role":"tool""#;
        let has_result = body.windows(result.len()).any(|window| window == result);
        if has_result { &self.text } else { &self.call }
    }
}

fn response(message: &Value, reason: &str) -> Vec<u8> {
    let choice =
        json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": reason });
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 });
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": "a-model",
        "choices": [choice], "usage": usage, "service_tier": "default", "system_fingerprint": "fp_1",
    });
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.into_bytes(), body.into_bytes()].concat()
}

async fn serve(listener: TcpListener, kept: Bodies) {
    listener.set_nonblocking(true).expect("the listener can be asynchronous");
    let listener = tokio::net::TcpListener::from_std(listener).expect("it is a listener");
    let answers = Arc::new(Answers::new());
    while let Ok((stream, _)) = listener.accept().await {
        let answers = Arc::clone(&answers);
        let kept = Arc::clone(&kept);
        tokio::spawn(async move { converse(stream, &answers, &kept).await });
    }
}

/// Requests are sequential and state their length.
async fn converse(mut stream: TcpStream, answers: &Answers, kept: &Bodies) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = Vec::with_capacity(16_384);
    while stream.read_buf(&mut request).await? > 0 {
        let Some(body) = body(&request) else { continue };
        if let Ok(mut kept) = kept.lock()
            && kept.len() < 2
        {
            kept.push(body.to_vec());
        }
        stream.write_all(answers.of(body)).await?;
        request.clear();
    }
    Ok(())
}

/// `None` until the body has arrived in full.
fn body(request: &[u8]) -> Option<&[u8]> {
    let end = request.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let (head, body) = request.split_at_checked(end)?;
    let head = std::str::from_utf8(head).ok()?.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"))?;
    let length: usize = length.trim().parse().ok()?;
    (body.len() == length).then_some(body)
}
