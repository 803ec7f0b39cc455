//! Foreign texts without secrets.

use std::ops::Range;

use ::http::{HeaderMap, HeaderValue};
use memchr::memmem;
use zeroize::Zeroizing;

use super::{
    Secret,
    unescape::{LONGEST_ESCAPE, Unescaped, starts_escape},
};

const REPLACEMENT: &str = "***";

/// In characters.
pub(super) const LONGEST_EXCERPT: usize = 400;

/// Shorter credentials occur in other texts.
const SHORTEST_CREDENTIALS: usize = 6;

/// Shorter secrets occur in too many other texts.
const SHORTEST_SECRET: usize = 4;

/// Number of unescaping passes: a page may quote JSON that quotes a URL.
const LAYERS: usize = 4;

/// The secrets of a request, without escapes.
pub(super) struct Scrubber<'a>(Vec<&'a str>);

fn is_in(secret: &str, text: &[u8]) -> bool {
    memmem::find(text, secret.as_bytes()).is_some()
}

impl<'a> Scrubber<'a> {
    pub(super) fn new(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let spellings = secrets.into_iter().flat_map(Secret::spellings);
        let mut spellings: Vec<&str> = spellings.map(|spelling| spelling.as_str()).collect();
        // Longest first: removing a shorter secret that is part of a longer one would leak the
        // rest.
        spellings.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        spellings.dedup();
        Self(spellings)
    }

