//! Extracts the citations from an answer in Markdown.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeWithOffset,
};

use super::{
    Citation, CitationKind, Sources, dialects,
    footnote::Footnotes,
    html::{self, Part},
    link::KnownLinks,
    number::{RangeBudget, numbers},
    rendered,
    text::{Passage, Run},
    urls,
};

/// In characters of refused markup.
const MAX_MARKUP: usize = 100;

pub(super) fn read(answer: &str, sources: &Sources) -> Vec<Citation> {
    let links = KnownLinks::new(sources);
    let mut citations = Reader::new(answer, sources, &links).read_all(dialects::MAIN);
    for dialect in dialects::others(answer) {
        let others = Reader::new(answer, sources, &links).read_all(dialect);
        let unseen = dialects::unseen(&citations, others);
        citations.extend(unseen);
    }
    if let Some(answer) = dialects::with_html_as_text(answer) {
        let others = Reader::new(&answer, sources, &links).read_all(dialects::MAIN);
        // The main reading has the URLs in text, without the tags after them.
        let is_markdown =
            |one: &Citation| matches!(one.kind, CitationKind::Link | CitationKind::Image);
        let others = others.into_iter().filter(is_markdown).collect();
        let unseen = dialects::unseen(&citations, others);
        citations.extend(unseen);
    }
    citations.sort_by_key(|citation| citation.range.start);
    citations
}

struct Reader<'a> {
    answer: &'a str,
    sources: &'a Sources,
    links: &'a KnownLinks,
    citations: Vec<Citation>,
    footnotes: Footnotes,
    depth_in_links: usize,
    code: Code,
    /// The end of the last link that continues after its text.
    link_end: usize,
    /// The end of the current table cell, or of the answer.
    cell_end: usize,
    /// Text that reads as continuous: brackets may open in one piece of it and close in another.
    run: Run,
    html: String,
    ranges: RangeBudget,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    None,
    Shown,
    Rendered,
}

impl<'a> Reader<'a> {
    fn new(answer: &'a str, sources: &'a Sources, links: &'a KnownLinks) -> Self {
        Self {
            answer,
            sources,
            links,
            citations: Vec::new(),
            footnotes: Footnotes::default(),
            depth_in_links: 0,
            code: Code::None,
            link_end: 0,
            cell_end: answer.len(),
            run: Run::default(),
            html: String::new(),
            ranges: RangeBudget::default(),
        }
    }

    fn read_all(mut self, dialect: Options) -> Vec<Citation> {
        let parser = Parser::new_ext(self.answer, dialect);
        for (event, range) in TextMergeWithOffset::new(parser.into_offset_iter()) {
            self.read(event, range);
        }
        self.finish()
    }

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
            Event::Text(text) => {
                self.footnotes.read(&text);
                let passage = Passage::new(self.answer, &text, &range);
                match self.code {
                    Code::None if self.depth_in_links == 0 => {
                        self.cite_urls(&passage);
                        self.run.push(&passage, 0..text.len());
                    }
                    Code::Rendered => self.cite_urls_in_markup(&passage),
                    _ => {}
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                self.footnotes.read(" ");
                self.run.push(&Passage::new(self.answer, " ", &range), 0..1);
            }
            Event::Code(text) => self.footnotes.read(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.cite_urls_in_markup(&Passage::new(self.answer, &text, &range));
            }
            Event::Html(line) => self.html.push_str(&line),
            Event::InlineHtml(tag) => {
                self.footnotes.read(" ");
                self.read_html(&Passage::new(self.answer, &tag, &range));
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if rendered::is_rendered(&info) => {
                self.code = Code::Rendered;
            }
            Tag::CodeBlock(_) => self.code = Code::Shown,
            Tag::TableCell => self.cell_end = range.end,
            Tag::FootnoteDefinition(label) => {
                self.footnotes.start(&label, is_indented(self.answer, range.start));
            }
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
        if !goes_on(&Event::End(tag)) {
            self.footnotes.read(" ");
        }
        match tag {
            TagEnd::Link | TagEnd::Image => self.depth_in_links -= 1,
            TagEnd::CodeBlock => self.code = Code::None,
            TagEnd::TableCell => self.cell_end = self.answer.len(),
            TagEnd::FootnoteDefinition => self.footnotes.end(),
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.read_html(&Passage::new(self.answer, &html, range));
                self.read_run();
            }
            _ => {}
        }
    }

