//! A hostile site of 500 pages, on loopback.

use std::{
    collections::BTreeSet,
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};
use textsearch_core::http::HttpSettings;
use textsearch_documents::ingest::{
    DocumentIndex, IngestError, IngestReport, Ingestion, SiteSettings, SiteWalker, SourceFiles,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

fn html(body: String) -> Response {
    Response::new(200, "text/html; charset=utf-8", body)
}

fn redirect(to: &str) -> Response {
    Response::new(302, "text/plain", "").with_header("location", to)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Rules, then binary rubbish, and rules beyond the limit that would forbid everything.
fn robots(host: &str) -> Vec<u8> {
    let rules = format!(
        "User-agent: evil\nDisallow: /\n\nUser-agent: *\nDisallow: /docs/secret\nCrawl-delay: 0\nSitemap: http://{host}/maps.xml\n"
    );
    let mut file = rules.into_bytes();
    file.extend(
        (0..600 << 10).map(
            |number: u32| if number.is_multiple_of(80) { b'\n' } else { (number % 251) as u8 },
        ),
    );
    file.extend(b"\nUser-agent: *\nDisallow: /\n".repeat(10_000));
    file
}

/// Links of the start, beside the sections.
const START: &str = "<a href=../docs/#top>loop</a><a href=old>moved</a><a href=away>away</a><a href=inside>private</a>
    <a href=circle>circle</a><a href=trap/0>trap</a><a href='calendar?day=0'>calendar</a><a href=hidden>hidden</a>
    <a href=secret>secret</a><a href='0/1?print'>print</a><a href=/elsewhere>up</a><a href=logo.png>image</a>
    <a href=latin>latin</a><a href=missing>missing</a>";

/// Answers a page below `/docs/`, in the first or the second `round`.
fn page(path: &str, query: Option<&str>, round: usize, other: &str) -> Response {
    let parts: Vec<&str> = path.split('/').collect();
    let number = |text: &str| text.parse::<usize>().ok();
    match parts.as_slice() {
        [""] => {
            let sections =
                (0..10).map(|section| format!("<nav><a href={section}/>{section}</a></nav>"));
            html(format!("<title>Start</title>Welcome.{START}{}", sections.collect::<String>()))
        }
        ["old"] => redirect("0/"),
        ["away"] => redirect(other),
        ["inside"] => redirect("http://169.254.169.254/latest/meta-data/"),
        ["circle"] => redirect("circle"),
        ["trap", number] => {
            let next = number.parse::<usize>().unwrap() + 1;
            html(format!("Trap {next}.<a href={next}>on</a>"))
        }
        ["calendar"] => {
            let day: usize = query.unwrap()[4..].parse().unwrap();
            let days = (1..20).map(|more| format!("<a href='?day={}'>x</a>", day + more));
            html(format!("Day {day}.{}", days.collect::<String>()))
        }
        ["hidden"] => {
            html("<meta name=robots content=noindex>Hidden.<a href=behind>x</a>".to_owned())
        }
        ["behind" | "orphan" | "secret"] => html(format!("A page called {path}.")),
        ["latin"] => Response::new(200, "text/html; charset=ISO-8859-1", b"caf\xE9".as_slice()),
        [section, ""] if number(section).is_some_and(|section| section < 10) => {
            let links = (1..50).map(|page| format!("<a href={page}>p</a>"));
            html(format!("Section {section}.<a href=..>up</a>{}", links.collect::<String>()))
        }
        ["1", "1"] if round > 0 => Response::new(404, "text/html", "gone"),
        ["1", "2"] if round > 0 => Response::new(500, "text/html", "broken"),
        ["1", "3"] if round > 0 => html("Section 1, page 3, new words.".to_owned()),
        [section, page] if number(section).is_some() && number(page).is_some() => html(format!(
            "<link rel=canonical href=/docs/{path}>Section {section}, page {page}.<a href=.>up</a>"
        )),
        _ => Response::new(404, "text/html", "no such page"),
    }
}

fn answer(request: &RecordedRequest, round: usize, other: &str) -> Response {
    let host = request.header("host").unwrap_or_default().to_owned();
    let map =
        |tag: &str, path: &str| format!("<{tag}><url><loc>http://{host}{path}</loc></url></{tag}>");
    match request.path.as_str() {
        "/robots.txt" => Response::new(200, "text/plain", robots(&host)),
        "/maps.xml" => Response::new(200, "text/xml", map("sitemapindex", "/map.xml.gz")),
        "/map.xml.gz" => {
            Response::new(200, "application/gzip", gzip(&map("urlset", "/docs/orphan")))
        }
        path => match path.strip_prefix("/docs/") {
            Some(page_path) => {
                let page = page(page_path, request.url.query(), round, other);
                let etag = format!("\"{}-{}\"", page.body.len(), page.status);
                if page.status == 200 && request.header("if-none-match") == Some(&etag) {
                    return Response::new(304, "text/html", "");
                }
                page.with_header("etag", etag)
            }
            None => Response::new(404, "text/html", "nothing"),
        },
    }
}

struct Site {
    server: Server,
    /// On another port.
    other: Server,
    round: Arc<AtomicUsize>,
    cache: tempfile::TempDir,
}

impl Site {
    async fn start() -> Self {
        let round = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&round);
        let other = Server::of([html("Elsewhere.".to_owned())]).await;
        let to = other.url().to_string();
        let server = Server::start(move |request, _| {
            Action::Answer(answer(request, now.load(Ordering::SeqCst), &to))
        });
        Self { server: server.await, other, round, cache: tempfile::tempdir().unwrap() }
    }

    fn settings(&self) -> SiteSettings {
        let http = HttpSettings::default().with_max_attempts(1);
        let settings = SiteSettings::default().with_http_settings(http);
        let mut settings = settings.with_allowed_host("127.0.0.1").unwrap();
        settings.request_interval = Duration::ZERO;
        settings
    }

    fn url(&self, path: &str) -> String {
        self.server.url().join(path).unwrap().into()
    }

    async fn walk(&self, settings: SiteSettings) -> Result<SourceFiles, IngestError> {
        SiteWalker::new(&self.url("/docs/"), self.cache.path(), settings)?.walk().await
    }

    /// Walks and updates the index. Also returns the number of requests.
    async fn update(&self, index: &DocumentIndex) -> (SourceFiles, IngestReport, usize) {
        let began = Instant::now();
        let before = self.server.count();
        let pages = self.walk(self.settings()).await.unwrap();
        let report = index.update(Ingestion::new(pages.clone())).await.unwrap();
        let requests = self.server.count() - before;
        let seconds = began.elapsed().as_secs_f64();
        #[expect(clippy::print_stderr, reason = "the test harness shows it with `--show-output`")]
        {
            eprintln!("{} pages, {requests} requests, {seconds:.2} s", pages.len());
        }
        (pages, report, requests)
    }
}

fn index() -> DocumentIndex {
    DocumentIndex::new(InMemoryVectorStore::new(), "docs")
}

fn reasons(files: &SourceFiles) -> Vec<String> {
    let text = |skipped: &textsearch_documents::ingest::Skipped| {
        format!("{} {}", skipped.path, skipped.reason)
    };
    files.skipped().iter().map(text).collect()
}

#[tokio::test]
async fn hostile_site_is_indexed_and_updated() {
    let site = Site::start().await;
    let index = index();
    let (pages, report, _) = site.update(&index).await;
    let paths: BTreeSet<&str> = pages.paths().collect();
    let has = |path: &str| paths.contains(site.url(path).as_str());
    for path in ["/docs/", "/docs/0/", "/docs/9/49", "/docs/orphan", "/docs/behind", "/docs/latin"]
    {
        assert!(has(path), "{path}");
    }
    for path in [
        "/docs/hidden",
        "/docs/secret",
        "/docs/old",
        "/docs/0/1?print",
        "/elsewhere",
        "/docs/missing",
    ] {
        assert!(!has(path), "{path}");
    }
    // The start, 10 sections of 50 pages, 3 others, 16 of the trap, and 64 days.
    assert_eq!(paths.len(), 1 + 500 + 3 + 16 + 64);
    assert_eq!(report.added, paths.len());
    let reasons = reasons(&pages).join("\n");
    for reason in ["deeper than the limit", "only in the query"] {
        assert!(reasons.contains(reason), "{reason}: {reasons}");
    }

    site.round.store(1, Ordering::SeqCst);
    let (_, report, _) = site.update(&index).await;
    // The failing page stays.
    assert_eq!((report.added, report.changed, report.removed), (0, 1, 1));
    assert_eq!(site.other.count(), 0);
    let (_, report, requests) = site.update(&index).await;
    assert_eq!(report.unchanged, paths.len() - 1);
    let unchanged = site.server.requests().into_iter().rev().take(requests);
    let unchanged = unchanged.filter(|request| request.header("if-none-match").is_some()).count();
    assert!(unchanged > 580, "{unchanged}");
}

#[tokio::test]
async fn limit_is_reported_and_removes_nothing() {
    let site = Site::start().await;
    let index = index();
    site.update(&index).await;
    let pages = site.walk(site.settings().with_max_pages(20)).await.unwrap();
    let reasons = reasons(&pages).join("\n");
    assert!(reasons.contains("/docs/ the limit on pages is reached, and "), "{reasons}");
    let report = index.update(Ingestion::new(pages)).await.unwrap();
    assert_eq!(report.removed, 0);
}

#[tokio::test]
async fn interrupted_walk_continues_where_it_was() {
    let site = Site::start().await;
    let walker = SiteWalker::new(&site.url("/docs/"), site.cache.path(), site.settings()).unwrap();
    tokio::select! {
        _ = walker.walk() => panic!("the walk ended before its interruption"),
        () = site.server.until_asked(200) => {}
    }
    let pages = walker.walk().await.unwrap();
    assert_eq!(pages.len(), 584);
    let mut urls: Vec<String> =
        site.server.requests().iter().map(|request| request.url.to_string()).collect();
    let requests = urls.len();
    urls.sort();
    urls.dedup();
    // Those in progress, and what isn't kept: robots.txt, sitemaps and redirects.
    assert!(requests - urls.len() < 20, "{requests} requests for {} URLs", urls.len());
}

#[tokio::test]
async fn site_without_reachable_rules_is_not_walked() {
    let server = Server::of([Response::new(503, "text/plain", "")]).await;
    let host = format!("127.0.0.1:{}", server.url().port().unwrap());
    let http = HttpSettings::default().with_max_attempts(1);
    let settings =
        SiteSettings::default().with_http_settings(http).with_allowed_host(host).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let walker = SiteWalker::new(server.url().as_str(), folder.path(), settings).unwrap();
    let error = walker.walk().await.unwrap_err().to_string();
    assert!(error.contains("/robots.txt answered 503"), "{error}");
    assert_eq!(server.count(), 1);
}

#[test]
fn private_start_is_refused() {
    let error =
        SiteWalker::new("http://localhost/", "unused", SiteSettings::default()).unwrap_err();
    assert!(error.to_string().contains("`localhost` is"), "{error}");
}

/// Walks the site below `start`.
async fn walk_of(
    cache: &tempfile::TempDir,
    server: &Server,
    start: &str,
) -> Result<SourceFiles, IngestError> {
    let http = HttpSettings::default().with_max_attempts(1);
    let settings = SiteSettings::default().with_http_settings(http);
    let mut settings = settings.with_allowed_host("127.0.0.1").unwrap();
    settings.request_interval = Duration::ZERO;
    let start = server.url().join(start).unwrap();
    SiteWalker::new(start.as_str(), cache.path(), settings)?.walk().await
}

#[tokio::test]
async fn failing_page_keeps_what_it_links_to() {
    let server = Server::start(|request, before| {
        Action::Answer(match request.path.as_str() {
            "/" if before >= 4 => Response::new(503, "text/html", "down"),
            "/" => html("Start.<a href=a>a</a>".to_owned()),
            "/a" => html("Page.".to_owned()),
            _ => Response::new(404, "text/html", ""),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    let index = index();
    let pages = walk_of(&cache, &server, "/").await.unwrap();
    assert_eq!((pages.len(), server.count()), (2, 4));
    index.update(Ingestion::new(pages)).await.unwrap();
    let pages = walk_of(&cache, &server, "/").await.unwrap();
    let report = index.update(Ingestion::new(pages)).await.unwrap();
    assert_eq!((report.unchanged, report.removed, report.failed().count()), (2, 0, 1));
}

#[tokio::test]
async fn start_that_leads_elsewhere_is_explained() {
    let server = Server::start(|request, _| {
        Action::Answer(match request.path.as_str() {
            "/docs/" => redirect("/en/docs/"),
            "/en/docs/" => html("English.".to_owned()),
            "/other/" => redirect("https://other.example/"),
            _ => Response::new(404, "text/html", ""),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    let error = walk_of(&cache, &server, "/docs/").await.unwrap_err().to_string();
    assert!(error.contains("/en/docs/, not below the start: try that URL"), "{error}");
    let error = walk_of(&cache, &server, "/other/").await.unwrap_err().to_string();
    assert!(error.contains("a redirect to another origin, https://other.example"), "{error}");
}

#[tokio::test]
async fn page_takes_the_url_of_no_other() {
    let server = Server::start(|request, _| {
        Action::Answer(match request.path.as_str() {
            "/robots.txt" => Response::new(200, "text/plain", "User-agent: *\nDisallow: /private"),
            "/" => html(
                "Start.<a href=a>a</a><a href=b>b</a><a href=c>c</a><a href=d>d</a>".to_owned(),
            ),
            "/a" => html("<link rel=canonical href=/private>Evil.".to_owned()),
            "/b" => html("<link rel=canonical href=/missing>Evil.".to_owned()),
            "/c" => html("<link rel=canonical href=/a>Evil.".to_owned()),
            "/d" => html("<link rel=canonical href=/>Evil.".to_owned()),
            "/private" => html("Private.".to_owned()),
            _ => Response::new(404, "text/html", ""),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    let pages = walk_of(&cache, &server, "/").await.unwrap();
    // `/d` names a page that is there.
    let urls = ["", "a", "b", "c"].map(|path| server.url().join(path).unwrap().to_string());
    assert_eq!(pages.paths().collect::<Vec<_>>(), urls);
    assert!(server.requests().iter().all(|request| request.path != "/private"));
}

#[tokio::test]
async fn failed_walk_is_not_continued() {
    let server = Server::start(|request, before| {
        Action::Answer(match request.path.as_str() {
            "/" if before < 3 => html("<meta name=robots content=noindex>Start.".to_owned()),
            "/" => html("Start.".to_owned()),
            _ => Response::new(404, "text/html", ""),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    let error = walk_of(&cache, &server, "/").await.unwrap_err().to_string();
    assert!(error.contains("no page may be indexed"), "{error}");
    assert_eq!(walk_of(&cache, &server, "/").await.unwrap().len(), 1);
}

#[tokio::test]
async fn endless_site_does_not_fill_the_cache() {
    let server = Server::start(|request, before| {
        let links = (0..30).map(|page| format!("<a href=/{before}-{page}>x</a>"));
        Action::Answer(match request.path.as_str() {
            "/robots.txt" | "/sitemap.xml" => Response::new(404, "text/plain", ""),
            _ => html(format!("Page {before}.{}", links.collect::<String>())),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let http = HttpSettings::default().with_max_attempts(1);
        let settings = SiteSettings::default().with_http_settings(http).with_max_pages(20);
        let mut settings = settings.with_allowed_host("127.0.0.1").unwrap();
        settings.request_interval = Duration::ZERO;
        let walker = SiteWalker::new(server.url().as_str(), cache.path(), settings).unwrap();
        assert_eq!(walker.walk().await.unwrap().len(), 20);
    }
    let folder = std::fs::read_dir(cache.path()).unwrap().next().unwrap().unwrap().path();
    // The pages, the manifest, the lock and `.gitignore`.
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 23);
}

#[tokio::test]
async fn pdf_with_a_charset_stays_as_it_is() {
    let server = Server::start(|request, _| {
        Action::Answer(match request.path.as_str() {
            "/" => html("Start.<a href=a>a</a>".to_owned()),
            "/a" => {
                let body = b"%PDF-1.7 \xE9".as_slice();
                Response::new(200, "application/pdf; charset=ISO-8859-1", body)
            }
            _ => Response::new(404, "text/html", ""),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    walk_of(&cache, &server, "/").await.unwrap();
    let folder = std::fs::read_dir(cache.path()).unwrap().next().unwrap().unwrap().path();
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let pdf = files.filter(|path| path.extension().is_some_and(|end| end == "pdf"));
    let bodies: Vec<Vec<u8>> = pdf.map(|path| std::fs::read(path).unwrap()).collect();
    assert_eq!(bodies, [b"%PDF-1.7 \xE9".to_vec()]);
}

#[tokio::test]
async fn overlong_urls_and_headers_are_not_used() {
    let server = Server::start(|request, _| {
        let host = request.header("host").unwrap_or_default();
        let long = "x".repeat(5000);
        Action::Answer(match request.path.as_str() {
            "/robots.txt" => {
                Response::new(200, "text/plain", format!("Sitemap: http://{host}/{long}.xml"))
            }
            "/" => html(format!("<link rel=canonical href=/{long}>Start.<a href={long}>x</a>"))
                .with_header("etag", format!("\"{long}\"")),
            _ => Response::new(404, "text/html", ""),
        })
    })
    .await;
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        assert_eq!(walk_of(&cache, &server, "/").await.unwrap().len(), 1);
    }
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.path.len() < 2048));
    assert!(requests.iter().all(|request| request.header("if-none-match").is_none()));
}
