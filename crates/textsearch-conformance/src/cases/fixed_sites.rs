//! A fixed site filter holds, whatever the backend sends.

use textsearch_core::{Filter, SearchOptions};

use crate::{Document, Subject, report::skipped};

/// Outside `example.com`, although some look as if inside.
const OUTSIDE: &[&str] = &[
    "https://elsewhere.example/documents/1",
    "https://example.com.elsewhere.example/documents/1",
    "https://notexample.com/documents/1",
    "https://elsewhere.example/https://example.com/documents/1",
    "https://example.com@elsewhere.example/documents/1",
    r"https://example.com\@elsewhere.example/documents/1",
    "javascript://example.com/%0aalert(1)",
];

/// An engine may misread a query or an operator.
pub async fn results_outside_of_a_fixed_site_stay_out(subject: Subject) {
    let Some(field) = &subject.capabilities.site_field else {
        return skipped("a field that names the site of a link: say which one with_site_field");
    };
    let documents = mixed(subject.capabilities.within(2 * OUTSIDE.len()));
    let running = subject.holding(documents.clone()).await;
    if !running.search.supports_fixed_filter() {
        return skipped("fixed filters");
    }
    let fixed = Filter::eq(field, "example.com");
    let options = SearchOptions::top(documents.len()).with_fixed_filter(fixed);
    let mut found = running.keys(&options).await;
    let mut inside: Vec<String> = documents.into_iter().map(|document| document.link).collect();
    inside.retain(|link| !OUTSIDE.contains(&link.as_str()));
    found.sort();
    inside.sort();
    assert_eq!(found, inside, "results under a fixed filter on `{field}`");
}

/// Alternately inside and outside, so each page has both.
fn mixed(count: usize) -> Vec<Document> {
    let mut documents = Document::several(count);
    for (document, link) in documents.iter_mut().skip(1).step_by(2).zip(OUTSIDE) {
        (*link).clone_into(&mut document.link);
    }
    documents
}
