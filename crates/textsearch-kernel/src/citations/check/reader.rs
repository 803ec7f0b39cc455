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
        in_code: false,
    };
    let events = Parser::new_ext(answer, DIALECT).into_offset_iter();
    for (event, range) in TextMergeWithOffset::new(events) {
        reader.read(event, range);
    }
    reader.finish()
}

/// Text, and where the answer has it.
struct Passage<'a> {
    text: &'a str,
    range: Range<usize>,
    /// Whether the answer has the text without escapes. Comparing costs the length of the text, so
    /// parts keep the result.
    verbatim: bool,
}

impl<'a> Passage<'a> {
    fn new(answer: &str, text: &'a str, range: Range<usize>) -> Self {
        let verbatim = answer.get(range.clone()) == Some(text);
        Self { text, range, verbatim }
    }

    /// Returns a part of the text. It has the whole range if the answer has escapes.
    fn part(&self, part: Range<usize>) -> Self {
        let range = if self.verbatim {
            self.range.start + part.start..self.range.start + part.end
        } else {
            self.range.clone()
        };
        let text = self.text.get(part).unwrap_or_default();
        Self { text, range, verbatim: self.verbatim }
    }
}

struct Reader<'a> {
    answer: &'a str,
    sources: &'a Sources,
    links: &'a KnownLinks,
    citations: Vec<Citation>,
    footnotes: Footnotes,
    depth_in_links: usize,
    in_code: bool,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::FootnoteReference(label) => {
                self.cite(CitationKind::Footnote, label.into_string(), range, None);
            }
            Event::Text(text) => self.read_text(&Passage::new(self.answer, &text, range)),
            Event::Code(code) => self.footnotes.read(&code),
            Event::SoftBreak | Event::HardBreak => self.footnotes.read(" "),
            Event::Html(markup) | Event::InlineHtml(markup) => {
                self.read_html(&Passage::new(self.answer, &markup, range));
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.in_code = true,
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
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::FootnoteDefinition => self.footnotes.end(),
            TagEnd::Emphasis | TagEnd::Strong => {}
            _ => self.footnotes.read(" "),
        }
    }

    fn read_text(&mut self, passage: &Passage<'_>) {
        self.footnotes.read(passage.text);
        if self.in_code || self.depth_in_links > 0 {
            return;
        }
        let mut position = 0;
        for url in urls::in_text(passage.text) {
            self.cite_numbers(passage, position..url.start);
            position = url.end;
            let Passage { text: link, range, .. } = passage.part(url);
            let source = if urls::is_host(link) {
                self.links.source_of(&format!("http://{link}"))
            } else {
                self.links.source_of(link)
            };
            self.cite(CitationKind::Url, link.to_owned(), range, source);
        }
        self.cite_numbers(passage, position..passage.text.len());
    }

    fn cite_numbers(&mut self, passage: &Passage<'_>, part: Range<usize>) {
        let part = passage.part(part);
        for mark in numbers(part.text, self.sources.len()) {
            let kind = if mark.is_footnote { CitationKind::Footnote } else { CitationKind::Number };
            self.cite(kind, mark.target, part.part(mark.range).range, mark.source);
        }
    }

    fn read_html(&mut self, markup: &Passage<'_>) {
        let Some(texts) = html::texts(markup.text) else {
            let target = markup.text.chars().take(MAX_MARKUP).collect();
            return self.cite(CitationKind::Html, target, markup.range.clone(), None);
        };
        for text in texts {
            self.footnotes.read(" ");
            self.read_text(&markup.part(text));
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
