//! What a connector needs to serve `top` and `skip` from a back end that answers in pages.

use std::{collections::HashSet, hash::Hash, vec};

use futures_util::{
    StreamExt, future,
    stream::{self, BoxStream},
};

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
    pub fn paged<C, F, Fetched>(first: Page<T, C>, fetch: F) -> Self
    where
        C: Send + 'static,
        F: FnMut(C) -> Fetched + Send + 'static,
        Fetched: Future<Output = Result<Page<T, C>>> + Send + 'static,
    {
        let pages = Pages { items: first.items.into_iter(), next: first.next, fetch };
        Self::from_stream(stream::unfold(pages, Pages::advance))
    }

    /// Leaves out the first `skip` results and ends after `top` more; nothing beyond them is fetched.
    ///
    /// Errors pass through and do not count.
    #[must_use]
    pub fn window(self, skip: usize, top: usize) -> Self {
        self.through(|stream| {
            let window = Window { stream: (top > 0).then_some(stream), skip, top };
            stream::unfold(window, Window::advance)
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
        let mut is_new = move |item: &Result<T>| {
            let key = item.as_ref().ok().and_then(&mut key);
            let is_new = key.is_none_or(|key| seen.insert(key));
            repeats = if is_new { 0 } else { repeats + 1 };
            (is_new, repeats)
        };
        self.through(|stream| {
            let marked = stream.map(move |item| (is_new(&item), item));
            let until_stuck =
                marked.take_while(|((_, repeats), _)| future::ready(!is_stuck(*repeats)));
            until_stuck.filter_map(|((is_new, _), item)| future::ready(is_new.then_some(item)))
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

struct Pages<T, C, F> {
    items: vec::IntoIter<T>,
    next: Option<C>,
    fetch: F,
}

impl<T, C, F, Fetched> Pages<T, C, F>
where
    F: FnMut(C) -> Fetched,
    Fetched: Future<Output = Result<Page<T, C>>>,
{
    async fn advance(mut self) -> Option<(Result<T>, Self)> {
        for _ in 0..MAX_EMPTY_PAGES {
            if let Some(item) = self.items.next() {
                return Some((Ok(item), self));
            }
            let cursor = self.next.take()?;
            match (self.fetch)(cursor).await {
                Ok(page) => {
                    self.items = page.items.into_iter();
                    self.next = page.next;
                }
                Err(error) => return Some((Err(error), self)),
            }
        }
        self.next = None;
        let message = format!("the back end sent {MAX_EMPTY_PAGES} empty pages in a row");
        Some((Err(Error::new(ErrorKind::BackEnd, "paging", message)), self))
    }
}

struct Window<T> {
    // Dropped with the last result, so that whatever it holds is freed before the caller drops the window.
    stream: Option<BoxStream<'static, Result<T>>>,
    skip: usize,
    top: usize,
}

impl<T> Window<T> {
    async fn advance(mut self) -> Option<(Result<T>, Self)> {
        loop {
            match self.stream.as_mut()?.next().await? {
                Ok(_) if self.skip > 0 => self.skip -= 1,
                Ok(item) => {
                    self.top -= 1;
                    if self.top == 0 {
                        self.stream = None;
                    }
                    return Some((Ok(item), self));
                }
                Err(error) => return Some((Err(error), self)),
            }
        }
    }
}
