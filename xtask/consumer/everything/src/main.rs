//! The facade with all its features. The macros get the paths of core and kernel in the facade,
//! because this program doesn't depend on either crate.

use serde::{Deserialize, Serialize};
use textsearch_sdk::core::vector::{VectorRecord, VectorStoreExt as _, VectorStoreTextSearch};
use textsearch_sdk::kernel::prelude::*;
use textsearch_sdk::prompt::add_template_factories;
use textsearch_sdk::vector_inmemory::InMemoryVectorStore;

#[derive(Serialize, Deserialize, VectorRecord)]
#[record(crate = "textsearch_sdk::core")]
struct Note {
    #[record(key)]
    id: String,
    #[record(value, full_text = "en")]
    text: String,
}

/// Gets the year.
#[kernel_function(crate = "textsearch_sdk::kernel")]
fn year() -> i32 {
    2025
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = InMemoryVectorStore::new().collection::<Note>("notes")?;
    notes.ensure_exists().await?;
    notes.upsert(vec![Note { id: "1".to_owned(), text: "Readers never wait.".to_owned() }]).await?;

    let mut kernel = Kernel::new();
    add_template_factories(&mut kernel);
    kernel.add_plugin(VectorStoreTextSearch::new(notes).create_with_search("Notes")?)?;
    kernel.add_plugin(KernelPlugin::new("Dates", "Dates.", [year::kernel_function()?])?)?;
    let template = PromptTemplateConfig::new("{{Dates.year}}: {{Notes.Search 'readers'}}");
    let prompt = kernel.compile_prompt(&template)?.render(&kernel, &KernelArguments::new()).await?;
    assert!(prompt.text.starts_with("2025: "), "{}", prompt.text);
    assert!(prompt.text.contains("Readers never wait."), "{}", prompt.text);
    Ok(())
}
