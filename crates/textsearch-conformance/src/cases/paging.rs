//! The laws of paging: `skip` and `top` select a slice of all results.

use textsearch_core::SearchOptions;

use super::{all_keys, many};
use crate::{Document, Subject, report::skipped, subject::RunningSearch};

async fn whole(subject: &Subject, running: &RunningSearch) -> Vec<String> {
    running.keys(&SearchOptions::top(subject.capabilities.many())).await
}

/// Around the boundaries of pages of 5, 10, 20, 25 and 50.
const POSITIONS: [usize; 14] = [0, 1, 4, 5, 9, 10, 11, 19, 20, 21, 25, 49, 50, 101];

/// Holds for any `skip` and `top`.
pub async fn skip_and_top_are_a_slice_of_the_whole(subject: Subject) {
    let documents = many(&subject);
    let running = subject.holding(documents.clone()).await;
    let whole = whole(&subject, &running).await;
    assert_eq!(whole.len(), documents.len(), "results of a search for all documents");
    if !running.requests().is_empty() {
        assert_eq!(whole, all_keys(&subject, &documents), "the order of the backend is kept");
    }
    for skip in POSITIONS {
        for top in [1, 2, 10, 21] {
            if skip + top > subject.capabilities.within(skip + top) {
                continue;
            }
            let slice = running.keys(&SearchOptions::top(top).with_skip(skip)).await;
            let expected: Vec<_> = whole.iter().skip(skip).take(top).cloned().collect();
            assert_eq!(slice, expected, "skip = {skip}, top = {top}");
        }
    }
}

/// They miss nothing and repeat nothing.
pub async fn pages_in_a_row_are_the_whole(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let mut whole = whole(&subject, &running).await;
    // Short pages of a large backend take many requests.
    whole.truncate(120);
    for top in [7, 10] {
        let mut read = Vec::new();
        while read.len() < whole.len() {
            let top = top.min(whole.len() - read.len());
            let page = running.keys(&SearchOptions::top(top).with_skip(read.len())).await;
            assert!(!page.is_empty(), "nothing at {} of {}", read.len(), whole.len());
            read.extend(page);
        }
        assert_eq!(read, whole, "in steps of {top}");
    }
}

/// If pages overlap, repeats don't count.
pub async fn repeats_on_later_pages_are_left_out(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let max = subject.capabilities.many();
    // Every fourth document repeats the one three places earlier.
    let numbers = (0..max).map(|number| if number % 4 == 3 { number - 3 } else { number });
    let documents: Vec<Document> = numbers.map(Document::numbered).collect();
    let mut expected = all_keys(&subject, &documents);
    let mut seen = std::collections::HashSet::new();
    expected.retain(|link| seen.insert(link.clone()));
    let running = subject.holding(documents).await;
    let top = expected.len();
    assert_eq!(running.keys(&SearchOptions::top(top)).await, expected);
    // From the later `skip`, skipping whole pages would miss repeats.
    for skip in [top / 4, top / 4 * 3] {
        let window = running.keys(&SearchOptions::top(top / 4).with_skip(skip)).await;
        let slice: Vec<_> = expected.iter().skip(skip).take(top / 4).cloned().collect();
        assert_eq!(window, slice, "skip = {skip}");
    }
}
