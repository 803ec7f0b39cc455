//! Unknown kinds of files, content that isn't text, and loader programs.

use serde_json::{Value, json};
use textsearch_conformance::{Response, Server};

use crate::support::{Run, Workplace};

const PDF: &str = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n";

/// Nothing reads it without a loader.
const RTF: &str = "{\\rtf1 catalog\n";

fn mixed() -> Workplace {
    Workplace::with(&[
        ("docs/a.md", "# Apples\n\nApples are red.\n"),
        ("docs/b.rtf", RTF),
        ("docs/c.xyz", "\0\u{1}"),
        ("docs/core", "\0\u{1}"),
        ("docs/d.py", "print('pears')\n"),
        ("docs/Makefile", "all: figs\n"),
        ("docs/.hidden.csv", "a,b\n"),
        ("docs/ignored.csv", "a,b\n"),
        ("docs/.ignore", "ignored.csv\n"),
    ])
}

fn skipped(run: &Run) -> Vec<(String, String)> {
    listed(run, "skipped")
}

fn failed(run: &Run) -> Vec<(String, String)> {
    listed(run, "failed")
}

fn listed(run: &Run, list: &str) -> Vec<(String, String)> {
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let skipped = summary[list].as_array().unwrap().iter();
    skipped.map(|item| (text(&item["path"]), text(&item["reason"]))).collect()
}

#[test]
fn skipped_kinds_are_listed_with_advice_and_code_0() {
    let place = mixed();
    let run = place.run(&["index", "docs", "--output", "json"]);
    assert_eq!(run.code, 0);
    let paths: Vec<String> = skipped(&run).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["docs/b.rtf", "docs/c.xyz", "docs/core"]);
    for line in [
        "1 file with the ending .rtf was skipped (`docs/b.rtf`): try --loader rtf='pandoc --to plain {}'\n",
        "2 files with unknown endings were skipped (1 without an ending, 1 .xyz): nothing here reads their format; ",
    ] {
        assert!(run.stderr.contains(&format!("textsearch: warning: {line}")), "{}", run.stderr);
    }
    assert!(!run.stderr.contains("csv"), "{}", run.stderr);
    assert_eq!(place.links(&["apples"]), ["docs/a.md#apples"]);
}

#[test]
fn folder_without_readable_kinds_exits_with_code_1() {
    let place = Workplace::with(&[("docs/b.rtf", RTF)]);
    let run = place.run(&["index", "docs"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("0 documents in .textsearch/index: "), "{}", run.stdout);
    assert!(run.stdout.contains("0 removed, 1 skipped;"), "{}", run.stdout);
    let run = place.run(&["search", "x", "--from", "docs"]);
    assert!(
        run.stderr.contains("warning: 1 file with the ending .rtf was skipped"),
        "{}",
        run.stderr
    );
}

#[test]
fn images_are_listed_by_kind_with_code_0() {
    let place = Workplace::with(&[("docs/a.md", "Apples")]);
    place.write("docs/b.PNG", b"\x89PNG\r\n\x1a\n");
    place.write("docs/c.exe", b"MZ");
    place.write("docs/d.svg", "<svg></svg>");
    let run = place.run(&["index", "docs", "--output", "json"]);
    assert_eq!(run.code, 0);
    let paths: Vec<String> = skipped(&run).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["docs/b.PNG", "docs/c.exe", "docs/d.svg"]);
    let listed = "3 non-document files were skipped: 1 .exe, 1 .png, 1 .svg";
    assert_eq!(run.stderr, format!("textsearch: {listed}\n"));
}

#[cfg(unix)]
#[test]
fn links_in_folders_are_listed_but_not_followed() {
    use std::os::unix::fs::symlink;

    let place = Workplace::with(&[("docs/a.md", "Apples"), ("other/b.md", "Pears")]);
    symlink(place.path("other/b.md"), place.path("docs/b.md")).unwrap();
    symlink(place.path("other"), place.path("docs/other")).unwrap();
    symlink("nowhere", place.path("docs/z.md")).unwrap();
    let run = place.run(&["index", "docs", "--output", "json"]);
    assert_eq!(run.code, 0);
    let paths: Vec<String> = skipped(&run).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["docs/b.md", "docs/other", "docs/z.md"]);
    let warning =
        "textsearch: warning: 3 links were skipped (`docs/b.md`, `docs/other`, `docs/z.md`): ";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
    assert!(place.links(&["pears"]).is_empty());
}

#[cfg(unix)]
#[test]
fn file_replaced_by_link_is_removed() {
    let place = Workplace::with(&[("docs/a.md", "Apples"), ("b.md", "Pears")]);
    assert_eq!(place.index(&["docs"]), [1, 0, 0, 0]);
    place.remove("docs/a.md");
    std::os::unix::fs::symlink(place.path("b.md"), place.path("docs/a.md")).unwrap();
    assert_eq!(place.index(&["docs"]), [0, 0, 0, 1]);
}

