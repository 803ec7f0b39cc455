//! Names on the server, which are letters, digits and underscores.
//!
//! Other names, and names that the server reserves, become `textsearch_` and the name with each
//! other character as its code: `my-notes` becomes `textsearch_my_2d_notes`. The encoding keeps
//! different names apart and can be read back.

use textsearch_core::Result;

use crate::error::refused;

pub(crate) const PREFIX: &str = "textsearch_";

const LONGEST_NAME: usize = 255;

/// Words of filter expressions and names of system fields, in lower case.
const RESERVED: [&str; 17] = [
    "and",
    "empty",
    "exists",
    "false",
    "in",
    "interval",
    "is",
    "iso",
    "like",
    "not",
    "null",
    "or",
    "phrase_match",
    "rowid",
    "text_match",
    "timestamp",
    "true",
];

/// Returns the name on the server.
pub(crate) fn encode(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    let mut encoded = PREFIX.to_owned();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            encoded.push(c);
        } else {
            encoded.push_str(&format!("_{:x}_", u32::from(c)));
        }
    }
    encoded
}

/// Reads a name of the server back. A name that isn't encoded is returned as it is.
pub(crate) fn decode(encoded: &str) -> String {
    encoded.strip_prefix(PREFIX).and_then(decoded).unwrap_or_else(|| encoded.to_owned())
}

fn decoded(text: &str) -> Option<String> {
    let mut name = String::new();
    // Codes and the text between them take turns.
    for (place, part) in text.split('_').enumerate() {
        if place % 2 == 0 {
            name.push_str(part);
        } else {
            name.push(char::from_u32(u32::from_str_radix(part, 16).ok()?)?);
        }
    }
    (encode(&name).strip_prefix(PREFIX) == Some(text)).then_some(name)
}

fn is_plain(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_function = ["json_", "array_", "st_"].iter().any(|begin| lower.starts_with(begin));
    is_word
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && !is_function
        && !lower.starts_with(PREFIX)
        && !RESERVED.contains(&lower.as_str())
}

/// Checks that the server accepts the name.
pub(crate) fn check(option: &str, name: &str) -> Result<()> {
    let length = encode(name).len();
    if !name.is_empty() && length <= LONGEST_NAME {
        return Ok(());
    }
    let value = if name.is_empty() { "empty".to_owned() } else { format!("{length} bytes long") };
    let allowed = format!(
        "a name of 1 to {LONGEST_NAME} bytes, where characters other than letters, digits and \
         underscores count as their codes"
    );
    Err(refused(option, value, &allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_stay() {
        for name in ["notes", "Year_2", "a"] {
            assert_eq!(encode(name), name);
            assert_eq!(decode(name), name);
        }
    }

    #[test]
    fn other_names_are_encoded() {
        assert_eq!(encode("my-notes"), "textsearch_my_2d_notes");
        assert_eq!(encode("LIKE"), "textsearch_LIKE");
        assert_eq!(encode("json_contains"), "textsearch_json_5f_contains");
        assert_eq!(encode("_seq"), "textsearch__5f_seq");
    }

    #[test]
    fn names_of_other_programs_are_kept() {
        for name in ["textsearch_zz_top", "textsearch_a_b", "textsearch__5F_", "a-b"] {
            assert_eq!(decode(name), name);
        }
    }

    #[test]
    fn long_names_are_refused() {
        assert!(check("name", &"a".repeat(255)).is_ok());
        assert!(check("name", &"-".repeat(100)).is_err());
        assert!(check("name", "").unwrap_err().message().contains("empty"));
    }

    proptest::proptest! {
        #[test]
        fn every_name_reads_back(name in "(textsearch_)?[a_0ü. -]{1,12}") {
            let encoded = encode(&name);
            assert!(encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
            assert_eq!(decode(&encoded), name);
        }
    }
}
