//! A registry whose constructors need nothing.

use std::sync::{Arc, Mutex};

use textsearch_core::{
    Error, FixedSearch, Result, TextSearch, TextSearchResult, async_trait,
    secret::Secret,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};
use textsearch_mlindex::{IndexContext, MlIndex, MlIndexRegistry, Service, ServiceAccess};

/// As Azure Machine Learning writes it.
pub(crate) const AZURE: &str = r#"
embeddings:
  api_base: https://mine.openai.azure.com
  api_type: azure
  api_version: 2023-03-15-preview
  batch_size: "1"
  connection:
    id: /subscriptions/0000/connections/rosebud
  connection_type: workspace_connection
  deployment: text-embedding-ada-002
  dimension: 1536
  file_format_version: "2"
  kind: open_ai
  model: text-embedding-ada-002
  schema_version: "2"
index:
  api_version: 2023-07-01-preview
  connection:
    id: /subscriptions/0000/connections/rosebud
  connection_type: workspace_connection
  endpoint: https://mine.search.windows.net
  engine: azure-sdk
  field_mapping:
    content: content
    embedding: content_vector_open_ai
    filename: sourcefile
    metadata: meta_json_string
    title: title
    url: sourcepage
  index: my-index
  kind: acs
  semantic_configuration_name: azureml-default
"#;

pub(crate) const SERVICE_KEY: &str = "EXAMPLE_API_KEY";
pub(crate) const SERVICE_URL: &str = "EXAMPLE_URL";

pub(crate) fn service() -> Service {
    Service::new(SERVICE_KEY, SERVICE_URL)
}

pub(crate) fn error(yaml: &str) -> Error {
    MlIndex::from_yaml(yaml).unwrap_err()
}

/// A file with these settings in its section `index`, one a line, from line 4.
pub(crate) fn with_index(settings: &str) -> String {
    format!("embeddings:\n  kind: none\nindex:\n{settings}")
}

/// Makes vectors of zeros.
#[derive(Debug)]
pub(crate) struct Zeros(pub(crate) Option<usize>);

#[async_trait]
impl EmbeddingGenerator for Zeros {
    fn model_id(&self) -> &str {
        "zeros"
    }

    fn dimensions(&self) -> Option<usize> {
        self.0
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let vector: Arc<[f32]> = vec![0.0; self.0.unwrap_or(1)].into();
        Ok(Embeddings::new(texts.iter().map(|_| Arc::clone(&vector)).collect()))
    }
}

pub(crate) fn nothing() -> Arc<dyn TextSearch> {
    Arc::new(FixedSearch::<TextSearchResult>::new([]))
}

/// The variables of an environment.
pub(crate) fn variables(
    values: &[(&'static str, &'static str)],
) -> impl Fn(&str) -> Result<Option<Secret>> + Send + Sync + 'static {
    let values = values.to_vec();
    move |name| {
        let value = values.iter().find(|(known, _)| *known == name);
        Ok(value.map(|(_, value)| Secret::from(*value)))
    }
}

/// Returns what the constructor of the kind `example` gets for `service`.
pub(crate) async fn connect_with(
    registry: MlIndexRegistry,
    service: Service,
    yaml: &str,
) -> Result<ServiceAccess> {
    let mut registry = registry;
    let connected = Arc::<Mutex<Option<ServiceAccess>>>::default();
    let access = Arc::clone(&connected);
    let constructor = move |context: IndexContext| {
        let connected = context.connect(&service);
        let access = Arc::clone(&access);
        async move {
            *access.lock().unwrap() = Some(connected?);
            Ok(nothing())
        }
    };
    registry.register_index("example", constructor).unwrap();
    registry.open(&MlIndex::from_yaml(yaml)?).await?;
    let connected = connected.lock().unwrap().take();
    Ok(connected.unwrap())
}

/// Knows the words `up` and `right`.
#[derive(Debug)]
pub(crate) struct Directions;

#[async_trait]
impl EmbeddingGenerator for Directions {
    fn model_id(&self) -> &str {
        "directions"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let vector = |text: &String| -> Arc<[f32]> {
            if text.contains("right") { [1.0, 0.1].into() } else { [0.1, 1.0].into() }
        };
        Ok(Embeddings::new(texts.iter().map(vector).collect()))
    }
}
