//! How requests name a page.

use super::ResultPage;
use crate::{Error, Result, SearchOptions};

/// How an engine serves results in pages.
///
/// ```
/// use textsearch_core::web::Paging;
///
/// // `?count=20&offset=2` is the third page of at most ten.
/// let pages = Paging::by_page("offset", 0).with_size("count", 20).with_max_pages(10);
/// // `?srlimit=50&sroffset=100` begins with the hundred-and-first result.
/// let offsets = Paging::by_offset("sroffset", 0).with_size("srlimit", 50).with_max_results(10_000);
/// // One response has everything.
/// let single = Paging::single_page().with_max_results(20);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Paging {
    scheme: Scheme,
    size: Option<(&'static str, usize)>,
    max_results: Option<usize>,
    max_pages: Option<usize>,
    skip_unread: bool,
    whole_steps: bool,
}

#[derive(Debug, Clone, Copy)]
enum Scheme {
    Single,
    Offset(&'static str, usize),
    Page(&'static str, usize),
    Cursor(&'static str),
}

impl Paging {
    /// Creates the paging of an engine that sends all results in one response.
    pub const fn single_page() -> Self {
        Self::new(Scheme::Single)
    }

    /// Creates a paging by the number of results before the page. `parameter` names it, and `first`
    /// is its value on the first page, usually 0 or 1.
    ///
    /// After a short page that isn't the last, the next page starts after the results that the
    /// engine sent, unless [`with_whole_steps`](Self::with_whole_steps) says otherwise.
    pub const fn by_offset(parameter: &'static str, first: usize) -> Self {
        Self::new(Scheme::Offset(parameter, first))
    }

    /// Creates a paging by the number of the page. `parameter` names it, and `first` is its value
    /// on the first page, usually 0 or 1.
    pub const fn by_page(parameter: &'static str, first: usize) -> Self {
        Self::new(Scheme::Page(parameter, first))
    }

    /// Creates a paging by a [cursor](ResultPage::cursor) that each response has for the next
    /// request. The first request has no `parameter`.
    pub const fn by_cursor(parameter: &'static str) -> Self {
        Self::new(Scheme::Cursor(parameter))
    }

    const fn new(scheme: Scheme) -> Self {
        Self {
            scheme,
            size: None,
            max_results: None,
            max_pages: None,
            skip_unread: false,
            whole_steps: false,
        }
    }

    /// Sets the parameter for the size of pages, and the largest size. Default: the engine decides.
    #[must_use]
    pub const fn with_size(mut self, parameter: &'static str, largest: usize) -> Self {
        self.size = Some((parameter, largest));
        self
    }

    /// Sets the maximum of `skip + top`; more is an error. Default: unlimited.
    #[must_use]
    pub const fn with_max_results(mut self, results: usize) -> Self {
        self.max_results = Some(results);
        self
    }

    /// Sets the maximum number of pages; results end after the last. Default: unlimited.
    #[must_use]
    pub const fn with_max_pages(mut self, pages: usize) -> Self {
        self.max_pages = Some(pages);
        self
    }

    /// Sets whether reading starts at `skip` instead of the first result. `skip` is then no longer
    /// exact if pages overlap or are short. Default: false.
    #[must_use]
    pub const fn with_skip_unread(mut self, enabled: bool) -> Self {
        self.skip_unread = enabled;
        self
    }

    /// Sets whether offsets also count results that the engine left out of a short page: the next
    /// page then always starts a whole page later. Default: false, which skips no result.
    #[must_use]
    pub const fn with_whole_steps(mut self, enabled: bool) -> Self {
        self.whole_steps = enabled;
        self
    }

    /// Returns the first page to read, and the results to skip from there.
    pub(super) fn start(
        &self,
        connector: &str,
        options: &SearchOptions,
    ) -> Result<(PageAddress, usize)> {
        let (skip, top) = (options.skip, options.top);
        let wanted = skip.saturating_add(top);
        if let Some(max) = self.max_results.filter(|max| wanted > *max) {
            let (found, allowed) = (format!("{skip} + {top}"), format!("at most {max}"));
            return Err(Error::invalid_options(connector, "skip + top", found, allowed));
        }
        let fit =
            |wanted: usize| self.size.map_or(0, |(_, largest)| wanted.clamp(1, largest.max(1)));
        let (mut page, mut largest) = (PageAddress::default(), fit(wanted));
        match self.scheme {
            Scheme::Offset(..) if self.skip_unread => {
                page.offset = self.max_results.map_or(skip, |max| skip.min(max.saturating_sub(1)));
                largest = fit(wanted - page.offset);
            }
            Scheme::Page(..) if self.skip_unread && largest > 0 => {
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
        found: &mut ResultPage<R>,
        linkless: bool,
    ) -> Option<PageAddress> {
        let is_full = found.sent > 0 && found.sent >= page.size;
        let cursor = found.cursor.take();
        let has_more = match self.scheme {
            Scheme::Single => false,
            Scheme::Cursor(_) => cursor.is_some() && found.has_more.unwrap_or(true),
            Scheme::Offset(..) | Scheme::Page(..) => found.has_more.unwrap_or(is_full),
        };
        let step = self.step(&page, found.sent);
        let is_repeated = match self.scheme {
            Scheme::Cursor(_) => cursor == page.cursor,
            Scheme::Offset(..) => step == 0 || linkless,
            Scheme::Single | Scheme::Page(..) => linkless,
        };
        let (number, offset) = (page.number.checked_add(1)?, page.offset.checked_add(step)?);
        let is_within = |number: usize, max: Option<usize>| max.is_none_or(|max| number < max);
        let is_served = is_within(number, self.max_pages) && is_within(offset, self.max_results);
        let next = PageAddress { number, offset, cursor, size: self.size_at(offset, page.size) };
        (has_more && is_served && !is_repeated).then_some(next)
    }

    /// Returns the number of results between the beginnings of a page and of the next one.
    fn step(&self, page: &PageAddress, sent: usize) -> usize {
        match self.scheme {
            Scheme::Cursor(_) => sent,
            Scheme::Offset(..) if !self.whole_steps && (1..page.size).contains(&sent) => sent,
            _ if page.size == 0 => sent,
            _ => page.size,
        }
    }

    /// Asks for nothing beyond the engine's last result.
    fn size_at(&self, offset: usize, size: usize) -> usize {
        match (self.scheme, self.max_results) {
            (Scheme::Offset(..), Some(max)) => size.min(max.saturating_sub(offset)),
            _ => size,
        }
    }

    pub(super) fn parameters<'a>(
        &self,
        page: &'a PageAddress,
    ) -> impl Iterator<Item = (&'static str, std::borrow::Cow<'a, str>)> {
        let size = self.size.map(|(parameter, _)| (parameter, page.size.to_string().into()));
        let address = match self.scheme {
            Scheme::Single => None,
            Scheme::Offset(parameter, first) => {
                Some((parameter, page.offset.saturating_add(first).to_string().into()))
            }
            Scheme::Page(parameter, first) => {
                Some((parameter, page.number.saturating_add(first).to_string().into()))
            }
            Scheme::Cursor(parameter) => {
                page.cursor.as_deref().map(|cursor| (parameter, cursor.into()))
            }
        };
        size.into_iter().chain(address)
    }
}

/// The address of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageAddress {
    /// The number of the page, counted from 0.
    pub number: usize,
    /// The number of results before the page.
    pub offset: usize,
    /// The number of results to ask for; 0 if the engine decides.
    pub size: usize,
    /// The cursor from the page before.
    pub cursor: Option<String>,
}
