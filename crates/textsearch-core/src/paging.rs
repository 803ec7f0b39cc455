//! What a connector needs to serve `top` and `skip` from a back end that answers in pages.

use std::{
    collections::HashSet,
    hash::Hash,
    pin::Pin,
    task::{Poll, ready},
};

use futures_util::{StreamExt, stream};

use crate::{Error, ErrorKind, Result, SearchResults};

/// So many repeats in a row are more than any two pages can share.
const MAX_REPEATS: usize = 100;

/// So many pages in a row without a result are more than a back end that is getting on would send.
const MAX_EMPTY_PAGES: usize = 1_000;

/// One page of a back end's answer, and where the next one begins.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page<T, C> {
    /// The results on the page, in order.
    pub items: Vec<T>,
    /// What the next request needs to know; `None` on the last page.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// A page of `items`, followed by the one at `next` if there is one.
    pub fn new(items: Vec<T>, next: Option<C>) -> Self {
        Self { items, next }
    }
}

impl<T: Send + 'static> SearchResults<T> {
    /// The results of `first` and of the pages after it, each fetched only when the stream reaches it.
    ///
    /// `fetch` gets what [`Page::next`] held. An error of `fetch` becomes the last item of the stream, and so does the
    /// thousandth page in a row that is empty but not the last.
    ///
    /// ```
    /// use textsearch_core::{Page, SearchResults};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_core::Result<()> {
    /// let pages = SearchResults::paged(Page::new(vec![0, 1], Some(2)), |start| async move {
    ///     Ok(Page::new(vec![start, start + 1], Some(start + 2)))
    /// });
    /// assert_eq!(pages.window(1, 4).into_vec().await?, [1, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn paged<C, F, Fetched>(first: Page<T, C>, mut fetch: F) -> Self
    where
        C: Send + 'static,
        F: FnMut(C) -> Fetched + Send + 'static,
        Fetched: Future<Output = Result<Page<T, C>>> + Send + 'static,
    {
        let Page { items, mut next } = first;
        let mut items = items.into_iter();
        let mut fetching: Option<Pin<Box<Fetched>>> = None;
        let mut empty_pages = 0;
        Self::from_stream(stream::poll_fn(move |context| {
            loop {
                if let Some(item) = items.next() {
                    empty_pages = 0;
                    return Poll::Ready(Some(Ok(item)));
                }
                if fetching.is_none() {
                    let Some(cursor) = next.take() else { return Poll::Ready(None) };
                    if empty_pages == MAX_EMPTY_PAGES {
                        return Poll::Ready(Some(Err(only_empty_pages())));
                    }
                    fetching = Some(Box::pin(fetch(cursor)));
                }
                let Some(page) = &mut fetching else { continue };
                let page = ready!(page.as_mut().poll(context));
                fetching = None;
                empty_pages += 1;
                match page {
                    Ok(page) => (items, next) = (page.items.into_iter(), page.next),
                    Err(error) => return Poll::Ready(Some(Err(error))),
                }
            }
        }))
    }

    /// Leaves out the first `skip` results and ends after `top` more; nothing beyond them is fetched.
    ///
    /// Errors pass through and do not count.
    #[must_use]
    pub fn window(self, mut skip: usize, mut top: usize) -> Self {
        self.through(|stream| {
            // Dropped with the last result, so that whatever it holds is freed before the caller drops the window.
            let mut stream = (top > 0).then_some(stream);
            stream::poll_fn(move |context| {
                loop {
                    let Some(source) = &mut stream else { return Poll::Ready(None) };
                    let item = ready!(source.poll_next_unpin(context));
                    if matches!(item, Some(Ok(_))) {
                        if skip > 0 {
                            skip -= 1;
                            continue;
                        }
                        top -= 1;
                    }
                    if top == 0 {
                        stream = None;
                    }
                    return Poll::Ready(item);
                }
            })
        })
    }

    /// Leaves out each result whose key an earlier one had, as overlapping pages bring them, with a debug event.
    ///
    /// A result without a key is always kept. After 100 repeats in a row the stream ends with a warning event: the back
    /// end does not page, but sends the same page again and again.
    #[must_use]
    pub fn distinct_by<K>(self, mut key: impl FnMut(&T) -> Option<K> + Send + 'static) -> Self
    where
        K: Eq + Hash + Send + 'static,
    {
        let mut seen = HashSet::new();
        let mut repeats = 0;
        self.through(|stream| {
            let mut stream = Some(stream);
            stream::poll_fn(move |context| {
                loop {
                    let Some(source) = &mut stream else { return Poll::Ready(None) };
                    let item = ready!(source.poll_next_unpin(context));
                    let key = item.as_ref().and_then(|item| key(item.as_ref().ok()?));
                    if key.is_none_or(|key| seen.insert(key)) {
                        repeats = 0;
                        return Poll::Ready(item);
                    }
                    repeats += 1;
                    if is_stuck(repeats) {
                        stream = None;
                    }
                }
            })
        })
    }
}

fn is_stuck(repeats: usize) -> bool {
    if repeats == 1 {
        tracing::debug!("leaving out results that an earlier page had already brought");
    }
    if repeats >= MAX_REPEATS {
        tracing::warn!(
            repeats,
            "the back end sends the same results again and again: the search ends here"
        );
    }
    repeats >= MAX_REPEATS
}

fn only_empty_pages() -> Error {
    let message = format!("the back end sent {MAX_EMPTY_PAGES} empty pages in a row");
    Error::new(ErrorKind::BackEnd, "paging", message)
}
