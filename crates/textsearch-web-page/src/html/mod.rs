//! Extracts the readable text of an HTML page.

mod markup;

use dom_smoothie::{Article, Config, Readability, TextMode};
use textsearch_core::filter::DateTime;
use textsearch_html::{Limits, one_line, tidy};

/// Maximum nesting depth of elements. Parsing time grows with its square.
pub const MAX_DEPTH: usize = 512;

/// Maximum number of elements of a page.
pub const MAX_ELEMENTS: usize = 100_000;

/// Shorter paragraphs, such as bylines, are no excerpt.
const MIN_EXCERPT_CHARACTERS: usize = 50;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Readable {
    pub(crate) title: Option<String>,
    pub(crate) byline: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) excerpt: Option<String>,
    pub(crate) published: Option<DateTime>,
    pub(crate) text: String,
}

/// The error says why the page can't be read.
pub(crate) fn readable(html: &str) -> Result<Readable, String> {
    let cleaned = cleaned(html)?;
    // Readers never see linked data, so it must not replace a visible title.
    let config =
        Config { text_mode: TextMode::Formatted, disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::new(cleaned.as_str(), None, Some(config))
        .map_err(|error| error.to_string())?;
    // Read metadata first: the search for the main content changes the document.
    let linked_data = reader.parse_json_ld();
    let (byline, date) =
        linked_data.map(|data| (data.byline, data.published_time)).unwrap_or_default();
    let metadata = reader.get_article_metadata(None);
    let heading = reader.doc.select_single("h1").text();
    let whole = tidy(&reader.doc.select("body").formatted_text());
    let main = reader.parse().ok();
    let text = main.as_ref().map(|article| tidy(&article.text_content)).unwrap_or_default();
    let mut readable = match main {
        Some(article) if !text.is_empty() => of_article(article, text),
        _ => Readable {
            title: line(Some(metadata.title)),
            byline: line(metadata.byline),
            language: line(metadata.lang),
            excerpt: None,
            published: published(metadata.published_time),
            text: whole,
        },
    };
    readable.title = readable.title.or_else(|| line(Some(heading.to_string())));
    readable.excerpt = excerpt(&readable.text);
    readable.byline = readable.byline.or_else(|| line(byline));
    readable.published = readable.published.or_else(|| published(date));
    Ok(readable)
}

pub(crate) fn cleaned(html: &str) -> Result<String, String> {
    let mut limits = Limits::default();
    limits.max_depth = MAX_DEPTH;
    limits.max_elements = MAX_ELEMENTS;
    markup::clean(html, &limits).map_err(|excess| excess.to_string())
}

fn of_article(article: Article, text: String) -> Readable {
    Readable {
        title: line(Some(article.title)),
        byline: line(article.byline),
        language: line(article.lang),
        excerpt: None,
        published: published(article.published_time),
        text,
    }
}

fn line(text: Option<String>) -> Option<String> {
    text.map(|text| one_line(&text)).filter(|text| !text.is_empty())
}

fn excerpt(text: &str) -> Option<String> {
    let mut paragraphs = text.split("\n\n");
    paragraphs.find(|text| text.chars().count() >= MIN_EXCERPT_CHARACTERS).map(one_line)
}

/// Pages write dates in any format. Only ISO 8601 is kept.
fn published(text: Option<String>) -> Option<DateTime> {
    DateTime::parse(text?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_data_supplies_author_and_date_but_no_title() {
        let data = r#"{"@context": "https://schema.org", "@type": "Article", "headline": "Forged",
            "author": {"name": "Ada"}, "datePublished": "2024-05-01T10:00:00Z"}"#;
        let html = format!(
            "<title>A title that is seen</title><script type='application/ld+json'>{data}</script><p>Text."
        );
        let page = readable(&html).unwrap();
        assert_eq!(page.title.as_deref(), Some("A title that is seen"));
        assert_eq!(page.byline.as_deref(), Some("Ada"));
        assert_eq!(page.published, DateTime::parse("2024-05-01T10:00:00Z").ok());
    }

    #[test]
    fn metadata_replaces_no_title_and_no_excerpt() {
        let forged =
            "<meta property=og:title content=Forged><meta name=description content=Forged>";
        let page = readable(&format!("<title>Seen</title>{forged}<p>Text.")).unwrap();
        assert_eq!(page.title.as_deref(), Some("Seen"));
        assert_ne!(page.excerpt.as_deref(), Some("Forged"));
        let page = readable(&format!("{forged}<h1>Seen</h1><p>Text.")).unwrap();
        assert_eq!(page.title.as_deref(), Some("Seen"));
    }

    #[test]
    fn linked_data_is_not_text() {
        let page = readable("<script type='application/ld+json'>\"Data\"</script>").unwrap();
        assert_eq!(page.text, "");
        let page = readable("<p>Text.</p><script type='application/ld+json'>1</script>").unwrap();
        assert_eq!(page.text, "Text.");
    }

    #[test]
    fn a_list_item_is_one_line() {
        let items = "<li><p>First item.</p></li><li><div>Second <b>item</b>.</div></li><li>Third.";
        let page = readable(&format!("<article><p>Intro.</p><ul>{items}</ul></article>")).unwrap();
        assert_eq!(page.text, "Intro.\n\n- First item.\n\n- Second item.\n\n- Third.");
    }

    #[test]
    fn navigation_is_not_content() {
        let links = "<li><a href=/a>Home</a><li><a href=/b>About us</a>".repeat(5);
        let page = readable(&format!("<nav><ul>{links}</ul></nav><p>The text.</p>")).unwrap();
        assert_eq!(page.text, "The text.");
    }
}
