//! The readers of files.

use std::{
    fs,
    io::{Cursor, Write as _},
    sync::Arc,
    time::Duration,
};

use textsearch_documents::{
    Chunker, Document, ReadError, ReadLimits, Reader,
    ingest::{DocumentIndex, FileWalker, Ingestion},
};
use textsearch_vector_inmemory::InMemoryVectorStore;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const MAX_TEXT_BYTES: usize = 1 << 20;

/// The parser of PDF promises less, so the program runs it in a process of its own.
#[derive(Debug)]
struct NoPdf;

impl Reader for NoPdf {
    fn read(&self, _: Vec<u8>, _: &ReadLimits, _: &mut Document) -> Result<(), ReadError> {
        Err(ReadError::Encrypted)
    }
}

fn limits() -> ReadLimits {
    ReadLimits {
        max_text_bytes: MAX_TEXT_BYTES,
        max_archive_bytes: 4 << 20,
        max_archive_files: 100,
        timeout: Duration::from_secs(10),
        pdf_reader: Some(Arc::new(NoPdf)),
        ..ReadLimits::default()
    }
}

/// The first line is the file's name. No reader panics, and whatever it reads can be stored.
pub(crate) fn file(input: &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (name, content) = input.split_at(end);
    let name: String =
        crate::text(name).chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    let report = crate::scratch::with_folder(|folder| {
        let path = folder.join(format!("input.{name}"));
        let content = content.strip_prefix(b"\n").unwrap_or(content);
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write: {error}"));
        let report = crate::block_on(async {
            let files = FileWalker::new().walk(&[&path])?;
            let ingestion = Ingestion::new(files).with_read_limits(limits());
            DocumentIndex::new(InMemoryVectorStore::new(), "fuzzed").update(ingestion).await
        });
        let _removed = fs::remove_file(path);
        report
    });
    let report = report.unwrap_or_else(|error| panic!("one file ended the run: {error}"));
    for skipped in report.skipped {
        let reason = skipped.reason.to_string();
        assert!(!reason.contains("its reader failed"), "{reason}");
    }
}

/// The first byte chooses the kind of package, the rest is its main part.
pub(crate) fn office_part(input: &[u8]) {
    let Some((kind, part)) = input.split_first() else { return };
    let relations = |target: &str| {
        format!(
            "<Relationships><Relationship Id='a' Type='x/officeDocument' Target='{target}'/></Relationships>"
        )
    };
    let parts: Vec<(&str, Vec<u8>)> = match kind % 6 {
        0 => vec![("_rels/.rels", relations("word/document.xml").into()), ("word/document.xml", part.to_vec())],
        1 => vec![
            ("_rels/.rels", relations("xl/workbook.xml").into()),
            ("xl/workbook.xml", b"<workbook><sheet name='S' r:id='b'/></workbook>".to_vec()),
            (
                "xl/_rels/workbook.xml.rels",
                b"<Relationships><Relationship Id='b' Type='x/worksheet' Target='s.xml'/></Relationships>".to_vec(),
            ),
            ("xl/s.xml", part.to_vec()),
        ],
        2 => open_document("text", part),
        3 => open_document("presentation", part),
        4 => open_document("spreadsheet", part),
        _ => vec![
            ("META-INF/container.xml", b"<rootfile full-path='b.opf'/>".to_vec()),
            ("b.opf", b"<package><item id='a' href='a.xhtml'/><itemref idref='a'/></package>".to_vec()),
            ("a.xhtml", part.to_vec()),
        ],
    };
    let Ok(document) = Document::from_file("a", "a.zip", package(&parts), &limits()) else {
        return;
    };
    assert!(document.text.len() <= MAX_TEXT_BYTES, "{} bytes", document.text.len());
    let chunked = Chunker::default().chunk(&document);
    assert!(chunked.is_ok(), "{chunked:?}");
}

fn open_document(kind: &str, content: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let media_type = format!("application/vnd.oasis.opendocument.{kind}");
    vec![("mimetype", media_type.into_bytes()), ("content.xml", content.to_vec())]
}

fn package(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let written = zip.start_file(*name, options).map(|()| zip.write_all(content));
        assert!(matches!(written, Ok(Ok(()))), "{written:?}");
    }
    zip.finish().unwrap_or_else(|error| panic!("no package: {error}")).into_inner()
}
