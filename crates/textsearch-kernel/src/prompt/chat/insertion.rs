//! Inserts values into a chat prompt, and keeps them from forming tags with the text around them.

use std::ops::Range;

use super::{
    encode::{encode_for_chat, push_encoded},
    tag::tag_at,
};

/// The characters around an insertion while a template is rendered. Both are noncharacters, and encoded in any text.
const START: char = '\u{FDD0}';
const END: char = '\u{FDD1}';

const CDATA_START: &str = "<![CDATA[";
const CDATA_END: &str = "]]>";

/// Encodes `text` for a chat prompt, and marks where it stands for [`finish_chat`].
///
/// Template engines insert every value that is not trusted by this function.
pub fn insert_into_chat(text: &str) -> String {
    let encoded = encode_for_chat(text);
    if encoded.is_empty() {
        return String::new();
    }
    let mut marked = String::with_capacity(encoded.len() + 2 * START.len_utf8());
    marked.push(START);
    marked.push_str(&encoded);
    marked.push(END);
    marked
}

/// Finishes a rendered chat prompt: removes the marks of [`insert_into_chat`], and turns tags into text that insertions
/// are a part of.
///
/// Each insertion is encoded, but two that touch, or one that touches the template's own `<`, could form a tag together,
/// as in `<{{a}}{{b}}>`. An insertion inside of a quoted attribute is part of no tag. CDATA sections of the template
/// become encoded text.
///
/// ```
/// use textsearch_kernel::prompt::{finish_chat, insert_into_chat};
///
/// let rendered = format!("Is <{}{}> a tag?", insert_into_chat("/mess"), insert_into_chat("age"));
/// assert_eq!(finish_chat(rendered), "Is &lt;/message> a tag?");
/// ```
pub fn finish_chat(rendered: String) -> String {
    if !rendered.contains(START) && !rendered.contains(CDATA_START) {
        return rendered;
    }
    let (text, insertions) = without_marks(&rendered);
    Finisher { text: &text, insertions: &insertions }.finish()
}

/// The text without its marks, and where the insertions are in it, in ascending order.
fn without_marks(rendered: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(rendered.len());
    let mut insertions = Vec::new();
    let mut rest = rendered;
    while let Some((before, after)) = rest.split_once(START) {
        text.push_str(before);
        let (inserted, after) = after.split_once(END).unwrap_or((after, ""));
        insertions.push(text.len()..text.len() + inserted.len());
        text.push_str(inserted);
        rest = after;
    }
    text.push_str(rest);
    (text, insertions)
}

struct Finisher<'a> {
    text: &'a str,
    insertions: &'a [Range<usize>],
}

impl Finisher<'_> {
    fn finish(&self) -> String {
        let mut finished = String::with_capacity(self.text.len() + 64);
        let mut position = 0;
        while let Some(length) = self.slice(position..self.text.len()).find('<') {
            let start = position + length;
            finished.push_str(self.slice(position..start));
            position = self.push_markup(&mut finished, start);
        }
        finished.push_str(self.slice(position..self.text.len()));
        finished
    }

    /// Adds what begins with the `<` at `start`; returns where it ends.
    fn push_markup(&self, finished: &mut String, start: usize) -> usize {
        if self.slice(start..self.text.len()).starts_with(CDATA_START) {
            let inside = start + CDATA_START.len();
            if let Some(end) = self.end_of_cdata(start..inside) {
                self.push_text(finished, inside..end);
                return end + CDATA_END.len();
            }
        } else if let Some(tag) = tag_at(self.text, start) {
            if self.is_of_template(tag.start..tag.end) {
                finished.push_str(self.slice(tag.start..tag.end));
                return tag.end;
            }
        } else {
            finished.push('<');
            return start + 1;
        }
        finished.push_str("&lt;");
        start + 1
    }

    /// Where the section ends whose beginning is `opening`; `None` if it does not end, or if the template did not begin it.
    fn end_of_cdata(&self, opening: Range<usize>) -> Option<usize> {
        let inside = opening.end;
        if self.overlapping(opening).next().is_some() {
            return None;
        }
        let ends = self.slice(inside..self.text.len()).match_indices(CDATA_END);
        let ends = ends.map(|(offset, _)| inside + offset);
        ends.into_iter().find(|&end| self.overlapping(end..end + CDATA_END.len()).next().is_none())
    }

    /// Adds text of the template encoded, and insertions, which are encoded already, as they are.
    fn push_text(&self, finished: &mut String, range: Range<usize>) {
        let mut position = range.start;
        for insertion in self.overlapping(range.clone()) {
            push_encoded(finished, self.slice(position..insertion.start));
            finished.push_str(self.slice(insertion.clone()));
            position = insertion.end;
        }
        push_encoded(finished, self.slice(position..range.end));
    }

    /// Whether all insertions in the tag are inside of its quotes.
    fn is_of_template(&self, tag: Range<usize>) -> bool {
        let mut insertions = self.overlapping(tag.clone()).peekable();
        if insertions.peek().is_none() {
            return true;
        }
        let mut quote = None;
        let mut bytes = tag.clone().zip(self.slice(tag).bytes());
        insertions.all(|insertion| {
            for (position, byte) in &mut bytes {
                match quote {
                    Some(open) if open == byte => quote = None,
                    None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
                    _ => {}
                }
                if position + 1 >= insertion.start {
                    break;
                }
            }
            // What is inserted holds no quotes.
            quote.is_some()
        })
    }

    fn overlapping(&self, range: Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let first = self.insertions.partition_point(|insertion| insertion.end <= range.start);
        let rest = self.insertions.get(first..).unwrap_or_default();
        rest.iter().take_while(move |insertion| insertion.start < range.end)
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}
