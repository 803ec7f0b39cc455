//! Address and authentication of requests.

use std::fmt;

use textsearch_core::{
    Result,
    http::{HttpRequest, Url, displayable},
};

use super::{OpenAiConfig, refused};

#[derive(Clone)]
pub(crate) struct Target {
    base: Url,
    /// OpenAI's own service, which requires an API key.
    pub(crate) is_openai: bool,
    /// OpenAI's own service or Azure, whose limits are known.
    pub(crate) is_hosted: bool,
}

impl Target {
    pub(crate) fn new(config: &OpenAiConfig) -> Result<Self> {
        // The message leaves out the address, which may contain a key.
        let allowed = "an address such as https://api.openai.com/v1";
        let url = Url::parse(config.base_url.as_str().trim().trim_end_matches('/'));
        let base = url.map_err(|error| refused("base_url", &error.to_string(), allowed))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(refused("base_url", "neither http nor https", allowed));
        }
        let is_azure = config.azure_api_version.is_some()
            || base.host_str().is_some_and(|host| host.ends_with(".azure.com"));
        let is_openai = base.host_str() == Some("api.openai.com");
        Ok(Self { base, is_openai, is_hosted: is_azure || is_openai })
    }

    /// `path` is for example `chat/completions`.
    pub(crate) fn request(&self, config: &OpenAiConfig, path: &str, model: &str) -> HttpRequest {
        let mut url = self.base.clone();
        let deployment = ["openai", "deployments", model];
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty();
            segments.extend(deployment.iter().filter(|_| config.azure_api_version.is_some()));
            segments.extend(path.split('/'));
        }
        // Repeating a request only costs twice, and the provider's own clients do it too.
        let mut request = HttpRequest::post(url).with_idempotent(true);
        if let Some(version) = &config.azure_api_version {
            request = request.with_query("api-version", version);
        }
        if let Some(organization) = &config.organization {
            request = request.with_header("openai-organization", organization);
        }
        if let Some(project) = &config.project {
            request = request.with_header("openai-project", project);
        }
        match (&config.api_key, &config.azure_api_version) {
            (Some(key), Some(_)) => request.with_secret_header("api-key", key),
            (Some(key), None) => request.with_bearer(key),
            (None, _) => request,
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // User, password and query may be keys.
        formatter.debug_tuple("Target").field(&displayable(&self.base)).finish()
    }
}
