//! The contract of vector stores.

use textsearch_conformance::vector::VectorCapabilities;
use {{crate_name}}::{{type_name}}Store;

const FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/conformance.db");

textsearch_conformance::vector_suite!(
    || async { {{type_name}}Store::open(FILE) },
    VectorCapabilities::default().without_full_text().without_mixed_kinds(),
);
