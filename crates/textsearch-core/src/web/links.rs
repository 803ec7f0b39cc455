//! Links of results against filters on sites.

use url::Url;

use super::{Site, sites::has_encoded_separator};
use crate::{
    Filter, SearchOptions,
    filter::{Comparison, FilterValue},
};

/// Returns whether a result with this link cannot match the filter, whatever else it holds.
///
/// Only comparisons of `site_fields` depend on the link. A text that is not a link lies in no site.
/// If the filter has such a comparison, these links contradict it, too:
///
/// - links whose scheme is neither `http` nor `https`, or whose host depends on the parser, such as
///   `https://docs.rs\@evil.example/`;
/// - links whose path may lead in or out of a folder in the filter, such as
///   `https://docs.rs/tokio/..%2fserde`: they count as outside wanted and inside unwanted folders.
///
/// ```
/// use textsearch_core::{Filter, web::contradicts};
///
/// let filter = Filter::eq("site", "docs.rs").and(Filter::eq("language", "de"));
/// assert!(contradicts(&filter, &["site"], "https://docs.rs.example/"));
/// assert!(!contradicts(&filter, &["site"], "https://www.docs.rs/"));
/// ```
pub fn contradicts(filter: &Filter, site_fields: &[&str], link: &str) -> bool {
    let url = Url::parse(link).ok();
    let is_unclear = url.as_ref().is_some_and(|url| !has_one_host(url, link));
    let mut fields = filter.fields();
    let contradicts = |lies_in_unclear| {
        let reading = Reading { site_fields, link: url.as_ref(), lies_in_unclear };
        reading.truth(filter) == Some(false)
    };
    (is_unclear && fields.any(|field| site_fields.contains(&field)))
        || contradicts(false)
        || (url.as_ref().is_some_and(|url| has_encoded_separator(url.path())) && contradicts(true))
}

/// Browsers read a backslash as a slash, drop line breaks and accept missing slashes; other parsers
/// do not.
fn has_one_host(url: &Url, link: &str) -> bool {
    let is_of_the_web = matches!(url.scheme(), "http" | "https");
    let after_scheme = link.trim().get(url.scheme().len()..).unwrap_or_default();
    let Some(rest) = after_scheme.strip_prefix("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_unclear = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
    is_of_the_web
        && !authority.is_empty()
        && !authority.contains(is_unclear)
        && authority.matches('@').count() < 2
}

/// Logs that a result was left out, without its link.
pub fn warn_left_out(connector: &str) {
    tracing::warn!(connector, "left out a result that contradicts the fixed filter");
}

/// Leaves out results that contradict the fixed filter: an engine may misread a query or ignore an
/// operator.
///
/// ```
/// use textsearch_core::{Filter, SearchOptions, web::FixedSites};
///
/// let options = SearchOptions::top(5).with_fixed_filter(Filter::eq("site", "docs.rs"));
/// let sites = FixedSites::new("example", &options, &["site"]);
/// let mut links = vec!["https://docs.rs/tokio", "https://elsewhere.example/"];
/// sites.retain(&mut links, |link| link);
/// assert_eq!(links, ["https://docs.rs/tokio"]);
/// ```
#[derive(Debug, Clone)]
pub struct FixedSites {
    /// The connector and the filter.
    filter: Option<(String, Filter)>,
    site_fields: &'static [&'static str],
    warns: bool,
}

