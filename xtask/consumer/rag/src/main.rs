//! Records in memory, called from a prompt.

use serde::{Deserialize, Serialize};
use textsearch_core::vector::{VectorRecord, VectorStoreExt as _, VectorStoreTextSearch};
use textsearch_kernel::prelude::*;
use textsearch_vector_inmemory::InMemoryVectorStore;

#[derive(Serialize, Deserialize, VectorRecord)]
struct Note {
    #[record(key)]
    id: String,
    #[record(value, full_text = "en")]
    text: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = InMemoryVectorStore::new().collection::<Note>("notes")?;
    notes.ensure_exists().await?;
    let note = |id: &str, text: &str| Note { id: id.to_owned(), text: text.to_owned() };
    notes.upsert(vec![note("1", "Readers never wait."), note("2", "A batch is atomic.")]).await?;

    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(VectorStoreTextSearch::new(notes).create_with_search("Notes")?)?;
    let template = PromptTemplateConfig::new("{{Notes.Search $query count='1'}}");
    let arguments = KernelArguments::new().with("query", "readers");
    let prompt = kernel.compile_prompt(&template)?.render(&kernel, &arguments).await?;
    assert!(prompt.text.contains("Readers never wait."), "{}", prompt.text);
    Ok(())
}
