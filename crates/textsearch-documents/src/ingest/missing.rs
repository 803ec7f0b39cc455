//! Finds documents whose files were deleted.

use std::collections::HashSet;

use futures_util::TryStreamExt as _;
use serde_json::Value;
use textsearch_core::{Filter, vector::ScanOptions};

use super::{
    PATH,
    error::Result,
    files::Scope,
    skipped::{SkipReason, Skipped},
};
use crate::{DocumentStore, StoredDocument};

/// Returns the ids of documents in `scopes` that are neither `seen` nor from `skipped` files.
pub(super) async fn missing_documents(
    documents: &DocumentStore,
    seen: &HashSet<String>,
    scopes: &[Scope],
    skipped: &[Skipped],
) -> Result<Vec<String>> {
    // A file that became a link counts as deleted.
    let skipped = skipped.iter().filter(|skipped| skipped.reason != SkipReason::Link);
    let unread = skipped.flat_map(|skipped| {
        [Scope::File(skipped.path.clone()), Scope::Folder(skipped.path.clone())]
    });
    let unread: Vec<Scope> = unread.collect();
    // A filter may match more than its scope.
    let is_missing = |document: &StoredDocument| {
        // Documents without a path aren't from files.
        let Some(path) = document.metadata.get(PATH).and_then(Value::as_str) else { return false };
        let is_unread = |scope: &Scope| scope.contains(path) || scope.contains(&document.id);
        scopes.iter().any(|scope| scope.contains(path))
            && !unread.iter().any(is_unread)
            && !seen.contains(&document.id)
    };
    let filter = Filter::any(scopes.iter().map(|scope| scope.filter(PATH)));
    let mut stored = documents.list(&ScanOptions::default().with_filter(filter)).await?;
    let mut missing = Vec::new();
    while let Some(document) = stored.try_next().await? {
        missing.extend(Some(document).filter(is_missing).map(|document| document.id));
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use textsearch_vector_inmemory::InMemoryVectorStore;

    use super::*;
    use crate::ingest::{
        DocumentIndex, Ingestion,
        files::{FileKind, SourceFile, SourceFiles, Stamp},
    };

    #[tokio::test]
    async fn removal_spares_folders_with_the_same_name_prefix() {
        let folder = tempfile::tempdir().unwrap();
        let location = folder.path().join("a.md");
        fs::write(&location, "words").unwrap();
        let long = "a/folder/whose/name/is/longer/than/a/filter/takes";
        let file = |path: String| SourceFile {
            location: location.clone(),
            path,
            kind: FileKind::Document,
            stamp: Stamp::default(),
        };
        let files = ["", "-old"].map(|end| file(format!("{long}{end}/a.md"))).into();
        let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
        let files = SourceFiles { files, ..SourceFiles::default() };
        let update = async |files| index.update(Ingestion::new(files)).await.unwrap();
        let report = update(files).await;
        assert_eq!((report.added, report.removed), (2, 0));
        let scope = |path: String| vec![Scope::Folder(path)];
        let no_files = || SourceFiles { scopes: scope(long.to_owned()), ..SourceFiles::default() };
        // Documents of unreadable files stay, even if other names start alike.
        let skipped =
            |path: String| vec![Skipped { path, reason: SkipReason::Failed(String::new()) }];
        let unread = SourceFiles { skipped: skipped(format!("{long}/a.md")), ..no_files() };
        assert_eq!(update(unread).await.removed, 0);
        let unread = SourceFiles { skipped: skipped(format!("{long}/a")), ..no_files() };
        assert_eq!(update(unread).await.removed, 1);
        let old = SourceFiles { scopes: scope(format!("{long}-old")), ..SourceFiles::default() };
        assert_eq!(update(old).await.removed, 1);
    }
}
