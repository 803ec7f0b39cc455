//! Keys and tokens.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use textsearch_azure_ai_search::{
    AzureSearchConfig, AzureSearchStore, Error, ErrorKind, Result, TokenProvider, secret::Secret,
    vector::VectorStore as _,
};
use textsearch_conformance::core::async_trait;

use crate::{service::Standin, support::settings};

#[derive(Default)]
struct Tokens {
    left: Mutex<Vec<&'static str>>,
    calls: AtomicUsize,
}

impl Tokens {
    fn new(tokens: &[&'static str]) -> Arc<Self> {
        let left = tokens.iter().rev().copied().collect();
        Arc::new(Self { left: Mutex::new(left), calls: AtomicUsize::new(0) })
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl TokenProvider for Tokens {
    async fn token(&self) -> Result<Secret> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let token = self.left.lock().unwrap().pop();
        token
            .map(Secret::from)
            .ok_or_else(|| Error::new(ErrorKind::Authentication, "entra", "no more tokens"))
    }
}

fn store(standin: &Standin, tokens: &Arc<Tokens>) -> AzureSearchStore {
    let config = AzureSearchConfig::from_tokens(standin.url(), Arc::clone(tokens));
    AzureSearchStore::new(config.with_http_settings(settings())).unwrap()
}

#[tokio::test]
async fn a_token_is_kept_until_the_service_rejects_it() {
    let standin = Standin::start();
    standin.set_token("first-token");
    let tokens = Tokens::new(&["first-token", "second-token"]);
    let store = store(&standin, &tokens);
    for _ in 0..3 {
        store.collection_names().await.unwrap();
    }
    assert_eq!(tokens.calls(), 1);
    standin.set_token("second-token");
    store.collection_names().await.unwrap();
    assert_eq!(tokens.calls(), 2);
}

#[tokio::test]
async fn a_rejected_token_is_replaced_once() {
    let standin = Standin::start();
    standin.set_token("another-token");
    let tokens = Tokens::new(&["first-token", "second-token", "another-token"]);
    let error = store(&standin, &tokens).collection_names().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    assert_eq!((tokens.calls(), standin.paths().len()), (2, 2));
    assert!(!format!("{error} {error:?}").contains("-token"), "{error:?}");
}

#[tokio::test]
async fn the_error_of_the_token_source_is_returned() {
    let standin = Standin::start();
    let error = store(&standin, &Tokens::new(&[])).collection_names().await.unwrap_err();
    assert_eq!(error.message(), "no more tokens");
    assert!(standin.paths().is_empty());
}

#[tokio::test]
async fn a_wrong_key_is_never_printed() {
    let standin = Standin::start();
    let config = AzureSearchConfig::new(standin.url(), "open-sesame");
    let store = AzureSearchStore::new(config.with_http_settings(settings())).unwrap();
    let error = store.collection_names().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    assert_eq!(standin.paths().len(), 1, "a key has no other one to try");
    assert!(!format!("{error} {error:?} {store:?}").contains("sesame"));
}
