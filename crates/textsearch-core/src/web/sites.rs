//! Sites in filters.

use std::{borrow::Cow, fmt};

use percent_encoding::percent_decode_str;
use url::Url;

use super::{Condition, valid};
use crate::{Error, Result};

/// Maximum length of a host name.
const LONGEST: usize = 253;

/// A site in a filter: a domain with its subdomains, or a folder of them.
///
/// It is written as in links, with Punycode for non-ASCII letters in a host. It holds nothing that
/// can become an operator of a query.
///
/// Hosts ignore case, folders don't. An encoded letter is the letter: `/%64ocs` is `/docs`. Servers
/// disagree about an encoded slash or backslash, so no site has one, and a link with one lies in no
/// folder.
///
/// ```
/// use textsearch_core::{http::Url, web::Site};
///
/// let site = Site::new("example", "site", "Bücher.example/neu/")?;
/// assert_eq!(site.to_string(), "xn--bcher-kva.example/neu");
/// assert!(site.contains(&Url::parse("https://www.xn--bcher-kva.example/neu/1").unwrap()));
/// assert!(Site::new("example", "site", "a.com OR site:b.com").is_err());
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    host: String,
    /// Empty, or with a slash at its beginning only.
    folder: String,
}

impl Site {
    /// Parses a domain with or without a folder, such as `docs.rs` or `docs.rs/tokio`.
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming `option`, for any other text.
    pub fn new(connector: &str, option: &str, value: &str) -> Result<Self> {
        Self::read(value).ok_or_else(|| {
            let allowed = "a domain such as docs.rs, or one with a folder";
            Error::invalid_options(connector, option, format!("`{value}`"), allowed)
        })
    }

    /// Parses a domain such as `docs.rs`, for engines without folders.
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming `option`, for any other text.
    pub fn domain(connector: &str, option: &str, value: &str) -> Result<Self> {
        let site = Self::read(value).filter(|site| site.folder.is_empty());
        site.ok_or_else(|| {
            let allowed = "the domain of a site, such as docs.rs";
            Error::invalid_options(connector, option, format!("`{value}`"), allowed)
        })
    }

    /// Returns sites as texts, for engines that take a list of them.
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming `site`, for more than `max`.
    pub fn names(connector: &str, sites: &[Self], max: usize) -> Result<Vec<String>> {
        let value = format!("{} sites", sites.len());
        valid(connector, "site", value, sites.len() <= max, &format!("at most {max}"))?;
        Ok(sites.iter().map(Self::to_string).collect())
    }

    /// Returns whether the link lies in the site, for every parser.
    pub fn contains(&self, link: &Url) -> bool {
        self.holds(link) == Some(true)
    }

    /// `None` if parsers disagree whether the link is in the folder.
    pub(super) fn holds(&self, link: &Url) -> Option<bool> {
        let Some(host) = link.host_str() else { return Some(false) };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if !is_below(&host, &self.host) {
            return Some(false);
        }
        if !self.folder.is_empty() && has_encoded_separator(link.path()) {
            return None;
        }
        Some(is_in_folder(link.path(), &self.folder))
    }

    /// Returns whether every link in this site also lies in the other.
    fn is_within(&self, other: &Self) -> bool {
        is_below(&self.host, &other.host) && is_in_folder(&self.folder, &other.folder)
    }

    fn read(value: &str) -> Option<Self> {
        let (host, folder) = match value.trim().split_once('/') {
            Some((host, folder)) => (host, folder),
            None => (value.trim(), ""),
        };
        let is_plain = |c: char| c.is_alphanumeric() || "-._/~%".contains(c);
        if !folder.chars().all(is_plain) || has_encoded_separator(folder) {
            return None;
        }
        if !host.trim_end_matches('.').split('.').all(is_label) {
            return None;
        }
        // Parsed as a URL, so that it has the form of links.
        let url = Url::parse(&format!("https://{host}/{folder}")).ok()?;
        let host = url.host_str()?.trim_end_matches('.').to_owned();
        let folder = url.path().trim_end_matches('/').to_owned();
        (host.len() <= LONGEST && host.split('.').all(is_label)).then_some(Self { host, folder })
    }
}

impl fmt::Display for Site {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.host, self.folder)
    }
}

fn is_label(label: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
    !label.is_empty() && !label.starts_with('-') && label.chars().all(is_plain)
}