#[cfg(unix)]
#[test]
fn folder_named_by_link_is_read() {
    let place = Workplace::with(&[("docs/a.md", "Apples")]);
    std::os::unix::fs::symlink("docs", place.path("link")).unwrap();
    assert_eq!(place.index(&["link"]), [1, 0, 0, 0]);
}

#[cfg(unix)]
#[test]
fn document_has_one_name_through_links_and_detours() {
    let place = Workplace::with(&[("docs/a.md", "Apples"), ("docs/sub/b.md", "Pears")]);
    std::os::unix::fs::symlink("docs", place.path("link")).unwrap();
    std::os::unix::fs::symlink("docs/a.md", place.path("a.md")).unwrap();
    assert_eq!(place.index(&["docs"]), [2, 0, 0, 0]);
    let absolute = place.path("link/sub");
    for path in ["link", "./docs/sub/../a.md", "link/a.md", "a.md", absolute.to_str().unwrap()] {
        let [added, ..] = place.index(&[path]);
        assert_eq!(added, 0, "{path}");
    }
    assert_eq!(place.links(&["apples"]), ["docs/a.md"]);
}

#[test]
fn files_without_text_are_counted_in_a_warning() {
    let place = Workplace::with(&[
        ("docs/a.md", "Apples"),
        ("docs/b.txt", " \n"),
        ("docs/c.html", "<p> </p>"),
    ]);
    let run = place.run(&["index", "docs", "--output", "json"]);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &summary["files_without_text"]), (0, &json!(2)));
    let warning = "textsearch: warning: 2 files have no text (`docs/b.txt`, `docs/c.html`): ";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
    let searched = place.run(&["search", "apples", "--from", "docs"]);
    assert!(searched.stderr.starts_with(warning), "{}", searched.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn loader_at_a_url_converts_files() {
    let server =
        Server::of([Response::new(200, "text/markdown", "# Figs\n\nFigs are sweet.")]).await;
    let place = Workplace::with(&[("docs/a.rtf", RTF)]);
    let loader = format!("rtf={}tika", server.url());
    assert_eq!(place.index(&["docs", "--loader", &loader]), [1, 0, 0, 0]);
    assert_eq!(place.links(&["sweet figs"]), ["docs/a.rtf#figs"]);
    assert_eq!(server.requests()[0].body, RTF.as_bytes());
}

#[test]
fn text_is_read_whatever_its_ending() {
    let place = mixed();
    assert_eq!(place.run(&["index", "docs"]).code, 0);
    assert_eq!(place.links(&["pears"]), ["docs/d.py#L1"]);
    assert_eq!(place.links(&["figs"]), ["docs/Makefile#L1"]);
}

#[test]
fn store_in_indexed_folder_is_not_reported() {
    let place = Workplace::with(&[("a.md", "Apples")]);
    assert_eq!(place.index(&[".", "--store", "my.index"]), [1, 0, 0, 0]);
    assert_eq!(place.index(&[".", "--store", "my.index"]), [0, 0, 1, 0]);
}

#[test]
fn damaged_pdf_fails_whatever_its_ending() {
    for name in ["a.txt", "a.pdf"] {
        let place = Workplace::with(&[(&format!("docs/{name}"), PDF)]);
        let run = place.run(&["index", "docs", "--output", "json"]);
        assert_eq!((run.code, failed(&run).len()), (5, 1));
        assert!(failed(&run)[0].1.starts_with("it is damaged: "), "{}", run.stdout);
    }
}

#[test]
fn unmarked_utf16_is_read_and_nul_bytes_skipped() {
    let place = Workplace::with(&[]);
    let utf16: Vec<u8> = "Apples are red".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.write("docs/a.txt", utf16);
    place.write("docs/b.txt", b"pears\0are\0green");
    let run = place.run(&["index", "docs", "--output", "json"]);
    let reason = "it is neither text nor in a known format".to_owned();
    assert_eq!(skipped(&run), [("docs/b.txt".to_owned(), reason)]);
    assert_eq!(place.links(&["apples"]), ["docs/a.txt#L1"]);
}

#[cfg(unix)]
mod loaders {
    use super::*;

    /// Prints the last line.
    const TAIL: &str = "rtf=tail -n 1 {}";

    fn place() -> Workplace {
        Workplace::with(&[("docs/-n my $(touch x) report.rtf", &format!("{RTF}Plums are blue.\n"))])
    }

    #[test]
    fn loader_reads_files_of_its_ending() {
        let place = place();
        let link = "docs/-n my $(touch x) report.rtf";
        assert_eq!(place.index(&["docs", "--loader", TAIL]), [1, 0, 0, 0]);
        assert_eq!(place.links(&["plums"]), [link]);
        assert!(place.links(&["catalog"]).is_empty());
        assert!(!place.path("x").exists());
        let records = place.json(&["search", "plums", "--kind", "records", "--output", "json"]);
        assert_eq!(records["results"][0]["path"], json!(link));
    }

    #[test]
    fn every_command_that_reads_files_takes_loaders() {
        let place = place();
        place.write("queries.jsonl", r#"{"_id":"q","text":"plums"}"#);
        place.write(
            "qrels.tsv",
            "query-id\tcorpus-id\tscore\nq\tdocs/-n my $(touch x) report.rtf\t1\n",
        );
        let from = ["--from", "docs", "--loader", TAIL];
        assert_eq!(place.links(&[&["plums"][..], &from].concat()).len(), 1);
        let prompt = place.run(&[&["prompt", "plums"][..], &from].concat());
        assert!(prompt.stdout.contains("Plums are blue."), "{}", prompt.stderr);
        let judged = ["eval", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"];
        let eval = place.run(&[&judged[..], &from].concat());
        assert_eq!(eval.code, 0, "{}", eval.stderr);
        let help = place.run(&["ask", "--help"]);
        assert!(help.stdout.contains("--loader <EXT=COMMAND|URL>"), "{}", help.stdout);
    }

    #[test]
    fn failing_loader_skips_file_with_its_message() {
        let place = place();
        let loader = r#"rtf=sh -c "printf 'no \033[2Jfonts\n' >&2; exit 3" {}"#;
        let run = place.run(&["index", "docs", "--loader", loader]);
        assert_eq!(run.code, 5);
        let reason = "failed: the loader `sh` failed (exit status: 3): no [2Jfonts\n";
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }

    #[test]
    fn missing_loader_skips_file_and_keeps_its_stored_text() {
        let place = place();
        place.index(&["docs", "--loader", TAIL]);
        for (arguments, code) in
            [(&["index", "docs"][..], 0), (&["index", "docs", "--loader", "rtf=no-such {}"], 5)]
        {
            assert_eq!(place.run(arguments).code, code);
            assert_eq!(place.links(&["plums"]).len(), 1);
        }
    }

    #[test]
    fn invalid_loaders_are_usage_errors() {
        let place = place();
        for (loader, reason) in [
            ("pdftotext", "with a `=`"),
            ("pdf=pdftotext", "no argument holds {}"),
            ("pdf='", "a quote is not closed"),
        ] {
            let run = place.run(&["index", "docs", "--loader", loader]);
            assert!(run.code == 2 && run.stderr.contains(reason), "{}", run.stderr);
        }
        let run = place.run(&["search", "x", "--loader", TAIL]);
        assert!(run.code == 2 && run.stderr.contains("--from"), "{}", run.stderr);
    }
}

/// A PDF with a page per text.
fn pdf(pages: &[&str]) -> String {
    let count = pages.len();
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut pdf = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
         2 0 obj<</Type/Pages/Count {count}/Kids[{}]>>endobj\n\
         3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n",
        kids.join(" ")
    );
    for (page, text) in pages.iter().enumerate() {
        let object = 4 + 2 * page;
        let stream = format!("BT /F 12 Tf 72 770 Td ({text}) Tj ET");
        pdf += &format!(
            "{object} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>\
             /Contents {} 0 R>>endobj\n{} 0 obj<</Length {}>>stream\n{stream}\nendstream endobj\n",
            object + 1,
            object + 1,
            stream.len()
        );
    }
    pdf + "trailer<</Root 1 0 R>>\n%%EOF\n"
}

#[test]
fn answer_from_a_pdf_links_to_its_page() {
    let place =
        Workplace::with(&[("docs/a.pdf", &pdf(&["Apples are red.", "Figs.", "Pears are green."]))]);
    assert_eq!(place.index(&["docs"]), [1, 0, 0, 0]);
    assert_eq!(place.links(&["pears"]), ["docs/a.pdf#page=3"]);
    let prompt = place.run(&["prompt", "pears", "--from", "docs"]);
    assert!(prompt.stdout.contains("docs/a.pdf#page=3"), "{}", prompt.stdout);
}

#[test]
fn pdf_that_ends_its_reader_costs_itself() {
    let deep = "[".repeat(1 << 20);
    let hostile = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages {deep}>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    );
    let place = Workplace::with(&[("docs/a.pdf", &hostile), ("docs/b.md", "Apples")]);
    let run = place.run(&["index", "docs", "--output", "json"]);
    assert_eq!((run.code, failed(&run).len()), (5, 1));
    assert!(
        failed(&run)[0].1.starts_with("it is damaged: its reader failed (signal: "),
        "{}",
        run.stdout
    );
    assert_eq!(place.links(&["apples"]), ["docs/b.md"]);
}
