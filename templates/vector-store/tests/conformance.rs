//! The contract of text searches, over the store.

use {{crate_name}}::{{type_name}}Store;

const FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/searches.db");

textsearch_conformance::store_search_suite!(|| async { {{type_name}}Store::open(FILE) });
