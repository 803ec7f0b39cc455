//! Requests to the identity provider.

use std::time::Duration;

use serde::{Deserialize, de::DeserializeOwned};
use textsearch_core::{
    Error, ErrorKind, Result,
    http::{HttpClient, HttpRequest, HttpSettings, Secret, Url},
};

use super::{OAuthConfig, config::safe_url};

const NAME: &str = "oauth";

const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_BODY_BYTES: usize = 1 << 20;

/// The identity provider.
pub(super) struct Provider {
    client: HttpClient,
    issuer: String,
}

/// What a provider says about itself (RFC 8414).
#[derive(Deserialize)]
pub(super) struct Metadata {
    issuer: String,
    pub(super) jwks_uri: Option<String>,
    pub(super) introspection_endpoint: Option<String>,
}

impl Provider {
    pub(super) fn new(config: &OAuthConfig) -> crate::Result<Self> {
        let client = match &config.http_client {
            Some(client) => client.clone(),
            None => {
                let settings = HttpSettings::default()
                    .with_total_timeout(TIMEOUT)
                    .with_max_attempts(2)
                    .with_max_body_bytes(MAX_BODY_BYTES);
                HttpClient::new(NAME, settings)
                    .map_err(|error| crate::ServerError::setting(NAME, error.to_string()))?
            }
        };
        Ok(Self { client, issuer: config.issuer.clone() })
    }

    /// Returns the provider's metadata, at the address of OpenID Connect or else of RFC 8414.
    pub(super) async fn metadata(&self) -> Result<Metadata> {
        let openid =
            format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let metadata: Metadata = match self.get(&openid).await {
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedStatus { .. }) => {
                let mut url = self.url(&self.issuer)?;
                let path = url.path().trim_end_matches('/').to_owned();
                url.set_path(&format!("/.well-known/oauth-authorization-server{path}"));
                self.get(url.as_str()).await?
            }
            answer => answer?,
        };
        if metadata.issuer != self.issuer {
            let issuer = metadata.issuer;
            return Err(failed(format!("the provider calls itself `{issuer}`: set this issuer")));
        }
        let urls = [&metadata.jwks_uri, &metadata.introspection_endpoint];
        let is_https = |url: &String| url.starts_with("https://");
        if is_https(&self.issuer) && !urls.into_iter().flatten().all(is_https) {
            return Err(failed("the provider's metadata has a URL without https"));
        }
        Ok(metadata)
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T> {
        Ok(self.client.send_json(HttpRequest::get(self.url(url)?)).await?.body)
    }

    /// Asks the introspection endpoint about `token`.
    pub(super) async fn introspect<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        token: &Secret,
        authorization: &Secret,
    ) -> Result<T> {
        let request = HttpRequest::post(self.url(endpoint)?)
            .with_secret_header("authorization", authorization)
            .with_form([("token", token.expose()), ("token_type_hint", "access_token")])
            .with_secret(token)
            .with_idempotent(true);
        Ok(self.client.send_json(request).await?.body)
    }

    fn url(&self, text: &str) -> Result<Url> {
        safe_url("a URL of the provider", text).map_err(|error| failed(error.to_string()))
    }
}

pub(super) fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Backend, NAME, message.into())
}
