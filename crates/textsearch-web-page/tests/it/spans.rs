use std::sync::{Arc, Mutex};

use textsearch_core::{
    FixedSearch, SearchOptions, TextSearch, TextSearchResult, connector::AnyTextSearch,
};
use textsearch_web_page::{FullPages, FullPagesSettings};
use tracing::{Dispatch, Subscriber, span};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt as _};

use super::{
    reader,
    server::{Answer, Server},
};

#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<&'static str>>>);

impl<S: Subscriber> Layer<S> for Names {
    fn on_new_span(&self, span: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        self.0.lock().unwrap().push(span.metadata().name());
    }
}

#[tokio::test]
async fn full_pages_emit_one_retrieval_span() {
    // With a single subscriber, `tracing` caches whether the first thread to reach a span wants it.
    let _other = Dispatch::new(tracing_subscriber::registry());
    let names = Names::default();
    let subscriber = tracing_subscriber::registry().with(names.clone());
    let _guard = tracing::subscriber::set_default(subscriber);

    let server = Server::with(Answer::html("<p>All of it.")).await;
    let hits =
        ["/", "/#part"].map(|path| TextSearchResult::new("A snippet.").with_link(server.url(path)));
    let pages =
        FullPages::new(FixedSearch::new(hits), reader(&server), FullPagesSettings::default());
    let search = AnyTextSearch::new(pages.unwrap());
    let results = search.search("query", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), ["All of it.", "All of it."]);

    let names = names.0.lock().unwrap();
    let retrievals = names.iter().filter(|name| **name == "retrieval").count();
    assert_eq!(retrievals, 1, "{names:?}");
}
