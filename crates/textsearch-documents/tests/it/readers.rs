//! Files of all kinds, from a folder to links.

use std::{fs, sync::Arc};

use textsearch_core::{SearchOptions, TextSearch as _};
use textsearch_documents::{
    Document, ReadError, ReadLimits, Reader,
    ingest::{DocumentIndex, FileWalker, IngestReport, Ingestion},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Self(folder)
    }

    async fn index(&self, limits: ReadLimits) -> (DocumentIndex, IngestReport) {
        let walked = FileWalker::new().walk(&[self.0.path()]).unwrap();
        let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
        let report = index.update(Ingestion::new(walked).with_read_limits(limits)).await.unwrap();
        (index, report)
    }

    /// The link of the best result, without the folder.
    async fn link(&self, index: &DocumentIndex, query: &str) -> String {
        let search = index.open(None).await.unwrap().text_search();
        let results = search.text_search_results(query, &SearchOptions::top(1)).await.unwrap();
        let link = results.into_vec().await.unwrap().remove(0).link.unwrap();
        link.replace(&format!("{}/", self.0.path().display()), "")
    }

    fn reasons(&self, report: &IngestReport) -> Vec<(String, String)> {
        let prefix = format!("{}/", self.0.path().display());
        let skipped = report.skipped.iter();
        skipped.map(|file| (file.path.replace(&prefix, ""), file.reason.to_string())).collect()
    }
}

#[tokio::test]
async fn text_without_known_ending_is_found_by_lines() {
    let folder = Folder::with(&[
        ("Makefile", b"all: figs\n"),
        ("src/lib.zig", b"//! Code.\n\nfn pears() {\n    grow();\n}\n"),
        ("latin.txt", b"Caf\xE9 au lait, d\xE9j\xE0 vu.\n"),
    ]);
    let (index, report) = folder.index(ReadLimits::default()).await;
    assert_eq!((report.added, report.skipped), (3, vec![]));
    assert_eq!(folder.link(&index, "figs").await, "Makefile#L1");
    assert_eq!(folder.link(&index, "pears").await, "src/lib.zig#L1-L5");
    assert_eq!(folder.link(&index, "café").await, "latin.txt#L1");
}

#[cfg(feature = "csv")]
#[tokio::test]
async fn rows_of_csv_are_located() {
    let mut table = "name,colour,note\n".to_owned();
    for row in 0..200 {
        table += &format!("fruit {row},green,\"grows\nhere\"\n");
    }
    table += "quince,yellow,last\n";
    let folder = Folder::with(&[("t.csv", table.as_bytes())]);
    let (index, _) = folder.index(ReadLimits::default()).await;
    let link = folder.link(&index, "quince").await;
    assert!(link.starts_with("t.csv#A") && link.ends_with(":C202"), "{link}");
}

