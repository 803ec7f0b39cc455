//! `--source searxng`.

use std::sync::Arc;

use textsearch_core::{Error, ErrorKind, http::variable};
use textsearch_searxng::{SEARXNG_ENDPOINT, SearxngConfig, SearxngTextSearch};

use super::{Opened, Source};

const NAME: &str = "searxng";

pub(super) const WEB: Source = Source {
    name: NAME,
    connector: NAME,
    key_variable: None,
    endpoint_variable: SEARXNG_ENDPOINT,
    open,
    describe: || Ok(Arc::new(SearxngTextSearch::new(SearxngConfig::new("http://127.0.0.1:8080"))?)),
};

fn open(endpoint: Option<&str>) -> Opened {
    let named = match endpoint {
        Some(endpoint) => Some(endpoint.to_owned()),
        None => variable(NAME, SEARXNG_ENDPOINT)?,
    };
    let config = SearxngConfig::from_env_at(named.ok_or_else(no_instance)?)?;
    Ok(Arc::new(SearxngTextSearch::new(config)?))
}

fn no_instance() -> Error {
    let message = format!(
        "there is no instance to ask: try --endpoint http://127.0.0.1:8080, or set {SEARXNG_ENDPOINT}; how to run \
         an instance is in the README of textsearch-searxng"
    );
    Error::new(ErrorKind::invalid_options("endpoint", "the address of an instance"), NAME, message)
}
