//! The conformance suite of text searches.

textsearch_conformance::store_search_suite!(crate::store);