impl FixedSites {
    /// Creates the check for the fixed filter of `options`; without one it keeps everything.
    pub fn new(
        connector: &str,
        options: &SearchOptions,
        site_fields: &'static [&'static str],
    ) -> Self {
        let filter = options.fixed_filter().map(|filter| (connector.to_owned(), filter.clone()));
        Self { filter, site_fields, warns: true }
    }

    /// Creates the check for the whole filter of `options`, with warnings only if a part is fixed.
    pub(super) fn of_whole_filter(
        connector: &str,
        options: &SearchOptions,
        site_fields: &'static [&'static str],
    ) -> Self {
        let filter = options.filter().map(|filter| (connector.to_owned(), filter.into_owned()));
        Self { filter, site_fields, warns: options.fixed_filter().is_some() }
    }

    /// Returns whether links can contradict the filter.
    pub(super) fn can_drop(&self) -> bool {
        let mut fields = self.filter.iter().flat_map(|(_, filter)| filter.fields());
        fields.any(|field| self.site_fields.contains(&field))
    }

    /// Keeps the records whose link does not contradict the filter, and [warns](warn_left_out) of
    /// each other one.
    pub fn retain<R>(&self, records: &mut Vec<R>, link: impl Fn(&R) -> &str) {
        let Some((connector, filter)) = &self.filter else { return };
        records.retain(|record| {
            let kept = !contradicts(filter, self.site_fields, link(record));
            if !kept && self.warns {
                warn_left_out(connector);
            }
            kept
        });
    }
}

#[derive(Clone, Copy)]
struct Reading<'a> {
    site_fields: &'a [&'a str],
    link: Option<&'a Url>,
    /// The link counts as inside a folder when parsers disagree.
    lies_in_unclear: bool,
}

