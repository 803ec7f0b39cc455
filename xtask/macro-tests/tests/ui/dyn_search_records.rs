//! `search_records` is for authors of connectors; an `Arc<dyn TextSearch>` has other methods.

use std::sync::Arc;

use textsearch_core::{SearchOptions, TextSearch, TextSearchConnector};

async fn call(search: Arc<dyn TextSearch>) {
    let _ = search.search_records("rust", &SearchOptions::top(3)).await;
}

fn typed(_search: impl TextSearchConnector) {}

fn pass(search: Arc<dyn TextSearch>) {
    typed(search);
}

fn main() {}
