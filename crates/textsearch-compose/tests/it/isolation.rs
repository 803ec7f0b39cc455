//! A fixed filter holds through each wrapper: one tenant never sees another tenant's record.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use serde_json::{Value, json};
use textsearch_compose::{
    CacheSettings, Cached, Fallback, FanOut, FanOutSettings, RateLimit, RateLimited, Reranked,
    Sources, Timed,
};
use textsearch_core::{
    Filter, FilterableField, FixedSearch, Result, SearchOptions, TextSearch, TextSearchResult,
    async_trait,
    rerank::Reranker,
    vector::{
        DataField, RecordDefinition, SearchMode, StoredRecord, VectorStoreExt as _,
        VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::pages;

type Search = Arc<dyn TextSearch>;

const TENANTS: [&str; 2] = ["a", "b"];
/// Per tenant: more than a search asks for.
const NOTES: usize = 60;

/// A record of each tenant in turn, so that a lost filter shows in each window. Both tenants have the
/// same links, so that a fan-out has something to mix up.
fn notes() -> impl Iterator<Item = (String, Value)> {
    (0..NOTES).flat_map(|number| {
        TENANTS.map(|tenant| {
            let id = format!("{number:02}{tenant}");
            let data = json!({
                "id": id,
                "Source": tenant,
                "Name": format!("note {number}"),
                "text": "a note on source, name and or b",
                "link": format!("https://example.com/{number}"),
            });
            (id, data)
        })
    })
}

fn records() -> Search {
    let text = |data: &Value, name: &str| data[name].as_str().unwrap().to_owned();
    let results: Vec<_> = notes()
        .map(|(id, data)| {
            TextSearchResult::new(text(&data, "text"))
                .with_name(text(&data, "Name"))
                .with_link(text(&data, "link"))
                .with_source(text(&data, "Source"))
                .with_id(id)
        })
        .collect();
    let fields =
        ["Source", "Name"].map(|name| FilterableField::string(name, "").with_all_operators());
    Arc::new(FixedSearch::new(results).with_fields(fields))
}

async fn store() -> Search {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("Source").filterable())
        .with_data(DataField::string("Name").filterable())
        .with_data(DataField::string("text").full_text_in("en"))
        .with_data(DataField::string("link"))
        .with_name_field("Name")
        .with_value_field("text")
        .with_link_field("link");
    let collection = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
    collection.ensure_exists().await.unwrap();
    let record = |(_, data)| StoredRecord::from_serialize(&data, collection.definition()).unwrap();
    collection.upsert(notes().map(record).collect()).await.unwrap();
    Arc::new(VectorStoreTextSearch::new(collection).with_mode(SearchMode::FullText))
}

struct Backwards;

#[async_trait]
impl Reranker for Backwards {
    fn name(&self) -> &str {
        "backwards"
    }

    async fn rerank(&self, _: &str, texts: &[String]) -> Result<Vec<f64>> {
        Ok((0..texts.len()).map(|position| position as f64).collect())
    }
}

fn fan_out(first: Search, second: Search) -> FanOut {
    let mut settings = FanOutSettings::default();
    settings.depth = 50;
    FanOut::new(Sources::new("one", first).with_source("other", second), settings).unwrap()
}

fn cached(search: Search) -> Cached {
    Cached::new(search, CacheSettings::default()).unwrap()
}

fn rate_limited(search: Search) -> RateLimited {
    let limit = RateLimit::new(u32::MAX, Duration::from_secs(10)).with_burst(1000);
    RateLimited::new(search, limit).unwrap()
}

fn fallback(search: Search) -> Fallback {
    let empty = pages(&[]).with_fields(search.fields().to_vec());
    let sources = Sources::new("empty", empty).with_source("notes", search);
    Fallback::new(sources).unwrap().with_on_no_results(true)
}

fn reranked(search: Search) -> Reranked {
    Reranked::new(search, Backwards).with_candidates(10)
}

/// Each wrapper, and all of them in two orders.
async fn searches() -> Vec<(&'static str, Search)> {
    let mut searches: Vec<(&str, Search)> = Vec::new();
    let stores = [records(), store().await];
    for search in stores.clone() {
        searches.push(("fallback", Arc::new(fallback(Arc::clone(&search)))));
        searches.push(("cached", Arc::new(cached(Arc::clone(&search)))));
        searches.push(("limited", Arc::new(rate_limited(Arc::clone(&search)))));
        searches.push(("reranked", Arc::new(reranked(Arc::clone(&search)))));
        searches.push(("timed", Arc::new(Timed::new(search, Duration::from_secs(9)))));
    }
    let [first, second] = stores;
    let fan: Search = Arc::new(fan_out(Arc::clone(&first), Arc::clone(&second)));
    searches.push(("fan out", Arc::clone(&fan)));
    let inner = reranked(Arc::new(fallback(Arc::new(rate_limited(fan)))));
    searches.push(("all", Arc::new(cached(Arc::new(inner)))));
    let [first, second] = [first, second].map(|search| -> Search {
        Arc::new(cached(Arc::new(reranked(Arc::new(fallback(search))))))
    });
    searches.push(("fan out over all", Arc::new(rate_limited(Arc::new(fan_out(first, second))))));
    searches
}

/// Queries and options from a caller, a model or a stranger.
fn attacks() -> Vec<(&'static str, SearchOptions)> {
    let top = || SearchOptions::top(10);
    let other = || Filter::eq("Source", "b");
    vec![
        ("note", top()),
        ("note", top().with_skip(20)),
        ("note", top().with_total_count(true)),
        ("note source = \"b\" OR 1 = 1", top()),
        ("source:b", top()),
        ("note", top().with_filter(other())),
        ("note", top().with_filter(other().or(Filter::exists("Name")))),
        ("note", top().with_filter(!Filter::eq("Source", "a"))),
        ("note", top().with_filter(Filter::all([]))),
        ("note", top().with_filter(Filter::any([]))),
    ]
}

/// Returns how many results were of this tenant. Panics if any wasn't.
async fn search_as(tenant: &str, search: &Search, query: &str, options: &SearchOptions) -> usize {
    let options = options.clone().with_fixed_filter(Filter::eq("Source", tenant));
    let results = search.text_search_results(query, &options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    for result in &results {
        let id = result.id.as_deref().unwrap();
        assert!(id.ends_with(tenant), "{tenant} sees {id} for `{query}` {options:?}");
    }
    let values = search.search_values(query, &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(values.len(), results.len());
    results.len()
}

#[tokio::test]
async fn no_tenant_sees_another_through_a_wrapper() {
    for (name, search) in searches().await {
        assert!(search.supports_fixed_filter(), "{name}");
        let mut seen = [0, 0];
        for (query, options) in attacks() {
            for (tenant, seen) in TENANTS.iter().zip(&mut seen) {
                *seen += search_as(tenant, &search, query, &options).await;
            }
        }
        assert!(seen.iter().all(|count| *count > 30), "{name}: {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tenants_at_the_same_time_stay_apart() {
    for (name, search) in searches().await {
        let tasks = (0..64).map(|number| {
            let search = Arc::clone(&search);
            tokio::spawn(async move {
                let tenant = TENANTS[number % 2];
                let mut seen = 0;
                // Few different searches, so that many meet in one cache.
                for skip in 0..4 {
                    let options = SearchOptions::top(5).with_skip(skip * 5);
                    seen += search_as(tenant, &search, "note", &options).await;
                }
                seen
            })
        });
        for seen in join_all(tasks).await {
            assert_eq!(seen.unwrap(), 20, "{name}");
        }
    }
}

#[tokio::test]
async fn the_answer_for_one_tenant_is_none_for_the_other() {
    let search: Search = Arc::new(cached(records()));
    let options = SearchOptions::top(3);
    let fixed = |tenant| options.clone().with_fixed_filter(Filter::eq("Source", tenant));
    let read = async |options| {
        let results = search.text_search_results("note", &options).await.unwrap();
        let results = results.into_vec().await.unwrap();
        results.into_iter().map(|result| result.id.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(read(fixed("a")).await, ["00a", "01a", "02a"]);
    assert_eq!(read(fixed("b")).await, ["00b", "01b", "02b"]);
    assert_eq!(read(options.clone()).await, ["00a", "00b", "01a"]);
    assert_eq!(read(fixed("a")).await, ["00a", "01a", "02a"]);
}
