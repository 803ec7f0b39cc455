//! Foreign texts without secrets.

use std::ops::Range;

use ::http::{HeaderMap, HeaderValue};
use memchr::memmem;

use super::Secret;

const REPLACEMENT: &str = "***";

/// In characters.
pub(super) const LONGEST_EXCERPT: usize = 400;

/// The secrets of a request in all their spellings, longest first: removing a shorter secret that is
/// part of a longer one would leak the rest.
pub(super) struct Scrubber<'a>(Vec<&'a str>);

impl<'a> Scrubber<'a> {
    pub(super) fn new(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let spellings = secrets.into_iter().flat_map(Secret::spellings);
        let mut spellings: Vec<&str> = spellings.map(|spelling| spelling.as_str()).collect();
        spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        Self(spellings)
    }

    /// Replaces the secrets.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        self.scrubbed_until(text, text.len())
    }

    /// Also replaces a secret that crosses `text_end`.
    fn scrubbed_until(&self, text: &str, text_end: usize) -> String {
        let mut scrubbed = String::with_capacity(text.len());
        let mut position = 0;
        for Range { start, end } in self.ranges(text) {
            if start >= text_end {
                break;
            }
            if start >= position {
                scrubbed.push_str(text.get(position..start).unwrap_or_default());
                scrubbed.push_str(REPLACEMENT);
            }
            position = position.max(end);
        }
        scrubbed.push_str(text.get(position..text_end).unwrap_or_default());
        scrubbed
    }

    fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for secret in &self.0 {
            let starts = memmem::find_iter(text.as_bytes(), secret);
            ranges.extend(starts.map(|start| start..start + secret.len()));
        }
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    /// Responses keep their headers, unlike bodies in errors.
    pub(super) fn clean(&self, headers: &mut HeaderMap) {
        for value in headers.values_mut().filter(|value| self.is_in(value.as_bytes())) {
            let scrubbed = self.scrubbed(&String::from_utf8_lossy(value.as_bytes()));
            *value =
                HeaderValue::from_str(&scrubbed).unwrap_or(HeaderValue::from_static(REPLACEMENT));
        }
    }

    /// Allocates nothing: it runs for each header of each response.
    fn is_in(&self, text: &[u8]) -> bool {
        self.0.iter().any(|secret| memmem::find(text, secret.as_bytes()).is_some())
    }

    pub(super) fn finds_a_secret_in(&self, text: &str) -> bool {
        self.is_in(text.as_bytes())
    }

    /// Returns the beginning of a foreign text as a [`line`](Self::line). If the text `is_cut`, its
    /// end may be half a secret, and is left out.
    pub(super) fn excerpt(&self, body: &[u8], is_cut: bool) -> String {
        let text = String::from_utf8_lossy(body);
        let half = if is_cut { self.0.first().map_or(0, |longest| longest.len()) } else { 0 };
        let mut ends = (0..=text.len().saturating_sub(half)).rev();
        let end = ends.find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        shortened(&self.scrubbed_until(&text, end))
    }

    /// Returns a foreign message as one line, bounded in length and without secrets.
    pub(super) fn line(&self, text: &str) -> String {
        shortened(&self.scrubbed(text))
    }
}

/// Line breaks and control characters could forge log lines.
fn shortened(text: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    let mut words = text.split(is_gap).filter(|word| !word.is_empty());
    let mut line = String::new();
    // Reading stops soon after the limit: the text may be megabytes long.
    while let Some(word) = words.next().filter(|_| line.len() <= 4 * LONGEST_EXCERPT) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(LONGEST_EXCERPT) {
        Some((end, _)) => format!("{}…", line.split_at(end).0),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use ::http::HeaderName;
    use proptest::prelude::*;

    use super::*;

    fn secrets(secrets: &[&str]) -> Vec<Secret> {
        secrets.iter().map(|secret| Secret::from(*secret)).collect()
    }

    #[test]
    fn a_secret_is_removed_in_each_spelling() {
        let secrets = secrets(&["a\"b c/d&e"]);
        let scrubber = Scrubber::new(&secrets);
        for echoed in [
            "a\"b c/d&e",
            r#"a\"b c/d&e"#,
            r#"a\"b c\/d&e"#,
            "a%22b+c%2Fd%26e",
            "a%22b%20c%2Fd%26e",
            "a%22b%20c%2fd%26e",
        ] {
            assert_eq!(scrubber.scrubbed(&format!("key {echoed}!")), "key ***!", "{echoed}");
        }
    }

    #[test]
    fn a_secret_of_few_letters_leaves_errors_readable() {
        let secrets = secrets(&["e", "abc", "Basic e"]);
        assert_eq!(Scrubber::new(&secrets).scrubbed("no answer, abc"), "no answer, abc");
    }

    #[test]
    fn a_secret_that_holds_another_is_removed_whole() {
        let secrets = secrets(&["inner", "an-inner-one"]);
        let scrubber = Scrubber::new(&secrets);
        assert_eq!(scrubber.scrubbed("an-inner-one, inner"), "***, ***");
    }

    #[test]
    fn credentials_are_removed_without_their_scheme_too() {
        let secrets = secrets(&["Basic c2VzYW1l"]);
        let scrubber = Scrubber::new(&secrets);
        assert_eq!(scrubber.scrubbed("no user c2VzYW1l, Basic c2VzYW1l"), "no user ***, ***");
    }

    #[test]
    fn headers_lose_the_secret_and_keep_the_rest() {
        let headers = [("x-id", "for sesame: 4"), ("x-key", "sesame"), ("x-limit", "50")];
        let header =
            |(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let mut headers: HeaderMap = headers.into_iter().map(header).collect();
        Scrubber::new(&secrets(&["sesame"])).clean(&mut headers);
        assert_eq!(
            [&headers["x-id"], &headers["x-key"], &headers["x-limit"]],
            ["for ***: 4", "***", "50"]
        );
    }

    #[test]
    fn an_empty_secret_removes_nothing() {
        assert_eq!(Scrubber::new(&secrets(&[""])).scrubbed("text"), "text");
    }

    #[test]
    fn an_excerpt_is_one_line_of_bounded_length() {
        let secrets = secrets(&[]);
        let scrubber = Scrubber::new(&secrets);
        assert_eq!(scrubber.excerpt(b"  a\r\n\tb\x1b[31m  c\xff", false), "a b [31m c\u{fffd}");
        let long = scrubber.excerpt("é ".repeat(1000).as_bytes(), false);
        assert_eq!(long.chars().count(), LONGEST_EXCERPT + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn a_secret_cut_at_the_end_is_removed() {
        let secrets = secrets(&["0123456789"]);
        let scrubber = Scrubber::new(&secrets);
        assert_eq!(scrubber.excerpt(b"the key is 012345678", true), "the key is");
        assert_eq!(scrubber.excerpt(b"not cut 012345678", false), "not cut 012345678");
    }

    proptest! {
        #[test]
        fn no_excerpt_holds_a_secret(
            secret in "[A-Za-z0-9+/=&\" ]{6,60}",
            before in "\\PC{0,500}",
            after in "\\PC{0,50}",
            cut in 0_usize..80,
        ) {
            let secrets = secrets(&[&secret]);
        let scrubber = Scrubber::new(&secrets);
            let text = format!("{before}{secret}{after}");
            let excerpt = scrubber.excerpt(text.as_bytes(), false);
            prop_assert!(!excerpt.contains(&secret));
            let end = text.len().saturating_sub(cut);
            let half = scrubber.excerpt(&text.as_bytes()[..end], true);
            prop_assert!(!half.contains(&secret[..5]) || before.contains(&secret[..5]));
        }
    }
}
