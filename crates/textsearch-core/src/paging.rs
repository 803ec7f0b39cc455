//! What a connector needs to serve `top` and `skip` from a back end that answers in pages.

use std::{collections::HashSet, hash::Hash};

use futures_util::{Stream, StreamExt, stream};

use crate::{
    Error, ErrorKind, Result, SearchResults,
    items::{Items, Source, Verdict},
};

/// So many repeats in a row are more than any two pages can share.
const MAX_REPEATS: usize = 100;

/// So many keys are compared one by one.
const FEW: usize = 20;

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
        let Page { items, next } = first;
        let more = next.map(|cursor| Source::Pages(pages_from(cursor, fetch).boxed()));
        Self::of(Items::new(items, more))
    }

    /// Leaves out the first `skip` results and ends after `top` more; nothing beyond them is fetched.
    ///
    /// Errors pass through and do not count.
    #[must_use]
    pub fn window(mut self, mut skip: usize, mut top: usize) -> Self {
        let items = self.items_mut();
        if top == 0 {
            items.end();
        }
        items.add_sieve(move |_| {
            let is_kept = skip == 0;
            if is_kept {
                top = top.saturating_sub(1);
            } else {
                skip -= 1;
            }
            Verdict { is_kept, is_last: top == 0 }
        });
        self
    }

    /// Leaves out each result whose key an earlier one had, as overlapping pages bring them, with a debug event.
    ///
    /// A result without a key is always kept. After 100 repeats in a row the stream ends with a warning event: the back
    /// end does not page, but sends the same page again and again.
    #[must_use]
    pub fn distinct_by<K>(mut self, mut key: impl FnMut(&T) -> Option<K> + Send + 'static) -> Self
    where
        K: Eq + Hash + Send + 'static,
    {
        let items = self.items_mut();
        let (mut seen, mut repeats) = (Seen::new(items.count_at_hand()), 0);
        items.add_sieve(move |item| {
            let is_kept = key(item).is_none_or(|key| seen.insert(key));
            repeats = if is_kept { 0 } else { repeats + 1 };
            Verdict { is_kept, is_last: !is_kept && is_stuck(repeats) }
        });
        self
    }
}

/// The keys that there have been.
struct Seen<K> {
    /// The first ones. To compare a page's worth of them one by one costs less than their hashes do.
    few: Vec<K>,
    more: HashSet<K>,
}

impl<K: Eq + Hash> Seen<K> {
    fn new(expected: usize) -> Self {
        Self { few: Vec::with_capacity(expected.min(FEW)), more: HashSet::new() }
    }

    /// Whether the key is new.
    fn insert(&mut self, key: K) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() == FEW {
            return self.more.insert(key);
        }
        self.few.push(key);
        true
    }
}

/// The pages from a cursor on.
fn pages_from<T, C, F, Fetched>(cursor: C, fetch: F) -> impl Stream<Item = Result<Vec<T>>>
where
    F: FnMut(C) -> Fetched,
    Fetched: Future<Output = Result<Page<T, C>>>,
{
    stream::try_unfold((Some(cursor), fetch, 0), |(cursor, mut fetch, empty_pages)| async move {
        let Some(cursor) = cursor else { return Ok(None) };
        if empty_pages == MAX_EMPTY_PAGES {
            return Err(only_empty_pages());
        }
        // Boxed here, so that the stream is small until another page is asked for.
        let Page { items, next } = Box::pin(fetch(cursor)).await?;
        let empty_pages = if items.is_empty() { empty_pages + 1 } else { 0 };
        Ok(Some((items, (next, fetch, empty_pages))))
    })
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
