//! `--source brave`.

use std::sync::Arc;

use textsearch_brave::{BRAVE_API_KEY, BRAVE_ENDPOINT, BraveConfig, BraveTextSearch};

use super::{Opened, Source};

pub(super) const WEB: Source = Source {
    name: "brave",
    connector: "brave",
    key_variable: Some(BRAVE_API_KEY),
    endpoint_variable: BRAVE_ENDPOINT,
    open,
    describe: || Ok(Arc::new(BraveTextSearch::new(BraveConfig::new("none"))?)),
};

fn open(endpoint: Option<&str>) -> Opened {
    let config = BraveConfig::from_env()?;
    let config = match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    };
    Ok(Arc::new(BraveTextSearch::new(config)?))
}
