//! Reads where a page leads, for crawlers.

use std::convert::Infallible;

use html5gum::{
    Span, Tokenizer,
    emitters::callback::{CallbackEmitter, CallbackEvent},
};

/// Maximum number of links that are read from a page.
const MAX_LINKS: usize = 10_000;

/// The links of a page, and what crawlers may do with it. URLs are as written, and may be relative.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLinks {
    /// The base of relative URLs, itself relative to the URL of the page.
    pub base: Option<String>,
    /// The canonical URL of the page.
    pub canonical: Option<String>,
    /// The targets of `a` and `area`, without those marked `nofollow`. At most 10,000.
    pub links: Vec<String>,
    /// Whether the page may be indexed.
    pub may_index: bool,
    /// Whether its links may be followed.
    pub may_follow: bool,
}

impl Default for PageLinks {
    /// Returns no links; a page without directives allows everything.
    fn default() -> Self {
        let links = Vec::new();
        Self { base: None, canonical: None, links, may_index: true, may_follow: true }
    }
}

impl PageLinks {
    /// Reads the links of a page, those of hidden parts and navigation, too. Takes linear time.
    ///
    /// ```
    /// use textsearch_html::PageLinks;
    ///
    /// let page = "<link rel=canonical href=/a><nav><a href='b?x&amp;y'>B</a></nav><meta name=robots content=noindex>";
    /// let page = PageLinks::read(page);
    /// assert_eq!(page.canonical.as_deref(), Some("/a"));
    /// assert_eq!(page.links, ["b?x&y"]);
    /// assert!(!page.may_index && page.may_follow);
    /// ```
    pub fn read(html: &str) -> Self {
        let mut page = Self::default();
        let mut tag = Tag::default();
        let read = |event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
            match event {
                CallbackEvent::OpenStartTag { name } => tag = Tag::named(name),
                CallbackEvent::AttributeName { name } => tag.attribute = name.to_vec(),
                CallbackEvent::AttributeValue { value } => tag.set(value),
                CallbackEvent::CloseStartTag { .. } => page.take(std::mem::take(&mut tag)),
                _ => {}
            }
            None
        };
        let mut emitter = CallbackEmitter::new(read);
        // Scripts and styles are no markup.
        emitter.naively_switch_states(true);
        let html = html.strip_prefix('\u{feff}').unwrap_or(html);
        Tokenizer::new_with_emitter(html, emitter).for_each(drop);
        page
    }

    /// Applies directives such as `noindex, nofollow`, of `<meta name=robots>` or the header `X-Robots-Tag`.
    pub fn restrict(&mut self, directives: &str) {
        for directive in directives.split(',').map(|word| word.trim().to_ascii_lowercase()) {
            self.may_index &= !matches!(directive.as_str(), "noindex" | "none");
            self.may_follow &= !matches!(directive.as_str(), "nofollow" | "none");
        }
    }

    fn take(&mut self, tag: Tag) {
        let has_rel = |word| tag.rel.split_ascii_whitespace().any(|own| own == word);
        let target = tag.href.map(|href| href.trim().to_owned()).filter(|href| !href.is_empty());
        match tag.name.as_slice() {
            b"a" | b"area" if self.links.len() < MAX_LINKS && !has_rel("nofollow") => {
                self.links.extend(target);
            }
            b"base" if self.base.is_none() => self.base = target,
            b"link" if self.canonical.is_none() && has_rel("canonical") => self.canonical = target,
            b"meta" if tag.meta == "robots" => self.restrict(&tag.content),
            _ => {}
        }
    }
}

/// An open start tag.
#[derive(Default)]
struct Tag {
    name: Vec<u8>,
    /// The name of the last attribute.
    attribute: Vec<u8>,
    href: Option<String>,
    rel: String,
    meta: String,
    content: String,
}

impl Tag {
    fn named(name: &[u8]) -> Self {
        Self { name: name.to_vec(), ..Self::default() }
    }

    fn set(&mut self, value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        match self.attribute.as_slice() {
            // Of several attributes with one name, the first counts.
            b"href" if self.href.is_none() => self.href = Some(value.into_owned()),
            b"rel" => self.rel = value.to_ascii_lowercase(),
            b"name" => self.meta = value.trim().to_ascii_lowercase(),
            b"content" => self.content = value.into_owned(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<String> {
        PageLinks::read(html).links
    }

    #[test]
    fn links_are_read_as_browsers_read_them() {
        assert_eq!(links("<A HREF=a>A</A><area href=' b '><a href>x<a name=c>"), ["a", "b"]);
        assert_eq!(links("<!-- <a href=a> --><script>'<a href=b>'</script><a href=c>"), ["c"]);
        assert_eq!(links("<a href=a href=b><div hidden><a href='c'>"), ["a", "c"]);
    }

    #[test]
    fn nofollow_links_are_left_out() {
        assert_eq!(links("<a rel='noopener NoFollow' href=a><a rel=next href=b>"), ["b"]);
    }

    #[test]
    fn first_base_and_canonical_count() {
        let page = "<base href=/x/><base href=/y/><link rel='Canonical' href=a><link rel=canonical href=b>";
        let page = PageLinks::read(page);
        assert_eq!(page.base.as_deref(), Some("/x/"));
        assert_eq!(page.canonical.as_deref(), Some("a"));
    }

    #[test]
    fn robots_directives_restrict_the_page() {
        let page = PageLinks::read("<meta name=ROBOTS content='max-snippet:1, NOINDEX'>");
        assert!(!page.may_index && page.may_follow);
        let page = PageLinks::read("<meta content=none name=robots><meta name=author content=x>");
        assert!(!page.may_index && !page.may_follow);
        let page = PageLinks::read("<meta name=googlebot content=noindex>");
        assert!(page.may_index && page.may_follow);
    }
}
