//! Keeps the documents of tenants apart: a tenant's ids get a prefix that no other tenant can write.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::stamp::Stamp;
use crate::problem::{Answer, Problem};

/// Of the hash, in bytes: so that no two tenants share a prefix, even on purpose.
const LENGTH: usize = 16;

/// Of an id, in bytes: room for a URL. Some stores reject longer keys, and each chunk repeats it.
pub(super) const MAX_BYTES: usize = 512;

/// Of the ids or documents of one request: each takes many times its size in memory.
const MAX_ITEMS: usize = 1_000;

/// Rejects more than [`MAX_ITEMS`].
pub(super) fn check_count(field: &str, count: usize) -> Answer<()> {
    if count <= MAX_ITEMS {
        return Ok(());
    }
    let problem = Problem::invalid(field, format!("the request has {count} {field}"));
    Err(problem.with_allowed([format!("at most {MAX_ITEMS}")]))
}

/// Rejects ids that are empty, longer than [`MAX_BYTES`], or have control characters.
pub(super) fn check(field: &str, id: &str) -> Answer<()> {
    let detail = match id.len() {
        1..=MAX_BYTES if !id.chars().any(char::is_control) => return Ok(()),
        1..=MAX_BYTES => "the id has a control character".to_owned(),
        bytes => format!("the id has {bytes} bytes"),
    };
    let allowed = format!("1 to {MAX_BYTES} bytes without control characters");
    Err(Problem::invalid(field, detail).with_allowed([allowed]))
}

/// All prefixes have the same length, so none is the beginning of another.
#[derive(Debug, Clone)]
pub(super) struct Prefix(String);

impl Prefix {
    pub(super) fn from_stamp(stamp: &Stamp) -> Self {
        let values: serde_json::Map<String, Value> = stamp.0.clone().into_iter().collect();
        let hash = Sha256::digest(Value::Object(values).to_string());
        let hex: String = hash.iter().take(LENGTH).map(|byte| format!("{byte:02x}")).collect();
        Self(hex + "/")
    }

    /// Returns the id in the store.
    pub(super) fn add(&self, id: &str) -> String {
        [&self.0, id].concat()
    }

    /// Returns the id as the tenant wrote it.
    pub(super) fn remove<'id>(&self, stored: &'id str) -> &'id str {
        stored.strip_prefix(&self.0).unwrap_or(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(tenant: &str) -> Prefix {
        Prefix::from_stamp(&Stamp([("tenant".to_owned(), tenant.into())].into()))
    }

    #[test]
    fn tenants_have_different_prefixes_of_one_length() {
        let a = prefix("a");
        let b = prefix("b");
        assert_ne!(a.add("x"), b.add("x"));
        assert_eq!(a.add("").len(), b.add("").len());
        assert_eq!(a.add("x"), prefix("a").add("x"));
    }

    #[test]
    fn ids_return_as_written() {
        let prefix = prefix("a");
        assert_eq!(prefix.remove(&prefix.add("x#1")), "x#1");
        assert_eq!(prefix.remove("guide.md"), "guide.md");
    }
}
