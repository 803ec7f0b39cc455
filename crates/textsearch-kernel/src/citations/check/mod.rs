//! Whether what an answer cites is among what was found.

mod reader;

mod dialects;
mod footnote;
mod html;
mod link;
mod number;
mod reference;
mod rendered;
mod text;
mod urls;

use std::ops::Range;

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
    /// A link in the text itself, with or without angle brackets, also one that begins with `www.`; or the URL of a
    /// link or an image in HTML.
    Url,
    /// HTML other than formatting, links and images, such as a script, a style or a tag that isn't complete. It is never
    /// supported; the target is its first 100 characters.
    Html,
    /// `[^label]`.
    Footnote,
    /// `[1]`, and each number of `[1, 2]` and `[1-3]`; also as `【1】` and `【1†source】`, as some models write it.
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
/// - Links are compared without regard to the case of scheme and host, to `http` or `https` and to a slash at the end;
///   the path, the query and all else count. What is no such URL, as the path of a file, is compared as it is, but for a
///   leading `./` and a slash at the end.
/// - A link with a fragment (`#…`) refers to the source of this very part, else to the page without a fragment, else to
///   the first part of the page that was found; one without refers to the page, else to that first part.
/// - A link that is empty, or whose scheme is `javascript`, `vbscript` or `data`, is never one that was found.
/// - In HTML, `<a href>` and `<img src>` count as links. Character references are decoded. Tags for formatting don't count.
///   Any other element or attribute, a style, a comment with markup in it, and a tag that isn't complete are a citation of
///   the kind [`Html`](CitationKind::Html), which is never supported.
/// - A URL with white space that isn't ASCII, such as a no-break space, is never supported.
/// - A link whose host goes on in emphasis behind it (`https://a.example*.b.example*`) is read to the end of that host.
/// - A link that goes on without white space behind emphasis, code, quotes or brackets is read to
///   its end, as some renderers do.
/// - Renderers differ in what they know of Markdown. The answer is read as several of them do: with
///   and without footnotes, tables, formulas and metadata. A link, an image or HTML that only some
///   of them find is reported if it leads to a host that is none of a source's.
/// - A footnote refers to what its definition cites first, if all that it cites was found. A definition that cites
///   nothing refers to a source where it is nothing but the source's name or link, or one of its words is the source's link
///   and has a slash in it; of two definitions of a label the first counts. Any other, such as `[^1]: Smith 2019`, refers to nothing that was found. A footnote without a definition refers to the
///   source of its number.
/// - A number refers to the source of this number; of a range each number counts, and its end where it is too large;
///   one of more than 100 numbers, or after 10,000 numbers of ranges in an answer, counts as one that was not found. Emphasis within the brackets makes no difference
///   (`[**1**]`). In `【…】`, what follows on a `†` does not count; what stands before it and is no number was not found.
/// - What is in code does not count, except URLs in fenced code that many interfaces render, such
///   as `mermaid`, `svg` and `html`; nor do addresses of mail, and links within the answer (`#…`).
///
/// ```
/// use textsearch_kernel::{citations::{Sources, check_citations}, textsearch_core::TextSearchResult};
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
    reader::read(answer, sources)
}
