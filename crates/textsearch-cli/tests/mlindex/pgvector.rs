//! Tables in Postgres.

use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, ScriptedModel};
use textsearch_openai::{
    EmbeddingGenerator as _, EmbeddingSettings, OpenAiConfig, OpenAiEmbeddings,
};
use tokio_postgres::NoTls;

use crate::{
    indexed_folder,
    support::{Run, Workplace},
};

const KEY: &str = "sk-open-sesame";

const DIMENSIONS: usize = 64;

fn database() -> String {
    let url = std::env::var("POSTGRES_URL");
    url.expect("POSTGRES_URL names a database: run `cargo xtask integration pgvector`")
}

async fn sql(statements: &str) {
    let (client, connection) = tokio_postgres::connect(&database(), NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(statements).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}

/// Creates a table as another program does, with embeddings of the model.
async fn create(name: &str, model: &ScriptedModel) {
    let texts = ["An apple a day.", "A pear tree in the garden."].map(str::to_owned);
    let config = OpenAiConfig::new(KEY, "m").with_base_url(model.base_url());
    let embeddings = OpenAiEmbeddings::new(config).unwrap();
    let made = embeddings.generate(&texts, &EmbeddingSettings::default()).await.unwrap();
    let rows = texts.iter().zip(made.vectors).enumerate().map(|(place, (text, vector))| {
        format!("({place}, '{text}', '{{\"title\": \"Page {place}\"}}', 'https://example.com/{place}', 's', '{:?}')", &*vector)
    });
    sql(&format!(
        "CREATE EXTENSION IF NOT EXISTS vector; DROP TABLE IF EXISTS {name}; \
         CREATE TABLE {name} (id bigint PRIMARY KEY, page_content text, cmetadata jsonb, link text, \
         secret text NOT NULL, embedding vector({DIMENSIONS})); \
         CREATE INDEX ON {name} USING hnsw (embedding vector_cosine_ops); \
         INSERT INTO {name} VALUES {}",
        rows.collect::<Vec<_>>().join(", ")
    ))
    .await;
}

fn search(place: &Workplace, question: &str, settings: &[(&str, &str)]) -> Run {
    let arguments = ["search", question, "--mlindex", "MLIndex", "--output", "json"];
    let run = place.command(&arguments).envs(settings.iter().copied()).output().unwrap().into();
    let Run { stdout, stderr, .. } = &run;
    assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "{stderr}");
    run
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_another_program_is_searched_with_open_ai() {
    let script = ModelScript::turns([]).with_key(KEY).with_dimensions(DIMENSIONS);
    let model = ScriptedModel::start(script).await;
    create("mlindex_foreign", &model).await;
    let file = |name: &str| {
        format!(
            "embeddings: {{ kind: open_ai, model: m, api_base: \"{}\", dimension: {DIMENSIONS} }}\nindex:\n  \
             kind: pgvector\n  index: {name}\n  connection_type: environment\n  connection: {{ key: POSTGRES_URL }}\n  \
             field_mapping:\n    content: page_content\n    title: cmetadata.title\n    url: link\n    \
             metadata: cmetadata\n    embedding: embedding\n",
            model.base_url()
        )
    };
    let url = model.base_url();
    let settings = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", url.as_str())];
    let place = Workplace::with(&[("MLIndex", &file("mlindex_foreign"))]);
    let run = search(&place, "pear tree", &settings);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let results = serde_json::from_str::<Value>(&run.stdout).unwrap()["results"].take();
    let best = &results[0];
    assert_eq!(
        (&best["Name"], &best["Value"], &best["Link"]),
        (&json!("Page 1"), &json!("A pear tree in the garden."), &json!("https://example.com/1"))
    );
    assert_eq!(results.as_array().unwrap().len(), 2);

    place.write("MLIndex", file("mlindex_nowhere"));
    let run = search(&place, "pear tree", &settings);
    assert!(run.stderr.contains("there is no table `public`.`mlindex_nowhere`"), "{}", run.stderr);
    place.write("MLIndex", file("mlindex_foreign").replace("url: link", "url: href"));
    let run = search(&place, "pear tree", &settings);
    assert!(run.stderr.contains("the column `href`, which the table"), "{}", run.stderr);
    sql("DROP TABLE mlindex_foreign").await;
}

#[test]
fn a_file_opens_an_indexed_folder() {
    let store = format!("{}&collection={}", database(), indexed_folder::NAME);
    indexed_folder::check(&store, "  kind: pgvector");
}
