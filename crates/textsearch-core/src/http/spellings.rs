//! Spellings of a secret: plain, escaped and encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use zeroize::Zeroizing;

/// Shorter credentials occur in other texts.
const SHORTEST_CREDENTIALS: usize = 6;

/// Shorter secrets occur in too many other texts.
const SHORTEST_SECRET: usize = 4;

/// The characters that URLs encode in a component.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the spellings of a secret and its credentials: as is, escaped as in JSON, and encoded as
/// in URLs and forms. Leaves out short ones.
pub(crate) fn spellings(secret: &str) -> Vec<Zeroizing<String>> {
    let mut spellings = Vec::new();
    for secret in with_credentials(secret).filter(|secret| secret.len() >= SHORTEST_SECRET) {
        let json = serde_json::Value::from(secret).to_string();
        let json = json.get(1..json.len() - 1).unwrap_or_default();
        let encoded = utf8_percent_encode(secret, ENCODED).to_string();
        let form = encoded.replace("%20", "+");
        let lower_case = [&encoded, &form].map(|encoded| with_lower_case_escapes(encoded));
        spellings.extend([secret.to_owned(), json.to_owned(), json.replace('/', r"\/")]);
        spellings.extend([encoded, form]);
        spellings.extend(lower_case);
    }
    spellings.sort();
    spellings.dedup();
    spellings.into_iter().map(Zeroizing::new).collect()
}

/// Adds the credentials of a secret with a scheme, such as `Basic c2VzYW1l`.
fn with_credentials(secret: &str) -> impl Iterator<Item = &str> {
    let credentials = secret.split_once(' ').map(|(_, credentials)| credentials.trim());
    let credentials = credentials.filter(|text| text.len() >= SHORTEST_CREDENTIALS);
    std::iter::once(secret).chain(credentials)
}

fn with_lower_case_escapes(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        text + "%" + &digits.to_ascii_lowercase() + rest
    })
}
