//! Names of a store's collections, and commands for advice.

use std::borrow::Cow;

/// The collection of chunks in a file or in memory.
pub(crate) const DOCUMENTS: &str = "documents";

/// The collection whose only record describes [`DOCUMENTS`].
pub(super) const CATALOG: &str = "catalog";

/// Placeholder for the location of a store, in advice.
pub(crate) const ANY_PLACE: &str = "FILE";

pub(crate) fn filling(location: &str) -> String {
    format!("`textsearch index PATH --store {}`", for_shells(location))
}

pub(crate) fn rebuilding(location: &str, arguments: &str) -> String {
    let location = for_shells(location);
    format!(
        "`textsearch index PATH --store {location} --rebuild{arguments}` with every path that the store is to hold"
    )
}

/// Quotes an address with signs that shells read.
fn for_shells(location: &str) -> Cow<'_, str> {
    if location.contains(['?', '&']) {
        Cow::Owned(format!("'{location}'"))
    } else {
        Cow::Borrowed(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_options_are_quoted() {
        assert_eq!(filling("a/b"), "`textsearch index PATH --store a/b`");
        let address = "postgres://db/app?collection=docs&schema=s";
        assert!(rebuilding(address, "").contains(&format!("--store '{address}' --rebuild")));
    }
}
