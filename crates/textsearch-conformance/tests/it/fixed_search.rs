//! The cases without a transport, on a search over given records.

use textsearch_conformance::{
    Capabilities,
    core::{Filter, FilterableField, FixedSearch, TextSearchResult, filter::FilterOperator},
};

textsearch_conformance::suite_without_http!(
    |documents| async move {
        let result = |document: textsearch_conformance::Document| {
            TextSearchResult::new(document.text).with_name(document.name).with_link(document.link)
        };
        let results: Vec<_> = documents.into_iter().map(result).collect();
        let name = FilterableField::string("Name", "The title")
            .with_operators([FilterOperator::Eq, FilterOperator::StartsWith]);
        Ok(FixedSearch::new(results).with_fields([name]))
    },
    Capabilities::default()
        .with_total_count()
        .with_local_filter(Filter::eq("Name", "Document 3"), |document| document.name
            == "Document 3")
        .with_local_filter(Filter::starts_with("Name", "Document 1"), |document| {
            document.name.starts_with("Document 1")
        })
);
