//! The stream inside of search results: where they come from, and which of them are let through.
//!
//! Records can be large, and each stream around another one moves them once more. So whole pages go through one stream,
//! and what leaves results out only looks at them.

use std::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_util::{Stream, StreamExt, stream::BoxStream};

use crate::Result;

/// Results that are at hand, and those of a source after them, as far as its sieve lets them through. It is fused.
pub(crate) struct Items<T> {
    at_hand: vec::IntoIter<T>,
    source: Option<Source<T>>,
    sieve: Option<Sieve<T>>,
}

/// Where more results come from.
pub(crate) enum Source<T> {
    Items(BoxStream<'static, Result<T>>),
    Pages(BoxStream<'static, Result<Vec<T>>>),
}

/// Looks at each result in turn, but not at errors.
type Sieve<T> = Box<dyn FnMut(&T) -> Verdict + Send>;

/// What becomes of a result, and of those after it.
#[derive(Clone, Copy)]
pub(crate) struct Verdict {
    pub(crate) is_kept: bool,
    /// Nothing after it is wanted: what more results come from is dropped.
    pub(crate) is_last: bool,
}

impl<T> Items<T> {
    pub(crate) fn new(at_hand: Vec<T>, source: Option<Source<T>>) -> Self {
        Self { at_hand: at_hand.into_iter(), source, sieve: None }
    }

    /// Asks this sieve too, about what those before it let through.
    pub(crate) fn add_sieve(&mut self, mut sieve: impl FnMut(&T) -> Verdict + Send + 'static)
    where
        T: 'static,
    {
        self.sieve = Some(match self.sieve.take() {
            None => Box::new(sieve),
            Some(mut before) => Box::new(move |item| {
                let first = before(item);
                if !first.is_kept {
                    return first;
                }
                let Verdict { is_kept, is_last } = sieve(item);
                Verdict { is_kept, is_last: first.is_last || is_last }
            }),
        });
    }

    /// Drops whatever results there may still be, with all that they come from.
    pub(crate) fn end(&mut self) {
        *self = Self::new(Vec::new(), None);
    }

    /// How many results nobody has to wait for, before any sieve has seen them.
    pub(crate) fn count_at_hand(&self) -> usize {
        self.at_hand.len()
    }

    /// Whether there are no more than so many, whatever the sieves say.
    pub(crate) fn are_at_most(&self, count: usize) -> bool {
        self.source.is_none() && self.at_hand.len() <= count
    }

    /// The results that nobody has to wait for.
    pub(crate) fn take_at_hand(&mut self) -> Vec<T> {
        let mut items: Vec<T> = mem::take(&mut self.at_hand).collect();
        let Some(sieve) = &mut self.sieve else { return items };
        let mut is_over = false;
        items.retain(|item| {
            if is_over {
                return false;
            }
            let verdict = sieve(item);
            is_over = verdict.is_last;
            verdict.is_kept
        });
        if is_over {
            self.end();
        }
        items
    }

    /// All results, where none has to be waited for; or else these items again.
    pub(crate) fn into_all(mut self) -> Result<Vec<T>, Self> {
        match self.source {
            None => Ok(self.take_at_hand()),
            Some(_) => Err(self),
        }
    }

    /// Whether an item is let through; after the last one nothing else is left.
    fn admits(&mut self, item: &T) -> bool {
        let verdict = self.sieve.as_mut().map(|sieve| sieve(item));
        if verdict.is_some_and(|verdict| verdict.is_last) {
            self.end();
        }
        verdict.is_none_or(|verdict| verdict.is_kept)
    }

    /// The next item, before any sieve has seen it.
    fn poll_unseen(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        loop {
            if let Some(item) = self.at_hand.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match &mut self.source {
                None => return Poll::Ready(None),
                Some(Source::Items(items)) => return items.poll_next_unpin(context),
                Some(Source::Pages(pages)) => match ready!(pages.poll_next_unpin(context)) {
                    Some(Ok(page)) => self.at_hand = page.into_iter(),
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    None => return Poll::Ready(None),
                },
            }
        }
    }
}

/// Nothing is pinned in here but what has a box of its own.
impl<T> Unpin for Items<T> {}

impl<T> Stream for Items<T> {
    type Item = Result<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let item = ready!(this.poll_unseen(context));
            match &item {
                Some(Ok(found)) if !this.admits(found) => {}
                Some(_) => return Poll::Ready(item),
                None => {
                    this.end();
                    return Poll::Ready(None);
                }
            }
        }
    }
}
