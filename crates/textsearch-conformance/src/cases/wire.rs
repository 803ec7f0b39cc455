//! Requests of a search, by filter.

use std::{cell::RefCell, collections::HashMap, fmt::Display, rc::Rc};

use textsearch_core::{ErrorKind, Filter, SearchOptions};

use crate::{RecordedRequest, Subject, capabilities::Check, subject::RunningSearch};

/// A query without operators.
pub(super) const QUERY: &str = "what there is";

/// The outcome of a search.
pub(super) enum Asked {
    /// It sent requests.
    Sent(Vec<RecordedRequest>),
    /// It found nothing without a request, because nothing can match.
    Nothing,
    /// It refused the options before a request.
    Refused(String),
}

impl Asked {
    /// The first request, in a form to compare.
    pub(super) fn essence(&self) -> Option<(String, Vec<(String, String)>)> {
        self.first().map(RecordedRequest::essence)
    }

    pub(super) fn first(&self) -> Option<&RecordedRequest> {
        self.requests().first()
    }

    pub(super) fn requests(&self) -> &[RecordedRequest] {
        match self {
            Self::Sent(requests) => requests,
            Self::Nothing | Self::Refused(_) => &[],
        }
    }

    /// Returns the requests. Panics without any.
    pub(super) fn accepted(&self, search: impl Display) -> &[RecordedRequest] {
        match self {
            Self::Sent(requests) => requests,
            Self::Nothing => panic!("`{search}` finds nothing without a request"),
            Self::Refused(why) => panic!("`{search}` is refused: {why}"),
        }
    }

    /// Returns the requests. The search may be refused, but must not find nothing without any.
    pub(super) fn accepted_or_refused(&self, search: impl Display) -> &[RecordedRequest] {
        match self {
            Self::Refused(_) => &[],
            _ => self.accepted(search),
        }
    }
}

/// A running search, asked for filters.
pub(super) struct Wire {
    pub(super) running: RunningSearch,
    max: usize,
    /// Outcomes by filter, so that no search runs twice.
    known: RefCell<HashMap<String, Rc<Asked>>>,
}

/// A filter that the backend applies, and its check.
pub(super) struct Sent<'a> {
    pub(super) filter: &'a Filter,
    pub(super) is_sent: &'a dyn Fn(&RecordedRequest) -> bool,
}

impl Sent<'_> {
    /// Fails if a request of the search lacks the filter. `search` is its filter.
    pub(super) fn assert_in(&self, requests: &[RecordedRequest], search: impl Display) {
        for request in requests {
            let is_sent = (self.is_sent)(request);
            assert!(is_sent, "`{search}` is sent without `{}`: {}", self.filter, shown(request));
        }
    }

    /// Fails if a request of the search passes the filter's check.
    pub(super) fn assert_not_in(&self, requests: &[RecordedRequest], search: impl Display) {
        for request in requests {
            let is_sent = (self.is_sent)(request);
            assert!(!is_sent, "`{search}` is sent as `{}`: {}", self.filter, shown(request));
        }
    }
}

/// The filters that the backend applies.
pub(super) fn sent_filters(subject: &Subject) -> Vec<Sent<'_>> {
    let filters = subject.capabilities.filters.iter();
    let sent = filters.filter_map(|declared| match &declared.check {
        Check::Request(is_sent) => Some(Sent { filter: &declared.filter, is_sent: &*is_sent.0 }),
        Check::Document(_) => None,
    });
    sent.collect()
}

impl Wire {
    pub(super) async fn new(subject: &Subject) -> Self {
        let running = subject.holding(super::many(subject)).await;
        let max = subject.capabilities.many();
        Self { running, max, known: RefCell::default() }
    }

    pub(super) fn accepts_fixed(&self) -> bool {
        self.running.search.supports_fixed_filter()
    }

    /// Asks for one result, which takes one request.
    pub(super) async fn plain(&self) -> Rc<Asked> {
        self.once("no filter".to_owned(), SearchOptions::top(1)).await
    }

    pub(super) async fn first(&self, filter: Filter) -> Rc<Asked> {
        self.once(filter.to_string(), SearchOptions::top(1).with_filter(filter)).await
    }

    pub(super) async fn first_fixed(&self, fixed: &Filter, filter: &Filter) -> Rc<Asked> {
        let options = SearchOptions::top(1).with_fixed_filter(fixed.clone());
        self.once(format!("{fixed} (fixed), {filter}"), options.with_filter(filter.clone())).await
    }

    async fn once(&self, name: String, options: SearchOptions) -> Rc<Asked> {
        let known = self.known.borrow().get(&name).cloned();
        match known {
            Some(known) => known,
            None => {
                let asked = Rc::new(self.ask(QUERY, &options).await);
                self.known.borrow_mut().insert(name, Rc::clone(&asked));
                asked
            }
        }
    }

    /// Options that take several pages, if the backend has them.
    pub(super) fn all_pages(&self) -> SearchOptions {
        SearchOptions::top(self.max)
    }

    pub(super) async fn ask(&self, query: &str, options: &SearchOptions) -> Asked {
        let before = self.running.server().count();
        let result = self.running.try_results(query, options).await;
        let requests = self.running.requests().split_off(before);
        match result {
            Ok(_) if !requests.is_empty() => Asked::Sent(requests),
            Ok(results) => {
                assert!(results.is_empty(), "results without a request: {results:?}");
                Asked::Nothing
            }
            Err(error) => {
                let is_refusal = matches!(
                    error.kind(),
                    ErrorKind::UnsupportedFilter { .. } | ErrorKind::InvalidOptions { .. }
                );
                assert!(is_refusal, "{query:?} with {options:?} fails: {error:?}");
                assert!(requests.is_empty(), "{options:?} is refused after a request");
                Asked::Refused(error.to_string())
            }
        }
    }
}

/// Fails if the request equals that of one of the `others`, or one without a filter.
pub(super) async fn assert_differs(wire: &Wire, filter: &Filter, others: &[Filter]) {
    let Some(sent) = wire.first(filter.clone()).await.essence() else { return };
    assert_ne!(Some(&sent), wire.plain().await.essence().as_ref(), "`{filter}` is ignored");
    for other in others {
        if wire.first(other.clone()).await.essence().as_ref() == Some(&sent) {
            panic!("`{filter}` is sent as `{other}`: {sent:?}");
        }
    }
}

/// The words of a request with their parameters, in any order.
pub(super) fn words(request: &RecordedRequest) -> Vec<(String, String)> {
    let mut words = Vec::new();
    for (name, text) in request.texts() {
        let split = text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned);
        let signs = text.chars().filter(|c| "-!|<>".contains(*c)).map(String::from);
        let parts = split.filter(|word| !word.is_empty()).chain(signs);
        words.extend(parts.map(|part| (name.clone(), part)));
    }
    words.sort();
    words
}

/// Prints a request's parameters and body for messages.
pub(super) fn shown(request: &RecordedRequest) -> String {
    let texts = request.texts().into_iter().map(|(name, text)| format!("{name}={text}"));
    format!("{} with {}", request.path, texts.collect::<Vec<_>>().join(" & "))
}
