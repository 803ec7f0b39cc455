//! The kinds `open_ai` and `azure_open_ai`.

use std::sync::Arc;

use textsearch_core::{Result, vector::EmbeddingGenerator};
use textsearch_mlindex::{EmbeddingsContext, EmbeddingsSection, Service};
use textsearch_openai::{
    AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT, OPENAI_API_KEY, OPENAI_BASE_URL, OpenAiConfig,
    OpenAiEmbeddings,
};

const HOSTED: &str = "https://api.openai.com/v1";

/// Models whose vectors can be shortened.
const SHORTENED: &str = "text-embedding-3";

pub(super) async fn open(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    let settings = &context.settings;
    if settings
        .api_type
        .as_deref()
        .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("azure"))
    {
        return open_azure(context).await;
    }
    let model = || settings.missing("model", "the name of a model");
    let model = settings.model.clone().ok_or_else(model)?;
    let service = Service::new(OPENAI_API_KEY, OPENAI_BASE_URL).with_hosted_address(HOSTED);
    let access = context.connect(&service)?;
    let mut config = OpenAiConfig::without_key(access.address(), model);
    config.api_key = if access.is_hosted { Some(access.required_key()?) } else { access.key };
    generator(config, settings)
}

pub(super) async fn open_azure(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    let settings = &context.settings;
    let deployment = settings.deployment.clone().or_else(|| settings.model.clone());
    let deployment = deployment
        .ok_or_else(|| settings.missing("deployment", "the name of a deployment on Azure"))?;
    let version = settings.api_version.clone();
    let version = version.ok_or_else(|| {
        settings.missing("api_version", "a version of Azure's API, such as 2024-10-21")
    })?;
    let access = context.connect(&Service::new(AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT))?;
    let key = access.required_key()?;
    generator(OpenAiConfig::azure(access.address(), deployment, version, key), settings)
}

fn generator(
    config: OpenAiConfig,
    settings: &EmbeddingsSection,
) -> Result<Arc<dyn EmbeddingGenerator>> {
    let embeddings = OpenAiEmbeddings::new(config)?;
    let can_shorten = settings.model.as_deref().is_some_and(|model| model.starts_with(SHORTENED));
    Ok(match settings.dimension {
        Some(dimension) if can_shorten => Arc::new(embeddings.with_dimensions(dimension)),
        _ => Arc::new(embeddings),
    })
}
