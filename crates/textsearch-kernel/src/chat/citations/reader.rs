//! From an answer in Markdown to its citations.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::{
    Citation, CitationKind, Sources,
    footnote::Footnotes,
    html,
    link::KnownLinks,
    number::numbers,
    text::{Run, place},
};

/// The citations of `answer`, in its order.
pub(super) fn read(answer: &str, sources: &Sources) -> Vec<Citation> {
    let mut reader = Reader {
        answer,
        sources,
        links: KnownLinks::new(sources),
        citations: Vec::new(),
        footnotes: Footnotes::default(),
        depth_in_links: 0,
        is_code: false,
        run: Run::default(),
        html: String::new(),
    };
    let parser = Parser::new_ext(answer, Options::ENABLE_FOOTNOTES | Options::ENABLE_TABLES);
    for (event, range) in TextMergeWithOffset::new(parser.into_offset_iter()) {
        reader.read(event, range);
    }
    reader.finish()
}

struct Reader<'a> {
    answer: &'a str,
    sources: &'a Sources,
    links: KnownLinks,
    citations: Vec<Citation>,
    footnotes: Footnotes,
    depth_in_links: usize,
    is_code: bool,
    /// The text that reads as one, however it is emphasised: brackets may open in one piece of it and close in another.
    run: Run,
    /// The lines of a block of HTML, in which a tag may be on several.
    html: String,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        if !goes_on(&event) {
            self.read_run();
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::FootnoteReference(label) => {
                self.cite(CitationKind::Footnote, label.into_string(), range, None);
            }
            Event::Text(text) if !self.is_code => {
                self.footnotes.read(&text);
                if self.depth_in_links == 0 {
                    self.read_urls(&text, &range, |_| true);
                    self.run.push(self.answer, &text, 0..text.len(), &range);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                self.footnotes.read(" ");
                self.run.push(self.answer, " ", 0..1, &range);
            }
            Event::Code(text) => self.footnotes.read(&text),
            Event::Html(line) => self.html.push_str(&line),
            Event::InlineHtml(tag) => self.read_html(&tag, &range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::FootnoteDefinition(label) => self.footnotes.start(label.into_string()),
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

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.depth_in_links -= 1,
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::FootnoteDefinition => self.footnotes.end(),
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.read_html(&html, range);
                for part in html::texts(&html) {
                    self.footnotes.read(html.get(part.clone()).unwrap_or_default());
                    self.run.push(self.answer, &html, part, range);
                }
                self.read_run();
            }
            _ => {}
        }
    }

    /// The numbers in the text that has come to an end.
    fn read_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        for found in numbers(run.text(), self.sources.len()) {
            let kind =
                if found.is_footnote { CitationKind::Footnote } else { CitationKind::Number };
            self.cite(kind, found.target, run.place(found.range), found.source);
        }
    }

    fn read_html(&mut self, html: &str, range: &Range<usize>) {
        let addresses = html::addresses(html);
        for (address, part) in &addresses {
            let place = place(self.answer, html, part.clone(), range);
            self.cite_link(CitationKind::Url, address, place);
        }
        let is_new =
            |found: &Range<usize>| !addresses.iter().any(|(_, part)| part.contains(&found.start));
        self.read_urls(html, range, is_new);
    }

    fn read_urls(
        &mut self,
        text: &str,
        range: &Range<usize>,
        counts: impl Fn(&Range<usize>) -> bool,
    ) {
        let mut finder = LinkFinder::new();
        // Whoever shows an answer makes a link of what begins with `www.`, too.
        finder.kinds(&[LinkKind::Url]).url_must_have_scheme(false);
        for found in finder.links(text) {
            let (link, part) = (found.as_str(), found.start()..found.end());
            let is_host = link.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
            if !counts(&part) {
                continue;
            }
            let place = place(self.answer, text, part, range);
            if is_host {
                let source = self.links.source_of(&format!("http://{link}"));
                self.cite(CitationKind::Url, link.to_owned(), place, source);
            } else if link.contains("://") {
                self.cite_link(CitationKind::Url, link, place);
            }
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
        self.footnotes.cite(range.start, source);
        self.citations.push(Citation { kind, target, range, source });
    }

    fn finish(mut self) -> Vec<Citation> {
        self.read_run();
        let Self { mut citations, footnotes, sources, links, .. } = self;
        let footnote = |citation: &&mut Citation| citation.kind == CitationKind::Footnote;
        for citation in citations.iter_mut().filter(footnote) {
            citation.source = footnotes.source_of(&citation.target, sources, &links);
        }
        citations.sort_by_key(|citation| citation.range.start);
        citations
    }
}

/// Whether what comes before an event and what comes after it are read as one text.
fn goes_on(event: &Event<'_>) -> bool {
    match event {
        Event::Text(_) | Event::SoftBreak | Event::HardBreak | Event::InlineHtml(_) => true,
        Event::Start(tag) => matches!(tag, Tag::Emphasis | Tag::Strong),
        Event::End(tag) => matches!(tag, TagEnd::Emphasis | TagEnd::Strong),
        _ => false,
    }
}
