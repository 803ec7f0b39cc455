//! MLIndex files on a server at `QDRANT_URL`, with every kind of model. `cargo xtask integration
//! qdrant` sets the variable and runs these tests. Without it, they fail and say so.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[path = "../it/local_model.rs"]
mod local_model;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../it/support.rs"]
mod support;

use std::env;

use qdrant_client::{
    Payload, Qdrant,
    qdrant::{
        CreateCollectionBuilder, Distance, PointStruct, UpsertPointsBuilder, VectorParamsBuilder,
    },
};
use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, ScriptedModel};
use textsearch_openai::{
    EmbeddingGenerator as _, EmbeddingSettings, OpenAiConfig, OpenAiEmbeddings,
};

use crate::support::{Run, Workplace};

const KEY: &str = "sk-open-sesame";

const DIMENSIONS: usize = 64;

fn server() -> String {
    env::var("QDRANT_URL").expect("QDRANT_URL names a server: run `cargo xtask integration qdrant`")
}

async fn model() -> ScriptedModel {
    ScriptedModel::start(ModelScript::turns([]).with_key(KEY).with_dimensions(DIMENSIONS)).await
}

/// A collection as LangChain makes it: a vector without a name, UUIDs as keys, and metadata in an
/// object. Deleted when dropped, if the test succeeds.
struct Foreign {
    client: Qdrant,
    name: String,
}

impl Foreign {
    async fn create(case: &str, model: &ScriptedModel) -> Self {
        let client = Qdrant::from_url(&server()).skip_compatibility_check().build().unwrap();
        let name = format!("mlindex-{case}-{}", std::process::id());
        let vector = VectorParamsBuilder::new(DIMENSIONS as u64, Distance::Cosine);
        let create = CreateCollectionBuilder::new(&name).vectors_config(vector);
        client.create_collection(create).await.unwrap();
        let texts = ["An apple a day.", "A pear tree in the garden."].map(str::to_owned);
        let config = OpenAiConfig::new(KEY, "m").with_base_url(model.base_url());
        let embeddings = OpenAiEmbeddings::new(config).unwrap();
        let made = embeddings.generate(&texts, &EmbeddingSettings::default()).await.unwrap();
        let points = texts.iter().zip(made.vectors).enumerate().map(|(place, (text, vector))| {
            let data = json!({
                "page_content": text,
                "link": format!("https://example.com/{place}"),
                "metadata": { "title": format!("Page {place}") },
            });
            let id = format!("67e55044-10b1-426f-9247-bb680e5fe0c{place}");
            PointStruct::new(id, vector.to_vec(), Payload::try_from(data).unwrap())
        });
        let upsert = UpsertPointsBuilder::new(&name, points.collect::<Vec<_>>()).wait(true);
        client.upsert_points(upsert).await.unwrap();
        Self { client, name }
    }

    /// A file of the index, with this section of its model.
    fn file(&self, embeddings: &str) -> String {
        let server = server();
        let name = &self.name;
        format!(
            "embeddings: {embeddings}\nindex:\n  kind: qdrant\n  endpoint: {server}\n  collection: {name}\n  \
             field_mapping:\n    content: page_content\n    title: metadata.title\n    url: link\n    \
             metadata: metadata\n    embedding: vector\n"
        )
    }

    async fn delete(self) {
        self.client.delete_collection(&self.name).await.unwrap();
    }
}

fn search(place: &Workplace, arguments: &[&str], settings: &[(&str, &str)]) -> Run {
    let arguments = [&["search", "--mlindex", "MLIndex", "--output", "json"], arguments].concat();
    let run = place.command(&arguments).envs(settings.iter().copied()).output().unwrap().into();
    let Run { stdout, stderr, .. } = &run;
    assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "{stderr}");
    run
}

