//! Finds the pages of a site.

mod cache;
mod fetch;
mod frontier;
mod page;
mod progress;
mod settings;
mod sitemap;
mod walk;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use textsearch_core::{Error, Result, http::Url};

use self::{fetch::Fetcher, settings::CONNECTOR, walk::Walk};
pub use self::{progress::SiteProgress, settings::SiteSettings};
use super::{error, files::SourceFiles};

type Callback = dyn Fn(&SiteProgress<'_>) + Send + Sync;

/// Fetches the pages of a site into a folder. An [`Ingestion`](super::Ingestion) reads this folder; the URL of a page
/// is the id and the link of its document.
///
/// - **Pages**: those below the start on the same scheme, host and port, from sitemaps and from links.
///   `robots.txt`, `noindex` and `nofollow` are respected. A page is left out if its canonical page is indexed.
/// - **Updates**: the next walk requests only what changed, if the site tells. Pages that are gone are removed from
///   the index; pages that fail stay. After a [limit](SiteSettings), nothing is removed.
/// - **Interruptions**: drop the future to cancel. The next walk continues with the pages that are missing.
/// - **Connections** lead only to addresses that the settings allow: see
///   [`AddressPolicy`](textsearch_core::http::AddressPolicy). They need a `tokio` runtime.
///
/// ```no_run
/// use textsearch_documents::ingest::{DocumentIndex, Ingestion, SiteSettings, SiteWalker};
/// use textsearch_vector_inmemory::InMemoryVectorStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let walker = SiteWalker::new("https://site.example/docs/", "pages", SiteSettings::default())?;
/// let pages = walker.walk().await?;
/// let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
/// let report = index.update(Ingestion::new(pages)).await?;
/// println!("{} pages are new", report.added);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SiteWalker {
    start: Url,
    cache: PathBuf,
    settings: SiteSettings,
    progress: Option<Arc<Callback>>,
}

impl SiteWalker {
    /// Creates a walker that begins at the URL `start`, such as `https://site.example/docs/`, and keeps the
    /// pages in a folder of its own in `cache`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if `start` isn't an allowed URL,
    /// or a setting can't work.
    pub fn new(start: &str, cache: impl AsRef<Path>, settings: SiteSettings) -> Result<Self> {
        settings.check()?;
        let invalid = |reason: String| {
            let allowed = "a URL such as https://site.example/docs/";
            Error::invalid_options(CONNECTOR, "start", reason, allowed)
        };
        let start = Url::parse(start).map_err(|error| invalid(format!("`{start}`, {error}")))?;
        settings.addresses.check_url(&start).map_err(|refused| invalid(refused.to_string()))?;
        Ok(Self { start, cache: cache.as_ref().to_owned(), settings, progress: None })
    }

    /// Reports progress to `callback`.
    #[must_use]
    pub fn with_progress(
        mut self,
        callback: impl Fn(&SiteProgress<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Arc::new(callback));
        self
    }

    /// Fetches the pages. Pages that fail, and limits, are [skipped](SourceFiles::skipped).
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](super::IngestError::Backend) if `robots.txt` can't be reached, no page can be
    /// indexed, the cache can't be written, or another walk uses it.
    pub async fn walk(&self) -> error::Result<SourceFiles> {
        let mut fetcher = Fetcher::new(&self.settings)?;
        let walk = Walk::begin(&self.start, &self.cache, &self.settings, &mut fetcher).await?;
        walk.run(|progress| {
            if let Some(callback) = &self.progress {
                callback(progress);
            }
        })
        .await
    }
}

impl fmt::Debug for SiteWalker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("SiteWalker");
        debug.field("start", &self.start.as_str()).field("cache", &self.cache);
        debug.field("settings", &self.settings).finish_non_exhaustive()
    }
}
