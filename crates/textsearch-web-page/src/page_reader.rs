//! Readers of pages that a plain fetch can't read.

use std::{fmt, sync::Arc};

use textsearch_core::{Result, async_trait, http::Url};

use crate::{WebPage, WebPageReader};

/// Reads a page when [`FullPages`](crate::FullPages) asks, after [`WebPageReader`] failed.
///
/// ```
/// use textsearch_core::{Result, async_trait, http::Url};
/// use textsearch_web_page::{PageReader, WebPage};
///
/// #[derive(Debug)]
/// struct Archive;
///
/// #[async_trait]
/// impl PageReader for Archive {
///     fn name(&self) -> &str {
///         "archive"
///     }
///
///     async fn read(&self, url: &Url) -> Result<WebPage> {
///         Ok(WebPage::new(url.clone(), "What the archive holds."))
///     }
/// }
/// ```
#[async_trait]
pub trait PageReader: fmt::Debug + Send + Sync {
    /// Returns the name in the metadata of a result, such as `jina`.
    fn name(&self) -> &str;

    /// Reads the page at `url`, whose address is public. The page has the URL that was read.
    ///
    /// # Errors
    /// Any [`Error`](textsearch_core::Error): then the next reader is asked.
    async fn read(&self, url: &Url) -> Result<WebPage>;
}

#[async_trait]
impl<R: PageReader + ?Sized> PageReader for Arc<R> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn read(&self, url: &Url) -> Result<WebPage> {
        (**self).read(url).await
    }
}

#[async_trait]
impl PageReader for WebPageReader {
    fn name(&self) -> &str {
        "web-page"
    }

    async fn read(&self, url: &Url) -> Result<WebPage> {
        Self::read(self, url).await
    }
}
