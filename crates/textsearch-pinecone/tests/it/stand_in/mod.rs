//! Pinecone on loopback: checks each request against the published schema, and behaves as
//! documented. Written from the [reference](https://docs.pinecone.io/reference/api/2026-07).

mod check;
mod control;
mod data;
mod filter;
mod namespaces;
mod server;
mod state;

use std::{sync::mpsc, thread, time::Duration};

use serde_json::{Value, json};
use textsearch_pinecone::{PineconeConfig, PineconeStore, http::HttpSettings};

use self::{server::Server, state::Namespace};
pub(crate) use self::{
    server::{KEY, Seen},
    state::Behavior,
};

/// An answer to a request.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self { status, content_type: "application/json", body: body.to_string() }
    }

    pub(crate) fn text(status: u16, message: &str) -> Self {
        Self { status, content_type: "text/plain", body: message.to_owned() }
    }
}

/// A running stand-in, on its own thread, because the runtime of a test ends before others do.
pub(crate) struct StandIn {
    endpoint: String,
    server: Server,
}

impl StandIn {
    pub(crate) fn start(behavior: Behavior) -> Self {
        let server = Server::new(behavior);
        let (sender, receiver) = mpsc::channel();
        let running = server.clone();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                sender.send(running.listen(None)).unwrap();
                std::future::pending::<()>().await;
            });
        });
        let endpoint = format!("http://{}", receiver.recv().unwrap());
        Self { endpoint, server }
    }

    /// Settings with short pauses.
    pub(crate) fn config(&self) -> PineconeConfig {
        let millisecond = Duration::from_millis(1);
        let http = HttpSettings::default().with_backoff(millisecond, 10 * millisecond);
        let http = http.with_max_body_bytes(64 * 1024 * 1024).with_proxy(false);
        PineconeConfig::new(KEY).with_endpoint(&self.endpoint).with_http_settings(http)
    }

    pub(crate) fn store(&self) -> PineconeStore {
        PineconeStore::new(self.config()).unwrap()
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Returns and forgets the requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.server.seen.lock().unwrap())
    }

    /// Sets the answer to the next request.
    pub(crate) fn answer_next(&self, answer: Answer) {
        self.server.next.lock().unwrap().push_back(answer);
    }

    /// Removes the tags of all indexes, as if another program had created them.
    pub(crate) fn remove_tags(&self) {
        for index in self.server.indexes().values_mut() {
            index.tags = Value::Null;
        }
    }

    /// Makes all writes so far visible.
    pub(crate) fn show_writes(&self) {
        for index in self.server.indexes().values_mut() {
            index.namespaces.values_mut().for_each(Namespace::show);
        }
    }

    /// Returns the answers that list and describe the index now.
    pub(crate) fn described(&self, index: &str) -> [Answer; 2] {
        let model = self.server.indexes()[index].model();
        [Answer::json(200, json!({ "indexes": [model] })), Answer::json(200, model)]
    }

    /// Deletes all indexes, as another program may.
    pub(crate) fn delete_indexes(&self) {
        self.server.indexes().clear();
    }
}
