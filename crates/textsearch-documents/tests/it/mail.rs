//! Messages, mailboxes and attachments.

use std::{fmt::Write as _, fs};

use textsearch_core::vector::ScanOptions;
use textsearch_documents::{
    Chunker, Document, ReadError, ReadLimits, StoredDocument,
    ingest::{DocumentIndex, FileWalker, Ingestion},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

const REPLY: &str = "From: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>, cy@example.org\r\n\
                     Subject: =?utf-8?q?Caf=C3=A9?= at\r\n four\r\nDate: Wed, 14 Aug 2024 10:00:00 +0200\r\n\
                     Content-Type: multipart/alternative; boundary=b\r\n\r\n\
                     --b\r\nContent-Type: text/html\r\n\r\n<p>Not this.</p>\r\n\
                     --b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
                     Content-Transfer-Encoding: quoted-printable\r\n\r\n\
                     Tr=E8s bien.\r\n\r\nOn Monday, Bob wrote:\r\n> Four o'clock?\r\n--b--\r\n";

fn read(text: &str) -> Result<Document, ReadError> {
    Document::from_file("a.eml", "a.eml", text.as_bytes().to_vec(), &ReadLimits::default())
}

fn part(headers: &str, content: &str) -> String {
    format!("--b\n{headers}\n\n{content}\n")
}

fn mixed(parts: &[String]) -> String {
    let head = "From: a@b\nDate: today\nContent-Type: multipart/mixed; boundary=b\n\n";
    format!("{head}{}--b--\n", parts.concat())
}

/// Returns the documents and the reasons of what failed, without the folder.
async fn index(files: &[(&str, &str)], limits: ReadLimits) -> (Vec<StoredDocument>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let files = FileWalker::new().walk(&[folder.path()]).unwrap();
    let report = index.update(Ingestion::new(files).with_read_limits(limits)).await.unwrap();
    let documents = index.open(None).await.unwrap();
    let stored = documents.list(&ScanOptions::default()).await.unwrap();
    let mut stored = stored.into_vec().await.unwrap();
    let prefix = format!("{}/", folder.path().display());
    for document in &mut stored {
        document.id = document.id.replace(&prefix, "");
        document.link = document.link.take().map(|link| link.replace(&prefix, ""));
    }
    (stored, report.skipped.iter().map(|skipped| skipped.reason.to_string()).collect())
}

fn ids(documents: &[StoredDocument]) -> Vec<&str> {
    documents.iter().map(|document| document.id.as_str()).collect()
}

#[test]
fn message_has_headers_text_and_facts() {
    let message = read(REPLY).unwrap();
    assert_eq!(message.name.as_deref(), Some("Café at four"));
    assert_eq!(message.facts.author.as_deref(), Some("Ada"));
    assert_eq!(message.facts.date.unwrap().to_string(), "2024-08-14T08:00:00Z");
    assert_eq!(message.facts.kind.as_deref(), Some("mail"));
    let chunks = Chunker::default().chunk(&message).unwrap().chunks;
    let text = "From: Ada <ada@example.org>\nTo: Bob <bob@example.org>, cy@example.org\n\
                Date: 2024-08-14T10:00:00+02:00\n\nTrès bien.";
    assert_eq!(chunks[0].text, text);
    assert_eq!(chunks[1].heading_path, ["Quoted"]);
    assert_eq!(chunks[1].text, "Quoted\n\nOn Monday, Bob wrote:\n> Four o'clock?");
}

#[test]
fn page_is_read_if_a_message_has_no_other_text() {
    let page =
        "From: a@b\nDate: today\nContent-Type: text/html\n\n<h1>Tea</h1><p>Four &gt; three.</p>";
    let text = read(page).unwrap().text;
    assert!(text.ends_with("# Tea\n\nFour > three."), "{text}");
}

#[tokio::test]
async fn attachments_are_documents_of_their_own() {
    let attached = "Content-Type: text/csv\nContent-Disposition: attachment; filename=";
    let inner = "From: c@d\nSubject: Inner\nDate: today\n\nPlums.";
    let message = mixed(&[
        part("Content-Type: text/plain", "See the files."),
        part(&format!("{attached}\"fruit a.csv\""), "name,colour\npear,green"),
        part(&format!("{attached}\"fruit a.csv\""), "name,colour\nfig,blue"),
        part("Content-Type: message/rfc822", inner),
        part("Content-Type: image/png\nContent-Transfer-Encoding: base64", "iVBORw0K"),
        part("Content-Type: application/pgp-signature", "signed"),
    ]);
    let (documents, failed) = index(&[("mail.eml", &message)], ReadLimits::default()).await;
    let expected =
        ["mail.eml", "mail.eml#2-fruit a.csv", "mail.eml#fruit a.csv", "mail.eml#message.eml"];
    assert_eq!((ids(&documents), failed), (expected.to_vec(), vec![]));
    assert_eq!(documents[2].link.as_deref(), Some("mail.eml#fruit%20a.csv&A1:B2"));
    assert_eq!(documents[3].name.as_deref(), Some("Inner"));
    assert_eq!(documents[3].metadata["kind"], "mail");
}

#[tokio::test]
async fn mailbox_has_its_messages_by_number() {
    let message = "From: a@b\nDate: Wed, 14 Aug 2024 10:00:00 GMT\n\nPears.\n>From a tree.\n\n";
    let mailbox = format!("From a@b Wed Aug 14 10:00:00 2024\n{message}").repeat(3);
    let (documents, failed) = index(&[("inbox", &mailbox)], ReadLimits::default()).await;
    assert_eq!((ids(&documents), failed), (vec!["inbox#1", "inbox#2", "inbox#3"], vec![]));
    assert_eq!(documents[2].link.as_deref(), Some("inbox#3"));
}

/// Returns `text` in quoted-printable, which names each byte.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        write!(encoded, "={byte:02X}").unwrap();
        encoded
    })
}