#[cfg(feature = "csv")]
#[test]
fn chunks_of_csv_begin_with_the_header() {
    let first_lines = |header: &str| {
        let table = format!("{header}\n") + &"apple,green\n".repeat(200);
        let limits = ReadLimits::default();
        let document = Document::from_file("a", "a.csv", table.into_bytes(), &limits).unwrap();
        let chunks = textsearch_documents::Chunker::default().chunk(&document).unwrap().chunks;
        chunks.iter().map(|chunk| chunk.text.lines().next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(first_lines("fruit,2024"), ["fruit | 2024"; 3]);
    assert_eq!(first_lines("1,red"), ["1 | red", "apple | green", "apple | green"]);
}

#[cfg(feature = "archives")]
mod archives {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use futures_util::FutureExt as _;
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    const XZ: &[u8] = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4F\x02\0!\x01\x16\0\0\0t/\xe5\xa3\x01\0\x0bPears grow.\n\0\x0cF\xa2\xa0E\x88\xd7\xc2\0\x01$\x0c\xa6\x18\xd8\xd8\x1f\xb6\xf3}\x01\0\0\0\0\x04YZ";
    const ZSTANDARD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x58\x59\0\0Figs grow.\n\x85\x97\x11\x11";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (path, bytes) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            tar.append_data(&mut header, path, *bytes).unwrap();
        }
        tar.into_inner().unwrap()
    }

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (path, bytes) in files {
            zip.start_file(*path, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[tokio::test]
    async fn compressed_files_are_read_by_their_inner_name() {
        let manual = gzip(b".TH LS 1\n.SH NAME\nls \\- list apples\n");
        let folder =
            Folder::with(&[("ls.1.gz", &manual), ("pears.xz", XZ), ("figs.txt.zst", ZSTANDARD)]);
        let (index, report) = folder.index(ReadLimits::default()).await;
        assert_eq!((report.added, report.skipped), (3, vec![]));
        assert_eq!(folder.link(&index, "apples").await, "ls.1.gz");
        assert_eq!(folder.link(&index, "pears").await, "pears.xz#L1");
        assert_eq!(folder.link(&index, "figs").await, "figs.txt.zst#L1");
    }

    #[tokio::test]
    async fn files_in_archives_are_documents_of_their_own() {
        let inner =
            gzip(&tar(&[("b/pears.md", b"# Pears\n\nThey grow.\n"), ("b/c.png", b"\x89PNG")]));
        let outer = zip(&[("a.txt", b"apples"), ("inner.tar.gz", &inner), ("d.bin2", b"\0\x01")]);
        let folder = Folder::with(&[("all.zip", &outer)]);
        let (index, report) = folder.index(ReadLimits::default()).await;
        assert_eq!(report.added, 2);
        assert_eq!(folder.link(&index, "apples").await, "all.zip#a.txt&L1");
        assert_eq!(folder.link(&index, "pears").await, "all.zip#inner.tar.gz/b/pears.md&pears");
        let reason = "it is neither text nor in a known format".to_owned();
        assert_eq!(folder.reasons(&report), [("all.zip#d.bin2".to_owned(), reason)]);
        // A document that can't be read any more stays; one that is gone doesn't.
        fs::write(folder.0.path().join("all.zip"), zip(&[("a.txt", b"\0")])).unwrap();
        let walked = FileWalker::new().walk(&[folder.0.path()]).unwrap();
        let report = index.update(Ingestion::new(walked)).await.unwrap();
        assert_eq!((report.removed, report.skipped.len()), (1, 1));
    }

    #[tokio::test]
    async fn name_of_an_archive_may_have_a_number_sign() {
        let inner = zip(&[("b.txt", b"pears")]);
        let bytes = zip(&[("a.txt", b"apples"), ("inner.zip", &inner)]);
        let folder = Folder::with(&[("a#b.zip", &bytes)]);
        let (index, _) = folder.index(ReadLimits::default()).await;
        assert_eq!(folder.link(&index, "apples").await, "a#b.zip#a.txt&L1");
        assert_eq!(folder.link(&index, "pears").await, "a#b.zip#inner.zip/b.txt&L1");
    }

    #[tokio::test]
    async fn long_name_in_an_archive_is_refused_unread() {
        let name = "n".repeat(5000);
        let folder = Folder::with(&[("a.tar", &tar(&[(&name, b"words")])), ("b.txt", b"apples")]);
        let (_, report) = folder.index(ReadLimits::default()).await;
        let reason = "it has more than 4096 bytes in a name".to_owned();
        assert_eq!(folder.reasons(&report), [("a.tar".to_owned(), reason)]);
        let name = "n".repeat(150) + "/long.txt";
        let folder = Folder::with(&[("a.tar", &tar(&[(&name, b"plums")]))]);
        let (index, _) = folder.index(ReadLimits::default()).await;
        assert_eq!(folder.link(&index, "plums").await, format!("a.tar#{name}&L1"));
    }

    #[tokio::test]
    async fn member_that_is_gone_is_removed_beside_a_failing_one() {
        let deep = "<div>".repeat(1000);
        let files = [("deep.html", deep.as_bytes()), ("gone.txt", b"plums")];
        let folder = Folder::with(&[("a.zip", &zip(&files))]);
        let (index, _) = folder.index(ReadLimits::default()).await;
        fs::write(folder.0.path().join("a.zip"), zip(&files[..1])).unwrap();
        let walked = FileWalker::new().walk(&[folder.0.path()]).unwrap();
        let report = index.update(Ingestion::new(walked)).await.unwrap();
        assert_eq!(
            (report.removed, report.skipped[0].path.ends_with("a.zip#deep.html")),
            (1, true)
        );
    }

    #[tokio::test]
    async fn bombs_are_refused_at_each_limit() {
        let zeros = gzip(&vec![b'0'; 4 << 20]);
        let nested = (0..4).fold(b"words".to_vec(), |bytes, _| zip(&[("a.zip", &bytes)]));
        let many: Vec<(String, &[u8])> = (0..20).map(|n| (format!("{n}.txt"), &b"a"[..])).collect();
        let many: Vec<_> = many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
        for (bytes, reason) in [
            (zeros.clone(), "it has more than 1048576 bytes"),
            (zip(&[("z.gz", &zeros), ("y.gz", &zeros)]), "it has more than 1048576 bytes"),
            (nested, "it has more than 3 archives inside one another"),
            (tar(&many), "it has more than 10 files"),
        ] {
            let folder = Folder::with(&[("bomb", &bytes)]);
            let limits = ReadLimits {
                max_bytes: 1 << 20,
                max_archive_bytes: 3 << 20,
                max_archive_files: 10,
                ..ReadLimits::default()
            };
            let (_, report) = folder.index(limits).await;
            let reasons = folder.reasons(&report);
            assert!(reasons.iter().any(|(_, actual)| actual == reason), "{reason}: {reasons:?}");
        }
    }

    #[cfg(feature = "office")]
    #[tokio::test]
    async fn office_files_of_an_archive_share_its_bytes() {
        let relations = "<Relationships><Relationship Id='a' Type='x/officeDocument' Target='word/document.xml'/></Relationships>";
        let text = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "words ".repeat(50_000));
        let mut package = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (path, part) in [
            ("[Content_Types].xml", "<Types/>"),
            ("_rels/.rels", relations),
            ("word/document.xml", &text),
        ] {
            package.start_file(path, SimpleFileOptions::default()).unwrap();
            package.write_all(part.as_bytes()).unwrap();
        }
        let package = package.finish().unwrap().into_inner();
        let folder = Folder::with(&[(
            "a.zip",
            &zip(&[("a.docx", &package), ("b.docx", &package), ("c.docx", &package)]),
        )]);
        let limits = ReadLimits { max_archive_bytes: 800_000, ..ReadLimits::default() };
        let (_, report) = folder.index(limits).await;
        let reason = "it has more than 800000 bytes in its files".to_owned();
        assert_eq!(folder.reasons(&report), [("a.zip".to_owned(), reason)]);
        assert_eq!(report.added, 2);
    }

    #[tokio::test]
    async fn update_pauses_after_each_failing_file_of_an_archive() {
        let members: Vec<String> = (0..20).map(|number| format!("{number}.txt")).collect();
        let members: Vec<(&str, &[u8])> =
            members.iter().map(|name| (name.as_str(), &b"\0"[..])).collect();
        let folder = Folder::with(&[("a.tar", &tar(&members))]);
        let mut update = std::pin::pin!(folder.index(ReadLimits::default()));
        for _ in 0..20 {
            assert!(update.as_mut().now_or_never().is_none());
        }
        assert_eq!(update.await.1.skipped.len(), 20);
    }

    #[tokio::test]
    async fn cut_archive_is_read_to_the_cut_and_reported() {
        let mut bytes = tar(&[("a.txt", b"apples"), ("b.txt", &[b'b'; 2000]), ("c.txt", b"c")]);
        bytes.truncate(1800);
        let folder = Folder::with(&[("cut.tar", &bytes)]);
        let (_, report) = folder.index(ReadLimits::default()).await;
        assert_eq!((report.added, report.failed().count()), (2, 1));
    }
}

