//! How requests name a page.

use super::ResultPage;
use crate::{Error, Result, SearchOptions};

/// How an engine serves results in pages.
///
/// ```
/// use textsearch_core::web::{PageScheme, Paging};
///
/// // `?count=20&offset=2` is the third page of at most ten.
/// let pages = Paging {
///     scheme: PageScheme::Number("offset", 0),
///     size: Some(("count", 20)),
///     max_pages: Some(10),
///     ..Paging::SINGLE_PAGE
/// };
/// // `?srlimit=50&sroffset=100` begins with the hundred-and-first result.
/// let offsets = Paging {
///     scheme: PageScheme::Offset("sroffset", 0),
///     size: Some(("srlimit", 50)),
///     ..Paging::SINGLE_PAGE
/// };
/// // One response has everything.
/// let single = Paging { max_results: Some(20), ..Paging::SINGLE_PAGE };
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an engine writes it as a struct")]
pub struct Paging {
    /// How a request names its page.
    pub scheme: PageScheme,
    /// The parameter for the size of pages, and the largest size. `None`: the engine decides.
    pub size: Option<(&'static str, usize)>,
    /// The maximum of `skip + top`; more is an error. `None`: unlimited.
    pub max_results: Option<usize>,
    /// The maximum number of pages; results end after the last. `None`: unlimited.
    pub max_pages: Option<usize>,
    /// Whether reading starts at `skip` instead of the first result. `skip` is then no longer exact
    /// if pages overlap or are short.
    pub skip_unread: bool,
    /// Whether offsets also count results that the engine left out of a short page: the next page
    /// then always starts a whole page later. If not, it starts after the results that the engine
    /// sent, and no result is skipped.
    pub whole_steps: bool,
}

/// How a request names its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive] // Engines have other schemes, such as cursors.
pub enum PageScheme {
    /// Not at all: one response has all results.
    Single,
    /// By the number of results before the page: the parameter, and its value on the first page,
    /// usually 0 or 1.
    Offset(&'static str, usize),
    /// By the number of the page: the parameter, and its value on the first page, usually 0 or 1.
    Number(&'static str, usize),
}

impl Paging {
    /// The paging of an engine that sends all results in one response.
    pub const SINGLE_PAGE: Self = Self {
        scheme: PageScheme::Single,
        size: None,
        max_results: None,
        max_pages: None,
        skip_unread: false,
        whole_steps: false,
    };

    /// Returns the first page to read, and the results to skip from there.
    pub(super) fn start(
        &self,
        connector: &str,
        options: &SearchOptions,
    ) -> Result<(PageAddress, usize)> {
        let skip = options.skip;
        let top = options.top;
        let end = skip.saturating_add(top);
        if let Some(max) = self.max_results.filter(|max| end > *max) {
            let value = format!("{skip} + {top}");
            let allowed = format!("at most {max}");
            return Err(Error::invalid_options(connector, "skip + top", value, allowed));
        }
        let fit = |count: usize| self.size.map_or(0, |(_, largest)| count.clamp(1, largest.max(1)));
        let mut page = PageAddress::default();
        let mut largest = fit(end);
        match self.scheme {
            PageScheme::Offset(..) if self.skip_unread => {
                page.offset = self.max_results.map_or(skip, |max| skip.min(max.saturating_sub(1)));
                largest = fit(end - page.offset);
            }
            PageScheme::Number(..) if self.skip_unread && largest > 0 => {
                let number = skip / largest;
                page.number =
                    self.max_pages.map_or(number, |max| number.min(max.saturating_sub(1)));
                page.offset = page.number * largest;
            }
            _ => {}
        }
        page.size = self.size_at(page.offset, largest);
        let left = skip - page.offset;
        Ok((page, left))
    }

    /// Returns the address of the next page; `None` after the last one, if the request would be the
    /// same again, and if a repetition of this page could not be told, as it has no link.
    pub(super) fn next<R>(
        &self,
        page: PageAddress,
        results: &ResultPage<R>,
        linkless: bool,
    ) -> Option<PageAddress> {
        let is_full = results.sent > 0 && results.sent >= page.size;
        let has_more = results.has_more.unwrap_or(is_full);
        let step = self.step(page, results.sent);
        let is_last = match self.scheme {
            PageScheme::Single => true,
            PageScheme::Offset(..) => !has_more || linkless || step == 0,
            PageScheme::Number(..) => !has_more || linkless,
        };
        let number = page.number.checked_add(1)?;
        let offset = page.offset.checked_add(step)?;
        let is_within = |number: usize, max: Option<usize>| max.is_none_or(|max| number < max);
        let is_served = is_within(number, self.max_pages) && is_within(offset, self.max_results);
        let next = PageAddress { number, offset, size: self.size_at(offset, page.size) };
        (is_served && !is_last).then_some(next)
    }

    /// Returns the number of results between the beginnings of a page and of the next one.
    fn step(&self, page: PageAddress, sent: usize) -> usize {
        match self.scheme {
            PageScheme::Offset(..) if !self.whole_steps && (1..page.size).contains(&sent) => sent,
            _ if page.size == 0 => sent,
            _ => page.size,
        }
    }

    /// Asks for nothing beyond the engine's last result.
    fn size_at(&self, offset: usize, size: usize) -> usize {
        match (self.scheme, self.max_results) {
            (PageScheme::Offset(..), Some(max)) => size.min(max.saturating_sub(offset)),
            _ => size,
        }
    }

    pub(super) fn parameters(
        &self,
        page: PageAddress,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let size = self.size.map(|(parameter, _)| (parameter, page.size));
        let address = match self.scheme {
            PageScheme::Single => None,
            PageScheme::Offset(parameter, first) => {
                Some((parameter, page.offset.saturating_add(first)))
            }
            PageScheme::Number(parameter, first) => {
                Some((parameter, page.number.saturating_add(first)))
            }
        };
        size.into_iter().chain(address).map(|(parameter, value)| (parameter, value.to_string()))
    }
}

/// The address of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageAddress {
    /// The number of the page, counted from 0.
    pub number: usize,
    /// The number of results before the page.
    pub offset: usize,
    /// The number of results to ask for; 0 if the engine decides.
    pub size: usize,
}
