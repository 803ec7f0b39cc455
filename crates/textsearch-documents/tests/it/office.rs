//! Documents in a ZIP package.

use std::io::{Cursor, Write as _};

use textsearch_documents::{Chunk, Chunker, Document, ReadError, ReadLimits};
use zip::{ZipWriter, write::SimpleFileOptions};

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn relations(relations: &[(&str, &str, &str)]) -> String {
    let relations = relations.iter().map(|(id, kind, target)| {
        format!("<Relationship Id='{id}' Type='http://x/{kind}' Target='{target}'/>")
    });
    format!("<Relationships>{}</Relationships>", relations.collect::<String>())
}

fn read(name: &str, bytes: Vec<u8>) -> Result<Document, ReadError> {
    Document::from_file(name, name, bytes, &ReadLimits::default())
}

fn chunks(document: &Document) -> Vec<Chunk> {
    Chunker::default().chunk(document).unwrap().chunks
}

fn docx(body: &str) -> Vec<u8> {
    let main = relations(&[("a", "officeDocument", "word/document.xml")]);
    let parts = relations(&[("b", "styles", "styles.xml"), ("c", "footnotes", "footnotes.xml")]);
    let styles = "<w:styles><w:style w:styleId='H'><w:name w:val='heading 2'/></w:style>\
                  <w:style w:styleId='Own'><w:basedOn w:val='H'/></w:style></w:styles>";
    let notes = "<w:footnotes><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnotes>";
    package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &main),
        ("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>")),
        ("word/_rels/document.xml.rels", &parts),
        ("word/styles.xml", styles),
        ("word/footnotes.xml", notes),
    ])
}

#[test]
fn word_document_has_headings_tables_and_notes() {
    let document = docx(
        "<w:p><w:pPr><w:pStyle w:val='Own'/></w:pPr><w:r><w:t>Plums &amp; pears</w:t></w:r></w:p>\
         <w:p><w:r><w:t>Ripe</w:t></w:r><w:del><w:r><w:t>gone</w:t></w:r></w:del><w:r><w:t> fruit.</w:t></w:r>\
         <mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></mc:Choice>\
         <mc:Fallback><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:p>\
         <w:tbl><w:tr><w:tc><w:p><w:r><w:t>kind</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>count</w:t></w:r></w:p></w:tc></w:tr>\
         <w:tr><w:tc><w:p><w:r><w:t>plum</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>3</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
    );
    let document = read("a.docx", document).unwrap();
    let text = "Plums & pears\n\nIn a box.\n\nRipe fruit.\n\nkind | count\nplum | 3\n\nA note.\n";
    assert_eq!(document.text, text);
    assert_eq!(chunks(&document)[0].heading_path, ["Plums & pears"]);
}

#[test]
fn slides_are_located_with_titles_and_notes() {
    let slide = |title: &str, text: &str| {
        format!(
            "<p:sld><p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:sp>\
             <p:sp><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sp>\
             <p:sp><p:nvSpPr><p:nvPr><p:ph type='sldNum'/></p:nvPr></p:nvSpPr><a:p><a:r><a:t>77</a:t></a:r></a:p></p:sp></p:sld>"
        )
    };
    let slides = relations(&[("r1", "slide", "slides/b.xml"), ("r2", "slide", "slides/a.xml")]);
    let bytes = package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &relations(&[("a", "officeDocument", "/ppt/presentation.xml")])),
        (
            "ppt/presentation.xml",
            "<p:x><p:sldId id='256' r:id='r1'/><p:sldId id='257' r:id='r2'/></p:x>",
        ),
        ("ppt/_rels/presentation.xml.rels", &slides),
        ("ppt/slides/b.xml", &slide("First", "Apples.")),
        ("ppt/slides/a.xml", &slide("Second", "Pears.")),
        ("ppt/slides/_rels/a.xml.rels", &relations(&[("n", "notesSlide", "../notes/n.xml")])),
        ("ppt/notes/n.xml", "<p:notes><a:p><a:r><a:t>Say it.</a:t></a:r></a:p></p:notes>"),
    ]);
    let document = read("a.pptx", bytes).unwrap();
    let chunks = chunks(&document);
    let located: Vec<_> = chunks
        .iter()
        .map(|chunk| {
            (chunk.anchor.as_deref().unwrap(), chunk.heading_path.join(">"), chunk.text.as_str())
        })
        .collect();
    assert_eq!(
        located,
        [
            ("slide=1", "First".to_owned(), "First\n\nApples."),
            ("slide=2", "Second".to_owned(), "Second\n\nPears.\n\nSay it."),
        ]
    );
}

