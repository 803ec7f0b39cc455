//! A loopback server that simulates a web service.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

pub(crate) struct Answer {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl Answer {
    pub(crate) fn json(body: &Value) -> Self {
        Self { status: 200, content_type: "application/json", body: body.to_string() }
    }

    pub(crate) fn html(body: &str) -> Self {
        let content_type = "text/html; charset=utf-8";
        Self { status: 200, content_type, body: body.to_owned() }
    }

    pub(crate) fn typed(content_type: &'static str, body: &str) -> Self {
        Self { status: 200, content_type, body: body.to_owned() }
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

/// Runs until the test binary ends.
pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `answer` gets the target of a request, such as `/search?q=rust`.
    pub(crate) fn start(answer: impl Fn(&str) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                converse(stream, &answer, &seen);
            }
        });
        Self { port, requests }
    }

    /// A SearXNG instance with ten documents per page.
    pub(crate) fn searxng(documents: usize) -> Self {
        Self::start(move |target| {
            let page: usize = parameter(target, "pageno").parse().unwrap_or(1);
            let numbers = (page - 1) * 10..(page * 10).min(documents);
            let results: Vec<Value> = numbers.map(document).collect();
            Answer::json(&json!({ "number_of_results": documents, "results": results }))
        })
    }

    /// A SearXNG instance that finds `results`.
    pub(crate) fn searxng_with(results: Value) -> Self {
        Self::start(move |target| match parameter(target, "pageno").as_str() {
            "" | "1" => Answer::json(&json!({ "results": results })),
            _ => Answer::json(&json!({ "results": [] })),
        })
    }

    /// Without a trailing slash.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.host())
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The target of each request, followed by the headers.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn document(number: usize) -> Value {
    json!({
        "url": format!("https://example.com/{number}"),
        "title": format!("Page {number}"),
        "content": format!("What page {number} says of rust."),
        "engine": "stub",
    })
}

/// Empty if the parameter is missing.
pub(crate) fn parameter(target: &str, name: &str) -> String {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    let value = parameters.filter(|(key, _)| *key == name).map(|(_, value)| value).next();
    value.unwrap_or_default().to_owned()
}

fn converse(stream: TcpStream, answer: &impl Fn(&str) -> Answer, seen: &Mutex<Vec<String>>) {
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let Some(target) = head.first().and_then(|line| line.split(' ').nth(1)) else { return };
    let Answer { status, content_type, body } = answer(target);
    seen.lock().unwrap().push(format!("{target}\n{}", head[1..].join("\n")));
    let length = body.len();
    // The client may have disconnected.
    let _sent = write!(
        &stream,
        "HTTP/1.1 {status} Scripted\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
}