#[tokio::test]
async fn documents_that_are_no_files_stay() {
    let folder = Folder::with(&[("a.txt", b"apples")]);
    let (index, _) = folder.index(ReadLimits::default()).await;
    let documents = index.open_for_writing([], None).await.unwrap();
    documents.upsert([Document::plain_text("own", "pears")]).await.unwrap();
    let walked = FileWalker::new().walk(&["."]).unwrap();
    assert_eq!(index.update(Ingestion::new(walked)).await.unwrap().removed, 0);
}

#[derive(Debug)]
struct Broken;

impl Reader for Broken {
    fn read(
        &self,
        bytes: Vec<u8>,
        _: &ReadLimits,
        document: &mut Document,
    ) -> Result<(), ReadError> {
        assert_ne!(bytes, b"panic", "the parser is lost");
        document.text = String::from_utf8(bytes).unwrap().to_uppercase();
        Ok(())
    }
}

#[tokio::test]
async fn panic_of_a_reader_costs_its_file() {
    let folder = Folder::with(&[("a.own", b"panic"), ("b.own", b"apples")]);
    let walker = FileWalker::new().with_reader("own", Arc::new(Broken));
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let walked = walker.walk(&[folder.0.path()]).unwrap();
    let report = index.update(Ingestion::new(walked)).await.unwrap();
    assert_eq!(report.added, 1);
    let [(path, reason)] = &folder.reasons(&report)[..] else { panic!("{report:?}") };
    assert_eq!(path, "a.own");
    assert!(reason.contains("the parser is lost"), "{reason}");
}

