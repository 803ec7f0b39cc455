use std::{io, net::IpAddr};

use textsearch_conformance::{Capabilities, Document};
use textsearch_core::{
    Filter, FilterableField, FixedSearch, Result, TextSearchConnector, TextSearchResult,
    async_trait, http::HostResolver,
};
use textsearch_web_page::{FullPages, FullPagesSettings, WebPageReader, WebPageSettings};

use super::{
    reader,
    server::{Answer, Server},
};

fn capabilities() -> Capabilities {
    Capabilities::default()
        .with_total_count()
        .with_local_filter(Filter::eq("Name", "Document 3"), |document| {
            document.name == "Document 3"
        })
}

fn search(documents: Vec<Document>, link: impl Fn(&str) -> String) -> FixedSearch {
    let result = |document: Document| {
        let snippet = TextSearchResult::new(document.text).with_name(document.name);
        snippet.with_link(link(&document.link))
    };
    let results: Vec<_> = documents.into_iter().map(result).collect();
    FixedSearch::new(results).with_fields([FilterableField::string("Name", "The title")])
}

mod pages_that_are_there {
    use super::*;

    const HOST: &str = "https://example.com";

    /// Pages are on loopback; results have the documents' links.
    async fn full_pages(
        documents: Vec<Document>,
    ) -> Result<impl TextSearchConnector + std::fmt::Debug> {
        let path = |link: &str| link.trim_start_matches(HOST).to_owned();
        let page = |document: &Document| {
            (path(&document.link), Answer::html(format!("<p>{}", document.text)))
        };
        let server = Server::start(documents.iter().map(page)).await;
        let inner = search(documents, |link| server.url(&path(link)));
        let pages = FullPages::new(inner, reader(&server), FullPagesSettings::default())?;
        Ok(pages.with_result(move |page| {
            let mut result = page.result().clone();
            assert!(!result.metadata.contains_key("full_page_error"), "{result:?}");
            result.link = result.link.map(|link| link.replace(&server.url(""), HOST));
            result
        }))
    }

    textsearch_conformance::suite_without_http!(full_pages, capabilities());
}

mod pages_that_cannot_be_reached {
    use super::*;

    #[derive(Debug)]
    struct Nobody;

    #[async_trait]
    impl HostResolver for Nobody {
        async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    async fn full_pages(documents: Vec<Document>) -> Result<FullPages<FixedSearch>> {
        let http = textsearch_core::http::HttpSettings::default().with_max_attempts(1);
        let settings = WebPageSettings::default().with_http_settings(http);
        let reader = WebPageReader::with_resolver(settings, Nobody)?;
        FullPages::new(search(documents, str::to_owned), reader, FullPagesSettings::default())
    }

    textsearch_conformance::suite_without_http!(full_pages, capabilities());
}
