//! `--source brave`.

use std::sync::Arc;

use textsearch_brave::{BRAVE_API_KEY, BRAVE_ENDPOINT, BraveConfig, BraveTextSearch};

use super::{Opened, Source};

pub(super) const WEB: Source = Source {
    name: "brave",
    connector: "brave",
    crate_name: "textsearch-brave",
    finds: "web",
    key_variable: Some(BRAVE_API_KEY),
    endpoint_variable: BRAVE_ENDPOINT,
    open,
    offline: |client| {
        let config = BraveConfig::new("none");
        Ok(Arc::new(BraveTextSearch::new(config)?.with_http_client(client)))
    },
    answer: r#"{"web": {"results": [{"url": "http://a", "title": "a", "description": "a"}]}}"#,
};

fn open(endpoint: Option<&str>) -> Opened {
    let config = BraveConfig::from_env()?;
    let config = match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    };
    Ok(Arc::new(BraveTextSearch::new(config)?))
}
