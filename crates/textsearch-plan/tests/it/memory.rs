//! Plans over a memory, whose writes need an approval if a model planned them.

use serde_json::json;
use textsearch_core::vector::VectorStoreExt as _;
use textsearch_kernel::{
    Kernel, KernelArguments,
    grounding::{MemoryPluginOptions, MemoryWrite, MemoryWriter, TextMemory},
};
use textsearch_plan::{CheckedPlan, PlanError};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::{check, plan};

async fn memory() -> TextMemory {
    let store = InMemoryVectorStore::new();
    let collection = store.dynamic_collection("notes", TextMemory::definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    TextMemory::new(&collection)
}

fn writers() -> MemoryPluginOptions {
    MemoryPluginOptions::new().with_writers([MemoryWriter::Save])
}

/// A kernel with the memory, and a plan of a model that saves a text and looks it up.
fn planned(memory: &TextMemory, options: MemoryPluginOptions) -> (Kernel, CheckedPlan) {
    let mut kernel = Kernel::new();
    kernel.add_plugin(memory.create_plugin("Memory", options).unwrap()).unwrap();
    let steps = json!([
        { "id": "saved", "function": "Memory.Save",
          "arguments": { "key": "pet", "text": "The cat is called Tom." } },
        { "id": "found", "function": "Memory.Recall", "arguments": { "query": "cat" },
          "when": { "value": "$.steps.saved.result", "is": "empty" } },
    ]);
    let written = plan(json!({ "steps": steps, "result": "$.steps.found.result[*].Value" }));
    let checked = check(&kernel, written).unwrap().with_for_model(true);
    (kernel, checked)
}

#[tokio::test]
async fn a_models_plan_writes_only_what_is_approved() {
    let memory = memory().await;
    let options = writers().with_approval(|write| async move {
        matches!(write, MemoryWrite::Save(entry) if entry.key == "pet")
    });
    let (kernel, checked) = planned(&memory, options);
    let outcome = checked.run(&kernel, KernelArguments::new()).await.unwrap();
    assert_eq!(outcome.value, json!(["The cat is called Tom."]));
}

#[tokio::test]
async fn a_models_plan_writes_nothing_without_approval() {
    let memory = memory().await;
    let refusing = writers().with_approval(|_| async { false });
    for options in [writers(), refusing] {
        let (kernel, checked) = planned(&memory, options);
        let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
        assert!(matches!(&error, PlanError::StepFailed { step, .. } if step == "saved"), "{error}");
        assert!(memory.retrieve("pet").await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_persons_plan_writes_without_approval() {
    let memory = memory().await;
    let (kernel, checked) = planned(&memory, writers());
    checked.with_for_model(false).run(&kernel, KernelArguments::new()).await.unwrap();
    assert!(memory.retrieve("pet").await.unwrap().is_some());
}
