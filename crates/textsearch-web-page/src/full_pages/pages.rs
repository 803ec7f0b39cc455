//! The pages of one search, each fetched once.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use textsearch_core::{filter::DateTime, http::Url};

use super::{bounds::Bounds, budget, unread::Unread};
use crate::{PageReader, WebPage, WebPageReader};

#[derive(Debug)]
pub(super) struct PageText {
    pub(super) title: Option<String>,
    pub(super) published: Option<DateTime>,
    pub(super) text: String,
    pub(super) is_cut: bool,
    /// The service that read it, if one did.
    pub(super) reader: Option<String>,
}

pub(super) type Fetched = Arc<Result<PageText, Unread>>;

pub(super) struct Pages {
    pub(super) reader: WebPageReader,
    /// Asked in order after a failure.
    pub(super) others: Arc<[Arc<dyn PageReader>]>,
    /// Characters per page.
    pub(super) max: usize,
    /// Characters left for all results.
    pub(super) left: Arc<AtomicUsize>,
    pub(super) bounds: Arc<Bounds>,
    pub(super) begun: HashMap<Url, Shared<BoxFuture<'static, Fetched>>>,
}

impl Pages {
    /// Fetches nothing until polled.
    pub(super) fn fetch(&mut self, link: Option<&str>) -> BoxFuture<'static, Fetched> {
        let url = match link.map(Url::parse) {
            None => return failed(Unread::NoLink),
            Some(Err(error)) => return failed(Unread::InvalidLink.because(&error)),
            Some(Ok(url)) => without_fragment(url),
        };
        let page = match self.begun.get(&url) {
            Some(page) => page.clone(),
            None => {
                let page = self.page(url.clone()).boxed().shared();
                self.begun.insert(url, page.clone());
                page
            }
        };
        let left = Arc::clone(&self.left);
        async move {
            match left.load(Ordering::Relaxed) {
                0 => Arc::new(Err(Unread::BudgetSpent)),
                _ => page.await,
            }
        }
        .boxed()
    }

    fn page(&self, url: Url) -> impl Future<Output = Fetched> + Send + 'static {
        let reader = self.reader.clone();
        let others = Arc::clone(&self.others);
        let max = self.max;
        let bounds = Arc::clone(&self.bounds);
        async move {
            let page = reader.try_read(&url).await;
            let kind = page.as_ref().err().map(|failure| failure.error.kind().clone());
            let page =
                page.map_err(|failure| Unread::from_failure(&failure).because(&failure.error));
            let page = page.and_then(|page| kept(page, &url, &bounds, max));
            let Err(why) = page else { return Arc::new(page) };
            if !why.may_pass_elsewhere(kind.as_ref()) || !reader.is_public(&url) {
                return Arc::new(Err(why));
            }
            for other in others.iter() {
                let page =
                    other.read(&url).await.map_err(|error| Unread::Unreachable.because(&error));
                // The service followed redirects.
                let page = page.and_then(|page| {
                    if reader.is_public(&page.url) {
                        kept(page, &url, &bounds, max)
                    } else {
                        Err(Unread::Refused.because(&"the service was led to another address"))
                    }
                });
                if let Ok(page) = page {
                    let reader = Some(other.name().to_owned());
                    return Arc::new(Ok(PageText { reader, ..page }));
                }
            }
            Arc::new(Err(why))
        }
    }
}

fn failed(why: Unread) -> BoxFuture<'static, Fetched> {
    std::future::ready(Arc::new(Err(why))).boxed()
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

fn kept(page: WebPage, link: &Url, bounds: &Bounds, max: usize) -> Result<PageText, Unread> {
    bounds.check(link, &page.url).map_err(|why| Unread::Refused.because(&why))?;
    if page.text.is_empty() {
        return Err(Unread::Empty);
    }
    let beginning = budget::cut(&page.text, max).map(str::to_owned);
    let is_cut = beginning.is_some();
    let text = beginning.unwrap_or(page.text);
    Ok(PageText { title: page.title, published: page.published, text, is_cut, reader: None })
}