#[tokio::test]
async fn encoded_messages_are_read() {
    let head = "Content-Type: message/rfc822\nContent-Transfer-Encoding: ";
    let base64 = "RnJvbTogY0BkCkRhdGU6IHRvZGF5CgpQbHVtcy4=";
    let message = mixed(&[
        part(&format!("{head}base64"), base64),
        part(&format!("{head}quoted-printable"), &encoded("From: c@d\nDate: today\n\nPears.")),
    ]);
    let (documents, failed) = index(&[("a.eml", &message)], ReadLimits::default()).await;
    let expected = ["a.eml", "a.eml#2-message.eml", "a.eml#message.eml"];
    assert_eq!((ids(&documents), failed), (expected.to_vec(), vec![]));
}

#[tokio::test]
async fn hidden_messages_end_at_a_limit() {
    let limits = || ReadLimits { max_archive_files: 1000, ..ReadLimits::default() };
    let head = "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable";
    // The parser ignores spaces in names.
    let nested = "From: a@b\nDate: today\nCon tent-Type: message/rfc822\n\n".repeat(20_000);
    let message = mixed(&[part(head, &encoded(&nested))]);
    let (_, failed) = index(&[("a.eml", &message)], limits()).await;
    assert_eq!(failed, ["it has more than 3 archives inside one another"]);

    let siblings = part("Content-Type: message/rfc822", "From: c@d\n\nTea.").repeat(18_000);
    let siblings =
        format!("From: a@b\nDate: today\nContent-Type: multipart/mixed; boundary=b\n\n{siblings}");
    let message = mixed(&[part(head, &encoded(&siblings))]);
    let (_, failed) = index(&[("a.eml", &message)], limits()).await;
    assert_eq!(failed, ["it has more than 1000 files"]);
}