fn is_below(host: &str, domain: &str) -> bool {
    let before = host.strip_suffix(domain);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Both paths come from parsed URLs, which resolve `..` however it was encoded.
fn is_in_folder(path: &str, folder: &str) -> bool {
    let path = decoded(path);
    let folder = decoded(folder);
    let rest = path.strip_prefix(&*folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

fn decoded(path: &str) -> Cow<'_, [u8]> {
    percent_decode_str(path).into()
}

/// Servers may disagree about a slash in such a path, as in `/docs/..%2fprivate`.
pub(super) fn has_encoded_separator(path: &str) -> bool {
    let mut encoded = path.split('%').skip(1).filter_map(|rest| rest.get(..2));
    encoded.any(|code| code.eq_ignore_ascii_case("2f") || code.eq_ignore_ascii_case("5c"))
}

/// The sites to search and to leave out.
///
/// ```
/// use textsearch_core::web::{Site, Sites};
///
/// let site = |name| Site::domain("example", "site", name);
/// let mut sites = Sites::new(vec![site("docs.rs")?, site("rs")?], vec![]);
/// sites.narrow(vec![site("crates.io")?, site("old.docs.rs")?], false);
/// assert_eq!(sites.included.unwrap(), [site("old.docs.rs")?]);
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sites {
    /// The sites to search: `None` is the whole web, an empty list nothing.
    pub included: Option<Vec<Site>>,
    /// The sites to leave out.
    pub excluded: Vec<Site>,
}

impl Sites {
    /// Creates the sites from settings; an empty `included` means all sites.
    pub fn new(included: Vec<Site>, excluded: Vec<Site>) -> Self {
        Self { included: Some(included).filter(|sites| !sites.is_empty()), excluded }
    }

    /// Narrows the search to links in one of `sites`, or in none if `negated`.
    pub fn narrow(&mut self, sites: Vec<Site>, negated: bool) {
        if negated {
            self.excluded.extend(sites);
        } else {
            self.included = Some(match self.included.take() {
                Some(included) => in_both(&included, &sites),
                None => sites,
            });
        }
    }

    /// As [`narrow`](Self::narrow), by a condition on domains.
    ///
    /// # Errors
    /// As [`Site::domain`], and [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) for
    /// another operator than `Eq`, `Ne` and `In`.
    pub fn narrow_by(&mut self, connector: &str, condition: &Condition) -> Result<()> {
        condition.equality()?;
        let sites = condition.values.iter();
        let sites = sites.map(|value| Site::domain(connector, &condition.field, value));
        self.narrow(sites.collect::<Result<_>>()?, condition.negated);
        Ok(())
    }

    /// Returns whether no site is left.
    pub fn are_none(&self) -> bool {
        self.included.as_ref().is_some_and(Vec::is_empty)
    }
}

/// Keeps the narrower site of each pair in which one is within the other.
fn in_both(left: &[Site], right: &[Site]) -> Vec<Site> {
    let mut both: Vec<Site> = Vec::new();
    for (first, second) in
        left.iter().flat_map(|first| right.iter().map(move |second| (first, second)))
    {
        let narrower = match (first.is_within(second), second.is_within(first)) {
            (true, _) => first,
            (_, true) => second,
            _ => continue,
        };
        if !both.contains(narrower) {
            both.push(narrower.clone());
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn site(value: &str) -> Site {
        Site::new("example", "site", value).unwrap()
    }

    fn names(sites: Option<Vec<Site>>) -> Vec<String> {
        sites.unwrap().iter().map(Site::to_string).collect()
    }

    #[test]
    fn a_site_is_written_as_links_write_it() {
        let cases = [
            ("Docs.RS", "docs.rs"),
            (" docs.rs. ", "docs.rs"),
            ("docs.rs/", "docs.rs"),
            ("docs.rs/Tokio/", "docs.rs/Tokio"),
            ("docs.rs/a/../b", "docs.rs/b"),
            ("bücher.example/über", "xn--bcher-kva.example/%C3%BCber"),
            ("_a.b-c.example", "_a.b-c.example"),
            ("com", "com"),
        ];
        for (value, expected) in cases {
            assert_eq!(site(value).to_string(), expected);
        }
    }

    #[test]
    fn ambiguous_text_is_no_site() {
        let long = format!("{}.com", "a".repeat(250));
        let hostile = [
            "",
            " ",
            ".",
            "-a.com",
            "a.-b.com",
            "a..com",
            "a b",
            "a.com OR site:b.com",
            "a.com\"",
            "a.com:80",
            "me@a.com",
            "https://a.com",
            "a.com/?x",
            "a.com/b c",
            "a.com/(b)",
            "/a",
            "[::1]",
            "a,b",
            "!a.com",
            "a.com/b#c",
            "a.com/b%2fc",
            "a.com/b%5Cc",
            "ａ．ｂ",
            &long,
        ];
        for value in hostile {
            assert!(Site::new("example", "site", value).is_err(), "{value}");
        }
        let error = Site::domain("example", "site", "a.com/folder").unwrap_err();
        let expected =
            "example: `site` is `a.com/folder`; expected the domain of a site, such as docs.rs";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_link_lies_in_a_site_by_host_and_folder() {
        let cases = [
            ("docs.rs", "https://docs.rs/a", true),
            ("docs.rs", "https://DOCS.rs:8443/", true),
            ("docs.rs", "https://blog.docs.rs./c", true),
            ("docs.rs", "https://notdocs.rs/", false),
            ("docs.rs", "https://docs.rs.evil.example/", false),
            ("docs.rs", "https://docs.rs@evil.example/docs.rs", false),
            ("docs.rs", "other://DOCS.rs/", true),
            ("docs.rs", "mailto:me@docs.rs", false),
            ("docs.rs/tokio", "https://docs.rs/tokio", true),
            ("DOCS.rs/tokio", "https://docs.RS/tokio/", true),
            ("docs.rs/tokio", "https://docs.rs/tokio-util", false),
            ("docs.rs/tokio", "https://docs.rs/tokio/../serde", false),
            ("docs.rs/über", "https://docs.rs/%c3%bcber/1", true),
        ];
        assert_contained(&cases);
    }

    fn assert_contained(cases: &[(&str, &str, bool)]) {
        for (name, link, expected) in cases {
            assert_eq!(site(name).contains(&Url::parse(link).unwrap()), *expected, "{name} {link}");
        }
    }

    #[test]
    fn folders_differ_in_case() {
        assert_contained(&[
            ("docs.rs/tokio", "https://docs.rs/Tokio", false),
            ("docs.rs/Tokio", "https://docs.rs/tokio/1", false),
            ("docs.rs/Tokio", "https://docs.rs/Tokio/1", true),
        ]);
        assert!(!site("docs.rs/Tokio/latest").is_within(&site("docs.rs/tokio")));
    }

    #[test]
    fn encoded_letters_and_dots_are_decoded_in_paths() {
        assert_contained(&[
            ("docs.rs/tokio", "https://docs.rs/%74okio/latest", true),
            ("docs.rs/%74okio", "https://docs.rs/tokio", true),
            ("docs.rs/tokio", "https://docs.rs/tokio%2e/latest", false),
            ("docs.rs/tokio", "https://docs.rs/tokio/%2e%2E/serde", false),
            ("docs.rs/tokio", "https://docs.rs/%2574okio", false),
        ]);
    }

    #[test]
    fn an_encoded_separator_matches_no_folder() {
        assert_contained(&[
            ("docs.rs/tokio", "https://docs.rs/tokio%2flatest", false),
            ("docs.rs/tokio", "https://docs.rs/tokio/..%2Fserde", false),
            ("docs.rs/tokio", "https://docs.rs/tokio/..%5cserde", false),
            ("docs.rs/tokio", "https://docs.rs/tokio/a?path=b%2fc", true),
            ("docs.rs", "https://docs.rs/tokio%2flatest", true),
        ]);
    }

    #[test]
    fn of_several_conditions_the_narrowest_sites_are_left() {
        let list = |values: &[&str]| values.iter().map(|value| site(value)).collect::<Vec<_>>();
        let mut sites = Sites::default();
        sites.narrow(list(&["rs", "crates.io", "docs.rs"]), false);
        sites.narrow(list(&["docs.rs", "example.com"]), false);
        sites.narrow(list(&["old.docs.rs"]), true);
        assert_eq!(names(sites.included.clone()), ["docs.rs"]);
        assert_eq!(sites.excluded, list(&["old.docs.rs"]));
        sites.narrow(list(&["docs.rs/tokio"]), false);
        assert_eq!(names(sites.included.clone()), ["docs.rs/tokio"]);
        sites.narrow(list(&["example.com"]), false);
        assert!(sites.are_none());
    }

    proptest! {
        #[test]
        fn a_site_is_one_word_without_operators(value in "(\\PC|a|\\.|/|site:| |\"|-|\\|){0,20}") {
            if let Ok(site) = Site::new("example", "site", &value) {
                let text = site.to_string();
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/~%".contains(c);
                prop_assert!(text.chars().all(is_plain) && !text.starts_with('-'), "{}", text);
                prop_assert_eq!(Site::new("example", "site", &text).unwrap(), site);
            }
        }
    }
}
