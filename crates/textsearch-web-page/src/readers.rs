//! Reads a page by a plain fetch, or else through services.

use std::sync::Arc;

use textsearch_core::http::Url;

use crate::{
    PageReader, WebPage, WebPageReader,
    full_pages::{Bounds, Unread},
};

#[derive(Clone)]
pub(crate) struct PageReaders {
    reader: WebPageReader,
    /// Asked in order after a failure.
    others: Arc<[Arc<dyn PageReader>]>,
}

pub(crate) struct ReadPage {
    pub(crate) page: WebPage,
    /// The service that read it, if one did.
    pub(crate) reader: Option<String>,
}

impl PageReaders {
    pub(crate) fn new(reader: WebPageReader) -> Self {
        Self { reader, others: Arc::default() }
    }

    pub(crate) fn add(&mut self, reader: impl PageReader + 'static) {
        let reader: Arc<dyn PageReader> = Arc::new(reader);
        self.others = self.others.iter().cloned().chain([reader]).collect();
    }

    /// Reads the page at `url`. It has text, and redirects didn't lead out of `bounds`.
    pub(crate) async fn read(&self, url: &Url, bounds: &Bounds) -> Result<ReadPage, Unread> {
        let page = self.reader.try_read(url).await;
        let kind = page.as_ref().err().map(|failure| failure.error.kind().clone());
        let page = page.map_err(|failure| Unread::from_failure(&failure).because(&failure.error));
        let why = match page.and_then(|page| self.accepted(page, url, bounds)) {
            Ok(page) => return Ok(ReadPage { page, reader: None }),
            Err(why) => why,
        };
        if !why.may_pass_elsewhere(kind.as_ref()) || !self.reader.is_public(url) {
            return Err(why);
        }
        for other in self.others.iter() {
            let page = other.read(url).await.map_err(|error| Unread::Unreachable.because(&error));
            // The service followed redirects.
            if let Ok(page) = page.and_then(|page| self.accepted(page, url, bounds)) {
                return Ok(ReadPage { page, reader: Some(other.name().to_owned()) });
            }
        }
        Err(why)
    }

    /// A stranger's page must not lead to a host that the caller allowed.
    fn accepted(&self, page: WebPage, link: &Url, bounds: &Bounds) -> Result<WebPage, Unread> {
        if self.reader.is_public(link) && !self.reader.is_public(&page.url) {
            return Err(Unread::Refused.because(&"a public link leads to a host that isn't public"));
        }
        bounds.check(link, &page.url).map_err(|why| Unread::Refused.because(&why))?;
        if page.text.is_empty() { Err(Unread::Empty) } else { Ok(page) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WebPageSettings;

    #[test]
    fn public_links_lead_to_no_allowed_host() {
        let settings = WebPageSettings::default().with_allowed_host("wiki.internal").unwrap();
        let readers = PageReaders::new(WebPageReader::new(settings).unwrap());
        let is_accepted = |link: &str, page: &str| {
            let page = WebPage::new(Url::parse(page).unwrap(), "text");
            readers.accepted(page, &Url::parse(link).unwrap(), &Bounds::new(None)).is_ok()
        };
        let wiki = "http://wiki.internal/board";
        assert!(!is_accepted("https://site.example/a", wiki));
        assert!(is_accepted("https://site.example/a", "https://www.site.example/b"));
        assert!(is_accepted("http://wiki.internal/", wiki));
    }
}