#[tokio::test]
async fn hostile_mail_ends_at_a_limit() {
    let many = mixed(&vec![part("Content-Disposition: attachment", "words"); 10_000]);
    let limits =
        || ReadLimits { max_archive_files: 1000, max_bytes: 1 << 20, ..ReadLimits::default() };
    let (documents, failed) = index(&[("a.eml", &many)], limits()).await;
    assert_eq!((documents.len(), failed), (1001, vec!["it has more than 1000 files".to_owned()]));

    let nested = "Content-Type: message/rfc822\n\n".repeat(10_000);
    let (_, failed) = index(&[("a.eml", &nested)], limits()).await;
    assert_eq!(failed, ["it has more than 3 archives inside one another"]);

    let deep = "From: a@b\nDate: today\nContent-Type: message/rfc822\n\n".repeat(5);
    let (documents, failed) = index(&[("a.eml", &deep)], limits()).await;
    let reason = "it has more than 3 archives inside one another";
    assert_eq!((documents.len(), failed), (4, vec![reason.to_owned()]));

    let mut parts =
        String::from("From: a@b\nDate: today\nContent-Type: multipart/mixed; boundary=b0\n\n");
    for depth in 0..5000 {
        let inner = depth + 1;
        write!(parts, "--b{depth}\nContent-Type: multipart/mixed; boundary=b{inner}\n\n").unwrap();
    }
    let (documents, _) = index(&[("a.eml", &parts)], limits()).await;
    assert_eq!(documents.len(), 1);

    let many_to = format!("From: a@b\nDate: x\nTo: {}\n\nwords", "a,\n ".repeat(300_000));
    let (_, failed) = index(&[("a.eml", &many_to)], ReadLimits::default()).await;
    assert_eq!(failed, ["it has more than 1048576 bytes in a header"]);

    let many_to = format!("words--b\nTo: {}\n\nwords", "a,\n ".repeat(300_000));
    let (_, failed) = index(&[("a.eml", &mixed(&[many_to]))], ReadLimits::default()).await;
    assert_eq!(failed, ["it has more than 1048576 bytes in a header"]);

    let many_headers = format!("From: a@b\nDate: x\n{}\nwords", "a:\n".repeat(1_000_000));
    let (_, failed) = index(&[("a.eml", &many_headers)], ReadLimits::default()).await;
    assert_eq!(failed, ["it has more than 1000000 headers"]);

    let unclosed = "Content-Type: multipart/mixed; boundary=none\n\n--b\n".repeat(20_000);
    let (_, failed) = index(&[("a.eml", &mixed(&[format!("--b\n{unclosed}")]))], limits()).await;
    assert_eq!(failed, ["it has more than 8589 multiparts"]);

    let named = format!("Content-Disposition: attachment; filename={}", "a".repeat(5000));
    let long_name = mixed(&[part(&named, "words")]);
    let (_, failed) = index(&[("a.eml", &long_name)], limits()).await;
    assert_eq!(failed, ["it has more than 4096 bytes in a name"]);

    let long = format!("From a@b Mon Jan 1\nFrom: a@b\nDate: x\n\n{}", "x".repeat(2 << 20));
    let (_, failed) = index(&[("a.mbox", &long)], limits()).await;
    assert_eq!(failed, ["it has more than 1048576 bytes in a message"]);
}

#[tokio::test]
async fn lines_of_an_attachment_are_no_headers() {
    let json = format!("{{\n  \"a\": 1,\n{}  \"z\": 2\n}}", "  \"bc\": 3,\n".repeat(100_000));
    let headers = "Content-Disposition: attachment; filename=a.json";
    let message = mixed(&[part(headers, &json), part("Content-Type: text/plain", "words")]);
    let (documents, failed) = index(&[("a.eml", &message)], ReadLimits::default()).await;
    assert_eq!(ids(&documents), ["a.eml", "a.eml#a.json"]);
    assert!(failed.is_empty());
}