fn search_results(place: &Workplace, arguments: &[&str], settings: &[(&str, &str)]) -> Value {
    let run = search(place, arguments, settings);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str::<Value>(&run.stdout).unwrap()["results"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_of_another_program_is_searched_with_open_ai() {
    let model = model().await;
    let index = Foreign::create("open-ai", &model).await;
    let section = format!(
        "{{ kind: open_ai, model: m, api_base: \"{}\", dimension: {DIMENSIONS} }}",
        model.base_url()
    );
    let place = Workplace::with(&[("MLIndex", &index.file(&section))]);
    let url = model.base_url();
    let settings = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", url.as_str())];
    let results = search_results(&place, &["pear tree"], &settings);
    let best = &results[0];
    assert_eq!(
        (&best["Name"], &best["Value"], &best["Link"]),
        (&json!("Page 1"), &json!("A pear tree in the garden."), &json!("https://example.com/1"))
    );
    assert_eq!(results.as_array().unwrap().len(), 2);
    let filter = ["pear tree", "--filter", r#"link = "https://example.com/0""#];
    assert_eq!(search_results(&place, &filter, &settings)[0]["Name"], "Page 0");
    let refused = search(&place, &["pear", "--filter", r#"metadata.title = "Page 0""#], &settings);
    assert!(
        refused.stderr.contains("cannot apply `eq` with such a value to `metadata.title`"),
        "{}",
        refused.stderr
    );
    let records = search_results(&place, &["pear", "--kind", "records"], &settings);
    assert_eq!(records[0]["metadata"], json!({ "title": "Page 1" }));
    index.delete().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_on_azure_embeds_queries() {
    let model = model().await;
    let index = Foreign::create("azure", &model).await;
    let section = format!(
        "{{ kind: azure_open_ai, deployment: my-ada, model: m, api_version: 2024-10-21, api_base: \"{}\" }}",
        model.endpoint()
    );
    let place = Workplace::with(&[("MLIndex", &index.file(&section))]);
    let endpoint = model.endpoint();
    let settings = [("AZURE_OPENAI_API_KEY", KEY), ("AZURE_OPENAI_ENDPOINT", endpoint.as_str())];
    assert_eq!(search_results(&place, &["an apple"], &settings)[0]["Name"], "Page 0");
    let requests = model.requests();
    let request = requests.last().unwrap();
    assert_eq!(request.path, "/openai/deployments/my-ada/embeddings");
    assert_eq!(request.query, "api-version=2024-10-21");
    assert_eq!(request.header("api-key"), Some(KEY));
    index.delete().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_model_embeds_queries_of_an_indexed_folder() {
    let place = Workplace::with(&[("docs/a.md", "# Apple\n\nAn apple a day.\n")]);
    local_model::write_model(&place, "models/tiny", 1);
    let name = format!("mlindex-local-{}", std::process::id());
    let store = format!("{}/{name}", server().replacen("http", "qdrant", 1));
    let index = ["docs", "--store", &store, "--embeddings", "local:models/tiny"];
    assert_eq!(place.index(&index), [1, 0, 0, 0]);
    let file = |dimension: usize| {
        format!(
            "embeddings: {{ kind: hugging_face, model: models/tiny, dimension: {dimension} }}\n\
             index:\n  kind: qdrant\n  endpoint: {}\n  index: {name}\n  field_mapping:\n    content: text\n    \
             title: name\n    url: link\n    embedding: embedding\n",
            server()
        )
    };
    place.write("MLIndex", file(local_model::HIDDEN));
    let results = search_results(&place, &["apple"], &[]);
    assert_eq!(
        (&results[0]["Name"], &results[0]["Link"]),
        (&json!("Apple"), &json!("docs/a.md#apple"))
    );
    // By words and by meaning: the best score of both is 1.
    assert_eq!(results[0]["Score"], json!(1.0));
    place.write("MLIndex", file(384));
    let refused = search(&place, &["apple"], &[]);
    assert!(
        refused.stderr.contains("`embeddings.dimension` is 384 (line 1); expected 32"),
        "{}",
        refused.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_does_not_fit_the_file_is_refused() {
    let model = model().await;
    let index = Foreign::create("misfit", &model).await;
    let url = model.base_url();
    let settings = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", url.as_str())];
    let open_ai = "{ kind: open_ai, model: m, dimension: 3 }";
    for (file, message) in [
        (
            index.file(open_ai),
            "`index.field_mapping.embedding` is a vector of 64 elements (line 7); expected 3",
        ),
        (
            index.file("{ kind: none }"),
            "`index.collection` is an index without full text (line 5); expected one with full text",
        ),
        (
            index.file(open_ai).replace(&index.name, "mlindex-nowhere"),
            "there is no collection `mlindex-nowhere`",
        ),
        (
            index.file(open_ai).replace("    content: page_content\n", ""),
            "`index.field_mapping.content` is missing (line 7); expected the field that holds the text",
        ),
    ] {
        let place = Workplace::with(&[("MLIndex", &file)]);
        let run = search(&place, &["apple"], &settings);
        assert_ne!(run.code, 0, "{}", run.stdout);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    index.delete().await;
}
