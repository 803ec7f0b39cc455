//! Links in the form in which they are compared.

use std::collections::HashMap;

use url::Url;

use crate::Sources;

/// The sources by their links.
pub(super) struct KnownLinks {
    numbers: HashMap<String, usize>,
}

impl KnownLinks {
    pub(super) fn new(sources: &Sources) -> Self {
        let mut numbers = HashMap::new();
        for source in sources.iter() {
            if let Some(link) = source.link.as_deref().and_then(normal_form) {
                numbers.entry(link).or_insert(source.number);
            }
        }
        Self { numbers }
    }

    pub(super) fn source_of(&self, link: &str) -> Option<usize> {
        self.numbers.get(&normal_form(link)?).copied()
    }
}

/// `None` for what leads to no page: nothing at all, and what a browser runs or shows in place of a page.
fn normal_form(link: &str) -> Option<String> {
    let link = link.trim();
    let normal = match Url::parse(link) {
        Ok(url) if matches!(url.scheme(), "javascript" | "vbscript" | "data") => return None,
        Ok(mut url) if matches!(url.scheme(), "http" | "https") => {
            url.set_fragment(None);
            let path = without_slash(url.path()).to_owned();
            url.set_path(&path);
            // What is before the host stays: `https://known.example@evil.example` is a page of the latter.
            let address = url.as_str().split_once(':').map_or("", |(_, address)| address);
            match url.query() {
                _ if !path.is_empty() => address.to_owned(),
                // The root keeps its slash, whatever is set.
                None => without_slash(address).to_owned(),
                Some(_) => address.replacen("/?", "?", 1),
            }
        }
        _ => {
            let path = link.split_once('#').map_or(link, |(path, _)| path);
            without_slash(path.strip_prefix("./").unwrap_or(path)).to_owned()
        }
    };
    Some(normal).filter(|normal| !normal.is_empty())
}

fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_other_page_makes_no_difference() {
        let same = [
            "https://example.com/a/b?q=1",
            "http://EXAMPLE.com/a/b?q=1",
            "HTTPS://example.com:443/a/b/?q=1#part",
            " https://example.com/a/./b/?q=1 ",
        ];
        for link in same {
            assert_eq!(normal_form(link).as_deref(), Some("//example.com/a/b?q=1"), "{link}");
        }
        assert_eq!(normal_form("https://example.com"), normal_form("https://example.com/#top"));
        assert_eq!(normal_form("https://example.com/?a=1"), normal_form("https://example.com?a=1"));
        assert_eq!(normal_form("./docs/a.md#b").as_deref(), Some("docs/a.md"));
    }

    #[test]
    fn what_makes_another_page_makes_a_difference() {
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
        for (position, one) in different.iter().enumerate() {
            for other in different.get(position + 1..).unwrap() {
                assert_ne!(normal_form(one), normal_form(other));
            }
        }
    }

    #[test]
    fn what_is_no_page_has_no_form() {
        let none =
            ["", " ", "/", "./", "#part", "javascript:a()", "JAVA\tscript:a()", "data:text/html,a"];
        for link in none {
            assert_eq!(normal_form(link), None, "{link}");
        }
    }
}
