//! The conformance suite of text searches.

textsearch_conformance::store_search_suite!(|| async { crate::store() });
