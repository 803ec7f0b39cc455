//! The stream inside search results.
//!
//! Nested streams would move each record once more. So one stream passes on whole pages, and
//! filters borrow the results.

use std::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_util::{Stream, StreamExt, stream::BoxStream};

use crate::Result;

/// Results that are ready, then those of a source, as far as the filter admits them. Fused.
pub(crate) struct RecordStream<T> {
    at_hand: vec::IntoIter<T>,
    source: Option<Source<T>>,
    filter: Option<ItemFilter<T>>,
}

pub(crate) enum Source<T> {
    Items(BoxStream<'static, Result<T>>),
    Pages(BoxStream<'static, Result<Vec<T>>>),
}

/// Decides on each result in turn; errors bypass it.
type ItemFilter<T> = Box<dyn FnMut(&T) -> FilterDecision + Send>;

#[derive(Clone, Copy)]
pub(crate) struct FilterDecision {
    pub(crate) kept: bool,
    /// Ends the stream: drops the source and all remaining results.
    pub(crate) is_last: bool,
}

impl<T> RecordStream<T> {
    pub(crate) fn new(at_hand: Vec<T>, source: Option<Source<T>>) -> Self {
        Self { at_hand: at_hand.into_iter(), source, filter: None }
    }

    pub(crate) fn add_filter(
        &mut self,
        mut filter: impl FnMut(&T) -> FilterDecision + Send + 'static,
    ) where
        T: 'static,
    {
        self.filter = Some(match self.filter.take() {
            None => Box::new(filter),
            Some(mut before) => Box::new(move |item| {
                let first = before(item);
                if !first.kept {
                    return first;
                }
                let FilterDecision { kept, is_last } = filter(item);
                FilterDecision { kept, is_last: first.is_last || is_last }
            }),
        });
    }

    pub(crate) fn end(&mut self) {
        *self = Self::new(Vec::new(), None);
    }

    /// Whatever the filters decide.
    pub(crate) fn are_at_most(&self, count: usize) -> bool {
        self.source.is_none() && self.at_hand.len() <= count
    }

    pub(crate) fn take_at_hand(&mut self) -> Vec<T> {
        let mut items: Vec<T> = mem::take(&mut self.at_hand).collect();
        let Some(filter) = &mut self.filter else { return items };
        let mut is_over = false;
        items.retain(|item| {
            if is_over {
                return false;
            }
            let decision = filter(item);
            is_over = decision.is_last;
            decision.kept
        });
        if is_over {
            self.end();
        }
        items
    }

    /// Counts all results if none has to be waited for. No filter sees them again.
    pub(crate) fn settle(&mut self) -> Option<usize> {
        if self.source.is_some() {
            return None;
        }
        let all = self.take_at_hand();
        let count = all.len();
        *self = Self::new(all, None);
        Some(count)
    }

    pub(crate) fn into_all(mut self) -> Result<Vec<T>, Self> {
        match self.source {
            None => Ok(self.take_at_hand()),
            Some(_) => Err(self),
        }
    }

    /// Returns whether the filter keeps an item; ends the stream after the last one.
    fn admits(&mut self, item: &T) -> bool {
        let decision = self.filter.as_mut().map(|filter| filter(item));
        if decision.is_some_and(|decision| decision.is_last) {
            self.end();
        }
        decision.is_none_or(|decision| decision.kept)
    }

    /// Ignores the filter.
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

/// The source streams are boxed.
impl<T> Unpin for RecordStream<T> {}

impl<T> Stream for RecordStream<T> {
    type Item = Result<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let item = ready!(this.poll_unseen(context));
            match &item {
                Some(Ok(record)) if !this.admits(record) => {}
                Some(_) => return Poll::Ready(item),
                None => {
                    this.end();
                    return Poll::Ready(None);
                }
            }
        }
    }
}
