//! The Markdown dialects of an answer.

use std::collections::HashSet;

use pulldown_cmark::Options;
use url::Url;

use super::{Citation, CitationKind, urls};

/// The dialect that most chat interfaces render.
pub(super) const MAIN: Options = Options::ENABLE_FOOTNOTES.union(Options::ENABLE_TABLES);

/// Dialects that see other blocks and code in `answer`, and may find a link or an image that
/// [`MAIN`] misses.
pub(super) fn others(answer: &str) -> impl Iterator<Item = Options> {
    let more = MAIN
        | Options::ENABLE_MATH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_DEFINITION_LIST;
    let has_one = |marks: &[&str]| marks.iter().any(|mark| answer.contains(mark));
    let dialects = [
        has_one(&["[^", "|"]).then_some(Options::empty()),
        has_one(&["[^"]).then_some(Options::ENABLE_TABLES),
        has_one(&["$", "---", "+++", "\n:", " :", ">:"]).then_some(more),
    ];
    dialects.into_iter().flatten()
}

/// Returns `answer` as renderers read it that show HTML as text: they render the Markdown inside
/// tags, attributes and comments. Positions stay the same. `None` if that changes nothing.
pub(super) fn with_html_as_text(answer: &str) -> Option<String> {
    let mut pieces = answer.split('<');
    let mut read = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_kept = is_autolink(piece) || (read.ends_with('(') && is_destination(piece));
        read.push(if is_kept { '<' } else { '{' });
        read.push_str(piece);
    }
    (read != answer).then_some(read)
}

fn is_autolink(text: &str) -> bool {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.is_some_and(|scheme| scheme.len() > 1 && scheme.bytes().all(is_inside))
}

/// Returns whether `text` may be the target in `[text](<target>)`. Without spaces and brackets it
/// holds no Markdown of its own.
fn is_destination(text: &str) -> bool {
    let end = text.find([' ', '\t', '\r', '\n', '[', ']', '>']);
    end.is_some_and(|end| text.as_bytes().get(end) == Some(&b'>'))
}

pub(super) fn unseen(seen: &[Citation], others: Vec<Citation>) -> Vec<Citation> {
    let targets: HashSet<_> = seen.iter().map(|one| one.target.as_str()).collect();
    let in_text = seen.iter().filter(|one| one.kind == CitationKind::Url);
    let in_text: HashSet<_> = in_text.map(|one| (one.range.start, one.target.as_str())).collect();
    let in_cell = |one: &Citation| {
        let (cell, _) = one.target.split_once('|').unwrap_or_default();
        in_text.contains(&(one.range.start, urls::without_punctuation(cell)))
    };
    let is_unseen = |one: &Citation| {
        !one.is_supported()
            && !targets.contains(one.target.as_str())
            && match one.kind {
                CitationKind::Link | CitationKind::Image => leaves(&one.target),
                // Without tables, a URL in a cell seems to continue into the next cell.
                CitationKind::Url => leaves(&one.target) && !in_cell(one),
                CitationKind::Html => true,
                CitationKind::Footnote | CitationKind::Number => false,
            }
    };
    others.into_iter().filter(is_unseen).collect()
}

/// Leaves the page that shows the answer: `https:a.example` does so only from an `http` page.
fn leaves(target: &str) -> bool {
    ["http://answer.invalid/", "https://answer.invalid/"].iter().any(|page| {
        let host = Url::parse(page).and_then(|page| page.join(target));
        host.map_or(true, |url| url.host_str() != Some("answer.invalid"))
    })
}
