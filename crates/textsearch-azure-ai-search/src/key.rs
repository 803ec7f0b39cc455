//! Document keys.
//!
//! The service [allows](https://learn.microsoft.com/rest/api/searchservice/naming-rules) letters,
//! digits, `_`, `-` and `=`, at most 1,024 of them, and no `_` at the beginning. Such a key stays as
//! it is. Any other becomes [`MARKER`] and its URL-safe Base64, or, if that is too long, [`DIGEST`]
//! and the Base64 of its SHA-256. The record itself holds the key in full.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use textsearch_core::vector::RecordKey;

const MARKER: &str = "b64-";
const DIGEST: &str = "sha256-";
const LONGEST: usize = 1_024;

/// Returns the key of the document that holds the record of `key`. Different keys have different
/// documents.
pub(crate) fn document_key(key: &RecordKey) -> String {
    let text = key.to_string();
    if is_plain(&text) {
        return text;
    }
    let encoded = format!("{MARKER}{}", URL_SAFE_NO_PAD.encode(&text));
    if encoded.len() <= LONGEST {
        return encoded;
    }
    format!("{DIGEST}{}", URL_SAFE_NO_PAD.encode(Sha256::digest(&text)))
}

fn is_plain(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-=".contains(&byte);
    (1..=LONGEST).contains(&text.len())
        && text.bytes().all(is_allowed)
        && !text.starts_with('_')
        // Else it could be mistaken for an encoded one.
        && ![MARKER, DIGEST].iter().any(|marker| text.starts_with(marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> String {
        document_key(&RecordKey::from(text))
    }

    #[test]
    fn allowed_keys_stay_as_they_are() {
        for text in ["a", "A-b_c=1", "67e55044-10b1-426f-9247-bb680e5fe0c8"] {
            assert_eq!(key(text), text);
        }
        assert_eq!(document_key(&RecordKey::Integer(u64::MAX)), u64::MAX.to_string());
    }

    #[test]
    fn other_keys_are_encoded_with_a_marker() {
        assert_eq!(key("notes.md#3"), "b64-bm90ZXMubWQjMw");
        assert_eq!(key("b64-bm90ZXMubWQjMw"), "b64-YjY0LWJtOTBaWE11YldRak13");
        assert_eq!(key("_a"), "b64-X2E");
    }

    #[test]
    fn long_keys_become_their_digest() {
        let long = "long ".repeat(400);
        let longer = "long ".repeat(401);
        assert_eq!(key(&long).len(), "sha256-".len() + 43);
        assert_ne!(key(&long), key(&longer));
        assert!(
            key(&"a".repeat(1_025)).starts_with("b64-")
                || key(&"a".repeat(1_025)).starts_with("sha256-")
        );
    }

    proptest::proptest! {
        #[test]
        fn encoded_keys_are_allowed_and_can_be_decoded(text in "\\PC{1,200}") {
            let encoded = key(&text);
            assert!(encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-=".contains(&byte)));
            assert!(!encoded.starts_with('_') && encoded.len() <= LONGEST);
            match encoded.strip_prefix(MARKER) {
                Some(inner) => assert_eq!(URL_SAFE_NO_PAD.decode(inner).unwrap(), text.as_bytes()),
                None => assert!(encoded == text || encoded.starts_with(DIGEST)),
            }
        }
    }
}
