use textsearch_conformance::LogCapture;
use textsearch_core::{
    FixedSearch, SearchOptions, TextSearch, TextSearchResult, connector::AnyTextSearch,
};
use textsearch_web_page::{FullPages, FullPagesSettings};

use super::{
    reader,
    server::{Answer, Server},
};

#[tokio::test]
async fn full_pages_emit_one_retrieval_span() {
    let log = LogCapture::start();
    let server = Server::with(Answer::html("<p>All of it.")).await;
    let hits =
        ["/", "/#part"].map(|path| TextSearchResult::new("A snippet.").with_link(server.url(path)));
    let pages =
        FullPages::new(FixedSearch::new(hits), reader(&server), FullPagesSettings::default());
    let search = AnyTextSearch::new(pages.unwrap());
    let results = search.search("query", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), ["All of it.", "All of it."]);

    let spans = log.spans();
    let retrievals = spans.iter().filter(|span| span.name == "retrieval").count();
    assert_eq!(retrievals, 1, "{spans:?}");
}
