//! Taking secrets out of text that others wrote, and cutting such text to a bounded excerpt.

use ::http::{HeaderMap, HeaderValue};
use memchr::memmem;
use url::form_urlencoded;
use zeroize::Zeroizing;

use super::Secret;

/// What stands where a secret stood.
const REPLACEMENT: &str = "***";

/// How much of a foreign text enters an error, in characters.
pub(super) const LONGEST_EXCERPT: usize = 400;

/// Shorter words are in other texts too, and would be taken out of them.
const SHORTEST_CREDENTIALS: usize = 6;

/// The secrets of one request in each spelling in which a server may echo them.
pub(super) struct Scrubber<'a>(Vec<&'a str>);

/// Whether a header repeats a secret. It is asked of each answer, and so without a scrubber, which is rarely needed.
pub(super) fn is_in_headers(secrets: &[Secret], headers: &HeaderMap) -> bool {
    let mut spellings = secrets.iter().flat_map(Secret::spellings);
    spellings.any(|secret| headers.values().any(|value| is_in(secret, value.as_bytes())))
}

fn is_in(secret: &str, text: &[u8]) -> bool {
    memmem::find(text, secret.as_bytes()).is_some()
}

impl<'a> Scrubber<'a> {
    pub(super) fn new(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let spellings = secrets.into_iter().flat_map(Secret::spellings);
        let mut spellings: Vec<&str> = spellings.map(|spelling| spelling.as_str()).collect();
        // The longest first: another secret may be a part of it, and what is left would tell the rest.
        spellings.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        spellings.dedup();
        Self(spellings)
    }

    /// The text without the secrets.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        let without = |text: String, secret: &&str| text.replace(secret, REPLACEMENT);
        self.0.iter().fold(text.to_owned(), without)
    }

    /// The headers without the secrets: unlike a body, they are kept as facts of the exchange.
    pub(super) fn clean(&self, headers: &mut HeaderMap) {
        for value in headers.values_mut() {
            if self.is_in(value.as_bytes()) {
                let text = String::from_utf8_lossy(value.as_bytes());
                let scrubbed = HeaderValue::from_str(&self.scrubbed(&text));
                *value = scrubbed.unwrap_or(HeaderValue::from_static(REPLACEMENT));
            }
        }
    }

    /// Whether a secret is in the text.
    pub(super) fn finds_a_secret_in(&self, text: &str) -> bool {
        self.is_in(text.as_bytes())
    }

    fn is_in(&self, text: &[u8]) -> bool {
        self.0.iter().any(|secret| is_in(secret, text))
    }

    /// The beginning of a foreign text, on one line and without secrets.
    ///
    /// `is_cut` says that the text goes on: then its end may be the first half of a secret, and is left out.
    pub(super) fn excerpt(&self, body: &[u8], is_cut: bool) -> String {
        let text = self.scrubbed(&String::from_utf8_lossy(body));
        let longest = if is_cut { self.0.first().map_or(0, |longest| longest.len()) } else { 0 };
        shortened(beginning(&text, text.len().saturating_sub(longest)))
    }

    /// A foreign message of one line, bounded in length and without secrets.
    pub(super) fn line(&self, text: &str) -> String {
        shortened(&self.scrubbed(text))
    }
}

/// A secret, and what it tells where it is a scheme with credentials, such as `Basic c2VzYW1l`.
fn with_credentials(secret: &str) -> impl Iterator<Item = &str> {
    let credentials = secret.split_once(' ').map(|(_, credentials)| credentials.trim());
    let credentials = credentials.filter(|text| text.len() >= SHORTEST_CREDENTIALS);
    std::iter::once(secret).chain(credentials)
}

/// A secret, and the credentials in it, in each spelling in which a server may echo them; none of an empty one.
pub(crate) fn spellings(secret: &str) -> Vec<Zeroizing<String>> {
    if secret.is_empty() {
        return Vec::new();
    }
    let mut spellings: Vec<String> = with_credentials(secret).flat_map(spelled).collect();
    spellings.sort();
    spellings.dedup();
    spellings.into_iter().map(Zeroizing::new).collect()
}

/// A text as it is, and as it looks in a URL, in JSON and in HTML.
fn spelled(secret: &str) -> [String; 5] {
    let form: String = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let percent = form.replace('+', "%20");
    let json = serde_json::Value::from(secret).to_string();
    let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let html = html.replace('"', "&quot;");
    let json = json.get(1..json.len() - 1).unwrap_or_default().to_owned();
    [secret.to_owned(), form, percent, json, html]
}

/// As much of a text as fits into `length` bytes.
fn beginning(text: &str, length: usize) -> &str {
    (0..=length).rev().find_map(|end| text.get(..end)).unwrap_or_default()
}

/// One line of bounded length: line breaks and control characters would forge lines in a log.
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
    fn the_first_half_of_a_secret_at_the_end_of_a_cut_text_is_left_out() {
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
