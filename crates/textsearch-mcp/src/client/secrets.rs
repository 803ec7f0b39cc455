//! Removes an endpoint's keys from texts of its server.

use std::{error::Error, iter};

use textsearch_core::{BoxError, secret::Secret};

use super::McpEndpoint;
use crate::text::{clean, cut};

/// Shorter ones would remove ordinary words.
const SHORTEST: usize = 4;

#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(super) fn from_endpoint(endpoint: &McpEndpoint) -> Self {
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
        let cleaned = clean(text);
        self.0.iter().fold(cleaned, |text, secret| text.replace(secret.expose(), "***"))
    }

    /// Returns the texts of an error and its causes, as a cause for another one. Errors of the SDK
    /// repeat texts of the server, which may repeat a key.
    pub(super) fn cause(&self, error: &(dyn Error + 'static)) -> BoxError {
        let causes = iter::successors(Some(error), |&cause| cause.source());
        let text = causes.map(ToString::to_string).reduce(|all, cause| {
            if all.contains(&cause) { all } else { format!("{all}: {cause}") }
        });
        self.shorten(&text.unwrap_or_default()).into()
    }

    /// Cuts last, so that no part of a key stays at the end.
    pub(super) fn shorten(&self, text: &str) -> String {
        cut(&self.clean(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_no_part_of_a_key() {
        let secrets = Secrets(vec![Secret::from("s3cret")]);
        let shortened = secrets.shorten(&("x".repeat(1_997) + "s3cret and more"));
        assert_eq!(shortened, "x".repeat(1_997) + "***…");
        assert_eq!(secrets.clean("s3\u{7}cret"), "***");
    }
}
