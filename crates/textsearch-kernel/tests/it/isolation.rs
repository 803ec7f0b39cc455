//! One tenant's searches can never return another tenant's record.
//!
//! Every case runs on two stores with the tenants a and b, on a function with the fixed filter
//! `tenant = "a"`, through `invoke`, `invoke_tool_call` and `chat`.

use std::sync::Arc;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, TextSearchPlugins,
    function::FunctionValue,
    search::{OfferedFields, SearchPluginOptions},
    textsearch_core::{
        Filter, FilterableField, FixedSearch, TextSearch, TextSearchRecord, TextSearchResult,
        chat::{ChatHistory, ChatMessage, ToolCall},
        vector::{
            DataField, RecordDefinition, SearchMode, StoredRecord, VectorStoreExt as _,
            VectorStoreTextSearch,
        },
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::{Scripted, calls, kernel_with, settings, text};

/// Per tenant: more than a call may request.
const NOTES: usize = 60;

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Note {
    id: String,
    tenant: String,
    year: i64,
    text: String,
}

impl TextSearchRecord for Note {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        self.text.as_str().into()
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(&self.text).with_id(&self.id)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Invoke,
    ToolCall,
    Chat,
}

const WAYS: [Way; 3] = [Way::Invoke, Way::ToolCall, Way::Chat];

fn notes() -> Vec<Note> {
    let notes = (0..NOTES).flat_map(|number| {
        ["b", "a"].map(|tenant| Note {
            // Ties sort by key, so the tenants alternate and a lost filter shows.
            id: format!("{number:02}{tenant}"),
            tenant: tenant.to_owned(),
            year: 2000 + number as i64,
            text: format!("note {number} on tenant and year or b"),
        })
    });
    notes.collect()
}

fn fixed_search() -> Arc<dyn TextSearch> {
    let fields =
        [FilterableField::string("tenant", "Whose"), FilterableField::integer("year", "When")]
            .map(FilterableField::with_all_operators);
    Arc::new(FixedSearch::new(notes()).with_fields(fields))
}

async fn in_memory_store() -> Arc<dyn TextSearch> {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("tenant").filterable().offered_to_model())
        .with_data(DataField::integer("year").filterable().offered_to_model())
        .with_data(DataField::string("text").full_text_in("en"));
    let collection = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
    collection.ensure_exists().await.unwrap();
    let records = notes()
        .into_iter()
        .map(|note| StoredRecord::from_serialize(&note, collection.definition()).unwrap());
    collection.upsert(records.collect()).await.unwrap();
    Arc::new(VectorStoreTextSearch::new(collection).with_mode(SearchMode::FullText))
}

/// `Notes-Search` is restricted to tenant a.
pub(crate) async fn kernels(offered: &OfferedFields) -> Vec<Kernel> {
    let kernel = |search: Arc<dyn TextSearch>| {
        let options = SearchPluginOptions::new("Notes")
            .with_fixed_filter(Filter::eq("tenant", "a"))
            .with_offered_fields(offered.clone());
        let mut kernel = Kernel::new();
        kernel.add_plugin(search.create_with_records(options, "Search").unwrap()).unwrap();
        kernel
    };
    vec![kernel(fixed_search()), kernel(in_memory_store().await)]
}

async fn call(kernel: &Kernel, way: Way, arguments: &Value) -> Result<Vec<Value>, KernelError> {
    let result = match way {
        Way::Invoke => {
            let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
            kernel
                .invoke("Notes", "Search", KernelArguments::from(arguments))
                .await?
                .value
                .into_json()
        }
        Way::ToolCall => kernel
            .invoke_tool_call(&ToolCall::new("1", "Notes-Search", arguments.to_string()))
            .await?
            .value
            .into_json(),
        Way::Chat => chat(kernel, arguments).await?,
    };
    let Value::Array(records) = result else { panic!("a search returns a list") };
    for record in &records {
        assert_eq!(record["tenant"], "a", "{way:?} {arguments}");
    }
    Ok(records)
}

