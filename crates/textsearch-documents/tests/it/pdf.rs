//! PDF.

use std::fmt::Write as _;

use textsearch_documents::{Chunk, Chunker, Document, ReadError, ReadLimits};

/// Writes a PDF with a text per page and an outline that leads to page 2.
fn pdf(pages: &[&str], kids_of_pages: &str) -> Vec<u8> {
    let count = pages.len();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {count}/Kids[{kids_of_pages}]>>"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<</First 5 0 R/Last 5 0 R/Count 1>>".to_owned(),
        "<</Title(Second part)/Parent 4 0 R/Dest[8 0 R/Fit]>>".to_owned(),
    ];
    for (index, text) in pages.iter().enumerate() {
        let content = objects.len() + 2;
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents {content} 0 R>>"
        ));
        let mut stream = "BT /F 12 Tf 14 TL 72 770 Td".to_owned();
        for line in text.lines() {
            write!(stream, " ({line}) Tj T*").unwrap();
        }
        stream += " ET";
        objects.push(format!("<</Length {}>>stream\n{stream}\nendstream", stream.len()));
        assert_eq!(objects.len(), 5 + 2 * (index + 1));
    }
    objects.push(
        "<</Author(Ada)/Keywords(maths, engines)/CreationDate(D:20240814100000+02'00')>>"
            .to_owned(),
    );
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let start = bytes.len();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    places.iter().for_each(|place| writeln!(table, "{place:010} 00000 n ").unwrap());
    let count = objects.len();
    let trailer = format!(
        "trailer<</Size {}/Root 1 0 R/Info {count} 0 R>>\nstartxref\n{start}\n%%EOF\n",
        count + 1
    );
    bytes.extend((table + &trailer).bytes());
    bytes
}

fn read(bytes: Vec<u8>) -> Result<Document, ReadError> {
    Document::from_file("a.pdf", "a.pdf", bytes, &ReadLimits::default())
}

fn chunks(document: &Document) -> Vec<Chunk> {
    Chunker::default().chunk(document).unwrap().chunks
}

#[test]
fn pages_are_located_below_the_outline() {
    let pages = ["A first page.", "It goes on.\nSecond part\nPears are green.", "The last page."];
    let document = read(pdf(&pages, "6 0 R 8 0 R 10 0 R")).unwrap();
    let chunks = chunks(&document);
    let anchors: Vec<_> = chunks.iter().map(|chunk| chunk.anchor.as_deref().unwrap()).collect();
    assert_eq!(anchors, ["page=1", "page=2", "page=2", "page=3"]);
    assert_eq!(chunks[2].text, "Second part\nPears are green.");
    let headings: Vec<_> = chunks.iter().map(|chunk| chunk.heading_path.join(">")).collect();
    assert_eq!(headings, ["", "", "Second part", "Second part"]);
}

#[test]
fn properties_are_facts() {
    let facts = read(pdf(&["Words."], "6 0 R")).unwrap().facts;
    assert_eq!((facts.author.as_deref(), facts.kind.as_deref()), (Some("Ada"), Some("pdf")));
    assert_eq!(facts.tags, ["maths", "engines"]);
    assert_eq!(facts.date.unwrap().to_string(), "2024-08-14T08:00:00Z");
}

#[test]
fn pages_without_text_are_images() {
    assert_eq!(read(pdf(&["", ""], "6 0 R 8 0 R")), Err(ReadError::OnlyImages));
}

#[test]
fn hostile_and_damaged_files_are_errors() {
    // The page tree contains itself, so the page is found another way or not at all.
    let looped = read(pdf(&["a"], "2 0 R"));
    assert!(looped.is_err() || looped.is_ok_and(|document| document.text.trim() == "a"));
    let whole = pdf(&["Words."], "6 0 R");
    for end in 0..whole.len() {
        let _ = read(whole[..end].to_vec());
    }
    assert!(matches!(read(b"%PDF-1.4\n%%EOF".to_vec()), Err(ReadError::Damaged(_))));
    let limits = ReadLimits { max_pages: 1, ..ReadLimits::default() };
    let two = Document::from_file("a", "a.pdf", pdf(&["a", "b"], "6 0 R 8 0 R"), &limits);
    assert_eq!(two.unwrap_err().to_string(), "it has more than 1 pages");
}
