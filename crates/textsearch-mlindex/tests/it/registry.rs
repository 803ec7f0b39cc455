use std::sync::Arc;

use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, TextSearch, vector::EmbeddingGenerator,
};
use textsearch_mlindex::{EmbeddingsContext, IndexContext, MlIndex, MlIndexRegistry};

use crate::support::{Zeros, nothing, with_index};

fn model(dimensions: Option<usize>) -> Arc<dyn EmbeddingGenerator> {
    Arc::new(Zeros(dimensions))
}

fn registry(dimensions: Option<usize>) -> MlIndexRegistry {
    let mut registry = MlIndexRegistry::new();
    registry.register_index("beta", |_| async { Ok(nothing()) }).unwrap();
    registry.register_index("alpha", |_| async { Ok(nothing()) }).unwrap();
    registry.register_embeddings("zeros", move |_| async move { Ok(model(dimensions)) }).unwrap();
    registry
}

async fn open(registry: &MlIndexRegistry, yaml: &str) -> Result<Arc<dyn TextSearch>> {
    registry.open(&MlIndex::from_yaml(yaml)?).await
}

async fn refusal(registry: &MlIndexRegistry, yaml: &str) -> Error {
    open(registry, yaml).await.err().unwrap()
}

#[tokio::test]
async fn an_unknown_kind_of_index_lists_the_registered_ones() {
    let error = refusal(&registry(None), &with_index("  kind: faiss\n")).await;
    assert_eq!(
        error.to_string(),
        "mlindex: `index.kind` is `faiss`, which isn't registered (line 4); \
         expected one of the registered kinds: `alpha`, `beta`"
    );
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "index.kind")
    );
    let error = refusal(&MlIndexRegistry::new(), &with_index("  kind: faiss\n")).await;
    assert!(error.message().ends_with("expected a registered kind: there is none"), "{error}");
}

#[tokio::test]
async fn an_unknown_kind_of_embeddings_lists_the_registered_ones() {
    let yaml = "embeddings:\n  kind: cohere\nindex:\n  kind: alpha\n";
    assert_eq!(
        refusal(&registry(None), yaml).await.message(),
        "`embeddings.kind` is `cohere`, which isn't registered (line 2); \
         expected one of the registered kinds: `none`, `zeros`"
    );
}

#[tokio::test]
async fn a_kind_is_registered_once() {
    let mut registry = registry(None);
    let error = registry.register_index("alpha", |_| async { Ok(nothing()) }).unwrap_err();
    assert_eq!(
        error.message(),
        "`kind` is `alpha`, which is registered already; expected another kind"
    );
    for kind in ["zeros", "none"] {
        assert!(registry.register_embeddings(kind, |_| async { Ok(model(None)) }).is_err());
    }
}

#[tokio::test]
async fn the_dimension_is_checked_against_the_model() {
    let yaml = "embeddings:\n  kind: zeros\n  dimension: 768\nindex:\n  kind: alpha\n";
    assert_eq!(
        refusal(&registry(Some(384)), yaml).await.message(),
        "`embeddings.dimension` is 768 (line 3); expected 384, the length of the vectors of `zeros`"
    );
    open(&registry(Some(768)), yaml).await.unwrap();
    open(&registry(None), yaml).await.unwrap();
}

#[tokio::test]
async fn constructors_get_the_settings_and_the_model() {
    let mut registry = MlIndexRegistry::new();
    let open_model = |context: EmbeddingsContext| async move {
        let EmbeddingsContext { settings, .. } = context;
        assert_eq!(settings.model.as_deref(), Some("large"));
        Ok(model(settings.dimension))
    };
    registry.register_embeddings("zeros", open_model).unwrap();
    let open_index = |context: IndexContext| async move {
        assert_eq!(context.settings.required_index()?, "docs");
        assert_eq!(context.embeddings.map(|model| model.dimensions()), Some(Some(3)));
        assert_eq!(context.dimension, Some(3));
        Ok(nothing())
    };
    registry.register_index("alpha", open_index).unwrap();
    let yaml = "embeddings: { kind: zeros, model: large, dimension: 3 }\nindex: { kind: alpha, collection: docs }";
    let search = open(&registry, yaml).await.unwrap();
    assert!(
        search
            .search("x", &SearchOptions::top(1))
            .await
            .unwrap()
            .into_vec()
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn errors_of_constructors_are_returned() {
    let mut registry = MlIndexRegistry::new();
    let fail = |context: IndexContext| async move {
        Err(context.settings.missing("endpoint", "an address"))
    };
    registry.register_index("alpha", fail).unwrap();
    let error = refusal(&registry, &with_index("  kind: alpha\n")).await;
    assert_eq!(error.message(), "`index.endpoint` is missing (line 4); expected an address");
}
