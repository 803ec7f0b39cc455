//! `textsearch index https://…`, with a site on loopback.

use crate::{
    server::{Answer, Server},
    support::Workplace,
};

fn site() -> Server {
    Server::start(|target| match target {
        "/docs/" => Answer::html("<title>Start</title><p>Apples are red.<a href=pears>Pears</a>"),
        "/docs/pears" => Answer::html("<title>Pears</title><p>Pears are green.<a href=plums>x</a>"),
        "/docs/plums" => Answer::html("<title>Plums</title><p>Plums are blue."),
        _ => Answer::html("nothing here").with_status(404),
    })
}

#[test]
fn site_and_folder_are_indexed_together_and_updated() {
    let site = site();
    let place = Workplace::with(&[("notes/a.md", "# Cherries\n\nCherries are dark.\n")]);
    let url = format!("{}/docs/", site.url());
    let arguments = ["notes", &url, "--allow-host", &site.host()];
    assert_eq!(place.index(&arguments), [4, 0, 0, 0]);
    assert_eq!(place.links(&["plums"]), [format!("{url}plums")]);
    assert_eq!(place.index(&arguments), [0, 0, 4, 0]);
    // The pages in the cache are no files of the folder, and files don't replace pages.
    assert_eq!(place.index(&["."]), [0, 0, 1, 0]);
    assert_eq!(place.links(&["plums"]), [format!("{url}plums")]);
}

#[test]
fn page_limit_of_a_site_is_a_warning() {
    let site = site();
    let url = format!("{}/docs/", site.url());
    let place = Workplace::with(&[]);
    let run = place.run(&["index", &url, "--allow-host", &site.host(), "--max-pages", "2"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("the limit on pages is reached, and 1 links are left"),
        "{}",
        run.stderr
    );
}

#[test]
fn site_needs_a_public_address_and_no_watch() {
    let place = Workplace::with(&[]);
    let run = place.run(&["index", "http://127.0.0.1:9/"]);
    assert!(run.stderr.contains("`127.0.0.1` is a loopback address"), "{}", run.stderr);
    let run = place.run(&["index", "https://site.example/", "--watch"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("--watch can't see changes of `https://site.example/`"),
        "{}",
        run.stderr
    );
}
