//! Maps record keys to the identifiers of vectors, which have 1 to 512 ASCII characters.
//!
//! Identifiers sort as keys do, because Pinecone lists them in the order of their bytes.

use textsearch_core::vector::{KeyField, RecordKey};
use uuid::Uuid;

/// Maximum length of an identifier.
const LONGEST: usize = 512;

/// The namespace of the hashes of long texts: the UUID of the URL
/// `https://docs.rs/textsearch-pinecone` in the URL namespace.
pub(crate) const HASHES: Uuid = Uuid::from_u128(0x9207_2f31_dc88_5f0f_af82_d121_01a4_421a);

/// Begins the hash of a shortened text. No encoded text contains it: hexadecimal digits follow an
/// escape character.
const HASH: &str = "~.";

/// Escapes bytes up to itself, and sorts before all others.
const LOW: u8 = b'!';

/// Escapes bytes from itself on, and sorts after all others.
const HIGH: u8 = b'~';

/// Returns the identifier of a key; `None` for a key of another kind, which no record has.
pub(crate) fn id_of(field: &KeyField, key: &RecordKey) -> Option<String> {
    let key = field.canonical(key);
    field.accepts(&key).then(|| match key.as_ref() {
        RecordKey::Integer(number) => format!("{number:020}"),
        RecordKey::String(text) => encoded(text, LONGEST),
    })
}

/// Returns whether the identifier holds a hash instead of the whole key, so that it doesn't tell
/// the key's place among others with the same beginning.
pub(crate) fn is_shortened(id: &str) -> bool {
    id.contains(HASH)
}

/// Returns the text in at most `longest` visible ASCII characters: `café` is `caf~c3~a9`, and
/// `a b` is `a!20b`.
pub(crate) fn encoded(text: &str, longest: usize) -> String {
    let mut whole = String::with_capacity(text.len());
    // `cut` is the longest prefix with room for a hash.
    let mut cut = 0;
    let room = longest.saturating_sub(HASH.len() + 32);
    for byte in text.bytes() {
        match byte {
            ..=LOW => whole.push_str(&format!("!{byte:02x}")),
            HIGH.. => whole.push_str(&format!("~{byte:02x}")),
            byte => whole.push(char::from(byte)),
        }
        if whole.len() <= room {
            cut = whole.len();
        }
    }
    if whole.len() > longest {
        whole.truncate(cut);
        let hash = Uuid::new_v5(&HASHES, text.as_bytes());
        whole = format!("{whole}{HASH}{}", hash.simple());
    }
    whole
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{KeyKind, RecordDefinition};

    use super::*;

    fn field(kind: KeyKind) -> KeyField {
        RecordDefinition::new("id").with_key_kind(kind).key
    }

    fn of_text(text: &str) -> String {
        id_of(&field(KeyKind::String), &text.into()).unwrap()
    }

    #[test]
    fn the_namespace_is_that_of_its_url() {
        let url = b"https://docs.rs/textsearch-pinecone";
        assert_eq!(HASHES, Uuid::new_v5(&Uuid::NAMESPACE_URL, url));
    }

    #[test]
    fn usual_keys_stay_readable() {
        assert_eq!(of_text("docs/notes.md#3"), "docs/notes.md#3");
        assert_eq!(of_text("café!"), "caf~c3~a9!21");
        assert_eq!(
            id_of(&field(KeyKind::Integer), &7.into()).as_deref(),
            Some("00000000000000000007")
        );
    }

    #[test]
    fn identifiers_sort_as_keys() {
        let mut texts = vec!["", "a", "a b", "a!", "a~", "ab", "A", "é", "日", "\0", "\u{7f}", "z"];
        fastrand::seed(7);
        for _ in 0..2_000 {
            let text: String = (0..fastrand::usize(..4)).map(|_| fastrand::char(..)).collect();
            texts.push(Box::leak(text.into_boxed_str()));
        }
        texts.sort_unstable();
        let ids: Vec<String> = texts.iter().map(|text| encoded(text, LONGEST)).collect();
        assert!(ids.is_sorted(), "{texts:?}");
        assert!(ids.iter().all(|id| id.bytes().all(|byte| (0x21..0x7f).contains(&byte))));
    }

    #[test]
    fn long_keys_end_in_a_hash() {
        let long = of_text(&"é".repeat(300));
        let longer = of_text(&format!("{}x", "é".repeat(300)));
        assert!(long.len() <= LONGEST && longer.len() <= LONGEST, "{long}");
        assert_ne!(long, longer);
        assert!(is_shortened(&long) && !is_shortened(&of_text("~.~.")));
        assert_eq!(of_text(&"a".repeat(512)), "a".repeat(512));
    }

    #[test]
    fn key_of_another_kind_has_no_identifier() {
        assert_eq!(id_of(&field(KeyKind::String), &7.into()), None);
        assert_eq!(id_of(&field(KeyKind::Integer), &"7".into()), None);
    }
}
