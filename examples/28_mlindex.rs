//! Opens indexes that MLIndex files describe, through constructors by kind.
//!
//! Pass a file, and perhaps a question, to open your own:
//! `cargo run -p examples --features qdrant --example 28_mlindex -- docs/MLIndex "How do I pay?"`.
//!
//! Needs: nothing; it runs offline, on records in memory. With the feature `qdrant` and
//! `QDRANT_URL`, such as `http://localhost:6334`, it also opens an index on that server; with
//! `pgvector` and `POSTGRES_URL`, an index in that database. The feature `local-embeddings` adds models
//! in a folder.

use std::{env, sync::Arc};

use examples::Meanings;
use serde_json::json;
use textsearch_core::{
    Result, SearchOptions, TextSearch,
    vector::{
        Collection, DataField, EmbeddingCollection, EmbeddingGenerator, RecordDefinition,
        StoredRecord, VectorField, VectorStore,
    },
};
use textsearch_mlindex::{EmbeddingsContext, IndexContext, MlIndex, MlIndexRegistry, Service};
use textsearch_openai::{OpenAiConfig, OpenAiEmbeddings};
use textsearch_vector_inmemory::InMemoryVectorStore;

const COLLECTION: &str = "example-mlindex";

const FILE: &str = "
embeddings:
  kind: four_subjects
  dimension: 5
index:
  kind: memory
  collection: example-mlindex
  field_mapping:
    content: body
    title: title
    url: page
    embedding: vector
";

const NOTES: [(&str, &str); 3] = [
    ("Sign in", "Scan the code with the camera of your phone."),
    ("Invoices", "An invoice is paid by card."),
    ("Errors", "The server refused the connection."),
];

/// Registers the kinds that this program knows.
fn registry() -> Result<MlIndexRegistry> {
    let mut registry = MlIndexRegistry::new();
    registry.register_embeddings("open_ai", open_ai)?;
    registry.register_embeddings("azure_open_ai", azure_open_ai)?;
    #[cfg(feature = "local-embeddings")]
    registry.register_embeddings("hugging_face", hugging_face)?;
    #[cfg(feature = "qdrant")]
    registry.register_index("qdrant", qdrant)?;
    #[cfg(feature = "pgvector")]
    registry.register_index("pgvector", pgvector)?;
    // Your own kinds.
    registry.register_embeddings("four_subjects", |_| async { model(Meanings) })?;
    registry.register_index("memory", memory)?;
    Ok(registry)
}

fn model(model: impl EmbeddingGenerator + 'static) -> Result<Arc<dyn EmbeddingGenerator>> {
    Ok(Arc::new(model))
}

async fn open_ai(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    let missing = || context.settings.missing("model", "the name of a model");
    let name = context.settings.model.clone().ok_or_else(missing)?;
    // The key is only sent to OpenAI, and to the address in OPENAI_BASE_URL.
    let service = Service::new("OPENAI_API_KEY", "OPENAI_BASE_URL");
    let access = context.connect(&service.with_hosted_address("https://api.openai.com/v1"))?;
    let mut config = OpenAiConfig::without_key(access.address(), name);
    config.api_key = access.key;
    model(OpenAiEmbeddings::new(config)?)
}

async fn azure_open_ai(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    let settings = &context.settings;
    let required = |name, value: &Option<String>| {
        value.clone().ok_or_else(|| settings.missing(name, "a text"))
    };
    let deployment = required("deployment", &settings.deployment)?;
    let version = required("api_version", &settings.api_version)?;
    let service = Service::new("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT");
    let access = context.connect(&service)?;
    let key = access.required_key()?;
    model(OpenAiEmbeddings::new(OpenAiConfig::azure(access.address(), deployment, version, key))?)
}

/// The model in a folder next to the file.
#[cfg(feature = "local-embeddings")]
async fn hugging_face(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    use textsearch_embeddings_local::{LocalEmbeddings, LocalEmbeddingsConfig};

    model(LocalEmbeddings::new(LocalEmbeddingsConfig::new(context.model_folder()?))?)
}

async fn memory(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let store = InMemoryVectorStore::new();
    fill(&store).await?;
    context.text_search(&store, definition())
}

/// Opens any collection, also if another program created it.
#[cfg(feature = "qdrant")]
async fn qdrant(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    use textsearch_qdrant::{QdrantConfig, QdrantStore};

    let access = context.connect(&Service::new("QDRANT_API_KEY", "QDRANT_URL"))?;
    let mut config = QdrantConfig::new(access.address());
    config.api_key = access.key;
    let store = QdrantStore::new(config)?;
    let known = store.existing_definition(context.settings.required_index()?).await?;
    context.text_search(&store, known)
}

