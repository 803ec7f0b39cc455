//! The contract of text searches, over the store.

use std::{future, sync::Arc};

use {{crate_name}}::{{type_name}}Store;

textsearch_conformance::store_search_suite!({
    // Each case has its own file, deleted after the case.
    let folder = Arc::new(tempfile::tempdir().expect("the folder is made"));
    move || future::ready({{type_name}}Store::open(folder.path().join("searches.db")))
});
