//! Removes an endpoint's keys from texts of its server.

use textsearch_core::secret::Secret;

use super::{McpEndpoint, content};

/// Shorter ones would remove ordinary words.
const SHORTEST: usize = 4;

#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(super) fn of(endpoint: &McpEndpoint) -> Self {
        let secrets = match endpoint {
            McpEndpoint::Command(command) => &command.environment,
            #[cfg(feature = "http-client")]
            McpEndpoint::Url(url) => &url.headers,
        };
        let mut secrets: Vec<Secret> = secrets.iter().map(|(_, secret)| secret.clone()).collect();
        #[cfg(feature = "http-client")]
        if let McpEndpoint::Url(url) = endpoint {
            secrets.extend(url.bearer_token.clone());
        }
        secrets.retain(|secret| secret.expose().len() >= SHORTEST);
        Self(secrets)
    }

    /// Also removes control characters.
    pub(super) fn clean(&self, text: &str) -> String {
        let cleaned = content::clean(text);
        self.0.iter().fold(cleaned, |text, secret| text.replace(secret.expose(), "***"))
    }

    pub(super) fn shorten(&self, text: &str) -> String {
        content::shorten(&self.clean(text))
    }
}
