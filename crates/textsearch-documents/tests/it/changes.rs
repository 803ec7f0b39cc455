//! Files that change between two walks, and while they are read.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use textsearch_documents::{
    Document, ReadError, ReadLimits, Reader,
    ingest::{DocumentIndex, FileWalker, IngestReport, Ingestion, SkipReason, SourceFiles},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// Writes a file as of some seconds ago: a walk leaves files of the last moment out.
fn write(folder: &Path, name: &str, text: &str, seconds_ago: u64) {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    let time = SystemTime::now() - Duration::from_secs(seconds_ago);
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
}

fn walk(folder: &Path) -> SourceFiles {
    FileWalker::new().walk(&[folder]).unwrap()
}

fn names(files: &SourceFiles) -> Vec<&str> {
    files.paths().map(|path| path.rsplit('/').next().unwrap()).collect()
}

#[tokio::test]
async fn update_of_changed_files_reads_and_removes_only_these() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["a.md", "b.md", "c.md"] {
        write(folder, name, "Apples", 60);
    }
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let before = walk(folder);
    let report = index.update(Ingestion::new(before.clone())).await.unwrap();
    assert_eq!((report.added, before.bytes()), (3, 18));

    write(folder, "b.md", "Pears", 10);
    fs::remove_file(folder.join("c.md")).unwrap();
    let changed = walk(folder).changed_since(&before, &report).unwrap();
    assert_eq!(names(&changed), ["b.md"]);
    let report = index.update(Ingestion::new(changed)).await.unwrap();
    let counts = (report.added, report.changed, report.unchanged, report.removed);
    assert_eq!(counts, (0, 1, 0, 1));
    assert_eq!(index.chunk_count().await.unwrap(), 2);
}

#[tokio::test]
async fn documents_of_a_deleted_path_are_removed() {
    for number in [1, 300] {
        let folder = tempfile::tempdir().unwrap();
        let [deleted, kept] = ["deleted", "kept"].map(|name| folder.path().join(name));
        fs::create_dir(&deleted).unwrap();
        fs::create_dir(&kept).unwrap();
        (0..number).for_each(|number| write(&deleted, &format!("{number}.md"), "Apples", 60));
        write(&kept, "a.md", "Pears", 60);
        let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
        let before = FileWalker::new().walk(&[&deleted, &kept]).unwrap();
        let report = index.update(Ingestion::new(before.clone())).await.unwrap();
        fs::remove_dir_all(&deleted).unwrap();
        let changed = walk(&kept).changed_since(&before, &report).unwrap();
        let report = index.update(Ingestion::new(changed)).await.unwrap();
        assert_eq!((report.removed, report.added, report.changed), (number, 0, 0));
    }
}

#[test]
fn files_of_the_last_moment_wait_for_the_next_call() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "old.md", "Apples", 60);
    let before = walk(folder);
    write(folder, "new.md", "Pears", 0);
    let now = walk(folder);
    assert!(now.changed_since(&before, &IngestReport::default()).is_none());
    std::thread::sleep(Duration::from_millis(600));
    let later = walk(folder).changed_since(&now, &IngestReport::default()).unwrap();
    assert_eq!(names(&later), ["new.md"]);
}

/// Writes to the file that it reads, as another program might.
#[derive(Debug)]
struct Growing(PathBuf);

impl Reader for Growing {
    fn read(
        &self,
        bytes: Vec<u8>,
        _: &ReadLimits,
        document: &mut Document,
    ) -> Result<(), ReadError> {
        document.text = String::from_utf8(bytes).unwrap();
        fs::write(&self.0, document.text.repeat(2)).unwrap();
        Ok(())
    }
}

#[tokio::test]
async fn file_that_changes_while_read_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.txt", "Apples", 60);
    let reader = Arc::new(Growing(folder.path().join("a.txt")));
    let files = FileWalker::new().with_reader("txt", reader).walk(&[folder.path()]).unwrap();
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let report = index.update(Ingestion::new(files.clone())).await.unwrap();
    assert_eq!(report.skipped[0].reason, SkipReason::Changing);
    assert_eq!((report.added, report.failed().count()), (0, 1));
    // The next round reads it again, even if its time says nothing.
    assert_eq!(files.changed_since(&files, &report).unwrap().len(), 1);
}
