//! Reads [sitemaps](https://www.sitemaps.org/protocol.html).

use std::{borrow::Cow, io::Read as _};

use flate2::read::MultiGzDecoder;
use quick_xml::{Reader, escape::resolve_predefined_entity, events::Event};
use textsearch_core::http::Url;

/// Bytes of an unpacked sitemap, as the protocol says.
const MAX_BYTES: u64 = 50 << 20;

/// The protocol has the same limit.
const MAX_URLS: usize = 50_000;

/// Pages, or other sitemaps.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sitemap {
    pub(super) urls: Vec<Url>,
    /// Whether the URLs are those of sitemaps.
    pub(super) is_index: bool,
}

impl Sitemap {
    /// Reads a sitemap, perhaps compressed with gzip. A damaged one has the URLs before the damage.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut unpacked = Vec::new();
        let bytes = if bytes.starts_with(b"\x1F\x8B") {
            // What was unpacked before an error counts.
            let _ = MultiGzDecoder::new(bytes).take(MAX_BYTES).read_to_end(&mut unpacked);
            &unpacked
        } else {
            bytes
        };
        Self::parse(&String::from_utf8_lossy(bytes))
    }

    fn parse(xml: &str) -> Self {
        let mut sitemap = Self::default();
        let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}'));
        reader.config_mut().check_end_names = false;
        let mut location: Option<String> = None;
        while sitemap.urls.len() < MAX_URLS {
            let mut push = |text: Cow<'_, str>| {
                if let Some(location) = &mut location {
                    location.push_str(&text);
                }
            };
            match reader.read_event() {
                Ok(Event::Start(tag)) => match tag.name().as_ref() {
                    "sitemapindex" => sitemap.is_index = true,
                    "loc" => location = Some(String::new()),
                    _ => {}
                },
                Ok(Event::Text(text)) => push(text.xml10_content()),
                Ok(Event::CData(text)) => push(text.xml10_content()),
                Ok(Event::GeneralRef(entity)) => {
                    if let Ok(Some(character)) = entity.resolve_char_ref() {
                        push(character.to_string().into());
                    } else if let Some(text) = resolve_predefined_entity(&entity) {
                        push(text.into());
                    }
                }
                Ok(Event::End(_)) => {
                    let location = location.take().unwrap_or_default();
                    sitemap.urls.extend(Url::parse(location.trim()));
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        sitemap
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    const PAGES: &str = "\u{feff}<?xml version='1.0' encoding='UTF-8'?>
        <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
        <url><loc>
            https://a.example/?a&amp;b&#61;c </loc><lastmod>2026-01-01</lastmod>
            <image:image><image:loc>https://a.example/picture</image:loc></image:image></url>
        <url><loc><![CDATA[https://a.example/d]]></loc></url><url><loc>not a URL</loc></url>";

    fn urls(bytes: &[u8]) -> Vec<String> {
        Sitemap::read(bytes).urls.into_iter().map(Url::into).collect()
    }

    #[test]
    fn pages_are_read_up_to_damage() {
        let expected = ["https://a.example/?a&b=c", "https://a.example/d"];
        assert_eq!(urls(PAGES.as_bytes()), expected);
        let damaged = format!("{PAGES}<url><loc");
        assert_eq!(urls(damaged.as_bytes()), expected);
        assert_eq!(urls(b"\0\xFF no XML"), [""; 0]);
    }

    #[test]
    fn gzipped_index_is_recognised() {
        let index =
            "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>";
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(index.as_bytes()).unwrap();
        let sitemap = Sitemap::read(&gzip.finish().unwrap());
        assert!(sitemap.is_index);
        assert_eq!(sitemap.urls.len(), 1);
    }

    #[test]
    fn bomb_is_read_to_the_limits() {
        let location = b"<loc>http://a.example/</loc>";
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&vec![b' '; MAX_BYTES as usize]).unwrap();
        gzip.write_all(location).unwrap();
        assert_eq!(Sitemap::read(&gzip.finish().unwrap()).urls.len(), 0);
        assert_eq!(Sitemap::read(&location.repeat(MAX_URLS + 1)).urls.len(), MAX_URLS);
    }
}
