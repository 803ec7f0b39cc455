//! Normalizes links for comparison.

use std::collections::HashMap;

use url::Url;

use crate::citations::Sources;

pub(super) struct KnownLinks {
    /// By page and part.
    parts: HashMap<(String, String), Vec<usize>>,
    /// By page. The whole page takes precedence over its parts.
    pages: HashMap<String, Vec<usize>>,
}

impl KnownLinks {
    pub(super) fn new(sources: &Sources) -> Self {
        let mut known = Self { parts: HashMap::new(), pages: HashMap::new() };
        let links = sources.iter().filter_map(|source| {
            let (page, part) = normal_form(source.link.as_deref()?)?;
            Some((page, part, source.number))
        });
        let (wholes, parts): (Vec<_>, Vec<_>) = links.partition(|(_, part, _)| part.is_empty());
        for (page, part, number) in wholes.into_iter().chain(parts) {
            known.pages.entry(page.clone()).or_default().push(number);
            known.parts.entry((page, part)).or_default().push(number);
        }
        known
    }

    pub(super) fn source_of(&self, link: &str) -> Option<usize> {
        self.sources_of(link).first().copied()
    }

    /// Returns all sources with the same page and part, else with the same page.
    pub(super) fn sources_of(&self, link: &str) -> &[usize] {
        let Some(link) = normal_form(link) else { return &[] };
        self.parts.get(&link).or_else(|| self.pages.get(&link.0)).map_or(&[], Vec::as_slice)
    }
}

/// The page that a link leads to, and the part of it, which may be empty. `None` if the link is
/// empty, or a browser runs it or shows it in place of a page.
fn normal_form(link: &str) -> Option<(String, String)> {
    // Browsers remove only these; other white space is part of the URL, and may carry data.
    let link = link.trim_matches(|character: char| character <= ' ');
    if link.contains(|character: char| character.is_whitespace() && !character.is_ascii()) {
        return None;
    }
    let (page, part) = match Url::parse(link) {
        Ok(url) if matches!(url.scheme(), "javascript" | "vbscript" | "data") => return None,
        Ok(url) if matches!(url.scheme(), "http" | "https") => web_page(url),
        _ => {
            let (path, part) = link.split_once('#').unwrap_or((link, ""));
            (without_slash(path.strip_prefix("./").unwrap_or(path)).to_owned(), part.to_owned())
        }
    };
    Some((page, part)).filter(|(page, _)| !page.is_empty())
}

fn web_page(mut url: Url) -> (String, String) {
    let part = url.fragment().unwrap_or_default().to_owned();
    url.set_fragment(None);
    let path = without_slash(url.path()).to_owned();
    url.set_path(&path);
    // Keep the text before the host: `https://known.example@evil.example` is a page of the latter.
    let address = url.as_str().split_once(':').map_or("", |(_, address)| address);
    let page = match url.query() {
        _ if !path.is_empty() => address.to_owned(),
        // The root always keeps its slash.
        None => without_slash(address).to_owned(),
        Some(_) => address.replacen("/?", "?", 1),
    };
    (page, part)
}

fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(link: &str) -> Option<String> {
        normal_form(link).map(|(page, _)| page)
    }

    #[test]
    fn ignores_differences_that_lead_to_the_same_page() {
        let same = [
            "https://example.com/a/b?q=1",
            "http://EXAMPLE.com/a/b?q=1",
            "HTTPS://example.com:443/a/b/?q=1#part",
            " https://example.com/a/./b/?q=1 ",
        ];
        for link in same {
            assert_eq!(page(link).as_deref(), Some("//example.com/a/b?q=1"), "{link}");
        }
        assert_eq!(page("https://example.com"), page("https://example.com/#top"));
        assert_eq!(page("https://example.com/?a=1"), page("https://example.com?a=1"));
        assert_eq!(page("./docs/a.md#b").as_deref(), Some("docs/a.md"));
    }

    #[test]
    fn distinguishes_different_pages() {
        let different = [
            "https://example.com/a",
            "https://example.com/A",
            "https://example.com/a?q=1",
            "https://www.example.com/a",
            "https://example.com:8443/a",
            "https://example.com@evil.example/a",
            "https://user@example.com/a",
            "ftp://example.com/a",
            "https://example.com/a//",
            "https://example.com/a?q=/?1",
            "https://example.com/a?q=?1",
        ];
        for (position, link) in different.iter().enumerate() {
            for other in different.get(position + 1..).unwrap() {
                assert_ne!(normal_form(link), normal_form(other));
            }
        }
    }

    #[test]
    fn rejects_links_that_lead_to_no_page() {
        let none =
            ["", " ", "/", "./", "#part", "javascript:a()", "JAVA\tscript:a()", "data:text/html,a"];
        for link in none {
            assert_eq!(normal_form(link), None, "{link}");
        }
    }
}
