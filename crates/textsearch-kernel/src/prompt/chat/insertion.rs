//! Keeps values inserted into a chat prompt from forming tags.

use std::ops::Range;

use super::{
    encode::{encode_for_chat, push_encoded},
    tag::tag_at,
};

/// Marks around an insertion during rendering: noncharacters, which no insertion contains.
const START: char = '\u{FDD0}';
const END: char = '\u{FDD1}';
const TRUSTED_START: char = '\u{FDD2}';
const TRUSTED_END: char = '\u{FDD3}';
const MARKS: [char; 4] = [START, END, TRUSTED_START, TRUSTED_END];

const CDATA_START: &str = "<![CDATA[";
const CDATA_END: &str = "]]>";

/// Encodes `text` for a chat prompt and marks its position for [`finish_chat`].
///
/// Template engines insert every untrusted value with it.
pub fn insert_into_chat(text: &str) -> String {
    let encoded = encode_for_chat(text);
    if encoded.is_empty() {
        return String::new();
    }
    between(START, &encoded, END)
}

/// Marks the position of the trusted `text` for [`finish_chat`] and keeps its markup.
///
/// Template engines insert trusted values with it. The text may open messages, except inside a
/// CDATA section of the template, where it is plain text.
pub fn insert_trusted_into_chat(text: &str) -> String {
    between(TRUSTED_START, &text.replace(MARKS, ""), TRUSTED_END)
}

fn between(start: char, text: &str, end: char) -> String {
    let mut marked = String::with_capacity(text.len() + start.len_utf8() + end.len_utf8());
    marked.push(start);
    marked.push_str(text);
    marked.push(end);
    marked
}

/// Finishes a rendered chat prompt: removes the marks of [`insert_into_chat`] and
/// [`insert_trusted_into_chat`], and turns any tag that contains an untrusted insertion into text.
///
/// Two adjacent insertions, or one next to the template's own `<`, could otherwise form a tag, as
/// in `<{{a}}{{b}}>`. An insertion inside a quoted attribute never counts as part of a tag. CDATA
/// sections of the template become encoded text.
///
/// ```
/// use textsearch_kernel::prompt::{finish_chat, insert_into_chat};
///
/// let rendered = format!("Is <{}{}> a tag?", insert_into_chat("/mess"), insert_into_chat("age"));
/// assert_eq!(finish_chat(rendered), "Is &lt;/message> a tag?");
/// ```
pub fn finish_chat(rendered: String) -> String {
    if !rendered.contains([START, TRUSTED_START]) && !rendered.contains(CDATA_START) {
        return rendered;
    }
    Finisher::new(&rendered).finish()
}

struct Finisher {
    text: String,
    /// Untrusted, in ascending order.
    insertions: Vec<Range<usize>>,
    /// In ascending order.
    trusted: Vec<Range<usize>>,
    /// The starts of `]]>` outside untrusted insertions. Found once: a text full of unclosed
    /// sections would otherwise take quadratic time.
    cdata_ends: Vec<usize>,
    /// Those outside trusted insertions too.
    own_cdata_ends: Vec<usize>,
}

impl Finisher {
    fn new(rendered: &str) -> Self {
        let mut finisher = Self {
            text: String::with_capacity(rendered.len()),
            insertions: Vec::new(),
            trusted: Vec::new(),
            cdata_ends: Vec::new(),
            own_cdata_ends: Vec::new(),
        };
        let mut rest = rendered;
        while let Some((before, marked)) = rest.split_once([START, TRUSTED_START]) {
            finisher.text.push_str(before);
            let is_trusted = rest.split_at(before.len()).1.starts_with(TRUSTED_START);
            let end = if is_trusted { TRUSTED_END } else { END };
            let (inserted, after) = marked.split_once(end).unwrap_or((marked, ""));
            let start = finisher.text.len();
            finisher.text.push_str(inserted);
            let insertions =
                if is_trusted { &mut finisher.trusted } else { &mut finisher.insertions };
            insertions.push(start..start + inserted.len());
            rest = after;
        }
        finisher.text.push_str(rest);
        let ends = finisher.text.match_indices(CDATA_END).map(|(start, _)| start);
        let is_free = |insertions: &[Range<usize>], start: usize| {
            overlapping(insertions, &(start..start + CDATA_END.len())).next().is_none()
        };
        finisher.cdata_ends = ends.filter(|start| is_free(&finisher.insertions, *start)).collect();
        let ends = finisher.cdata_ends.iter().copied();
        finisher.own_cdata_ends = ends.filter(|start| is_free(&finisher.trusted, *start)).collect();
        finisher
    }

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

    fn push_markup(&self, finished: &mut String, start: usize) -> usize {
        if self.slice(start..self.text.len()).starts_with(CDATA_START) {
            let inside = start + CDATA_START.len();
            if let Some(end) = self.end_of_cdata(start..inside) {
                self.push_text(finished, inside..end);
                return end + CDATA_END.len();
            }
        } else if let Some(tag) = tag_at(&self.text, start) {
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

    /// `None` if the section is not closed, or if an untrusted insertion started it.
    ///
    /// An insertion cannot end a section of the template.
    fn end_of_cdata(&self, opening: Range<usize>) -> Option<usize> {
        if overlapping(&self.insertions, &opening).next().is_some() {
            return None;
        }
        let is_trusted = overlapping(&self.trusted, &opening).next().is_some();
        let ends = if is_trusted { &self.cdata_ends } else { &self.own_cdata_ends };
        ends.get(ends.partition_point(|start| *start < opening.end)).copied()
    }

    /// Insertions are encoded already.
    fn push_text(&self, finished: &mut String, range: Range<usize>) {
        let mut position = range.start;
        for insertion in overlapping(&self.insertions, &range) {
            push_encoded(finished, self.slice(position..insertion.start));
            finished.push_str(self.slice(insertion.clone()));
            position = insertion.end;
        }
        push_encoded(finished, self.slice(position..range.end));
    }

    fn is_of_template(&self, tag: Range<usize>) -> bool {
        let mut insertions = overlapping(&self.insertions, &tag).peekable();
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
            // Insertions contain no quotes.
            quote.is_some()
        })
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}

/// `insertions` must be in ascending order.
fn overlapping<'i>(
    insertions: &'i [Range<usize>],
    range: &Range<usize>,
) -> impl Iterator<Item = &'i Range<usize>> + use<'i> {
    let first = insertions.partition_point(|insertion| insertion.end <= range.start);
    let (_, rest) = insertions.split_at(first);
    let end = range.end;
    rest.iter().take_while(move |insertion| insertion.start < end)
}
