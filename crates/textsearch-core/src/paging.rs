//! Serves `top` and `skip` from a backend that answers in pages.

use std::{collections::HashSet, mem};

use futures_util::{Stream, StreamExt, stream};

use crate::{
    Error, ErrorKind, Result, SearchResults,
    record_stream::{FilterDecision, RecordStream, Source},
};

const MAX_EMPTY_PAGES: usize = 1_000;

/// A page of results and the cursor of the next page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page<T, C> {
    /// The results, in order.
    pub items: Vec<T>,
    /// The cursor for the next request; `None` on the last page.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// Creates a page of `items`, followed by the page at `next`.
    pub fn new(items: Vec<T>, next: Option<C>) -> Self {
        Self { items, next }
    }
}

impl<T: Send + 'static> SearchResults<T> {
    /// Creates results from `first` and later pages, fetched when the stream reaches them.
    ///
    /// `fetch` gets the cursor from [`Page::next`]. Its error ends the stream as the last item, and
    /// so does the thousandth empty page in a row that is not the last page.
    ///
    /// ```
    /// use textsearch_core::{SearchResults, results::Page};
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
        Self::paged_and_changed(first, fetch, |page| page)
    }

    /// As [`paged`](Self::paged), without results whose `text`, such as their link, an earlier
    /// result had. An empty text counts as no text.
    ///
    /// A page with only duplicates ends the stream, whatever its [`next`](Page::next) says, with a
    /// warning event. Results without text count as duplicates there, unless the page has more of
    /// them than the page before.
    ///
    /// ```
    /// use textsearch_core::{SearchResults, results::Page};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_core::Result<()> {
    /// let page = || Page::new(vec!["https://docs.rs", "https://crates.io"], Some(()));
    /// let results = SearchResults::paged_distinct(page(), move |()| async move { Ok(page()) }, |link| link);
    /// assert_eq!(results.into_vec().await?, ["https://docs.rs", "https://crates.io"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn paged_distinct<C, F, Fetched>(
        first: Page<T, C>,
        fetch: F,
        text: impl for<'a> Fn(&'a T) -> &'a str + Send + 'static,
    ) -> Self
    where
        C: Send + 'static,
        F: FnMut(C) -> Fetched + Send + 'static,
        Fetched: Future<Output = Result<Page<T, C>>> + Send + 'static,
    {
        Self::paged_and_changed(first, fetch, distinct(text))
    }

    /// As [`paged`](Self::paged), with each page changed.
    pub(crate) fn paged_and_changed<C, F, Fetched>(
        first: Page<T, C>,
        fetch: F,
        mut change: impl FnMut(Page<T, C>) -> Page<T, C> + Send + 'static,
    ) -> Self
    where
        C: Send + 'static,
        F: FnMut(C) -> Fetched + Send + 'static,
        Fetched: Future<Output = Result<Page<T, C>>> + Send + 'static,
    {
        let Page { items, next } = change(first);
        let more = next.map(|cursor| Source::Pages(pages_from(cursor, fetch, change).boxed()));
        Self::from_records(RecordStream::new(items, more))
    }

    /// Leaves out the first `skip` results and ends after `top` more; nothing beyond them is
    /// fetched. Errors pass through and do not count.
    #[must_use]
    pub fn window(mut self, mut skip: usize, mut top: usize) -> Self {
        let items = self.items_mut();
        if top == 0 {
            items.end();
        }
        if skip == 0 && items.are_at_most(top) {
            return self;
        }
        items.add_filter(move |_| {
            let kept = skip == 0;
            if kept {
                top = top.saturating_sub(1);
            } else {
                skip -= 1;
            }
            FilterDecision { kept, is_last: top == 0 }
        });
        self
    }
}

/// Leaves out results whose `text` an earlier one had: see [`SearchResults::paged_distinct`].
pub(crate) fn distinct<T, C>(
    text: impl for<'a> Fn(&'a T) -> &'a str,
) -> impl FnMut(Page<T, C>) -> Page<T, C> {
    let mut seen = HashSet::new();
    let mut textless = 0;
    move |page| without_repeats(page, &mut seen, &mut textless, &text)
}

/// A page with only repeats becomes empty and the last. `textless` is the number of results without
/// text on the page before.
fn without_repeats<T, C>(
    page: Page<T, C>,
    seen: &mut HashSet<String>,
    textless: &mut usize,
    text: &impl for<'a> Fn(&'a T) -> &'a str,
) -> Page<T, C> {
    let Page { mut items, next } = page;
    let mut repeats = 0_usize;
    let mut has_new = false;
    let before = mem::take(textless);
    items.retain(|item| {
        let text = text(item);
        if text.is_empty() {
            *textless += 1;
            return true;
        }
        let is_new = !seen.contains(text) && seen.insert(text.to_owned());
        has_new |= is_new;
        repeats += usize::from(!is_new);
        is_new
    });
    if repeats == 0 {
        return Page::new(items, next);
    }
    if has_new || *textless > before || next.is_none() {
        tracing::debug!(repeats, "left out results that an earlier page had already brought");
        return Page::new(items, next);
    }
    tracing::warn!(repeats, "the backend sends the same page again: the search ends here");
    Page::new(Vec::new(), None)
}

fn pages_from<T, C, F, Fetched>(
    cursor: C,
    fetch: F,
    change: impl FnMut(Page<T, C>) -> Page<T, C>,
) -> impl Stream<Item = Result<Vec<T>>>
where
    F: FnMut(C) -> Fetched,
    Fetched: Future<Output = Result<Page<T, C>>>,
{
    let start = (Some(cursor), fetch, change, 0);
    stream::try_unfold(start, |(cursor, mut fetch, mut change, empty_pages)| async move {
        let Some(cursor) = cursor else { return Ok(None) };
        if empty_pages == MAX_EMPTY_PAGES {
            return Err(only_empty_pages());
        }
        // Boxed, so that the stream stays small until it fetches another page.
        let Page { items, next } = change(Box::pin(fetch(cursor)).await?);
        let empty_pages = if items.is_empty() { empty_pages + 1 } else { 0 };
        Ok(Some((items, (next, fetch, change, empty_pages))))
    })
}

fn only_empty_pages() -> Error {
    let message = format!("the backend sent {MAX_EMPTY_PAGES} empty pages in a row");
    Error::new(ErrorKind::Backend, "paging", message)
}
