//! The readable text of a page of HTML.

mod clean;
mod elements;
mod style;
mod tag;

use dom_smoothie::{Article, Config, Readability, TextMode};
use textsearch_core::DateTime;

use self::clean::Excess;
use crate::text;

/// The most elements that may lie in one another: the time to read them grows with the square of the depth.
pub const MAX_DEPTH: usize = 512;

/// The most elements of a page.
pub const MAX_ELEMENTS: usize = 100_000;

/// The most that the depths of all tags may add up to, for each element is looked at from all those around it. A page of
/// so many elements as are allowed, at the depth that is usual, stays well below.
const MAX_WORK: usize = 4_000_000;

/// What a page says, and what it says of itself.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Readable {
    pub(crate) title: Option<String>,
    pub(crate) byline: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) excerpt: Option<String>,
    pub(crate) published: Option<DateTime>,
    pub(crate) text: String,
}

/// Reads a page; the error says why it is not read.
pub(crate) fn readable(html: &str) -> Result<Readable, String> {
    let cleaned = cleaned(html)?;
    // Nobody sees linked data, so it must not stand in for a title that is seen.
    let config =
        Config { text_mode: TextMode::Formatted, disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::new(cleaned.as_str(), None, Some(config))
        .map_err(|error| error.to_string())?;
    // Taken before the search for the main content, which changes the document.
    let linked_data = reader.parse_json_ld();
    let (byline, date) =
        linked_data.map(|data| (data.byline, data.published_time)).unwrap_or_default();
    let metadata = reader.get_article_metadata(None);
    let whole = text::tidy(&reader.doc.select("body").formatted_text());
    let main = reader.parse().ok();
    let text = main.as_ref().map(|article| text::tidy(&article.text_content)).unwrap_or_default();
    let mut readable = match main {
        Some(article) if !text.is_empty() => of_article(article, text),
        _ => Readable {
            title: line(Some(metadata.title)),
            byline: line(metadata.byline),
            language: line(metadata.lang),
            excerpt: line(metadata.excerpt),
            published: published(metadata.published_time),
            text: whole,
        },
    };
    readable.byline = readable.byline.or_else(|| line(byline));
    readable.published = readable.published.or_else(|| published(date));
    Ok(readable)
}

/// Cleans a page; the error says why it is not read.
pub(crate) fn cleaned(html: &str) -> Result<String, String> {
    clean::clean(html).map_err(|excess| match excess {
        Excess::Depth => format!("elements nested too deeply: allowed is {MAX_DEPTH}"),
        Excess::Elements => format!("too many elements: allowed is {MAX_ELEMENTS}"),
        Excess::Work => "too many elements nested too deeply".to_owned(),
    })
}

fn of_article(article: Article, text: String) -> Readable {
    Readable {
        title: line(Some(article.title)),
        byline: line(article.byline),
        language: line(article.lang),
        excerpt: line(article.excerpt),
        published: published(article.published_time),
        text,
    }
}

fn line(text: Option<String>) -> Option<String> {
    text.map(|text| text::one_line(&text)).filter(|text| !text.is_empty())
}

/// Pages write dates in any way they like: one that is not ISO 8601 is left out.
fn published(text: Option<String>) -> Option<DateTime> {
    DateTime::parse(text?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_data_gives_author_and_date_but_no_title() {
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
}
