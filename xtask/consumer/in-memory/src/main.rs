//! Records in memory, found by their words.

use serde::{Deserialize, Serialize};
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_core::vector::{
    DataField, RecordDefinition, VectorRecord, VectorSearchOptions, VectorStoreExt as _,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Note {
    id: String,
    text: String,
}

impl VectorRecord for Note {
    fn definition() -> RecordDefinition {
        RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> textsearch_core::Result<()> {
    let notes = InMemoryVectorStore::new().collection::<Note>("notes")?;
    notes.ensure_exists().await?;
    let note = |id: &str, text: &str| Note { id: id.to_owned(), text: text.to_owned() };
    notes.upsert(vec![note("1", "Readers never wait."), note("2", "A batch is atomic.")]).await?;
    let options = VectorSearchOptions::top(1);
    let results = notes.full_text_search("waiting readers", &options).await?.into_vec().await?;
    assert_eq!(results[0].record.id, "1");
    Ok(())
}
