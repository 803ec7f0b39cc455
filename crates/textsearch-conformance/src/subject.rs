//! The text search under test.

use std::{fmt::Debug, pin::Pin, sync::Arc};

use textsearch_core::{
    Result, SearchOptions, TextSearch, TextSearchConnector, TextSearchResult, http::HttpSettings,
};

use crate::{
    Capabilities, Document, Endpoint, RecordedRequest, Response,
    capabilities::Function,
    endpoint,
    secret::{assert_debug, assert_secret, printed},
    server::{Action, Server},
};

/// A function that answers a request as the provider would if it held the documents.
///
/// It serves the documents in order and needn't filter them: the suite checks that each request
/// contains its filter. A panic fails the case, so it may assert anything about a request.
pub type Answer = fn(&RecordedRequest, &[Document]) -> Response;

type Built = Arc<dyn TextSearch>;
type Building = Pin<Box<dyn Future<Output = Result<Built>>>>;

/// The text search under test.
#[derive(Debug)]
pub struct Subject {
    pub(crate) capabilities: Capabilities,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Http { build: Function<dyn Fn(Endpoint) -> Result<Built>>, answer: Answer },
    Plain { build: Function<dyn Fn(Vec<Document>) -> Building> },
}

impl Subject {
    /// A connector over HTTP. `build` points it at an endpoint, and `answer` answers for its
    /// provider.
    pub fn over_http<C: TextSearchConnector + Debug + 'static>(
        build: impl Fn(Endpoint) -> Result<C> + 'static,
        answer: Answer,
        capabilities: Capabilities,
    ) -> Self {
        let build = move |endpoint| build(endpoint).map(erased);
        Self { capabilities, source: Source::Http { build: Function(Arc::new(build)), answer } }
    }

    /// A text search without HTTP. `build` makes a search that finds the documents in any order,
    /// whatever the query.
    pub fn without_http<C, Made>(
        build: impl Fn(Vec<Document>) -> Made + 'static,
        capabilities: Capabilities,
    ) -> Self
    where
        C: TextSearchConnector + Debug + 'static,
        Made: Future<Output = Result<C>> + 'static,
    {
        let build = move |documents| {
            let made = build(documents);
            Box::pin(async move { made.await.map(erased) }) as Building
        };
        Self { capabilities, source: Source::Plain { build: Function(Arc::new(build)) } }
    }

    pub(crate) fn is_over_http(&self) -> bool {
        matches!(self.source, Source::Http { .. })
    }

    pub(crate) async fn holding(&self, documents: Vec<Document>) -> RunningSearch {
        match &self.source {
            Source::Plain { build } => {
                let search = (build.0)(documents).await.expect("the text search is made");
                RunningSearch { search, server: None, made_links: self.capabilities.made_links }
            }
            Source::Http { .. } => {
                self.scripted(endpoint::patient(), documents, |_, answer| Action::Answer(answer))
                    .await
            }
        }
    }

    /// `script` turns the right answer into the server's action; it also gets the number of earlier
    /// requests.
    pub(crate) async fn scripted(
        &self,
        settings: HttpSettings,
        documents: Vec<Document>,
        script: impl Fn(usize, Response) -> Action + Send + Sync + 'static,
    ) -> RunningSearch {
        let (_, answer) = self.remote();
        self.served(settings, move |request, before| script(before, answer(request, &documents)))
            .await
    }

    pub(crate) async fn served(
        &self,
        settings: HttpSettings,
        script: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
    ) -> RunningSearch {
        let server = Server::start(script).await;
        let search = self.pointed_at(Endpoint::new(server.url(), settings));
        let made_links = self.capabilities.made_links;
        RunningSearch { search, server: Some(server), made_links }
    }

    pub(crate) fn pointed_at(&self, endpoint: Endpoint) -> Arc<dyn TextSearch> {
        self.remote().0(endpoint).expect("the connector is made")
    }

    fn remote(&self) -> (&dyn Fn(Endpoint) -> Result<Built>, Answer) {
        match &self.source {
            Source::Http { build, answer } => (&*build.0, *answer),
            Source::Plain { .. } => panic!("a text search without HTTP has no server"),
        }
    }
}

fn erased<C: TextSearchConnector + Debug + 'static>(connector: C) -> Built {
    assert_debug(&connector);
    Arc::new(connector)
}

pub(crate) struct RunningSearch {
    pub(crate) search: Arc<dyn TextSearch>,
    server: Option<Server>,
    made_links: bool,
}

impl RunningSearch {
    pub(crate) async fn results(&self, options: &SearchOptions) -> Vec<TextSearchResult> {
        self.try_results("what there is", options).await.expect("the search succeeds")
    }

    pub(crate) async fn try_results(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<Vec<TextSearchResult>> {
        let results =
            async { self.search.text_search_results(query, options).await?.into_vec().await };
        results.await.inspect_err(|error| assert_secret(&printed(error), "an error"))
    }

    pub(crate) async fn keys(&self, options: &SearchOptions) -> Vec<String> {
        self.keys_of(self.results(options).await)
    }

    /// What identifies the documents: links, or names if the connector makes the links. The values
    /// if the backend has neither.
    pub(crate) fn keys_of(&self, results: Vec<TextSearchResult>) -> Vec<String> {
        keys(results, self.made_links)
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().expect("there is a server")
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.server.as_ref().map(Server::requests).unwrap_or_default()
    }
}

pub(crate) fn keys(results: Vec<TextSearchResult>, made_links: bool) -> Vec<String> {
    let key = |result: TextSearchResult| {
        let key = if made_links { result.name } else { result.link };
        key.unwrap_or(result.value)
    };
    results.into_iter().map(key).collect()
}
