use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use textsearch_core::{Error, Result, vector::EmbeddingGenerator};
use textsearch_mlindex::{EmbeddingsContext, MlIndex, MlIndexRegistry};

use crate::support::{Zeros, nothing};

/// Returns the folder of the model in a file in a folder with the folder `models/small`.
async fn model_folder(model: &str) -> Result<PathBuf> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("models/small")).unwrap();
    let yaml =
        format!("embeddings:\n  kind: local\n  model: \"{model}\"\nindex: {{ kind: nothing }}\n");
    fs::write(folder.path().join("MLIndex"), yaml).unwrap();
    let model = open(&MlIndex::from_path(folder.path()).unwrap()).await?;
    Ok(model.strip_prefix(folder.path()).unwrap().to_owned())
}

async fn open(file: &MlIndex) -> Result<PathBuf> {
    let opened = Arc::<Mutex<PathBuf>>::default();
    let mut registry = MlIndexRegistry::new();
    registry.register_index("nothing", |_| async { Ok(nothing()) }).unwrap();
    let seen = Arc::clone(&opened);
    let open_model = move |context: EmbeddingsContext| {
        let seen = Arc::clone(&seen);
        async move {
            *seen.lock().unwrap() = context.model_folder()?;
            Ok(Arc::new(Zeros(None)) as Arc<dyn EmbeddingGenerator>)
        }
    };
    registry.register_embeddings("local", open_model).unwrap();
    registry.open(file).await?;
    let folder = opened.lock().unwrap().clone();
    Ok(folder)
}

fn message(refused: Result<PathBuf>) -> String {
    let error: Error = refused.unwrap_err();
    error.message().to_owned()
}

#[tokio::test]
async fn a_model_is_a_folder_beside_the_file() {
    for model in ["models/small", "models//small/", "models"] {
        model_folder(model).await.unwrap();
    }
    assert_eq!(
        message(model_folder("models/large").await),
        "`embeddings.model` is a path without a folder (line 3); expected the path of a folder below that of the file"
    );
}

#[tokio::test]
async fn a_model_outside_the_folder_is_refused() {
    for model in ["/etc", "..", "models/../..", "models/../../x", "./../x"] {
        let message = message(model_folder(model).await);
        assert!(
            message.starts_with("`embeddings.model` is a path that leads elsewhere"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_text_has_no_folder() {
    let yaml = "{ embeddings: { kind: local, model: models }, index: { kind: nothing } }";
    let message = message(open(&MlIndex::from_yaml(yaml).unwrap()).await);
    assert!(message.starts_with("`embeddings.model` is a path without a file"), "{message}");
}
