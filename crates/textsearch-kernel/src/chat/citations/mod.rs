//! Whether what an answer cites is among what was found.

mod html;
mod link;
mod number;

use std::{collections::HashMap, ops::Range};

use linkify::{LinkFinder, LinkKind};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use self::{link::KnownLinks, number::numbers};
use super::Sources;

/// Something that an answer refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Citation {
    /// How it is written.
    pub kind: CitationKind,
    /// What it refers to: a link, a number or the label of a footnote, as it is written.
    pub target: String,
    /// Where it is in the answer, in bytes.
    pub range: Range<usize>,
    /// The number of the source that it refers to; `None` where that is not among what was found.
    pub source: Option<usize>,
}

/// How a citation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CitationKind {
    /// `[text](link)`, or `[text][label]` with the link elsewhere.
    Link,
    /// `![text](link)`: whoever shows the answer also asks the host of the link for the image.
    Image,
    /// A link in the text itself, with or without angle brackets, also one that begins with `www.`; or in HTML.
    Url,
    /// `[^label]`.
    Footnote,
    /// `[1]`, and each number of `[1, 2]` and `[1-3]`.
    Number,
}

impl Citation {
    /// Whether it refers to something that was found.
    ///
    /// That the source also says what the answer does is another question.
    pub fn is_supported(&self) -> bool {
        self.source.is_some()
    }
}

/// Every citation in `answer`, which is Markdown, in its order, each with the source that it refers to, if it does.
///
/// # Behavior
///
/// - Links are compared without regard to the case of scheme and host, to `http` or `https`, to a slash at the end and
///   to the fragment (`#…`); the path, the query and all else count. What is no such URL, as the path of a file, is
///   compared as it is, but for a leading `./`, a slash at the end and the fragment.
/// - A link that is empty, or whose scheme is `javascript`, `vbscript` or `data`, is never one that was found.
/// - Of HTML count the addresses in attributes such as `href` and `src`, and what stands between the tags.
/// - A footnote refers to what its definition cites first, if all that it cites was found; one whose definition cites
///   nothing, or that has none, to the source of its number.
/// - A number refers to the source of this number; of a range each number counts, and its end where it is too large;
///   one of more than 100 numbers counts as one that was not found.
/// - What is in code does not count; nor do addresses of mail, and links within the answer (`#…`).
///
/// ```
/// use textsearch_kernel::{Sources, check_citations, textsearch_core::TextSearchResult};
///
/// let found = [TextSearchResult::new("…").with_link("https://example.com/kernel")];
/// let sources: Sources = found.iter().collect();
/// let answer = "It is an SDK [1], as [the guide](https://Example.com/kernel/#start) says. See https://evil.example.";
/// let citations = check_citations(answer, &sources);
/// let supported: Vec<_> = citations.iter().map(|one| (one.target.as_str(), one.source)).collect();
/// assert_eq!(supported, [
///     ("1", Some(1)),
///     ("https://Example.com/kernel/#start", Some(1)),
///     ("https://evil.example", None),
/// ]);
/// ```
pub fn check_citations(answer: &str, sources: &Sources) -> Vec<Citation> {
    let mut checker = Checker {
        answer,
        sources: sources.len(),
        links: KnownLinks::new(sources),
        citations: Vec::new(),
        definition: None,
        definitions: HashMap::new(),
        depth_in_links: 0,
        is_code: false,
        html: String::new(),
    };
    let parser = Parser::new_ext(answer, Options::ENABLE_FOOTNOTES | Options::ENABLE_TABLES);
    for (event, range) in TextMergeWithOffset::new(parser.into_offset_iter()) {
        checker.read(event, range);
    }
    checker.finish()
}

struct Checker<'a> {
    answer: &'a str,
    sources: usize,
    links: KnownLinks,
    citations: Vec<Citation>,
    /// The label of the footnote that is being defined.
    definition: Option<String>,
    /// What the definition of each footnote cites, and where.
    definitions: HashMap<String, Vec<(usize, Option<usize>)>>,
    depth_in_links: usize,
    is_code: bool,
    /// The lines of a block of HTML, in which a tag may be on several.
    html: String,
}