impl Reading<'_> {
    /// `None` if the link does not decide it.
    fn truth(self, filter: &Filter) -> Option<bool> {
        let is_site = |field: &String| self.site_fields.contains(&field.as_str());
        match filter {
            Filter::Compare { field, operator: Comparison::Eq, value } if is_site(field) => {
                Some(self.lies_in(value))
            }
            Filter::Compare { field, operator: Comparison::Ne, value } if is_site(field) => {
                Some(!self.lies_in(value))
            }
            Filter::In { field, values } if is_site(field) => {
                Some(values.iter().any(|value| self.lies_in(value)))
            }
            Filter::And(filters) => self.all(filters, true),
            Filter::Or(filters) => self.all(filters, false),
            Filter::Not(inner) => self.truth(inner).map(|is_true| !is_true),
            _ => None,
        }
    }

    /// Returns `neutral` if all filters are, `!neutral` if any is, and `None` otherwise.
    fn all(self, filters: &[Filter], neutral: bool) -> Option<bool> {
        let mut truths = filters.iter().map(|filter| self.truth(filter));
        let folded = truths.try_fold(Some(neutral), |sum, truth| match truth {
            Some(truth) if truth != neutral => Err(truth),
            Some(_) => Ok(sum),
            None => Ok(None),
        });
        folded.unwrap_or_else(Some)
    }

    fn lies_in(self, value: &FilterValue) -> bool {
        let FilterValue::String(value) = value else { return false };
        let Ok(site) = Site::new("", "", value) else { return false };
        let holds = |link| site.holds(link).unwrap_or(self.lies_in_unclear);
        self.link.is_some_and(holds)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::{
        Event, Level, Subscriber,
        field::{Field, Visit},
    };
    use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt};

    use super::*;

    const FIELDS: &[&str] = &["site", "domain"];

    #[test]
    fn a_link_contradicts_a_filter_on_its_site_only() {
        let site = |site: &str| Filter::eq("site", site);
        let cases = [
            (site("docs.rs"), false),
            (site("DOCS.rs/tokio/"), false),
            (site("docs.rs/Tokio"), true),
            (site("docs.rs/tok"), true),
            (site("www.docs.rs"), true),
            (Filter::ne("domain", "docs.rs"), true),
            (Filter::is_in("site", ["a.com", "docs.rs"]), false),
            (Filter::is_in("site", ["a.com"]), true),
            (!Filter::is_in("site", ["a.com"]), false),
            (!site("a.com"), false),
            (!site("docs.rs"), true),
            (site("a.com").or(Filter::eq("ext", "pdf")), false),
            (site("a.com").and(Filter::eq("ext", "pdf")), true),
            (!site("a.com").and(Filter::eq("ext", "pdf")), false),
            (Filter::contains("site", "a.com"), false),
            (Filter::eq("ext", "pdf"), false),
            (Filter::all([]), false),
            (Filter::any([]), true),
        ];
        for (filter, expected) in cases {
            let link = "https://docs.rs/tokio/latest";
            assert_eq!(contradicts(&filter, FIELDS, link), expected, "{filter}");
        }
    }

    #[test]
    fn an_ambiguous_folder_fails_filters_on_folders() {
        let link = "https://docs.rs/tokio/..%2fserde";
        for (filter, expected) in [
            (Filter::eq("site", "docs.rs/tokio"), true),
            (Filter::ne("site", "docs.rs/serde"), true),
            (!Filter::is_in("site", ["docs.rs/serde"]), true),
            (Filter::eq("site", "docs.rs"), false),
            (Filter::ne("site", "crates.io/serde"), false),
            (Filter::eq("site", "docs.rs/tokio").or(Filter::eq("ext", "pdf")), false),
        ] {
            assert_eq!(contradicts(&filter, FIELDS, link), expected, "{filter}");
        }
    }

    #[test]
    fn text_that_is_no_link_lies_in_no_site() {
        assert!(contradicts(&Filter::eq("site", "docs.rs"), FIELDS, "no address"));
        assert!(!contradicts(&Filter::ne("site", "docs.rs"), FIELDS, "no address"));
    }

    #[test]
    fn an_ambiguous_host_fails_filters_on_sites() {
        for link in [
            "https://docs.rs\\@evil.example/",
            "https:\\\\docs.rs/",
            "https://evil.example@a@docs.rs/",
            "https://do\ncs.rs/",
            "https:docs.rs/?http://docs.rs/",
            "https:///docs.rs/",
            "javascript://docs.rs/%0aalert(1)",
            "ftp://docs.rs/",
        ] {
            for filter in [Filter::eq("site", "docs.rs"), Filter::ne("site", "evil.example")] {
                assert!(contradicts(&filter, FIELDS, link), "{link:?} {filter}");
            }
            assert!(!contradicts(&Filter::eq("ext", "pdf"), FIELDS, link), "{link:?}");
        }
        for link in [
            "HTTPS://docs.rs/",
            " https://docs.rs/",
            "https://docs.rs/a\\b c@d@e",
            "https://docs.rs?x=\\",
            "https://me@docs.rs/",
        ] {
            assert!(!contradicts(&Filter::eq("site", "docs.rs"), FIELDS, link), "{link:?}");
        }
    }

    #[test]
    fn a_dropped_result_is_logged_without_its_link() {
        let options = SearchOptions::top(9).with_fixed_filter(Filter::eq("site", "docs.rs"));
        let mut links = vec!["https://docs.rs/", "https://evil.example/", "https://b.example/"];
        // With a single subscriber, `tracing` asks only the first thread whether it wants an event,
        // which may be a concurrent test without a subscriber.
        let _other = tracing::Dispatch::new(tracing_subscriber::registry());
        let events = Events::default();
        let subscriber = tracing_subscriber::registry().with(events.clone());
        tracing::subscriber::with_default(subscriber, || {
            FixedSites::new("example", &options, FIELDS).retain(&mut links, |link| link);
        });
        let expected = "WARN message=left out a result that contradicts the fixed filter \
                        connector=\"example\"";
        assert_eq!(links, ["https://docs.rs/"]);
        assert_eq!(*events.0.lock().unwrap(), [expected, expected]);
    }

    #[test]
    fn without_a_fixed_filter_nothing_is_left_out() {
        let options = SearchOptions::top(9).with_filter(Filter::eq("site", "docs.rs"));
        let mut links = vec!["https://elsewhere.example/"];
        FixedSites::new("example", &options, FIELDS).retain(&mut links, |link| link);
        assert_eq!(links.len(), 1);
    }

    #[derive(Clone, Default)]
    struct Events(Arc<Mutex<Vec<String>>>);

    struct Text(String);

    impl<S: Subscriber> Layer<S> for Events {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            if *event.metadata().level() == Level::WARN {
                let mut text = Text("WARN".to_owned());
                event.record(&mut text);
                self.0.lock().unwrap().push(text.0);
            }
        }
    }

    impl Visit for Text {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            self.0 += &format!(" {}={value:?}", field.name());
        }
    }
}
