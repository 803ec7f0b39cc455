//! Memories over a collection, and their plugins.

mod hostile;
mod isolation;
mod plugin;
mod search;
mod store;

use textsearch_kernel::{
    Kernel, KernelArguments,
    grounding::{MemoryEntry, MemoryPluginOptions, MemoryWriter, TextMemory},
    textsearch_core::vector::{Collection, DataField, StoredRecord, VectorStoreExt as _},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

const BUDGET: &str = "The company budget by year: 2024 has 1.2 million.";

async fn collection() -> Collection<StoredRecord> {
    let definition = TextMemory::definition().with_data(DataField::string("tenant").filterable());
    let collection = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
    collection.ensure_exists().await.unwrap();
    collection
}

/// Remembers a budget and a pet.
async fn memory() -> TextMemory {
    let memory = TextMemory::new(&collection().await);
    memory.save(MemoryEntry::new("budget", BUDGET).with_link("https://a.example/b")).await.unwrap();
    memory.save(MemoryEntry::new("pet", "The cat is called Tom.")).await.unwrap();
    memory
}

fn both() -> MemoryPluginOptions {
    MemoryPluginOptions::new().with_writers([MemoryWriter::Save, MemoryWriter::Remove])
}

fn kernel(memory: &TextMemory, options: MemoryPluginOptions) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_plugin(memory.create_plugin("Memory", options).unwrap()).unwrap();
    kernel
}

/// As JSON.
async fn call(
    kernel: &Kernel,
    function: &str,
    arguments: serde_json::Value,
) -> textsearch_kernel::Result<serde_json::Value> {
    let serde_json::Value::Object(arguments) = arguments else { panic!("not an object") };
    let result = kernel.invoke("Memory", function, KernelArguments::from(arguments)).await?;
    Ok(result.value.into_json())
}

async fn text_of(memory: &TextMemory, key: &str) -> Option<String> {
    memory.retrieve(key).await.unwrap().map(|record| record.value)
}
