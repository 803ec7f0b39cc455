//! `/upsert-file`.

use reqwest::Method;
use serde_json::{Value, json};
use textsearch_server::{AccessToken, Right, ServerConfig, Services};

use crate::support::{
    ACME, ADMIN, Answer, GLOBEX, TestServer, searched_writer, send, start, writer, writers,
};

const BOUNDARY: &str = "----boundary";

/// A part of a form: its headers, without line breaks, and its content.
type Part<'a> = (&'a str, &'a [u8]);

async fn server() -> TestServer {
    start(Services::new().with_document_writer(writer().await), writers()).await
}

fn form(parts: &[Part<'_>]) -> Vec<u8> {
    let mut form = Vec::new();
    for (headers, content) in parts {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {headers}\r\n\r\n");
        form.extend(head.as_bytes());
        form.extend(*content);
        form.extend(b"\r\n");
    }
    form.extend(format!("--{BOUNDARY}--\r\n").as_bytes());
    form
}

async fn send_form(server: &TestServer, parts: &[Part<'_>]) -> Answer {
    send_body(server, form(parts)).await
}

async fn send_body(server: &TestServer, body: Vec<u8>) -> Answer {
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    let request = server.request(Method::POST, "/upsert-file").body(body);
    send(request.header("content-type", content_type)).await
}

async fn upload(server: &TestServer, name: &str, content: &[u8]) -> Answer {
    send_form(server, &[(&format!("name=\"file\"; filename=\"{name}\""), content)]).await
}

async fn chunks_of(server: &TestServer, query: &str) -> Vec<Value> {
    let query = json!({ "query": query, "top_k": 20 });
    let answer = server.post("/query", json!({ "queries": [query] })).await.ok();
    answer["results"][0]["results"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_file_becomes_a_document_with_metadata() {
    let server = server().await.with_token(ACME);
    let metadata = br#"{ "author": "Ann", "url": "https://acme.example/plan", "source": null }"#;
    let file = b"# Plan\n\nAcme sells anvils.\n\n## Price\n\nAn anvil costs 7.\n";
    let parts: [Part<'_>; 2] =
        [("name=\"file\"; filename=\"plan.md\"", file), ("name=\"metadata\"", metadata)];
    let ids = send_form(&server, &parts).await.ok()["ids"].clone();
    assert_eq!(ids.as_array().unwrap().len(), 1);
    let chunks = chunks_of(&server, "costs").await;
    let chunk = &chunks[0];
    assert!(chunk["text"].as_str().unwrap().contains("An anvil costs 7."), "{chunk}");
    let expected = json!({
        "document_id": ids[0], "author": "Ann", "tenant": "acme",
        "url": "https://acme.example/plan#price",
    });
    assert_eq!(chunk["metadata"], expected);
    server.delete("/delete", json!({ "ids": ids })).await.ok();
    assert!(chunks_of(&server, "anvil").await.is_empty());
}

#[tokio::test]
async fn each_kind_is_read_as_itself() {
    let server = server().await.with_token(ADMIN);
    let page =
        b"<title>Zebra</title><script>var secret</script><p hidden>secret</p><p>Stripes.</p>";
    upload(&server, "page.HTML", page).await.ok();
    let chunk = &chunks_of(&server, "stripes").await[0];
    assert_eq!(chunk["text"], "Stripes.");
    upload(&server, "notes.txt", "<b>\u{c4}pfel</b>".as_bytes()).await.ok();
    assert_eq!(chunks_of(&server, "\u{e4}pfel").await[0]["text"], "<b>\u{c4}pfel</b>");
    let utf16: Vec<u8> = "\u{feff}Birnen".encode_utf16().flat_map(u16::to_le_bytes).collect();
    upload(&server, "birnen.txt", &utf16).await.ok();
    assert_eq!(chunks_of(&server, "birnen").await[0]["text"], "Birnen");
}

#[tokio::test]
async fn tenants_do_not_share_files() {
    let server = server().await;
    let acme = server.with_token(ACME);
    let globex = server.with_token(GLOBEX);
    upload(&globex, "plan.txt", b"Globex sells lasers.").await.ok();
    assert!(chunks_of(&acme, "lasers").await.is_empty());
    assert_eq!(chunks_of(&globex, "lasers").await.len(), 1);
    let forged: [Part<'_>; 2] = [
        ("name=\"file\"; filename=\"a.txt\"", b"Forged."),
        ("name=\"metadata\"", br#"{"tenant": "globex"}"#),
    ];
    assert_eq!(send_form(&acme, &forged).await.problem(400)["field"], "tenant");
    assert_eq!(chunks_of(&globex, "forged lasers").await.len(), 1);
}

#[tokio::test]
async fn a_readers_token_cannot_upload() {
    let token = AccessToken::new("reader", ACME).with_rights([Right::Search]);
    let services = Services::new().with_document_writer(writer().await);
    let server = start(services, ServerConfig::new().with_token(token)).await;
    upload(&server.with_token(ACME), "a.txt", b"x").await.problem(403);
    upload(&server, "a.txt", b"x").await.problem(401);
}

#[tokio::test]
async fn format_is_recognised_by_content() {
    let server = server().await.with_token(ADMIN);
    let contents: [(&[u8], &str); 3] = [
        (b"{\\rtf1 text}", "nothing here reads Rich Text Format"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "nothing here reads Microsoft Office before 2007"),
        (b"\x7FELF\x02\x01\x01\0\0\0", "neither text nor in a known format"),
    ];
    for (content, reason) in contents {
        let headers = "name=\"file\"; filename=\"plan.md\"\r\nContent-Type: text/markdown";
        let problem = send_form(&server, &[(headers, content)]).await.problem(415);
        assert_eq!(problem["field"], "file");
        assert!(problem["detail"].as_str().unwrap().contains(reason), "{problem}");
    }
    let headers = "name=\"file\"; filename=\"plan.md\"\r\nContent-Type: application/pdf";
    send_form(&server, &[(headers, b"Text.")]).await.ok();
    upload(&server, "plan.rs", b"fn main() {}").await.ok();
}

/// The names of all results.
async fn names(server: &TestServer) -> Vec<String> {
    let answer = server.post("/v1/search", json!({ "query": "text" })).await.ok();
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["Name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_path_in_the_name_is_no_path() {
    for name in ["../../etc/plan.txt", "/etc/plan.txt", "C:\\Users\\plan.txt", "plan.txt"] {
        let server = start(searched_writer().await, writers()).await.with_token(ACME);
        upload(&server, name, b"A text.").await.ok();
        assert_eq!(names(&server).await, ["plan.txt"], "{name}");
    }
}

#[tokio::test]
async fn a_title_comes_before_the_name_of_the_file() {
    let server = start(searched_writer().await, writers()).await.with_token(ACME);
    upload(&server, "a.md", b"# Title\n\nA text.").await.ok();
    assert_eq!(names(&server).await, ["Title"]);
}

#[tokio::test]
async fn a_wrong_form_is_explained() {
    let server = server().await.with_token(ADMIN);
    let file: Part<'_> = ("name=\"file\"; filename=\"a.txt\"", b"Text.");
    let metadata = |content: &'static [u8]| -> Part<'_> { ("name=\"metadata\"", content) };
    let other: Part<'_> = ("name=\"path\"", b"/etc/passwd");
    let nameless: Part<'_> = ("filename=\"a.txt\"", b"Text.");
    let forms: [(&[Part<'_>], Value); 10] = [
        (&[], json!("file")),
        (&[metadata(b"{}")], json!("file")),
        (&[file, file], json!("file")),
        (&[file, metadata(b"{}"), metadata(b"{}")], json!("metadata")),
        (&[file, other], Value::Null),
        (&[file, nameless], Value::Null),
        (&[file, metadata(b"{")], json!("metadata")),
        (&[file, metadata(b"[1]")], json!("metadata")),
        (&[file, metadata(b"{\"url\": 5}")], json!("metadata")),
        (&[file, metadata(b"{\"colour\": \"red\"}")], json!("colour")),
    ];
    for (parts, field) in forms {
        let problem = send_form(&server, parts).await.problem(400);
        assert_eq!(problem["field"], field, "{problem}");
    }
    for blank in [&b""[..], b" \n", b"\xEF\xBB\xBF"] {
        let problem = upload(&server, "a.md", blank).await.problem(400);
        assert_eq!(problem["detail"], "the file has no text");
    }
    send_form(&server, &[file, metadata(b"")]).await.ok();
    assert_eq!(chunks_of(&server, "text").await.len(), 1);
}

#[tokio::test]
async fn a_broken_form_is_refused() {
    let server = server().await.with_token(ADMIN);
    let whole = form(&[("name=\"file\"; filename=\"a.txt\"", b"Text.")]);
    for end in [10, 60, whole.len() - 30, whole.len() - 10] {
        send_body(&server, whole[..end].to_vec()).await.problem(400);
    }
    send_body(&server, b"no form at all".to_vec()).await.problem(400);
    let many = "X-Header: x\r\n".repeat(1_000);
    let headers = format!("name=\"file\"; filename=\"a.txt\"\r\n{many}X: x");
    send_form(&server, &[(&headers, b"Text.")]).await.problem(400);
    server.post("/upsert-file", json!({})).await.problem(415);
    let request = server.request(Method::POST, "/upsert-file").body("x");
    send(request.header("content-type", "multipart/form-data")).await.problem(415);
    assert!(chunks_of(&server, "text").await.is_empty());
}

#[tokio::test]
async fn a_large_file_is_refused() {
    let services = Services::new().with_document_writer(writer().await);
    let mut config = writers();
    config.max_body_bytes = 10_000;
    let server = start(services, config).await.with_token(ADMIN);
    upload(&server, "a.txt", &b"word ".repeat(2_000)).await.problem(413);
    let long = format!("name=\"{}\"", "x".repeat(10_000));
    send_form(&server, &[(&long, b"x")]).await.problem(413);
    upload(&server, "a.txt", &b"word ".repeat(1_000)).await.ok();
}

#[tokio::test]
async fn hostile_markup_is_refused_without_internals() {
    let server = server().await.with_token(ACME);
    let deep = "<div>".repeat(100_000) + "x";
    let problem = upload(&server, "deep.html", deep.as_bytes()).await.problem(400);
    assert_eq!(problem["field"], "file");
    assert!(!problem["detail"].as_str().unwrap().contains('/'), "{problem}");
    let quotes = ">".repeat(500_000) + "x";
    let answer = upload(&server, "deep.md", quotes.as_bytes()).await;
    assert!([200, 400].contains(&answer.status.as_u16()), "{}", answer.text);
}