impl Checker<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(TagEnd::Link | TagEnd::Image) => self.depth_in_links -= 1,
            Event::End(TagEnd::CodeBlock) => self.is_code = false,
            Event::End(TagEnd::FootnoteDefinition) => self.definition = None,
            Event::FootnoteReference(label) => {
                self.cite(CitationKind::Footnote, label.into_string(), range, None);
            }
            Event::Text(text) if !self.is_code && self.depth_in_links == 0 => {
                self.read_urls(&text, &range, |_| true);
                let place = self.place(&text, &range);
                self.read_numbers(&text, 0, &place);
            }
            Event::Html(line) => self.html.push_str(&line),
            Event::End(TagEnd::HtmlBlock) => {
                let html = std::mem::take(&mut self.html);
                self.read_html(&html, &range);
                let place = self.place(&html, &range);
                html::texts(&html).for_each(|(start, text)| self.read_numbers(text, start, &place));
            }
            Event::InlineHtml(tag) => self.read_html(&tag, &range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::FootnoteDefinition(label) => {
                self.definitions.entry(label.to_string()).or_default();
                self.definition = Some(label.into_string());
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

    fn read_html(&mut self, html: &str, range: &Range<usize>) {
        let place = self.place(html, range);
        let addresses = html::addresses(html);
        for (address, part) in &addresses {
            self.cite_link(CitationKind::Url, address, place.of(part.clone()));
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
        let place = self.place(text, range);
        let mut finder = LinkFinder::new();
        // Whoever shows an answer makes a link of what begins with `www.`, too.
        finder.kinds(&[LinkKind::Url]).url_must_have_scheme(false);
        for found in finder.links(text) {
            let (link, part) = (found.as_str(), found.start()..found.end());
            let is_host = link.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
            if !counts(&part) {
                continue;
            }
            if is_host {
                let source = self.links.source_of(&format!("http://{link}"));
                self.cite(CitationKind::Url, link.to_owned(), place.of(part), source);
            } else if link.contains("://") {
                self.cite_link(CitationKind::Url, link, place.of(part));
            }
        }
    }

    fn read_numbers(&mut self, text: &str, start: usize, place: &Place) {
        for found in numbers(text, self.sources) {
            let part = start + found.range.start..start + found.range.end;
            let kind =
                if found.is_footnote { CitationKind::Footnote } else { CitationKind::Number };
            self.cite(kind, found.target, place.of(part), found.source);
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
        if let Some(label) = &self.definition {
            self.definitions.entry(label.clone()).or_default().push((range.start, source));
        }
        self.citations.push(Citation { kind, target, range, source });
    }

    fn place(&self, text: &str, range: &Range<usize>) -> Place {
        let is_verbatim = self.answer.get(range.clone()) == Some(text);
        Place { range: range.clone(), is_verbatim }
    }

    fn finish(self) -> Vec<Citation> {
        let Self { mut citations, definitions, sources, .. } = self;
        let footnotes =
            citations.iter_mut().filter(|citation| citation.kind == CitationKind::Footnote);
        for footnote in footnotes {
            let cited = definitions.get(&footnote.target).map(Vec::as_slice).unwrap_or_default();
            // What was found must not vouch for what stands beside it.
            let all_found = cited.iter().all(|(_, source)| source.is_some());
            let first = cited.iter().min_by_key(|(start, _)| start).filter(|_| all_found);
            footnote.source = if cited.is_empty() {
                number::source_of(&footnote.target, sources)
            } else {
                first.and_then(|(_, source)| *source)
            };
        }
        citations.sort_by_key(|citation| citation.range.start);
        citations
    }
}

/// Where a text is in the answer.
struct Place {
    range: Range<usize>,
    /// Whether it is written as it reads.
    is_verbatim: bool,
}

impl Place {
    /// Where `part` of the text is in the answer; the whole text where it is not written as it reads.
    fn of(&self, part: Range<usize>) -> Range<usize> {
        if self.is_verbatim {
            self.range.start + part.start..self.range.start + part.end
        } else {
            self.range.clone()
        }
    }
}