/// Opens a collection of this project. The database's URL holds a password, so it never comes from
/// the file.
#[cfg(feature = "pgvector")]
async fn pgvector(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    use textsearch_pgvector::{POSTGRES_URL, PgVectorConfig, PgVectorStore};

    let config = PgVectorConfig::new(context.connection_string(POSTGRES_URL)?);
    let name = context.settings.required_index()?;
    let store = PgVectorStore::connect(config).await?.with_settings_of(name).await?;
    let known = store.existing_definition(name).await?;
    context.text_search(&store, known)
}

fn definition() -> RecordDefinition {
    let vector = VectorField::new("vector", Meanings::DIMENSIONS);
    RecordDefinition::new("id")
        .with_data(DataField::string("title").filterable())
        .with_data(DataField::string("page").filterable())
        .with_data(DataField::string("body"))
        .with_vector(vector.embedded_from(["title", "body"]))
        .with_name_field("title")
        .with_value_field("body")
        .with_link_field("page")
}

async fn fill(store: &dyn VectorStore) -> Result<()> {
    let stored = store.stored_collection(COLLECTION, definition())?;
    let notes = Collection::new(EmbeddingCollection::new(stored, Meanings));
    notes.ensure_exists().await?;
    let record = |(title, body): (&str, &str)| {
        let page = format!("https://example.com/{}", title.replace(' ', "-"));
        let data = json!({ "id": title, "title": title, "body": body, "page": page });
        StoredRecord::new(data.as_object().cloned().unwrap_or_default(), notes.definition())
    };
    notes.upsert(NOTES.into_iter().map(record).collect::<Result<_>>()?).await
}

async fn ask(file: &MlIndex, question: &str) -> Result<()> {
    let search = registry()?.open(file).await?;
    let mut results = search.text_search_results(question, &SearchOptions::top(1)).await?;
    while let Some(result) = results.next().await {
        let result = result?;
        let name = result.name.unwrap_or_default();
        let link = result.link.unwrap_or_default();
        println!("{question}\n   {name}: {} ({link})", result.value);
    }
    Ok(())
}

/// Prints why a file isn't opened.
async fn refuse(yaml: &str) -> Result<()> {
    let opened = match MlIndex::from_yaml(yaml) {
        Ok(file) => registry()?.open(&file).await.map(drop),
        Err(error) => Err(error),
    };
    opened.map_or_else(|error| println!("{error}"), |()| println!("the file was opened"));
    Ok(())
}

#[cfg(feature = "qdrant")]
async fn ask_server() -> Result<()> {
    use textsearch_qdrant::{QDRANT_URL, QdrantConfig, QdrantStore};

    if env::var_os(QDRANT_URL).is_none() {
        return Ok(());
    }
    let store = QdrantStore::new(QdrantConfig::from_env()?)?;
    fill(&store).await?;
    // Without an endpoint in the file, QDRANT_URL has it.
    println!("On the server:");
    let asked =
        ask(&MlIndex::from_yaml(&FILE.replace("memory", "qdrant"))?, "log in with the app").await;
    store.stored_collection(COLLECTION, definition())?.delete_collection().await?;
    asked
}

#[cfg(not(feature = "qdrant"))]
async fn ask_server() -> Result<()> {
    Ok(())
}

#[cfg(feature = "pgvector")]
async fn ask_database() -> Result<()> {
    use textsearch_pgvector::{POSTGRES_URL, PgVectorConfig, PgVectorStore};

    if env::var_os(POSTGRES_URL).is_none() {
        return Ok(());
    }
    let store = PgVectorStore::connect(PgVectorConfig::from_env()?).await?;
    fill(&store).await?;
    println!("In the database:");
    let file = MlIndex::from_yaml(&FILE.replace("memory", "pgvector"))?;
    let asked = ask(&file, "log in with the app").await;
    store.stored_collection(COLLECTION, definition())?.delete_collection().await?;
    asked
}

#[cfg(not(feature = "pgvector"))]
async fn ask_database() -> Result<()> {
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    if let Some(path) = env::args().nth(1) {
        let question = env::args().nth(2).unwrap_or_else(|| "How do I pay?".to_owned());
        return ask(&MlIndex::from_path(path)?, &question).await;
    }
    ask(&MlIndex::from_yaml(FILE)?, "log in with the app").await?;
    ask_server().await?;
    ask_database().await?;

    println!("\nFiles that aren't opened:");
    refuse(&FILE.replace("memory", "faiss")).await?;
    refuse(&FILE.replace("    content: body\n", "")).await?;
    refuse(&FILE.replace("dimension: 5", "dimension: 384")).await?;
    refuse(&FILE.replace("  kind: memory", "  kind: memory\n  api_key: rosebud")).await
}