fn xlsx(rows: &str) -> Vec<u8> {
    let parts = relations(&[
        ("r1", "worksheet", "worksheets/sheet1.xml"),
        ("r2", "sharedStrings", "sharedStrings.xml"),
        ("r3", "styles", "styles.xml"),
    ]);
    let texts = "<sst><si><t>name</t></si><si><r><t>qu</t></r><r><t>ince</t></r><rPh><t>x</t></rPh></si></sst>";
    let styles = "<styleSheet><numFmts><numFmt numFmtId='170' formatCode='dd.mm.yyyy'/></numFmts>\
                  <cellXfs><xf numFmtId='0'/><xf numFmtId='170'/></cellXfs></styleSheet>";
    package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &relations(&[("a", "officeDocument", "xl/workbook.xml")])),
        (
            "xl/workbook.xml",
            "<workbook><sheets><sheet name='Fruit &amp; co' r:id='r1'/></sheets></workbook>",
        ),
        ("xl/_rels/workbook.xml.rels", &parts),
        ("xl/sharedStrings.xml", texts),
        ("xl/styles.xml", styles),
        (
            "xl/worksheets/sheet1.xml",
            &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ])
}

#[test]
fn cells_of_a_sheet_are_located() {
    let bytes = xlsx(
        "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='inlineStr'><is><t>picked</t></is></c></row>\
         <row r='3'><c r='A3' t='s'><v>1</v></c><c r='B3' s='1'><v>45292</v></c><c r='C3' t='b'><v>1</v></c></row>\
         <row r='1048576'><c r='C1048576'><v>0.5</v></c></row>",
    );
    let document = read("a.xlsx", bytes).unwrap();
    assert_eq!(document.text, "name | picked\n\nquince | 2024-01-01 | true\n |  | 0.5\n");
    let chunks = chunks(&document);
    let anchors: Vec<_> = chunks.iter().map(|chunk| chunk.anchor.as_deref().unwrap()).collect();
    assert_eq!(anchors, ["Fruit%20&%20co!A1:C3", "Fruit%20&%20co!A1048576:C1048576"]);
    assert_eq!(chunks[1].heading_path, ["Fruit & co"]);
}

fn open_document(kind: &str, content: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body>{content}</office:body></office:document-content>"
    );
    package(&[
        ("mimetype", &format!("application/vnd.oasis.opendocument.{kind}")),
        ("content.xml", &content),
    ])
}

#[test]
fn open_document_text_has_headings_and_no_deleted_text() {
    let bytes = open_document(
        "text",
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\
         <text:h text:outline-level='2'>Plums</text:h><text:p>Two<text:s text:c='2'/>words<text:line-break/>more.</text:p>\
         <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>\
         <table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>",
    );
    let document = read("a.odt", bytes).unwrap();
    assert_eq!(document.text, "Plums\n\nTwo  words\nmore.\n\na | b\n");
    assert_eq!(chunks(&document)[0].heading_path, ["Plums"]);
}

#[test]
fn slides_without_text_keep_their_places() {
    let slide = |text: &str| {
        format!("<draw:page><draw:frame presentation:class='title'>{text}</draw:frame></draw:page>")
    };
    let slides = ["<text:p>One</text:p>", "", "", "<text:p>Four</text:p>"].map(slide);
    let document = read("a.odp", open_document("presentation", &slides.concat())).unwrap();
    let chunks = chunks(&document);
    let places: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.anchor.as_deref().unwrap(), chunk.text.as_str()))
        .collect();
    assert_eq!(places, [("slide=1", "One"), ("slide=4", "Four")]);
}

#[test]
fn open_document_slides_and_sheets_are_located() {
    let slide = |text: &str| {
        format!("<draw:page><draw:frame><text:p>{text}</text:p></draw:frame></draw:page>")
    };
    let bytes = open_document("presentation", &(slide("Apples") + &slide("Pears")));
    let document = read("a.odp", bytes).unwrap();
    let anchors: Vec<_> =
        chunks(&document).iter().map(|chunk| chunk.anchor.clone().unwrap()).collect();
    assert_eq!(anchors, ["slide=1", "slide=2"]);
    let row = |attribute: &str, text: &str| {
        format!(
            "<table:table-row {attribute}><table:table-cell><text:p>{text}</text:p></table:table-cell></table:table-row>"
        )
    };
    let rows =
        row("", "first") + &row("table:number-rows-repeated='1000000'", "") + &row("", "last");
    let bytes =
        open_document("spreadsheet", &format!("<table:table table:name='S'>{rows}</table:table>"));
    let document = read("a.ods", bytes).unwrap();
    let anchors: Vec<_> =
        chunks(&document).iter().map(|chunk| chunk.anchor.clone().unwrap()).collect();
    assert_eq!(anchors, ["S!A1:A1", "S!A1000002:A1000002"]);
}

