//! A stand-in for a service of Azure AI Search, on loopback.
//!
//! It checks each request against the published API: version, headers, types, required and unknown
//! properties, limits, and the grammar and types of filters. It answers as documented, and where
//! nothing is documented, in the most inconvenient way: equal scores come in any order.

mod check;
mod documents;
mod evaluate;
mod index;
mod odata;
mod query;
mod words;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, mpsc},
};

use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};

use check::Checked;
use documents::{Change, Document};
use index::Definition;

pub(crate) const KEY: &str = "standin-sesame";
const API_VERSION: &str = "2026-04-01";
const MAX_BODY_BYTES: usize = 16_000_000;

/// A running service. It ends with the program.
#[derive(Clone)]
pub(crate) struct Standin(Arc<State>);

pub(crate) struct State {
    indexes: Mutex<BTreeMap<String, Index>>,
    settings: Mutex<Settings>,
    url: Mutex<String>,
}

#[derive(Default)]
struct Settings {
    /// Whether writes stay invisible.
    holds_writes: bool,
    /// The size of a response that ends early.
    max_bytes: Option<usize>,
    /// The answer to every search.
    page: Option<Value>,
    tokens: Vec<String>,
    /// Statuses to answer with, by document key.
    faults: HashMap<String, VecDeque<u16>>,
    requests: Vec<RecordedRequest>,
    violations: Vec<String>,
}

pub(crate) struct Index {
    definition: Definition,
    documents: BTreeMap<String, Document>,
    /// Not visible yet.
    pending: VecDeque<(String, Change)>,
}

impl Index {
    fn visible(&self) -> impl Iterator<Item = (&String, &Document)> {
        self.documents.iter()
    }

    /// Includes pending writes.
    fn newest(&self, key: &str) -> Option<&Document> {
        match self.pending.iter().rev().find(|(other, _)| other == key) {
            Some((_, Change::Put(document))) => Some(document),
            Some((_, Change::Delete)) => None,
            None => self.documents.get(key),
        }
    }

    fn change(&mut self, standin: &Standin, key: &str, change: Change) {
        self.pending.push_back((key.to_owned(), change));
        self.settle(standin);
    }

    fn settle(&mut self, standin: &Standin) {
        if standin.settings().holds_writes {
            return;
        }
        for (key, change) in self.pending.drain(..) {
            match change {
                Change::Put(document) => drop(self.documents.insert(key, document)),
                Change::Delete => drop(self.documents.remove(&key)),
            }
        }
    }
}

