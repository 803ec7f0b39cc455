//! `--source google`.

use std::sync::Arc;

use textsearch_google::{GOOGLE_API_KEY, GOOGLE_SEARCH_ENDPOINT, GoogleConfig, GoogleTextSearch};

use super::{Opened, Source};

pub(super) const WEB: Source = Source {
    name: "google",
    connector: "google",
    crate_name: "textsearch-google",
    finds: "web",
    key_variable: Some(GOOGLE_API_KEY),
    endpoint_variable: GOOGLE_SEARCH_ENDPOINT,
    open,
    offline: |client| {
        let config = GoogleConfig::new("none", "none");
        Ok(Arc::new(GoogleTextSearch::new(config)?.with_http_client(client)))
    },
    answer: r#"{"searchInformation": {"totalResults": "1"}, "items": [{"link": "http://a", "title": "a"}]}"#,
};

fn open(endpoint: Option<&str>) -> Opened {
    let config = GoogleConfig::from_env()?;
    let config = match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    };
    Ok(Arc::new(GoogleTextSearch::new(config)?))
}
