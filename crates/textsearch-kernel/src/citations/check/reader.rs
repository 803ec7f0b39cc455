//! From an answer in Markdown to its citations.

use std::{collections::HashSet, ops::Range};

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::{
    Citation, CitationKind, Sources, css,
    footnote::Footnotes,
    html,
    link::KnownLinks,
    number::{RangeBudget, numbers},
    text::{Passage, Run},
    urls,
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
        is_style: false,
        run: Run::default(),
        html: String::new(),
        ranges: RangeBudget::default(),
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
    /// Whether a style sheet began within a paragraph: what follows may be a part of it.
    is_style: bool,
    /// The text that reads as one, however it is emphasised: brackets may open in one piece of it and close in another.
    run: Run,
    /// The lines of a block of HTML, in which a tag may be on several.
    html: String,
    ranges: RangeBudget,
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
            Event::Text(text) => {
                self.footnotes.read(&text);
                if self.depth_in_links == 0 && !self.is_code {
                    let passage = Passage::new(self.answer, &text, &range);
                    if self.is_style {
                        self.read_html(&passage);
                    }
                    self.cite_urls(&passage, urls::in_text(&text));
                    self.run.push(&passage, 0..text.len());
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                self.footnotes.read(" ");
                self.run.push(&Passage::new(self.answer, " ", &range), 0..1);
            }
            Event::Code(text) => self.footnotes.read(&text),
            Event::Html(line) => self.html.push_str(&line),
            Event::InlineHtml(tag) => {
                self.footnotes.read(" ");
                self.is_style |= html::begins_style(&tag);
                self.read_html(&Passage::new(self.answer, &tag, &range));
                if html::is_break(&tag) {
                    self.run.push(&Passage::new(self.answer, " ", &range), 0..1);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.is_code = true,
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
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::FootnoteDefinition => self.footnotes.end(),
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                let passage = Passage::new(self.answer, &html, range);
                self.read_html(&passage);
                for part in html::texts(&html) {
                    self.footnotes.read(html.get(part.clone()).unwrap_or_default());
                    self.footnotes.read(" ");
                    self.run.push(&passage, part);
                }
                self.read_run();
            }
            _ => {}
        }
    }

    /// The numbers in the text that has come to an end, and the links that are whole only now.
    fn read_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        for url in urls::in_text(run.text()) {
            // Within one piece it was read as a part of that; a path that has begun goes to the same host anyway.
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
        let whole = html.place(0..html.text().len());
        let addresses = html::addresses(html.text());
        let mut known = HashSet::new();
        for address in &addresses {
            known.insert(address.text.clone());
            self.cite_address(address, html.place(address.range.clone()));
        }
        let is_address =
            |start: usize| addresses.binary_search_by_key(&start, |one| one.range.start).is_ok();
        let others = urls::in_html(html.text()).into_iter().filter(|url| !is_address(url.start));
        for url in others {
            let link = html::decoded(html.text().get(url.clone()).unwrap_or_default());
            let source = self.source_of_url(&link);
            known.insert(link.to_string());
            self.cite(CitationKind::Url, link.into_owned(), html.place(url), source);
        }
        self.read_styles(html.text(), &whole, &mut known);
        for reading in html::readings(html.text()) {
            for address in html::addresses(&reading) {
                if known.insert(address.text.clone()) {
                    self.cite_address(&address, whole.clone());
                }
            }
            for url in urls::in_html(&reading) {
                let link = reading.get(url).unwrap_or_default();
                if known.insert(link.to_owned()) {
                    let source = self.source_of_url(link);
                    self.cite(CitationKind::Url, link.to_owned(), whole.clone(), source);
                }
            }
            self.read_styles(&reading, &whole, &mut known);
        }
        if html::has_script(html.text()) {
            self.cite(CitationKind::Url, "<script>".to_owned(), whole, None);
        }
    }

    fn read_styles(&mut self, text: &str, whole: &Range<usize>, known: &mut HashSet<String>) {
        for address in css::addresses(text) {
            if known.insert(address.to_owned()) {
                self.cite_link(CitationKind::Url, address, whole.clone());
            }
        }
    }

    fn cite_address(&mut self, address: &html::Address, place: Range<usize>) {
        if address.is_whole() {
            self.cite_link(CitationKind::Url, &address.text, place);
        } else {
            self.cite(CitationKind::Url, address.text.clone(), place, None);
        }
    }

    fn source_of_url(&self, link: &str) -> Option<usize> {
        if urls::is_host(link) {
            self.links.source_of(&format!("http://{link}"))
        } else {
            self.links.source_of(link)
        }
    }

    fn cite_urls(&mut self, passage: &Passage<'_>, urls: impl IntoIterator<Item = Range<usize>>) {
        for url in urls {
            let link = passage.text().get(url.clone()).unwrap_or_default();
            let source = self.source_of_url(link);
            self.cite(CitationKind::Url, link.to_owned(), passage.place(url), source);
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
        let footnotes = footnotes.resolve(sources, &links);
        let footnote = |citation: &&mut Citation| citation.kind == CitationKind::Footnote;
        for citation in citations.iter_mut().filter(footnote) {
            citation.source = footnotes.source_of(&citation.target);
        }
        citations.sort_by_key(|citation| citation.range.start);
        citations
    }
}

/// Whether what is at `start` of the answer stands in its line as the text of a footnote does.
fn is_indented(answer: &str, start: usize) -> bool {
    let (before, at) = answer.split_at_checked(start).unwrap_or_default();
    let is_blank = |one: char| matches!(one, ' ' | '\t');
    let blank = before.len() - before.trim_end_matches(is_blank).len();
    blank > 0 || at.starts_with(is_blank)
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
