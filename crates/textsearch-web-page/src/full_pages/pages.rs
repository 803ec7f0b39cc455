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
use crate::readers::{PageReaders, ReadPage};

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
    pub(super) readers: PageReaders,
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
        let readers = self.readers.clone();
        let max = self.max;
        let bounds = Arc::clone(&self.bounds);
        async move { Arc::new(readers.read(&url, &bounds).await.map(|read| cut(read, max))) }
    }
}

fn failed(why: Unread) -> BoxFuture<'static, Fetched> {
    std::future::ready(Arc::new(Err(why))).boxed()
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

fn cut(ReadPage { page, reader }: ReadPage, max: usize) -> PageText {
    let beginning = budget::cut(&page.text, max).map(str::to_owned);
    let is_cut = beginning.is_some();
    let text = beginning.unwrap_or(page.text);
    PageText { title: page.title, published: page.published, text, is_cut, reader }
}
