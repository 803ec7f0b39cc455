//! Removing from a store what is no longer there.

use std::collections::HashSet;

use anyhow::Result;
use futures_util::TryStreamExt as _;
use serde_json::Value;
use textsearch_core::{Filter, vector::ScanOptions};
use textsearch_documents::{DocumentStore, StoredDocument};

use super::PATH;
use crate::files::{Scope, Skipped};

/// Removes the documents of `scopes` that were not `seen`, but keeps what is known of files that were `skipped`. Returns
/// how many were removed.
///
/// # Errors
///
/// Those of the store.
pub(super) async fn remove_missing(
    documents: &DocumentStore,
    seen: &HashSet<String>,
    scopes: &[Scope],
    skipped: &[Skipped],
) -> Result<usize> {
    let unread = skipped.iter().flat_map(|skipped| {
        [Scope::File(skipped.path.clone()), Scope::Folder(skipped.path.clone())]
    });
    let unread: Vec<Scope> = unread.collect();
    // A filter lets through more than its scope, so each document is looked at.
    let is_missing = |document: &StoredDocument| {
        let path = document.metadata.get(PATH).and_then(Value::as_str).unwrap_or_default();
        let holds_it = |scope: &Scope| scope.contains(path);
        scopes.iter().any(holds_it) && !unread.iter().any(holds_it) && !seen.contains(&document.id)
    };
    let filter = Filter::any(scopes.iter().map(|scope| scope.filter(PATH)));
    let mut stored = documents.list(&ScanOptions::default().with_filter(filter)).await?;
    let mut missing = Vec::new();
    while let Some(document) = stored.try_next().await? {
        missing.extend(Some(document).filter(is_missing).map(|document| document.id));
    }
    Ok(documents.remove(missing).await?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use textsearch_vector_inmemory::InMemoryVectorStore;

    use super::*;
    use crate::{
        arguments::ReadingArguments,
        files::{FileKind, Found, SourceFile},
        index::update::{StartFrom, update},
        progress::Progress,
        store::OpenStore,
    };

    #[tokio::test]
    async fn only_what_is_in_the_folder_is_removed_where_the_names_of_folders_begin_alike() {
        let folder = tempfile::tempdir().unwrap();
        let location = folder.path().join("a.md");
        fs::write(&location, "words").unwrap();
        let long = "a/folder/whose/name/is/longer/than/a/filter/takes";
        let file = |path: String| SourceFile {
            location: location.clone(),
            path,
            kind: FileKind::Markdown,
            loader: None,
            is_named: false,
        };
        let files = ["", "-old"].map(|end| file(format!("{long}{end}/a.md"))).into();
        let store = OpenStore::in_memory(InMemoryVectorStore::new());
        let (reading, progress) = (ReadingArguments::default(), Progress::over_files(2));
        let found = Found { files, ..Found::default() };
        let update = async |found| {
            let updated = update(&store, StartFrom::Store, None, found, &reading, &progress).await;
            updated.unwrap().changes
        };
        let changes = update(found).await;
        assert_eq!((changes.added, changes.removed), (2, 0));
        let found = || Found { scopes: vec![Scope::Folder(long.to_owned())], ..Found::default() };
        // What could not be read is kept, whatever else begins alike.
        let skipped =
            |path: String| vec![Skipped { path, reason: String::new(), unread_kind: None }];
        let unread = Found { skipped: skipped(format!("{long}/a.md")), ..found() };
        let changes = update(unread).await;
        assert_eq!(changes.removed, 0);
        let unread = Found { skipped: skipped(format!("{long}/a")), ..found() };
        let changes = update(unread).await;
        assert_eq!(changes.removed, 1);
        let unread = Found { scopes: vec![Scope::Folder(format!("{long}-old"))], ..found() };
        let changes = update(unread).await;
        assert_eq!(changes.removed, 1);
    }
}
