use serde_json::{Value, json};

use crate::{
    server::{Answer, Server},
    support::{Run, Workplace},
};

const PAGE: &str = "<html lang=en><head><title>Of stores &#27;[2J</title></head><body>
<nav>Home</nav><article><h1>Stores</h1><p>Readers never wait for a writer. They see the store as it was.</p>
<p>Writers wait for each other. &#155;2J</p><script>alert(1)</script></article></body></html>";

fn run(arguments: &[&str]) -> Run {
    Workplace::with(&[]).run(arguments)
}

fn site() -> Server {
    Server::start(|target| match target {
        "/" => Answer::html(PAGE),
        "/film" => Answer::json(&json!({})),
        "/paper" => Answer::typed("application/pdf", "%PDF-1.4"),
        _ => Answer::html("<html><Title lang=en>gone &amp;\nlost</title><p>not here")
            .with_status(404),
    })
}

#[test]
fn page_prints_title_and_readable_text() {
    let site = site();
    let run = run(&["page", &site.url(), "--allow-host", &site.host()]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.starts_with("Of stores [2J\n\n"), "{}", run.stdout);
    assert!(run.stdout.contains("Readers never wait for a writer."), "{}", run.stdout);
    assert!(!run.stdout.contains("alert") && !run.stdout.contains('<'), "{}", run.stdout);
    assert!(!run.stdout.contains(|c: char| c != '\n' && c.is_control()), "{:?}", run.stdout);
}

#[test]
fn a_page_for_programs_is_one_object() {
    let site = site();
    let page = Workplace::with(&[]).json(&[
        "page",
        &site.url(),
        "--allow-host",
        "127.0.0.1",
        "--output",
        "json",
    ]);
    assert_eq!(page["Url"], format!("{}/", site.url()));
    assert_eq!((&page["Language"], &page["Truncated"]), (&json!("en"), &json!(false)));
    assert!(page["Title"].is_string());
    assert!(page["Text"].as_str().unwrap().contains("Writers wait for each other."));
}

#[test]
fn a_long_text_is_cut_after_a_sentence() {
    let site = site();
    let arguments = ["page", &site.url(), "--allow-host", &site.host(), "--output", "json"];
    let page = Workplace::with(&[]).json(&[&arguments[..], &["--max-characters", "60"]].concat());
    let text = page["Text"].as_str().unwrap();
    assert!(text.ends_with("Readers never wait for a writer."), "{text}");
    assert_eq!(page["Truncated"], true);
    let none = run(&[&arguments[..], &["--max-characters", "0"]].concat());
    assert_eq!(none.code, 2, "{}", none.stderr);
}