    /// Removes the secrets, however they are escaped.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        self.scrubbed_until(text, text.len())
    }

    /// Also removes a secret that crosses `text_end`.
    fn scrubbed_until(&self, text: &str, text_end: usize) -> String {
        let mut scrubbed = String::with_capacity(text.len());
        let mut position = 0;
        for Range { start, end } in self.found(text) {
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

    fn found(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if !self.0.is_empty() {
            for layer in layers(text) {
                for secret in &self.0 {
                    let starts = memmem::find_iter(&layer.bytes, secret.as_bytes());
                    let ranges = starts.map(|start| start..start + secret.len());
                    found.extend(ranges.map(|one| {
                        let (start, end) = (layer.start(one.start), layer.start(one.end));
                        // The layer leaves out control characters: the next text begins after them.
                        let whole = text.get(start..end).unwrap_or_default();
                        start..start + whole.trim_end_matches(char::is_control).len()
                    }));
                }
            }
        }
        found.sort_by_key(|range| range.start);
        found
    }

    /// Responses keep their headers, unlike bodies in errors.
    pub(super) fn clean(&self, headers: &mut HeaderMap) {
        for value in headers.values_mut().filter(|value| self.may_be_in(value.as_bytes())) {
            let text = String::from_utf8_lossy(value.as_bytes());
            if self.finds_a_secret_in(&text) {
                let scrubbed = HeaderValue::from_str(&self.scrubbed(&text));
                *value = scrubbed.unwrap_or(HeaderValue::from_static(REPLACEMENT));
            }
        }
    }

    /// Returns whether the text holds a secret, an escape that may encode part of one, or a control
    /// character that may split one. Allocates nothing: it runs for each header of each response.
    fn may_be_in(&self, text: &[u8]) -> bool {
        let may_hide = |byte: &u8| starts_escape(*byte) || byte.is_ascii_control() || *byte == 0xC2;
        self.0.iter().any(|secret| is_in(secret, text))
            || (!self.0.is_empty() && text.iter().any(may_hide))
    }

    pub(super) fn finds_a_secret_in(&self, text: &str) -> bool {
        !self.found(text).is_empty()
    }

    /// Returns the beginning of a foreign text as a [`line`](Self::line). If the text `is_cut`, its
    /// end may be half a secret, and is left out.
    pub(super) fn excerpt(&self, body: &[u8], is_cut: bool) -> String {
        let text = String::from_utf8_lossy(body);
        let end = if is_cut { self.safe_end(&text) } else { text.len() };
        shortened(&self.scrubbed_until(&text, beginning(&text, end).len()))
    }

    /// Returns where to cut a text so that it does not end within a secret.
    fn safe_end(&self, text: &str) -> usize {
        let longest = self.0.first().map_or(0, |longest| longest.len());
        let ends = layers(text).map(|layer| {
            // An escape may be cut, too.
            let last = layer.bytes.iter().rev().take(LONGEST_ESCAPE);
            let half_escape = last.into_iter().position(|byte| starts_escape(*byte));
            let left_out = longest + half_escape.map_or(0, |place| place + 1);
            layer.start(layer.bytes.len().saturating_sub(left_out))
        });
        ends.min().unwrap_or_default()
    }

    /// Returns a foreign message as one line, bounded in length and without secrets.
    pub(super) fn line(&self, text: &str) -> String {
        shortened(&self.scrubbed(text))
    }
}

/// Adds the credentials of a secret with a scheme, such as `Basic c2VzYW1l`.
fn with_credentials(secret: &str) -> impl Iterator<Item = &str> {
    let credentials = secret.split_once(' ').map(|(_, credentials)| credentials.trim());
    let credentials = credentials.filter(|text| text.len() >= SHORTEST_CREDENTIALS);
    std::iter::once(secret).chain(credentials)
}

/// Returns the text, then the text with one, two and more layers of escapes decoded.
fn layers(text: &str) -> impl Iterator<Item = Unescaped> {
    std::iter::successors(Some(Unescaped::of(text)), Unescaped::read).take(LAYERS)
}

/// Returns the spellings of a secret and its credentials: as is, with `+` for spaces as in forms,
/// without spaces as in wrapped lines, and with its own escapes decoded. Leaves out short ones.
pub(crate) fn spellings(secret: &str) -> Vec<Zeroizing<String>> {
    let spaced = |secret: &str| [" ", "+", ""].map(|space| secret.replace(' ', space));
    let read = |secret: String| layers(&secret).map(|layer| layer.bytes).collect::<Vec<_>>();
    let read = with_credentials(secret).flat_map(spaced).flat_map(read);
    let mut spellings: Vec<_> =
        read.filter_map(|bytes| String::from_utf8(bytes).ok().map(Zeroizing::new)).collect();
    spellings.retain(|spelling| spelling.len() >= SHORTEST_SECRET);
    spellings.sort_by(|one, other| one.as_str().cmp(other));
    spellings.dedup();
    spellings
}

fn beginning(text: &str, length: usize) -> &str {
    (0..=length).rev().find_map(|end| text.get(..end)).unwrap_or_default()
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
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
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
        for echoed in ["a\"b c/d&e", "a%22b+c%2Fd%26e", "a%22b%20c%2Fd%26e", r#"a\"b c/d&e"#] {
            assert_eq!(scrubber.scrubbed(&format!("key {echoed}!")), "key ***!");
        }
        assert_eq!(scrubber.scrubbed("key a&quot;b c/d&amp;e!"), "key ***!");
    }

    #[test]
    fn an_escaped_secret_is_removed_whole() {
        let secrets = secrets(&["a/b=c'd+e"]);
        let scrubber = Scrubber::new(&secrets);
        for echoed in [
            r"a\/b=c'd+e",
            r"a/b\u003dc'd+e",
            "a%2fb%3Dc%27d%2be",
            "a/b=c&#39;d+e",
            "a&sol;b&#x3d;c&apos;d&plus;e",
            "a%252fb=c'd+e",
            r"a\\/b\\u003dc'd+e",
            "a&#47b=c&#39d+e",
            "a%u002fb=c'd+e",
            r"a\057b=c\47d+e",
            r"a\u{2f}b=c'd+e",
            "a\\u0025252fb=c'd+e",
        ] {
            assert_eq!(scrubber.scrubbed(&format!("key {echoed}!")), "key ***!", "{echoed}");
            let header = HeaderValue::from_str(echoed).unwrap();
            let mut headers = HeaderMap::from_iter([(HeaderName::from_static("x-key"), header)]);
            scrubber.clean(&mut headers);
            assert_eq!(headers["x-key"], "***", "{echoed}");
        }
    }

    #[test]
    fn a_secret_that_looks_escaped_is_removed() {
        for (secret, echoed) in [
            ("sv=2020&sig=ab%2Fcd%3D", r"sv=2020\u0026sig=ab%2Fcd%3D"),
            ("ab%2Fcdef/gh", r"ab%2Fcdef\/gh"),
            ("tok%2Babc&def", "tok%2Babc&amp;def"),
            (r"pa\nss&x1", r"pa\nss&amp;x1"),
            ("ab%252Fcd&e", "ab%25252Fcd&amp;e"),
            ("ab%2Fcd%3D", "ab%252Fcd%3D"),
        ] {
            let secrets = secrets(&[secret]);
            let scrubbed = Scrubber::new(&secrets).scrubbed(&format!("key {echoed}!"));
            assert_eq!(scrubbed, "key ***!", "{echoed}");
        }
    }

    #[test]
    fn a_secret_with_control_characters_in_it_is_removed() {
        let secrets = secrets(&["sesame", "open the door"]);
        let scrubber = Scrubber::new(&secrets);
        for echoed in [
            "s\0e\0s\0a\0m\0e\0",
            "ses\0ame",
            "ses\u{85}ame",
            "ses\r\name",
            r"ses\u0000ame",
            "s\u{1}e%00same",
        ] {
            let text = scrubber.line(&format!("key {echoed} is wrong"));
            assert_eq!(text, "key *** is wrong", "{echoed:?}");
        }
        assert_eq!(scrubber.line("key open\nthe\r\ndoor\n!"), "key *** !");
        let wide: Vec<u8> = "key sesame!".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(scrubber.excerpt(&wide, false).contains("***"));
        let header = HeaderValue::from_bytes(b"ses\tame").unwrap();
        let mut headers = HeaderMap::from_iter([(HeaderName::from_static("x-key"), header)]);
        scrubber.clean(&mut headers);
        assert_eq!(headers["x-key"], "***");
    }

    #[test]
    fn a_secret_of_few_letters_leaves_errors_readable() {
        let secrets = secrets(&["e", "abc", "Basic e"]);
        assert_eq!(Scrubber::new(&secrets).scrubbed("no answer, abc"), "no answer, abc");
    }

    #[test]
    fn the_first_half_of_an_escaped_secret_is_left_out() {
        let secrets = secrets(&["0123456789"]);
        let scrubber = Scrubber::new(&secrets);
        let escaped: String = "0123456789".bytes().map(|byte| format!("&#{byte};")).collect();
        for end in 0..escaped.len() {
            let excerpt =
                scrubber.excerpt(format!("the key is {}", &escaped[..end]).as_bytes(), true);
            assert!(!excerpt.contains("&#48"), "{excerpt}");
        }
    }

    #[test]
    fn the_time_to_scrub_grows_with_the_text() {
        let secrets = secrets(&["aaaaaaaa%2f%2f", "&#38;#38;"]);
        let scrubber = Scrubber::new(&secrets);
        let time = |length: usize| {
            let text = "&#38;#38;aaaa%25aa\\u".repeat(length);
            let run = || {
                let start = std::time::Instant::now();
                assert!(scrubber.scrubbed(&text).len() > length);
                start.elapsed()
            };
            (0..5).map(|_| run()).min().unwrap()
        };
        // Quadratic work would take 256 times as long. The margin is for a busy machine.
        let (short, long) = (time(1_000), time(16_000));
        assert!(long < 80 * short, "{short:?} for a sixteenth of what takes {long:?}");
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