impl Standin {
    /// Starts a stand-in in a new thread, because each case of the suite has its own runtime.
    pub(crate) fn start() -> Self {
        let state =
            State { indexes: Mutex::default(), settings: Mutex::default(), url: Mutex::default() };
        let standin = Self(Arc::new(state));
        let (serving, (sender, receiver)) = (standin.clone(), mpsc::channel());
        std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().unwrap();
            runtime.block_on(async {
                let answering = serving.clone();
                let server =
                    Server::start(move |request, _| Action::Answer(answering.answer(request)))
                        .await;
                sender.send(server.url().to_string()).unwrap();
                std::future::pending::<()>().await;
            });
        });
        *standin.0.url.lock().unwrap() = receiver.recv().unwrap();
        standin
    }

    pub(crate) fn url(&self) -> String {
        self.0.url.lock().unwrap().clone()
    }

    /// Makes later writes invisible, or all writes visible.
    pub(crate) fn hold_writes(&self, holds: bool) {
        self.settings().holds_writes = holds;
    }

    pub(crate) fn set_max_bytes(&self, bytes: usize) {
        self.settings().max_bytes = Some(bytes);
    }

    /// Answers every search with this page from now on.
    pub(crate) fn repeat_page(&self, page: Value) {
        self.settings().page = Some(page);
    }

    /// Accepts only this bearer token from now on.
    pub(crate) fn set_token(&self, token: &str) {
        self.settings().tokens = vec![token.to_owned()];
    }

    /// Answers with `status` the next time that a batch holds the document.
    pub(crate) fn fail(&self, key: &str, status: u16) {
        self.settings().faults.entry(key.to_owned()).or_default().push_back(status);
    }

    /// The bodies of the requests whose path ends so.
    pub(crate) fn bodies(&self, path_end: &str) -> Vec<Value> {
        let settings = self.settings();
        let own = settings.requests.iter().filter(|request| request.path.ends_with(path_end));
        own.map(RecordedRequest::json).collect()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.settings().requests.iter().map(|request| request.path.clone()).collect()
    }

    /// Messages of all rejected requests.
    pub(crate) fn violations(&self) -> Vec<String> {
        self.settings().violations.clone()
    }

    /// Puts an index there as another program would.
    pub(crate) fn define(&self, name: &str, definition: &Value) {
        let definition = Definition::read(definition, name).unwrap();
        self.insert(name, definition);
    }

    fn insert(&self, name: &str, definition: Definition) {
        let index = Index { definition, documents: BTreeMap::new(), pending: VecDeque::new() };
        self.0.indexes.lock().unwrap().insert(name.to_owned(), index);
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.0.settings.lock().unwrap()
    }

    fn max_bytes(&self) -> usize {
        self.settings().max_bytes.unwrap_or(usize::MAX)
    }

    fn planned_fault(&self, key: &str) -> Option<(u16, String)> {
        let status = self.settings().faults.get_mut(key)?.pop_front()?;
        Some((status, format!("planned fault {status}")))
    }

    fn answer(&self, request: &RecordedRequest) -> Response {
        self.settings().requests.push(request.clone());
        if let Some(refusal) = self.unauthorized(request) {
            return refusal;
        }
        match check(request).and_then(|()| self.route(request)) {
            Ok(response) => response,
            Err(message) => {
                self.settings().violations.push(message.clone());
                error(400, "InvalidRequestParameter", &message)
            }
        }
    }

    fn unauthorized(&self, request: &RecordedRequest) -> Option<Response> {
        let tokens = self.settings().tokens.clone();
        match (request.header("api-key"), request.header("authorization")) {
            (Some(KEY), None) => None,
            (None, Some(bearer)) => {
                let token = bearer.strip_prefix("Bearer ").unwrap_or_default();
                let is_known = tokens.iter().any(|known| known == token);
                (!is_known).then(|| error(401, "Unauthorized", "The token has expired."))
            }
            _ => Some(error(403, "Forbidden", "The api-key is not valid.")),
        }
    }

    fn route(&self, request: &RecordedRequest) -> Checked<Response> {
        let method = request.method.as_str();
        if (method, request.path.as_str()) == ("GET", "/indexes") {
            accepts(request, "minimal")?;
            let select = request.parameter("$select").unwrap_or("*");
            return self.list(select);
        }
        if request.parameters.len() != 1 {
            return Err(format!("unknown parameters: {:?}", request.parameters));
        }
        let rest = request.path.strip_prefix("/indexes('");
        let Some((name, rest)) = rest.and_then(|rest| rest.split_once("')")) else {
            return Ok(error(404, "", "Resource not found."));
        };
        if rest.is_empty() {
            accepts(request, "minimal")?;
            return self.of_index(name, request);
        }
        accepts(request, "none")?;
        let mut indexes = self.0.indexes.lock().unwrap();
        let Some(index) = indexes.get_mut(name) else { return Ok(not_found(name)) };
        index.settle(self);
        match (method, rest) {
            ("POST", "/docs/search.post.search") => {
                let answer = query::run(self, index, &body(request)?)?;
                let page = self.settings().page.clone();
                Ok(Response::json(&page.unwrap_or(answer)))
            }
            ("POST", "/docs/search.index") => {
                let (status, answer) = documents::run(self, index, &body(request)?)?;
                Ok(Response::json(&answer).with_status(status))
            }
            _ => Ok(error(404, "", "Resource not found.")),
        }
    }

    fn list(&self, select: &str) -> Checked<Response> {
        let indexes = self.0.indexes.lock().unwrap();
        let all = indexes.values().map(|index| {
            let mut shown = index.definition.sent.clone();
            if let (true, Some(fields)) = (select != "*", shown.as_object_mut()) {
                fields.retain(|name, _| select.split(',').any(|selected| selected == name));
            }
            shown
        });
        Ok(Response::json(&json!({ "value": all.collect::<Vec<_>>() })))
    }

    fn of_index(&self, name: &str, request: &RecordedRequest) -> Checked<Response> {
        let is_there = self.0.indexes.lock().unwrap().contains_key(name);
        match request.method.as_str() {
            "GET" if is_there => {
                let indexes = self.0.indexes.lock().unwrap();
                Ok(Response::json(&indexes[name].definition.sent))
            }
            "GET" => Ok(not_found(name)),
            "DELETE" => {
                let gone = self.0.indexes.lock().unwrap().remove(name);
                Ok(if gone.is_some() { Response::new(204, "", "") } else { not_found(name) })
            }
            "PUT" => {
                if request.header("prefer") != Some("return=representation") {
                    return Err("the header 'Prefer' is required".to_owned());
                }
                let sent = body(request)?;
                let definition = Definition::read(&sent, name)?;
                if is_there {
                    return match request.header("if-none-match") {
                        Some("*") => {
                            Ok(error(412, "", "The precondition given in the request failed."))
                        }
                        _ => Err("a change of an index is not in this stand-in".to_owned()),
                    };
                }
                self.insert(name, definition);
                Ok(Response::json(&sent).with_status(201))
            }
            other => Err(format!("no method {other} for an index")),
        }
    }
}

fn check(request: &RecordedRequest) -> Checked<()> {
    if request.all("api-version") != [API_VERSION] {
        return Err(format!("api-version: {:?}", request.all("api-version")));
    }
    if request.body.len() > MAX_BODY_BYTES {
        return Err(format!("a request of {} bytes", request.body.len()));
    }
    let names = request.parameters.iter().map(|(name, _)| name.as_str());
    match names.into_iter().find(|name| !["api-version", "$select"].contains(name)) {
        Some(name) => Err(format!("unknown parameter '{name}'")),
        None => Ok(()),
    }
}

fn accepts(request: &RecordedRequest, metadata: &str) -> Checked<()> {
    let expected = format!("application/json;odata.metadata={metadata}");
    match request.header("accept") {
        Some(accept) if accept != expected => Err(format!("the header 'Accept' is {accept}")),
        _ => Ok(()),
    }
}

fn body(request: &RecordedRequest) -> Checked<Value> {
    let kind = request.header("content-type").unwrap_or_default();
    if !kind.starts_with("application/json") {
        return Err(format!("the header 'Content-Type' is '{kind}'"));
    }
    serde_json::from_slice(&request.body).map_err(|error| format!("the body is no JSON: {error}"))
}

fn not_found(name: &str) -> Response {
    error(404, "", &format!("The index '{name}' for service 'standin' was not found."))
}

fn error(status: u16, code: &str, message: &str) -> Response {
    let body = json!({ "error": { "code": code, "message": message } });
    Response::json(&body).with_status(status)
}