#[derive(Debug)]
struct Endless;

impl Reader for Endless {
    fn read(&self, _: Vec<u8>, limits: &ReadLimits, _: &mut Document) -> Result<(), ReadError> {
        std::thread::sleep(limits.timeout * 50);
        Ok(())
    }
}

#[tokio::test]
async fn reader_that_takes_too_long_is_left() {
    let folder = Folder::with(&[("a.own", b"x"), ("b.txt", b"apples")]);
    let walker = FileWalker::new().with_reader("own", Arc::new(Endless));
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let limits =
        ReadLimits { timeout: std::time::Duration::from_millis(100), ..ReadLimits::default() };
    let walked = walker.walk(&[folder.0.path()]).unwrap();
    let report = index.update(Ingestion::new(walked).with_read_limits(limits)).await.unwrap();
    assert_eq!(report.added, 1);
    let reason = "reading it took more than 0.1 s".to_owned();
    assert_eq!(folder.reasons(&report), [("a.own".to_owned(), reason)]);
}

#[tokio::test]
async fn links_lead_to_where_files_are_published() {
    let folder = Folder::with(&[
        ("a guide?.txt", b"Plums\n"),
        ("b#2.jsonl", b"{\"id\": \"#3\", \"text\": \"Figs\"}\n"),
    ]);
    let walked = FileWalker::new().walk(&[folder.0.path()]).unwrap();
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let ingestion = || Ingestion::new(walked.clone());
    index.update(ingestion().with_link_base("https://docs.example/")).await.unwrap();
    assert_eq!(index.update(ingestion()).await.unwrap().unchanged, 2);
    let link = folder.link(&index, "plums").await;
    let parent = folder.0.path().display().to_string();
    let expected = format!("https://docs.example{parent}/a%20guide%3F.txt#L1");
    assert_eq!(link, expected.replace(&format!("{parent}/"), ""));
    let link = folder.link(&index, "figs").await;
    assert!(link.ends_with("b%232.jsonl#%233"), "{link}");
    index.update(ingestion().with_link_base("")).await.unwrap();
    assert_eq!(folder.link(&index, "figs").await, "b#2.jsonl##3");
}
