//! Finds the headings and blocks of Markdown.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{
    anchor::Anchors,
    blocks::{Block, Blocks, Frame},
    outline::Heading,
};

pub(super) fn read(text: &str, from: usize) -> (Vec<Heading>, Blocks) {
    let mut reader = Reader {
        text,
        from,
        line: from,
        searched: from,
        depth: 0,
        heading: None,
        headings: Vec::new(),
        blocks: Blocks::default(),
        anchors: Anchors::default(),
    };
    let body = text.get(from..).unwrap_or_default();
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        reader.take(event, range);
    }
    (reader.headings, reader.blocks)
}

struct Reader<'text> {
    text: &'text str,
    from: usize,
    /// Start of the line of the last block.
    line: usize,
    /// End of the text already searched for newlines.
    searched: usize,
    /// Number of open containers.
    depth: usize,
    heading: Option<Heading>,
    headings: Vec<Heading>,
    blocks: Blocks,
    anchors: Anchors,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::End(tag) if is_container(tag) => self.depth = self.depth.saturating_sub(1),
            Event::Text(text) | Event::Code(text) => self.add_to_heading(&text),
            Event::SoftBreak | Event::HardBreak => self.add_to_heading(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let start = self.line_start(range.start);
        let has_lines = match tag {
            Tag::Paragraph | Tag::Item | Tag::BlockQuote(_) | Tag::List(_) => false,
            Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock => true,
            Tag::Heading { level, .. } => {
                let range = start..self.from + range.end;
                let level = *level as usize;
                self.heading = Some(Heading { range, level, text: String::new(), anchor: None });
                false
            }
            _ => return,
        };
        self.blocks.push(Block { start, depth: self.depth, has_lines });
        let end = self.from + range.end;
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.add_frame(start..end, 1),
            Tag::Table(_) => self.add_frame(start..end, 2),
            _ => {}
        }
        if is_container(tag.to_end()) {
            self.depth += 1;
        }
    }

    /// The first lines are the opening fence, or a header with the line below it.
    fn add_frame(&mut self, range: Range<usize>, first_lines: usize) {
        let text = self.text.get(range.clone()).unwrap_or_default().trim_end();
        let end = range.start + text.len();
        let mut newlines = text.match_indices('\n').map(|(position, _)| range.start + position + 1);
        let Some(body_start) = newlines.nth(first_lines - 1) else { return };
        let last_line = text.rfind('\n').map_or(body_start, |newline| range.start + newline + 1);
        let is_closed = first_lines == 1 && self.text.get(last_line..end).is_some_and(is_fence);
        let body_end = if is_closed { last_line } else { end };
        self.blocks.push_frame(Frame { range: range.start..end, body: body_start..body_end });
    }

    /// Headings inside lists and quotations take up an anchor, but begin no section.
    fn end_heading(&mut self) {
        let Some(mut heading) = self.heading.take() else { return };
        heading.text = heading.text.split_whitespace().collect::<Vec<_>>().join(" ");
        heading.anchor = Some(self.anchors.next(&heading.text));
        if self.depth == 0 {
            self.headings.push(heading);
        }
    }

    fn add_to_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
    }

    /// `position` counts from `from` and never decreases.
    fn line_start(&mut self, position: usize) -> usize {
        let position = self.from + position;
        // Search only the new text: a thousand quotations may begin on one line.
        let new = self.text.get(self.searched..position).unwrap_or_default();
        if let Some(newline) = new.rfind('\n') {
            self.line = self.searched + newline + 1;
        }
        self.searched = self.searched.max(position);
        self.line
    }
}

/// Whether the last line of a fenced block closes it.
fn is_fence(line: &str) -> bool {
    let signs = line.trim_start_matches([' ', '\t', '>']).trim_end();
    signs.len() >= 3 && ['`', '~'].iter().any(|fence| signs.chars().all(|sign| sign == *fence))
}

fn is_container(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::List(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(text: &str) -> Vec<(usize, String)> {
        let (headings, _) = read(text, 0);
        headings.into_iter().map(|heading| (heading.level, heading.text)).collect()
    }

    #[test]
    fn headings_are_found_in_both_notations() {
        let text = "# One `two` *three*\n\nx\n\nFour\nfive\n===\n\nSix\n---\n\n####### no\n";
        let expected =
            [(1, "One two three".to_owned()), (1, "Four five".to_owned()), (2, "Six".to_owned())];
        assert_eq!(headings(text), expected);
    }

    #[test]
    fn code_contains_no_headings() {
        assert_eq!(
            headings("```sh\n# comment\n```\n\n    # indented\n\n~~~\n# open to the end\n"),
            []
        );
    }

    #[test]
    fn quoted_heading_uses_an_anchor_but_begins_no_section() {
        let (headings, _) = read("> # Notes\n\n- # Notes\n\n# Notes\n", 0);
        let anchors: Vec<_> = headings.iter().map(|heading| heading.anchor.as_deref()).collect();
        assert_eq!(anchors, [Some("notes-2")]);
    }

    #[test]
    fn positions_count_from_the_beginning_of_the_document() {
        let text = "skipped\n\n  ## A\nb\n";
        let (headings, _) = read(text, 9);
        assert_eq!(&text[headings[0].range.clone()], "  ## A\n");
    }
}
