//! The functions of a memory.

use serde_json::json;
use textsearch_kernel::{
    KernelError,
    function::{functions_manual, openai_tools, tool_definitions},
    grounding::{MemoryPluginOptions, MemoryWriter, TextMemory},
    textsearch_core::vector::{DataField, KeyKind, VectorStoreExt as _},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{BUDGET, both, call, collection, kernel, memory, text_of};
use crate::support::set;

#[tokio::test]
async fn retrieve_returns_the_record_with_the_key() {
    let kernel = kernel(&memory().await, MemoryPluginOptions::new());
    let results = call(&kernel, "Retrieve", json!({ "key": "budget" })).await.unwrap();
    let expected = json!([{ "Id": "budget", "Value": BUDGET, "Link": "https://a.example/b", "Source": "inmemory" }]);
    assert_eq!(results, expected);
    assert_eq!(call(&kernel, "Retrieve", json!({ "key": "x" })).await.unwrap(), json!([]));
}

#[tokio::test]
async fn recall_takes_a_limit_and_a_minimum_score() {
    let kernel = kernel(&memory().await, MemoryPluginOptions::new());
    let recall = async |arguments| {
        let results = call(&kernel, "Recall", arguments).await.unwrap();
        results.as_array().unwrap().len()
    };
    let query = "the budget of the cat";
    assert_eq!(recall(json!({ "query": query })).await, 2);
    assert_eq!(recall(json!({ "query": query, "limit": 1 })).await, 1);
    assert_eq!(recall(json!({ "query": query, "min_score": 1000 })).await, 0);
    assert_eq!(recall(json!({ "query": "" })).await, 0);
    let error = call(&kernel, "Recall", json!({ "query": "x", "limit": 51 })).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the argument `limit` of `Memory-Recall` must be from 1 to 50: found 51"
    );
}

#[tokio::test]
async fn named_writers_save_and_remove() {
    let memory = memory().await;
    let kernel = kernel(&memory, both());
    let arguments =
        json!({ "text": "A note.", "key": "n", "name": "N", "link": "https://n.example" });
    assert_eq!(call(&kernel, "Save", arguments).await.unwrap(), json!(null));
    let saved = memory.retrieve("n").await.unwrap().unwrap();
    assert_eq!((saved.value.as_str(), saved.name.as_deref()), ("A note.", Some("N")));
    call(&kernel, "Remove", json!({ "key": "n" })).await.unwrap();
    assert_eq!(text_of(&memory, "n").await, None);
}

#[tokio::test]
async fn writers_exist_only_if_named() {
    let memory = memory().await;
    for (options, expected) in [
        (MemoryPluginOptions::new(), vec!["Retrieve", "Recall"]),
        (
            MemoryPluginOptions::new().with_writers([MemoryWriter::Remove]),
            vec!["Retrieve", "Recall", "Remove"],
        ),
        (both(), vec!["Retrieve", "Recall", "Save", "Remove"]),
    ] {
        let plugin = memory.create_plugin("Memory", options).unwrap();
        let names: Vec<&str> = plugin.functions().iter().map(|function| function.name()).collect();
        assert_eq!(names, expected);
    }
    let kernel = kernel(&memory, MemoryPluginOptions::new());
    let error = call(&kernel, "Save", json!({ "text": "x", "key": "x" })).await.unwrap_err();
    assert!(matches!(error, KernelError::FunctionNotFound { .. }), "{error:?}");
}

#[tokio::test]
async fn documents_for_models_leave_out_the_writers() {
    let plugins = [memory().await.create_plugin("Memory", both()).unwrap()];
    assert_eq!(functions_manual(&plugins).as_array().unwrap().len(), 2);
    assert_eq!(openai_tools(&plugins).as_array().unwrap().len(), 2);
    let names: Vec<String> = tool_definitions(&plugins).into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["Memory-Retrieve", "Memory-Recall"]);
}

#[tokio::test]
async fn functions_say_whether_they_write() {
    let plugin = memory().await.create_plugin("Memory", both()).unwrap();
    let told: Vec<_> = plugin
        .functions()
        .iter()
        .map(|function| (function.metadata().read_only, function.metadata().opt_in))
        .collect();
    let reads = (Some(true), false);
    let writes = (Some(false), true);
    assert_eq!(told, [reads, reads, writes, writes]);
}

#[tokio::test]
async fn parameters_follow_the_collection() {
    let definition = TextMemory::definition();
    let mut plain = definition.clone();
    (plain.name_field, plain.link_field) = (None, None);
    for (definition, expected) in
        [(definition, vec!["text", "key", "name", "link"]), (plain, vec!["text", "key"])]
    {
        let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
        let plugin = TextMemory::new(&notes).create_plugin("Memory", both()).unwrap();
        let save = plugin.function("save").unwrap().metadata();
        let names: Vec<&str> =
            save.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, expected);
    }
}

#[tokio::test]
async fn impossible_plugins_are_refused() {
    let refused = |memory: &TextMemory, options| {
        memory.create_plugin("Memory", options).unwrap_err().to_string()
    };
    let notes = collection().await;
    let memory = TextMemory::new(&notes);
    assert_eq!(
        refused(&memory, set(MemoryPluginOptions::new(), |settings| settings.default_limit = 51)),
        "the function `Recall` cannot be made: its default limit is 51; expected from 1 to its maximum, which is 50"
    );
    let other = memory.clone().with_namespace("link", "a");
    assert_eq!(
        refused(&other, MemoryPluginOptions::new()),
        "the function `Recall` cannot be made: the collection cannot apply the namespaces"
    );
    let mut definition = TextMemory::definition();
    definition.value_field = None;
    let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
    assert_eq!(
        refused(&TextMemory::new(&notes), both()),
        "the function `Save` cannot be made: the collection has no field for the text; set one with `with_value_field`"
    );
    let definition = TextMemory::definition()
        .with_key_kind(KeyKind::Integer)
        .with_data(DataField::string("tenant").filterable());
    let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
    let memory = TextMemory::new(&notes).with_namespace("tenant", "a");
    assert!(refused(&memory, both()).contains("saves only under text keys"));
}