#[test]
fn chapters_of_a_book_are_located() {
    let chapter =
        |title: &str| format!("<html><body><h1>{title}</h1><p>Words of {title}.</p></body></html>");
    let bytes = package(&[
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", "<container><rootfile full-path='OEBPS/book.opf'/></container>"),
        (
            "OEBPS/book.opf",
            "<package><dc:title>A book</dc:title><item id='b' href='two%20b.xhtml'/><item id='a' href='one.xhtml'/>\
             <spine><itemref idref='a'/><itemref idref='b'/></spine></package>",
        ),
        ("OEBPS/one.xhtml", &chapter("One")),
        ("OEBPS/two b.xhtml", &chapter("Two")),
    ]);
    let document = read("a.epub", bytes).unwrap();
    assert_eq!(document.name.as_deref(), Some("A book"));
    let chunks = chunks(&document);
    let anchors: Vec<_> = chunks.iter().map(|chunk| chunk.anchor.as_deref().unwrap()).collect();
    assert_eq!(anchors, ["OEBPS/one.xhtml", "OEBPS/two%20b.xhtml"]);
    assert_eq!(chunks[1].heading_path, ["Two"]);
}

#[test]
fn properties_are_facts() {
    let core = "<cp:coreProperties><dc:creator>Ada &amp; Bob</dc:creator><cp:keywords>maths; engines</cp:keywords>\
                <dcterms:modified>2025-01-01T00:00:00Z</dcterms:modified>\
                <dcterms:created>2024-08-14T10:00:00Z</dcterms:created><dc:language>en-GB</dc:language></cp:coreProperties>";
    let relations = [("a", "officeDocument", "word/d.xml"), ("b", "core-properties", "core.xml")];
    let word = package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &self::relations(&relations)),
        ("word/d.xml", "<w:p><w:r><w:t>words</w:t></w:r></w:p>"),
        ("core.xml", core),
    ]);
    let meta = "<office:meta><meta:creation-date>2024-08-14T10:00:00</meta:creation-date><dc:date>2025-01-01</dc:date>\
                <dc:creator>Cy</dc:creator><meta:initial-creator>Ada &amp; Bob</meta:initial-creator><meta:keyword>maths</meta:keyword>\
                <meta:keyword>engines</meta:keyword><dc:language>en</dc:language></office:meta>";
    let text = package(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", "<text:p>words</text:p>"),
        ("meta.xml", meta),
    ]);
    let book = package(&[
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", "<container><rootfile full-path='a.opf'/></container>"),
        (
            "a.opf",
            "<package><dc:creator>Ada &amp; Bob</dc:creator><dc:subject>maths</dc:subject><dc:subject>engines</dc:subject>\
             <dc:date>2024-08-14T10:00:00Z</dc:date><dc:language>en</dc:language></package>",
        ),
    ]);
    for (kind, bytes) in [("docx", word), ("odt", text), ("epub", book)] {
        let facts = read("a", bytes).unwrap().facts;
        assert_eq!(facts.kind.as_deref(), Some(kind));
        assert_eq!(facts.author.as_deref(), Some("Ada & Bob"), "{kind}");
        assert_eq!(facts.tags, ["maths", "engines"], "{kind}");
        assert_eq!(facts.date.unwrap().to_string(), "2024-08-14T10:00:00Z", "{kind}");
        assert_eq!(facts.language.as_deref(), Some("en"), "{kind}");
    }
}

#[test]
fn hostile_packages_are_refused_at_a_limit() {
    let limits =
        ReadLimits { max_bytes: 1 << 20, max_text_bytes: 1 << 20, ..ReadLimits::default() };
    let long = "<w:p><w:r><w:t>".to_owned() + &"x".repeat(2 << 20) + "</w:t></w:r></w:p>";
    let cells = xlsx(&format!("<row r='1'>{}</row>", "<c t='s'><v>1</v></c>".repeat(400_000)));
    let deep = "<w:sdt>".repeat(2000);
    let rows: String =
        (1..40_000).map(|row| format!("<row r='{}'><c><v>1</v></c></row>", row * 20)).collect();
    let entities = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><w:p><w:r><w:t>&b;words</w:t></w:r></w:p>";
    for (bytes, reason) in [
        (docx(&long), "it has more than 1048576 bytes of text"),
        (docx(&"<w:p></w:p>".repeat(1 << 20)), "it has more than 8388608 bytes, unpacked"),
        (xlsx(&rows), "it has more than 20000 ranges of rows"),
        (cells, "it has more than 1048576 bytes of text"),
        (docx(&deep), "it has more than 1000 elements inside one another"),
    ] {
        let error = Document::from_file("a", "a", bytes, &limits).unwrap_err();
        assert_eq!(error.to_string(), reason);
    }
    assert_eq!(read("a.docx", docx(entities)).unwrap().text, "words\n\nA note.\n");
}

#[test]
fn damaged_packages_are_named_so() {
    let whole = docx("<w:p><w:r><w:t>words</w:t></w:r></w:p>");
    let mut cut = whole.clone();
    cut.truncate(whole.len() / 2);
    assert!(matches!(read("a.docx", cut), Err(ReadError::Damaged(_))));
    assert!(matches!(read("a.docx", docx("<w:p><![CDATA[x")), Err(ReadError::Damaged(_))));
    let other = package(&[("a.txt", "words")]);
    assert_eq!(read("a.zip", other), Err(ReadError::NoReader { format: "ZIP".into() }));
}