#[test]
fn a_private_address_is_refused_with_how_to_allow_it() {
    let site = site();
    let refused = run(&["page", &site.url()]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    for needed in ["`127.0.0.1` is a loopback address", "try --allow-host 127.0.0.1"] {
        assert!(refused.stderr.contains(needed), "{}", refused.stderr);
    }
    for url in ["http://localhost/", "http://2130706433/", "http://[::1]/", "http://10.0.0.1/"] {
        let refused = run(&["page", url]);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{url}: {}", refused.stderr);
        assert!(refused.stderr.contains("try --allow-host "), "{url}: {}", refused.stderr);
    }
    let mapped = run(&["page", "http://[::ffff:127.0.0.1]/"]);
    assert!(mapped.stderr.contains("try --allow-host [::ffff:127.0.0.1]"), "{}", mapped.stderr);
    assert!(site.requests().is_empty());
}

#[test]
fn a_forbidden_address_is_refused_without_advice() {
    for url in ["file:///etc/passwd", "data:text/html,x", "http://me:rosebud@127.0.0.1/"] {
        let refused = run(&["page", url]);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{url}: {}", refused.stderr);
        for unwanted in ["--allow-host", "rosebud"] {
            assert!(!refused.stderr.contains(unwanted), "{url}: {}", refused.stderr);
        }
    }
}

#[test]
fn an_unreadable_page_is_refused_with_the_reason() {
    let site = site();
    let read =
        |path: &str| run(&["page", &format!("{}{path}", site.url()), "--allow-host", &site.host()]);
    let film = read("/film");
    assert_eq!(film.code, 1);
    assert!(film.stderr.contains("unsupported content type"), "{}", film.stderr);
    assert!(!film.stderr.contains("--loader"), "{}", film.stderr);
    let paper = read("/paper");
    let expected = format!(
        "textsearch: web-page: {}/paper has an unsupported content type, `application/pdf`: allowed are text/html, \
         application/xhtml+xml and text/plain: save it, then try `textsearch index FILE.pdf`\n",
        site.url()
    );
    assert_eq!((paper.code, paper.stderr), (1, expected));
    let missing = read("/missing");
    assert_eq!(missing.code, 1);
    let expected = format!(
        "textsearch: web-page: {}/missing answered 404 Not Found: gone &amp; lost\n",
        site.url()
    );
    assert_eq!(missing.stderr, expected);
    let address = run(&["page", "stores"]);
    assert_eq!(address.code, 2);
    let expected = "textsearch: web-page: `url` is not absolute; expected an absolute URL such as https://example.com/\n";
    assert_eq!(address.stderr, expected);
}

#[test]
fn full_pages_replace_snippets_or_give_the_reason() {
    let site = site();
    let engine = Server::searxng_with(json!([
        { "url": format!("{}/", site.url()), "title": "Stores", "content": "A snippet." },
        { "url": format!("{}/missing", site.url()), "title": "Gone", "content": "Another snippet." },
    ]));
    let source = ["search", "x", "--source", "searxng", "--endpoint", &engine.url()];
    let host = site.host();
    let arguments = [&source[..], &["--full-pages", "--allow-host", &host]].concat();
    let answer = Workplace::with(&[]).json(&[&arguments[..], &["--output", "json"]].concat());
    let results = &answer["results"];
    let whole = results[0]["Value"].as_str().unwrap();
    assert!(whole.contains("Writers wait for each other."), "{whole}");
    assert_eq!(results[1]["Value"], "Another snippet.");

    let shown = run(&arguments);
    assert!(shown.stdout.contains("   Writers wait for each other."), "{}", shown.stdout);
    assert!(shown.stdout.contains("   (the snippet alone: "), "{}", shown.stdout);

    let cut = run(&[&arguments[..], &["--max-characters", "60", "--kind", "text"]].concat());
    assert!(cut.stdout.contains("Readers never wait"), "{}", cut.stdout);
    assert!(!cut.stdout.contains("Writers wait"), "{}", cut.stdout);

    let arguments = [&["prompt"], &arguments[1..]].concat();
    let prompt = run(&arguments);
    assert!(prompt.stdout.contains("Writers wait for each other."), "{}", prompt.stdout);
}

#[test]
fn full_pages_of_hosts_that_are_not_allowed_stay_snippets() {
    let site = site();
    let engine = Server::searxng_with(json!([
        { "url": format!("{}/", site.url()), "title": "Stores", "content": "A snippet." },
    ]));
    let source = ["search", "x", "--source", "searxng", "--endpoint", &engine.url()];
    let shown = run(&[&source[..], &["--full-pages"]].concat());
    assert!(shown.stdout.contains("(the snippet alone: refused; "), "{}", shown.stdout);
    assert!(shown.stdout.contains("   A snippet.\n"), "{}", shown.stdout);
    assert!(site.requests().is_empty());

    let verbose = run(&[&source[..], &["--full-pages", "--verbose"]].concat());
    assert!(verbose.stderr.contains("loopback address"), "{}", verbose.stderr);
    assert!(!verbose.stdout.contains("loopback"), "{}", verbose.stdout);
}

#[test]
fn full_pages_require_a_connector() {
    for arguments in [
        &["search", "x", "--from", ".", "--full-pages"][..],
        &["search", "x", "--from", ".", "--endpoint", "http://127.0.0.1:1"],
        &["search", "x", "--source", "searxng", "--max-characters", "9"],
        &["search", "x", "--source", "searxng", "--allow-host", "a"],
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
    }
    let value: Value = Workplace::with(&[]).json(&["manual", "--source", "brave", "--full-pages"]);
    assert_eq!(value[0]["name"], "SearchPlugin.GetSearchResults");
}

#[test]
fn page_reader_is_a_known_service_with_its_key() {
    let arguments = ["search", "x", "--source", "searxng", "--endpoint", "http://127.0.0.1:9"];
    let search = |service| {
        let service = ["--full-pages", "--page-reader", service];
        let place = Workplace::with(&[]);
        let mut command = place.command(&[&arguments[..], &service].concat());
        Run::from(command.env_remove("FIRECRAWL_API_KEY").output().unwrap())
    };
    let run = search("nobody");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("expected jina, firecrawl, tavily"), "{}", run.stderr);
    let run = search("firecrawl");
    assert!(run.stderr.contains("`FIRECRAWL_API_KEY` is missing"), "{}", run.stderr);
}
