//! Results with the text around them.

use textsearch_core::{
    Filter, FixedSearch, SearchOptions, TextSearch, TextSearchResult, results::TotalCount,
};
use textsearch_documents::{Around, Document, DocumentStore, Surroundings};

use crate::store::{document, store};

/// Section `n` has the words `a<n>`, `b<n>` and `c<n>` in a chunk each.
fn sections(id: &str, count: usize) -> Document {
    let part = |number| {
        let filler = "x".repeat(24);
        format!(
            "## S{number}\n\na{number} {filler}\n\nb{number} {filler}\n\nc{number} {filler}\n\n"
        )
    };
    Document::markdown(id, (0..count).map(part).collect::<String>())
}

async fn results(
    store: &DocumentStore,
    around: Around,
    query: &str,
    options: &SearchOptions,
) -> Vec<TextSearchResult> {
    let search = Surroundings::new(store.text_search(), store.clone(), around);
    search.text_search_results(query, options).await.unwrap().into_vec().await.unwrap()
}

/// The words without filler.
async fn words(store: &DocumentStore, around: Around, query: &str) -> Vec<String> {
    let results = results(store, around, query, &SearchOptions::top(5)).await;
    let words = |text: &str| {
        let words = text.split_whitespace();
        words.filter(|word| word.len() < 4).collect::<Vec<_>>().join(" ")
    };
    results.iter().map(|result| words(&result.value)).collect()
}

#[tokio::test]
async fn each_kind_of_surroundings_shows_its_part() {
    let store = store().await;
    store.upsert([sections("a", 3)]).await.unwrap();
    for (around, expected) in [
        (Around::None, "b1"),
        (Around::Neighbours(0), "b1"),
        (Around::Neighbours(1), "## S1 a1 b1 c1"),
        (Around::Neighbours(2), "c0 ## S1 a1 b1 c1 ## S2 a2"),
        (Around::Section, "## S1 a1 b1 c1"),
        (Around::Document, "## S0 a0 b0 c0 ## S1 a1 b1 c1 ## S2 a2 b2 c2"),
    ] {
        assert_eq!(words(&store, around, "b1").await, [expected], "{around}");
    }
}

#[tokio::test]
async fn without_a_limit_a_result_has_the_document() {
    let store = store().await;
    store.upsert([sections("a", 3)]).await.unwrap();
    let search = Surroundings::new(store.text_search(), store, Around::Document);
    let search = search.with_max_characters(usize::MAX);
    let texts = search.search("b1", &SearchOptions::top(1)).await.unwrap();
    let text = texts.into_vec().await.unwrap().remove(0);
    assert!(text.starts_with("## S0") && text.contains("c2"), "{text}");
}

#[tokio::test]
async fn overlapping_results_become_one_in_the_documents_order() {
    let store = store().await;
    store.upsert([sections("a", 4), sections("b", 1)]).await.unwrap();
    let search = |around| words(&store, around, "c1 a1 b3");
    assert_eq!(search(Around::None).await.len(), 3);
    let expected = ["## S1 a1 b1 c1", "## S3 a3 b3 c3"];
    let mut texts = search(Around::Section).await;
    texts.sort();
    assert_eq!(texts, expected);
    let options = SearchOptions::top(5);
    let plain = results(&store, Around::None, "c1 a1 b3", &options).await;
    let merged = results(&store, Around::Document, "c1 a1 b3", &options).await;
    assert_eq!(merged.len(), 1);
    assert_eq!((&merged[0].id, &merged[0].link), (&plain[0].id, &plain[0].link));
    assert_eq!((&merged[0].name, merged[0].score), (&plain[0].name, plain[0].score));
}

#[tokio::test]
async fn characters_are_bounded_and_chunks_stay_whole() {
    let store = store().await;
    store.upsert([sections("a", 9)]).await.unwrap();
    let search = |max| {
        let search = Surroundings::new(store.text_search(), store.clone(), Around::Document);
        search.with_max_characters(max)
    };
    for max in [1, 60, 100, 200] {
        let texts = search(max).search("b4", &SearchOptions::top(1)).await.unwrap();
        let text = texts.into_vec().await.unwrap().remove(0);
        let own: usize = text.split("\n\n").map(|part| part.chars().count()).sum();
        assert!(text.contains("b4 xxx") && own <= max.max(27), "{max}: {text}");
    }
}

#[tokio::test]
async fn chunks_that_a_filter_hides_are_not_shown() {
    let store = store().await;
    store.upsert([sections("a", 3)]).await.unwrap();
    let hidden = Filter::ne("chunk", 5);
    let fixed = SearchOptions::top(5).with_fixed_filter(hidden.clone());
    for options in [fixed, SearchOptions::top(5).with_filter(hidden)] {
        let results = results(&store, Around::Document, "b1", &options).await;
        let text = &results[0].value;
        assert!(text.contains("b1") && !text.contains("c1") && !text.contains("a2"), "{text}");
    }
}

#[tokio::test]
async fn a_divided_code_block_keeps_its_fences() {
    let store = store().await;
    let code: String = (0..8).map(|number| format!("let value_{number} = 1;\n")).collect();
    store.upsert([Document::markdown("a", format!("```rust\n{code}```\n"))]).await.unwrap();
    let results = results(&store, Around::Neighbours(1), "value_3", &SearchOptions::top(1)).await;
    let text = &results[0].value;
    assert!(text.starts_with("```rust\nlet value_") && text.ends_with(";\n```"), "{text}");
    assert_eq!(text.matches("```").count(), 2, "{text}");
}

#[tokio::test]
async fn results_that_are_no_chunks_stay() {
    let store = store().await;
    let page = TextSearchResult::new("A page.").with_link("https://example.com/").with_id("a#0");
    let search = FixedSearch::new([page]);
    let search = Surroundings::new(search, store, Around::Document);
    let texts = search.search("x", &SearchOptions::default()).await.unwrap();
    assert_eq!(texts.into_vec().await.unwrap(), ["A page."]);
}

#[tokio::test]
async fn chunks_of_another_store_stay() {
    let mine = store().await;
    let other = store().await;
    mine.upsert([sections("a", 1)]).await.unwrap();
    other.upsert([document("a", "cat", 3)]).await.unwrap();
    let search = Surroundings::new(mine.text_search(), other, Around::Document);
    let texts = search.search("b0", &SearchOptions::default()).await.unwrap();
    assert!(texts.into_vec().await.unwrap()[0].starts_with("b0 xxx"));
}

#[tokio::test]
async fn records_have_the_added_text() {
    let store = store().await;
    store.upsert([sections("a", 1)]).await.unwrap();
    let search = Surroundings::new(store.text_search(), store, Around::Section);
    let options = SearchOptions::top(1).with_total_count(true);
    let records = search.search_values("b0", &options).await.unwrap();
    assert_eq!(records.total_count(), Some(TotalCount::Exact(1)));
    let record = records.into_vec().await.unwrap().remove(0);
    assert!(record["text"].as_str().unwrap().starts_with("## S0\n\na0 "));
    assert_eq!(record["chunk"], 1);
}

#[tokio::test]
async fn surroundings_are_read_on_beyond_a_block() {
    let store = store().await;
    store.upsert((0..100).map(|number| document(&format!("d{number}"), "cat", 2))).await.unwrap();
    let options = SearchOptions::top(200);
    let results = results(&store, Around::Neighbours(1), "cat", &options).await;
    let whole = results.iter().filter(|result| result.value.contains("Part 0"));
    assert!(whole.count() >= 100);
}
