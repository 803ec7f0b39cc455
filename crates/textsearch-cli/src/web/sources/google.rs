//! `--source google`.

use std::sync::Arc;

use textsearch_google::{GOOGLE_API_KEY, GOOGLE_SEARCH_ENDPOINT, GoogleConfig, GoogleTextSearch};

use super::{Opened, Source};

pub(super) const WEB: Source = Source {
    name: "google",
    connector: "google",
    key_variable: Some(GOOGLE_API_KEY),
    endpoint_variable: GOOGLE_SEARCH_ENDPOINT,
    open,
    describe: || Ok(Arc::new(GoogleTextSearch::new(GoogleConfig::new("none", "none"))?)),
};

fn open(endpoint: Option<&str>) -> Opened {
    let config = GoogleConfig::from_env()?;
    let config = match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    };
    Ok(Arc::new(GoogleTextSearch::new(config)?))
}
