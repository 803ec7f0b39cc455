//! Servers and clients of the tests.

use std::{future, sync::Arc, time::Duration};

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use textsearch_core::{
    CheckedOptions, Error, Filter, FilterableField, FixedSearch, Result, SearchResults,
    TextSearchConnector, TextSearchResult,
    http::{HttpSettings, ReqwestTransport},
};
use textsearch_documents::{Chunker, DocumentSchema, DocumentStore};
use textsearch_server::{
    AccessToken, DocumentWriter, Right, SearchSource, Server, ServerConfig, Services,
    retrieval_metadata,
};
use textsearch_vector_inmemory::InMemoryVectorStore;
use tokio::net::TcpListener;

pub(crate) const ACME: &str = "acme-acme-acme-acme";
pub(crate) const GLOBEX: &str = "globex-globex-globex";
pub(crate) const ADMIN: &str = "admin-admin-admin-admin";

/// Documents of two tenants. `Source` holds the tenant.
pub(crate) fn documents() -> FixedSearch {
    let document = |tenant: &str, name: &str, text: &str| {
        TextSearchResult::new(text)
            .with_name(name)
            .with_link(format!("https://{tenant}.example/{name}"))
            .with_source(tenant)
            .with_score(0.5)
    };
    let documents = [
        document("acme", "plan", "Acme sells anvils."),
        document("acme", "price", "An anvil costs 7."),
        document("globex", "plan", "Globex sells lasers."),
    ];
    FixedSearch::new(documents).with_fields([
        FilterableField::string("Source", "The tenant").with_all_operators(),
        FilterableField::string("Name", "The title").with_all_operators(),
    ])
}

pub(crate) fn services() -> Services {
    Services::new().with_source(SearchSource::new("docs", documents()))
}

pub(crate) fn of_tenant(name: &str) -> Filter {
    Filter::eq("Source", name)
}

/// Two tenants, and an administrator who sees everything.
pub(crate) fn tenants() -> ServerConfig {
    ServerConfig::new()
        .with_token(AccessToken::new("acme", ACME).with_fixed_filter(of_tenant("acme")))
        .with_token(AccessToken::new("globex", GLOBEX).with_fixed_filter(of_tenant("globex")))
        .with_token(AccessToken::new("admin", ADMIN).with_rights(Right::ALL.iter().copied()))
}

/// A store with two tenants, which may write.
pub(crate) async fn writer() -> DocumentWriter {
    DocumentWriter::new(store().await)
}

/// A store that `/v1/search` searches too.
pub(crate) async fn searched_writer() -> Services {
    let store = store().await;
    let source = SearchSource::new("docs", store.text_search());
    Services::new().with_source(source).with_document_writer(DocumentWriter::new(store))
}

async fn store() -> DocumentStore {
    let fields = retrieval_metadata(&writers());
    let schema = fields.into_iter().fold(DocumentSchema::default(), DocumentSchema::with_metadata);
    let store = InMemoryVectorStore::new();
    DocumentStore::open(&store, "documents", &schema, Chunker::default()).await.unwrap()
}

pub(crate) fn writers() -> ServerConfig {
    let rights = [Right::Search, Right::Upsert];
    let token = |name: &str, token: &str| {
        AccessToken::new(name, token)
            .with_rights(rights)
            .with_fixed_filter(Filter::eq("tenant", name))
    };
    ServerConfig::new()
        .with_token(token("acme", ACME))
        .with_token(token("globex", GLOBEX))
        .with_token(AccessToken::new("admin", ADMIN).with_rights(rights))
}

/// A server on loopback until the test ends.
pub(crate) struct TestServer {
    pub(crate) url: String,
    client: Client,
    token: Option<&'static str>,
}

pub(crate) async fn start(services: Services, config: ServerConfig) -> TestServer {
    let server = Server::new(services, config).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { server.serve(listener, future::pending()).await });
    TestServer { url, client: client(), token: None }
}

pub(crate) async fn plain() -> TestServer {
    start(services(), ServerConfig::new()).await
}

pub(crate) fn client() -> Client {
    ReqwestTransport::from_settings(&HttpSettings::default()).unwrap().into_client()
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// The JSON of a successful response.
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text);
        self.json()
    }

    /// The problem of a failed response.
    pub(crate) fn problem(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json", "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], status);
        problem
    }
}

pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let status = response.status();
    let headers = response.headers().clone();
    Answer { status, headers, text: response.text().await.unwrap() }
}

impl TestServer {
    pub(crate) fn with_token(&self, token: &'static str) -> Self {
        Self { url: self.url.clone(), client: self.client.clone(), token: Some(token) }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        match self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::POST, path).json(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::DELETE, path).json(&body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await
    }

    /// Calls a method of the MCP server.
    pub(crate) async fn mcp(&self, method: &str, params: Value) -> Answer {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = self.request(Method::POST, "/mcp").json(&body);
        send(request.header("accept", "application/json, text/event-stream")).await
    }
}

/// The names of the results.
pub(crate) fn values(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["Value"].as_str().unwrap()).collect()
}

/// A search that never ends, and tells when it is dropped.
#[derive(Clone, Default)]
pub(crate) struct Endless {
    pub(crate) started: Arc<tokio::sync::Notify>,
    pub(crate) dropped: Arc<tokio::sync::Notify>,
}

struct OnDrop(Arc<tokio::sync::Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl TextSearchConnector for Endless {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "endless"
    }

    async fn search_records(
        &self,
        _: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        let _on_drop = OnDrop(Arc::clone(&self.dropped));
        self.started.notify_one();
        future::pending().await
    }
}

/// A search that takes some time.
pub(crate) struct Slow(pub(crate) Duration, pub(crate) Arc<tokio::sync::Notify>);

impl TextSearchConnector for Slow {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "slow"
    }

    async fn search_records(
        &self,
        query: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        self.1.notify_one();
        tokio::time::sleep(self.0).await;
        Ok(SearchResults::from_vec(vec![TextSearchResult::new(query)]))
    }
}

/// A search that fails.
pub(crate) struct Failing(pub(crate) Error);

impl TextSearchConnector for Failing {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "failing"
    }

    async fn search_records(
        &self,
        _: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        Err(self.0.clone())
    }
}
