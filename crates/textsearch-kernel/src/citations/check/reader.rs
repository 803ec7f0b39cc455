//! Extracts the citations from an answer in Markdown.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::{
    Citation, CitationKind, Sources, footnote::Footnotes, html, link::KnownLinks, number::numbers,
    urls,
};

/// What most chat interfaces render.
const DIALECT: Options = Options::ENABLE_FOOTNOTES.union(Options::ENABLE_TABLES);

/// In characters of refused markup.
const MAX_MARKUP: usize = 100;

pub(super) fn read(answer: &str, sources: &Sources) -> Vec<Citation> {
    let links = KnownLinks::new(sources);
    let mut reader = Reader {
        answer,
        sources,
        links: &links,
        citations: Vec::new(),
        footnotes: Footnotes::default(),
        depth_in_links: 0,
        is_in_code: false,
    };
    let events = Parser::new_ext(answer, DIALECT).into_offset_iter();
    for (event, range) in TextMergeWithOffset::new(events) {
        reader.read(event, range);
    }
    reader.finish()
}

struct Reader<'a> {
    answer: &'a str,
    sources: &'a Sources,
    links: &'a KnownLinks,
    citations: Vec<Citation>,
    footnotes: Footnotes,
    depth_in_links: usize,
    is_in_code: bool,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::FootnoteReference(label) => {
                self.cite(CitationKind::Footnote, label.into_string(), range, None);
            }
            Event::Text(text) => self.read_text(&text, &range),
            Event::Code(code) => self.footnotes.read(&code),
            Event::SoftBreak | Event::HardBreak => self.footnotes.read(" "),
            Event::Html(markup) | Event::InlineHtml(markup) => self.read_html(&markup, &range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.is_in_code = true,
            Tag::FootnoteDefinition(label) => self.footnotes.start(&label),
            Tag::Link { link_type, dest_url, .. } => {
                self.depth_in_links += 1;
                match link_type {
                    LinkType::Email => {}
                    LinkType::Autolink => self.cite_link(CitationKind::Url, &dest_url, range),
                    _ => self.cite_link(CitationKind::Link, &dest_url, range),
                }
            }
            Tag::Image { dest_url, .. } => {
                self.depth_in_links += 1;
                self.cite_link(CitationKind::Image, &dest_url, range);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.depth_in_links -= 1,
            TagEnd::CodeBlock => self.is_in_code = false,
            TagEnd::FootnoteDefinition => self.footnotes.end(),
            TagEnd::Emphasis | TagEnd::Strong => {}
            _ => self.footnotes.read(" "),
        }
    }

    fn read_text(&mut self, text: &str, range: &Range<usize>) {
        self.footnotes.read(text);
        if self.is_in_code || self.depth_in_links > 0 {
            return;
        }
        let mut position = 0;
        for url in urls::in_text(text) {
            self.cite_numbers(text, position..url.start, range);
            position = url.end;
            let link = text.get(url.clone()).unwrap_or_default();
            let source = match urls::is_host(link) {
                true => self.links.source_of(&format!("http://{link}")),
                false => self.links.source_of(link),
            };
            self.cite(CitationKind::Url, link.to_owned(), self.place(text, url, range), source);
        }
        self.cite_numbers(text, position..text.len(), range);
    }

    fn cite_numbers(&mut self, text: &str, part: Range<usize>, range: &Range<usize>) {
        let start = part.start;
        for found in numbers(text.get(part).unwrap_or_default(), self.sources.len()) {
            let kind = match found.is_footnote {
                true => CitationKind::Footnote,
                false => CitationKind::Number,
            };
            let within = start + found.range.start..start + found.range.end;
            self.cite(kind, found.target, self.place(text, within, range), found.source);
        }
    }

    fn read_html(&mut self, markup: &str, range: &Range<usize>) {
        let Some(texts) = html::texts(markup) else {
            let target = markup.chars().take(MAX_MARKUP).collect();
            return self.cite(CitationKind::Html, target, range.clone(), None);
        };
        for text in texts {
            self.footnotes.read(" ");
            let place = self.place(markup, text.clone(), range);
            self.read_text(markup.get(text).unwrap_or_default(), &place);
        }
    }

    /// Returns where a part of `text`, which the answer has at `range`, is in the answer. Returns
    /// all of `range` if the answer has the text with escapes.
    fn place(&self, text: &str, part: Range<usize>, range: &Range<usize>) -> Range<usize> {
        match self.answer.get(range.clone()) == Some(text) {
            true => range.start + part.start..range.start + part.end,
            false => range.clone(),
        }
    }

    fn cite_link(&mut self, kind: CitationKind, link: &str, range: Range<usize>) {
        if !link.starts_with('#') {
            let source = self.links.source_of(link);
            self.cite(kind, link.to_owned(), range, source);
        }
    }

    fn cite(
        &mut self,
        kind: CitationKind,
        target: String,
        range: Range<usize>,
        source: Option<usize>,
    ) {
        self.footnotes.cite(source);
        self.citations.push(Citation { kind, target, range, source });
    }

    fn finish(self) -> Vec<Citation> {
        let Self { mut citations, footnotes, sources, links, .. } = self;
        let footnotes = footnotes.resolve(sources, links);
        for citation in &mut citations {
            let defined = footnotes.get(&citation.target.to_lowercase());
            if let (CitationKind::Footnote, Some(source)) = (citation.kind, defined) {
                citation.source = *source;
            }
        }
        citations.sort_by_key(|citation| citation.range.start);
        citations
    }
}
