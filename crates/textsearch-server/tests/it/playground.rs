//! The playground page and its files.

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::{TestServer, plain, services, start, tenants};

/// Of text, they make markup or script.
const FORBIDDEN: [&str; 14] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "setHTML",
    "DOMParser",
    "createContextualFragment",
    "srcdoc",
    "eval(",
    "new Function",
    "import(",
    "javascript:",
    "localStorage",
    "document.cookie",
];

/// Returns the paths of the files that the page names, and `/`.
async fn paths(server: &TestServer) -> BTreeSet<String> {
    let page = server.get("/").await.text;
    let named = page.split('"').filter(|part| part.starts_with("/playground/"));
    named.map(str::to_owned).chain(["/".to_owned()]).collect()
}

fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/playground");
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read_to_string(entry.path()).unwrap())
    };
    fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap())).collect()
}

#[tokio::test]
async fn every_file_is_served_with_the_policy() {
    let server = plain().await;
    let paths = paths(&server).await;
    assert_eq!(paths.len(), files().len(), "{paths:?}");
    for path in paths {
        let answer = server.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        for weak in ["unsafe", "data:", "blob:", "*", "http"] {
            assert!(!policy.contains(weak), "{policy}");
        }
        assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer");
        let extension = Path::new(&path).extension().map_or("html", |it| it.to_str().unwrap());
        let content_type = answer.headers["content-type"].to_str().unwrap();
        let expected = if extension == "js" { "javascript" } else { extension };
        assert!(content_type.contains(expected), "{path}: {content_type}");
    }
}

#[tokio::test]
async fn the_page_needs_no_token_and_holds_no_data() {
    let server = start(services(), tenants()).await;
    let answer = server.get("/").await;
    assert_eq!(answer.status, 200);
    for hidden in ["acme", "docs\"", "anvil"] {
        assert!(!answer.text.contains(hidden), "{hidden}");
    }
    server.get("/v1/capabilities").await.problem(401);
}

#[test]
fn no_file_makes_markup_or_scripts_of_text() {
    for (name, text) in files() {
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

#[test]
fn the_page_has_no_inline_script_or_style() {
    let files = files();
    let (_, page) = files.iter().find(|(name, _)| name == "index.html").unwrap();
    for inline in ["<style", " style=", " onclick=", " onerror=", " onload=", "<script>"] {
        assert!(!page.contains(inline), "{inline}");
    }
    assert_eq!(
        page.matches("<script").count(),
        page.matches("<script type=\"module\" src=").count()
    );
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    for (name, text) in files() {
        let text = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://"), "{name}");
    }
}
