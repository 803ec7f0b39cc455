//! Web pages as documents of web searches.

use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, async_trait,
    document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
};

use crate::{WebPageReader, reader::CONNECTOR};

/// Reads the pages behind the results of a web search: an id is a URL.
///
/// - An invalid URL, an address that the rules refuse, and a page that the server doesn't have are all
///   missing documents. The offset counts bytes; each page of the text fetches the web page again.
/// - Web pages can't be listed, and have no fields to filter on.
#[async_trait]
impl DocumentReader for WebPageReader {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        filter.check(CONNECTOR, &[])
    }

    fn can_list(&self) -> bool {
        false
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        if let Some(filter) = options.filter() {
            self.check_filter(filter)?;
        }
        let page = match WebPageReader::read(self, id).await {
            Ok(page) => page,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut document = DocumentInfo::new(id).with_link(page.url);
        document.name = page.title;
        Ok(DocumentPage::from_text(document, &page.text, options))
    }

    async fn list(&self, _: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        let allowed = "to read a page by its URL";
        Err(Error::invalid_options(CONNECTOR, "list", "not possible for web pages", allowed))
    }
}

fn is_missing(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::InvalidOptions { .. } => true,
        ErrorKind::UnexpectedStatus { status, .. } => matches!(status, 404 | 410),
        _ => false,
    }
}