    /// Also reads the links that are complete only now.
    fn read_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        for url in urls::in_text(run.text()) {
            // A link within one piece was already read there. So was a link whose path continues
            // after the piece.
            let end = run.end_of_piece(url.start);
            if end < url.end && !urls::ends_host(run.text().get(url.start..end).unwrap_or_default())
            {
                let link = run.text().get(url.clone()).unwrap_or_default().to_owned();
                let source = self.source_of_url(&link);
                self.cite(CitationKind::Url, link, run.place(url), source);
            }
        }
        for found in numbers(run.text(), self.sources.len(), &mut self.ranges) {
            let kind =
                if found.is_footnote { CitationKind::Footnote } else { CitationKind::Number };
            self.cite(kind, found.target, run.place(found.range), found.source);
        }
    }

    fn read_html(&mut self, html: &Passage<'_>) {
        for part in html::parts(html.text()) {
            match part {
                Part::Text(range) => self.read_html_text(html, range),
                Part::Break(range) => {
                    let place = html.place(range);
                    self.run.push(&Passage::new(self.answer, " ", &place), 0..1);
                }
                Part::Url { url, range } => {
                    self.cite_link(CitationKind::Url, &url, html.place(range));
                }
                Part::Refused(range) => {
                    let markup = html.text().get(range.clone()).unwrap_or_default();
                    let target = markup.chars().take(MAX_MARKUP).collect();
                    self.cite(CitationKind::Html, target, html.place(range), None);
                }
            }
        }
    }

    fn read_html_text(&mut self, html: &Passage<'_>, range: Range<usize>) {
        let text = html.text().get(range.clone()).unwrap_or_default();
        self.footnotes.read(text);
        self.footnotes.read(" ");
        let decoded = html::decoded(text);
        let passage = Passage::new(self.answer, &decoded, &html.place(range.clone()));
        self.cite_urls(&passage);
        self.run.push(html, range);
    }

    fn source_of_url(&self, link: &str) -> Option<usize> {
        if urls::is_host(link) {
            self.links.source_of(&format!("http://{link}"))
        } else {
            self.links.source_of(link)
        }
    }

    fn cite_urls(&mut self, passage: &Passage<'_>) {
        let after = self.answer.get(passage.end()..self.cell_end.max(passage.end()));
        for url in urls::in_text(passage.text()) {
            let end = url.end;
            let mut link = passage.text().get(url.clone()).unwrap_or_default().to_owned();
            let mut range = passage.place(url);
            if range.end <= self.link_end {
                continue;
            }
            let tail = passage.text().get(end..).unwrap_or_default();
            // Renderers that detect links before anything else find the rest of this one after the
            // text.
            if let Some(rest) = urls::rest_behind(tail, after.unwrap_or_default()) {
                link.push_str(tail);
                link.push_str(rest);
                link.truncate(urls::without_punctuation(&link).len());
                range.end = passage.end() + rest.len();
                self.link_end = range.end;
            }
            let source = self.source_of_url(&link);
            self.cite(CitationKind::Url, link, range, source);
        }
    }

    fn cite_urls_in_markup(&mut self, passage: &Passage<'_>) {
        let decoded = html::decoded(passage.text());
        let markup = Passage::new(self.answer, &decoded, &passage.place(0..passage.text().len()));
        for url in rendered::urls(&decoded) {
            let link = decoded.get(url.clone()).unwrap_or_default().to_owned();
            let source = self.links.source_of(&link);
            self.cite(CitationKind::Url, link, markup.place(url), source);
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
        let footnotes = footnotes.resolve(sources, links);
        let footnote = |citation: &&mut Citation| citation.kind == CitationKind::Footnote;
        for citation in citations.iter_mut().filter(footnote) {
            citation.source = footnotes.source_of(&citation.target);
        }
        citations
    }
}

fn is_indented(answer: &str, start: usize) -> bool {
    let (before, at) = answer.split_at_checked(start).unwrap_or_default();
    let is_blank = |one: char| matches!(one, ' ' | '\t');
    let blank = before.len() - before.trim_end_matches(is_blank).len();
    blank > 0 || at.starts_with(is_blank)
}

fn goes_on(event: &Event<'_>) -> bool {
    match event {
        Event::Text(_) | Event::SoftBreak | Event::HardBreak | Event::InlineHtml(_) => true,
        Event::Start(tag) => matches!(tag, Tag::Emphasis | Tag::Strong),
        Event::End(tag) => matches!(tag, TagEnd::Emphasis | TagEnd::Strong),
        _ => false,
    }
}
