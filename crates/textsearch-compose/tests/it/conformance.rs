//! The suite that all connectors pass, over each wrapper: around given records and around a store.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use textsearch_compose::{
    CacheSettings, Cached, Fallback, FanOut, FanOutSettings, PerDocument, Phrased, RateLimit,
    RateLimited, Reranked, Sources, Timed,
};
use textsearch_conformance::{
    Capabilities, Document,
    core::{
        Filter, FilterableField, FixedSearch, Result, TextSearch, TextSearchResult, async_trait,
        filter::FilterOperator,
        rerank::Reranker,
        vector::{
            DataField, RecordDefinition, SearchMode, StoredRecord, VectorStoreExt as _,
            VectorStoreTextSearch,
        },
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::Source;

type Search = Arc<dyn TextSearch>;

fn fixed(documents: Vec<Document>) -> Search {
    let result = |document: Document| {
        TextSearchResult::new(document.text).with_name(document.name).with_link(document.link)
    };
    let name = FilterableField::string("Name", "The title").with_operators([FilterOperator::Eq]);
    Arc::new(
        FixedSearch::new(documents.into_iter().map(result).collect::<Vec<_>>()).with_fields([name]),
    )
}

async fn store(documents: Vec<Document>) -> Search {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("Name").filterable())
        .with_data(DataField::string("text"))
        .with_data(DataField::string("link"))
        .with_data(DataField::string("words").full_text())
        .with_name_field("Name")
        .with_value_field("text")
        .with_link_field("link");
    let collection =
        InMemoryVectorStore::new().dynamic_collection("documents", definition).unwrap();
    collection.ensure_exists().await.unwrap();
    let record = |document: Document| {
        let number = document.link.rsplit('/').next().unwrap_or_default();
        let data = json!({
            "id": format!("{number:0>4}"),
            "Name": document.name,
            "text": document.text,
            "link": document.link,
            // The words of all queries of the suite that must find something.
            "words": "what there is query",
        });
        StoredRecord::from_serialize(&data, collection.definition()).unwrap()
    };
    collection.upsert(documents.into_iter().map(record).collect()).await.unwrap();
    Arc::new(VectorStoreTextSearch::new(collection).with_mode(SearchMode::FullText))
}

fn capabilities() -> Capabilities {
    without_count().with_total_count()
}

fn without_count() -> Capabilities {
    Capabilities::default().with_local_filter(Filter::eq("Name", "Document 3"), |document| {
        document.name == "Document 3"
    })
}

fn of_the_store() -> Capabilities {
    capabilities()
        .with_local_filter(Filter::eq("id", "0003"), |document| document.link.ends_with("/3"))
}

fn timed(search: Search) -> Timed {
    Timed::new(search, Duration::from_secs(20)).with_total_timeout(Duration::from_secs(40))
}

fn cached(search: Search) -> Result<Cached> {
    Cached::new(search, CacheSettings::default())
}

fn rate_limited(search: Search) -> Result<RateLimited> {
    RateLimited::new(search, RateLimit::new(u32::MAX, Duration::from_secs(10)).with_burst(64))
}

/// Prefers long texts that end in a high digit.
#[derive(Debug)]
struct Arbitrary;

#[async_trait]
impl Reranker for Arbitrary {
    fn name(&self) -> &str {
        "arbitrary"
    }

    async fn rerank(&self, _: &str, texts: &[String]) -> Result<Vec<f64>> {
        let score = |text: &String| {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            f64::from(digits.chars().last().map_or(0, |last| last as u32 % 7))
        };
        Ok(texts.iter().map(score).collect())
    }
}

fn reranked(search: Search) -> Reranked {
    Reranked::new(search, Arbitrary).with_candidates(13)
}

fn fallback(search: Search) -> Result<Fallback> {
    let kind = textsearch_conformance::core::ErrorKind::Unavailable;
    let dead = Source::failing("dead", kind).with_fields(search.fields().to_vec());
    Ok(Fallback::new(Sources::new("dead", dead).with_source("live", search))?
        .with_on_no_results(true))
}

/// Two sources that share every third document.
fn halves(documents: &[Document]) -> [Vec<Document>; 2] {
    let half = |parity: usize| {
        let all = documents.iter().cloned().enumerate();
        all.filter(|(number, _)| number % 2 == parity || number % 3 == 0)
            .map(|(_, document)| document)
            .collect()
    };
    [half(0), half(1)]
}

const DEPTH: usize = 90;

fn fan_out([first, second]: [Search; 2]) -> Result<FanOut> {
    let sources = Sources::new("one", first).with_source("other", second);
    let mut settings = FanOutSettings::default();
    settings.depth = DEPTH;
    FanOut::new(sources, settings)
}

/// Each wrapper around the next.
fn all(halves: [Search; 2]) -> Result<Cached> {
    let fan_out: Search = Arc::new(fan_out(halves)?);
    let fallback: Search = Arc::new(fallback(fan_out)?);
    let timed: Search = Arc::new(timed(fallback));
    let rate_limited: Search = Arc::new(rate_limited(timed)?);
    cached(rate_limited)
}

macro_rules! over_both {
    ($($name:ident: $wrapper:expr;)*) => {
        $(
            mod $name {
                mod of_records {
                    use super::super::*;
                    textsearch_conformance::suite_without_http!(
                        |documents| async move { ($wrapper)(fixed(documents)) },
                        capabilities()
                    );
                }

                mod of_a_store {
                    use super::super::*;
                    textsearch_conformance::suite_without_http!(
                        |documents| async move { ($wrapper)(store(documents).await) },
                        of_the_store()
                    );
                }
            }
        )*
    };
}

over_both! {
    timed_search: |search| Ok(timed(search));
    cached_search: cached;
    rate_limited_search: rate_limited;
    reranked_search: |search| Ok(reranked(search));
    fallback_search: fallback;
}

macro_rules! over_halves {
    ($($name:ident: $wrapper:expr;)*) => {
        $(
            mod $name {
                mod of_records {
                    use super::super::*;
                    textsearch_conformance::suite_without_http!(
                        |documents: Vec<Document>| async move { ($wrapper)(halves(&documents).map(fixed)) },
                        capabilities().with_max_results(DEPTH)
                    );
                }

                mod of_stores {
                    use super::super::*;
                    textsearch_conformance::suite_without_http!(
                        |documents: Vec<Document>| async move {
                            let [first, second] = halves(&documents);
                            ($wrapper)([store(first).await, store(second).await])
                        },
                        of_the_store().with_max_results(DEPTH)
                    );
                }
            }
        )*
    };
}

over_halves! {
    fan_out_search: fan_out;
    all_wrappers: all;
}

mod per_document_search {
    use super::*;
    textsearch_conformance::suite_without_http!(
        |documents| async move { Ok(PerDocument::new(fixed(documents))) },
        without_count()
    );
}

mod phrased_search {
    use super::*;
    textsearch_conformance::suite_without_http!(
        |documents| async move { Ok(Phrased::new(fixed(documents))) },
        capabilities()
    );
}

textsearch_conformance::suite_without_http!(
    |documents| async move { cached(Arc::new(timed(fixed(documents)))) },
    capabilities()
);