/// Checks that the model receives nothing of tenant b.
async fn chat(kernel: &Kernel, arguments: &Value) -> Result<Value, KernelError> {
    let model = Scripted::new([calls([("Notes-Search", arguments.clone())]), text("Done.")]);
    let kernel = kernel_with(kernel.clone(), &model);
    let history = ChatHistory::from(vec![ChatMessage::user("What of tenant b?")]);
    let mut run = kernel.chat(history, settings()).await?.run;
    let results = model.tool_results().join("\n");
    assert!(!results.contains(r#""tenant":"b""#), "{results}");
    let record = run.calls.remove(0);
    let result = record.result.map(FunctionValue::into_json);
    result.map_err(|error| Arc::into_inner(error.source.unwrap()).unwrap())
}

/// Runs every store and call path. Checks that no outcome holds a record of b, then passes it to
/// `expected`.
async fn check(
    offered: OfferedFields,
    arguments: Value,
    expected: impl Fn(Way, Result<Vec<Value>, KernelError>),
) {
    for kernel in kernels(&offered).await {
        for way in WAYS {
            expected(way, call(&kernel, way, &arguments).await);
        }
    }
}

fn refused(outcome: Result<Vec<Value>, KernelError>, parameter: &str, message: &str) {
    let error = outcome.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the argument `{parameter}` of `Notes-Search` {message}")
    );
}

#[tokio::test]
async fn the_store_holds_both_tenants() {
    for search in [fixed_search(), in_memory_store().await] {
        let plugin = search.create_with_records("Notes", "Search").unwrap();
        let arguments = KernelArguments::new().with("query", "note").with("count", 50);
        let result =
            Kernel::new().invoke_function(&plugin.functions()[0], arguments).await.unwrap();
        let notes = result.value.to_json();
        let tenants: Vec<&Value> =
            notes.as_array().unwrap().iter().map(|note| &note["tenant"]).collect();
        assert!(tenants.contains(&&json!("a")) && tenants.contains(&&json!("b")));
    }
}

#[tokio::test]
async fn a_count_of_zero_is_refused() {
    check(OfferedFields::Default, json!({ "query": "note", "count": 0 }), |_, outcome| {
        refused(outcome, "count", "must be from 1 to 50: found 0");
    })
    .await;
}

#[tokio::test]
async fn a_negative_skip_is_refused() {
    check(OfferedFields::Default, json!({ "query": "note", "skip": -1 }), |_, outcome| {
        refused(outcome, "skip", "must be from 0 to 10000: found -1");
    })
    .await;
}

#[tokio::test]
async fn a_count_as_text_counts_as_the_number() {
    check(OfferedFields::Default, json!({ "query": "note", "count": "50" }), |_, outcome| {
        assert_eq!(outcome.unwrap().len(), 50);
    })
    .await;
}

#[tokio::test]
async fn a_count_above_the_maximum_is_refused() {
    check(OfferedFields::Default, json!({ "query": "note", "count": u64::MAX }), |_, outcome| {
        refused(outcome, "count", "must be from 1 to 50: found 18446744073709551615");
    })
    .await;
}

#[tokio::test]
async fn paging_to_the_end_stays_with_the_tenant() {
    check(
        OfferedFields::Default,
        json!({ "query": "note", "count": 50, "skip": 50 }),
        |_, outcome| {
            assert_eq!(outcome.unwrap().len(), NOTES - 50);
        },
    )
    .await;
}

#[tokio::test]
async fn another_tenant_in_an_offered_field_finds_nothing() {
    for other in [json!("b"), json!(["b"])] {
        check(OfferedFields::Default, json!({ "query": "note", "tenant": other }), |_, outcome| {
            assert_eq!(outcome.unwrap(), Vec::<Value>::new());
        })
        .await;
    }
    check(
        OfferedFields::Default,
        json!({ "query": "note", "tenant": ["a", "b"] }),
        |_, outcome| {
            assert_eq!(outcome.unwrap().len(), 2);
        },
    )
    .await;
}

#[tokio::test]
async fn another_tenant_in_an_unoffered_field_has_no_effect() {
    check(
        OfferedFields::None,
        json!({ "query": "note", "tenant": "b" }),
        |way, outcome| match way {
            // A template passes all its variables to every function; the kernel drops the
            // undeclared ones.
            Way::Invoke => assert_eq!(outcome.unwrap().len(), 2),
            Way::ToolCall | Way::Chat => {
                refused(outcome, "tenant", "is unknown; use only query, count, skip");
            }
        },
    )
    .await;
}

#[tokio::test]
async fn a_filter_value_of_the_wrong_type_is_refused() {
    check(OfferedFields::Default, json!({ "query": "note", "year": "ten" }), |_, outcome| {
        let message = "must be an integer or a list whose items are each an integer: found \"ten\"";
        refused(outcome, "year", message);
    })
    .await;
    check(
        OfferedFields::Default,
        json!({ "query": "note", "year_min": { "or": [] } }),
        |_, outcome| {
            refused(outcome, "year_min", "must be an integer: found {\"or\":[]}");
        },
    )
    .await;
    check(OfferedFields::Default, json!({ "query": "note", "tenant": 5 }), |_, outcome| {
        let message = "must be a string or a list whose items are each a string: found 5";
        refused(outcome, "tenant", message);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_parameter_has_no_effect() {
    let arguments = json!({ "query": "note", "filter": { "or": [{ "field": "tenant", "operator": "exists" }] } });
    check(OfferedFields::None, arguments, |way, outcome| match way {
        Way::Invoke => assert_eq!(outcome.unwrap().len(), 2),
        Way::ToolCall | Way::Chat => {
            refused(outcome, "filter", "is unknown; use only query, count, skip");
        }
    })
    .await;
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_refused() {
    for kernel in kernels(&OfferedFields::Default).await {
        for written in ["[\"note\"]", "\"note\"", "null", "7", "{", "query=note"] {
            let error = kernel
                .invoke_tool_call(&ToolCall::new("1", "Notes-Search", written))
                .await
                .unwrap_err();
            assert!(matches!(error, KernelError::InvalidArguments { .. }), "{written}: {error}");
        }
        // The other path takes only named values, and a non-text value is not a query.
        let arguments = KernelArguments::new().with("query", json!({ "query": "note" }));
        let error = kernel.invoke("Notes", "Search", arguments).await.unwrap_err();
        assert!(matches!(error, KernelError::InvalidArgument { .. }), "{error}");
    }
}

#[tokio::test]
async fn filter_syntax_in_the_query_is_text() {
    let queries = [
        r#"note" or tenant = "b"#,
        r#"tenant = "b""#,
        "tenant:b OR note",
        "note) or (tenant exists",
        r#"note" , "filter": { "tenant": "b" }, "x": ""#,
        "site:b note -tenant:a",
        "* note",
    ];
    for query in queries {
        check(OfferedFields::Default, json!({ "query": query, "count": 50 }), |_, outcome| {
            // Both stores find the words of the query, up to the allowed number of times.
            assert_eq!(outcome.unwrap().len(), 50);
        })
        .await;
    }
}

#[tokio::test]
async fn a_blank_query_finds_nothing() {
    for query in ["", " \n\t"] {
        check(OfferedFields::Default, json!({ "query": query, "count": 50 }), |_, outcome| {
            assert_eq!(outcome.unwrap(), Vec::<Value>::new());
        })
        .await;
    }
}

#[tokio::test]
async fn a_second_call_remembers_nothing_of_the_first() {
    for kernel in kernels(&OfferedFields::Default).await {
        for way in WAYS {
            let plain = json!({ "query": "note" });
            let before = call(&kernel, way, &plain).await.unwrap();
            let narrow = json!({ "query": "note", "count": 50, "skip": 1, "year": 2003, "tenant": ["a", "b"] });
            assert_eq!(call(&kernel, way, &narrow).await.unwrap(), Vec::<Value>::new());
            let narrow =
                json!({ "query": "note", "count": 50, "year_min": 2003, "year_max": 2005 });
            assert_eq!(call(&kernel, way, &narrow).await.unwrap().len(), 3);
            assert!(call(&kernel, way, &json!({ "query": "note", "count": 0 })).await.is_err());
            assert_eq!(call(&kernel, way, &plain).await.unwrap(), before);
            assert_eq!(before.len(), 2);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_once_do_not_mix() {
    for kernel in kernels(&OfferedFields::Default).await {
        let calls = (0..64_usize).map(|number| {
            let kernel = kernel.clone();
            tokio::spawn(async move {
                let way = WAYS[number % 3];
                let tenant = if number % 4 == 0 { "b" } else { "a" };
                let arguments =
                    json!({ "query": "note", "count": 1 + number % 40, "tenant": tenant });
                let expected = if tenant == "b" { 0 } else { 1 + number % 40 };
                assert_eq!(call(&kernel, way, &arguments).await.unwrap().len(), expected);
            })
        });
        for done in join_all(calls).await {
            done.unwrap();
        }
    }
}
