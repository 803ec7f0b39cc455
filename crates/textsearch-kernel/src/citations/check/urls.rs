//! Finds bare links in text: too many rather than too few, since renderers disagree.

use std::{collections::BTreeMap, ops::Range};

use linkify::{LinkFinder, LinkKind};

const SCHEMES: [&str; 2] = ["http://", "https://"];
const HOST: &str = "www.";

const HOST_ENDS: [char; 4] = ['/', '?', '#', '\\'];

/// May end a sentence after a link, besides ASCII punctuation.
const CLOSING: &str = "”’»›…–—。，、；：！？）】》」』";

/// Characters after a link that count as the end of a sentence and source numbers. More could carry
/// data.
const LONGEST_CLOSING: usize = 16;

pub(super) fn in_text(text: &str) -> Vec<Range<usize>> {
    find(text, starts(text))
}

pub(super) fn is_host(link: &str) -> bool {
    link.get(..HOST.len()).is_some_and(|start| start.eq_ignore_ascii_case(HOST))
}

pub(super) fn ends_host(link: &str) -> bool {
    host(link).len() < after_scheme(link).len()
}

fn starts(text: &str) -> Vec<usize> {
    let text = text.to_ascii_lowercase();
    let is_apart = |start: &usize| {
        let before = text.get(..*start).and_then(|before| before.chars().next_back());
        let after = text.get(start + HOST.len()..).and_then(|after| after.chars().next());
        after.is_some_and(|one| one.is_alphanumeric() || one == '@')
            && !before
                .is_some_and(|one| one.is_alphanumeric() || matches!(one, '@' | '.' | '-' | '/'))
    };
    let hosts = text.match_indices(HOST).map(|(start, _)| start).filter(is_apart);
    let urls = SCHEMES.iter().flat_map(|scheme| text.match_indices(scheme)).map(|(start, _)| start);
    urls.chain(hosts).collect()
}

/// Returns the links that begin at `starts`, and all links by the rules of linkify, none within
/// another.
fn find(text: &str, starts: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut links: BTreeMap<usize, Option<usize>> =
        starts.into_iter().map(|start| (start, None)).collect();
    links.extend(linkified(text).map(|range| (range.start, Some(range.end))));
    let mut found = Vec::new();
    let mut position = 0;
    for (start, end) in links {
        if start < position {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let rest = after_scheme(rest).chars();
        let mut host_name = rest.take_while(|one| !is_end(*one) && !HOST_ENDS.contains(one));
        if host_name.any(char::is_alphanumeric) {
            let range = start..end_of(text, start, end);
            position = range.end;
            found.push(range);
        }
    }
    found
}

/// GitHub's Markdown includes other white space, such as a no-break space, in the link.
fn is_end(one: char) -> bool {
    one.is_ascii_whitespace() || one == '<'
}

fn linkified(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut finder = LinkFinder::new();
    // Renderers also turn text that begins with `www.` into a link.
    finder.kinds(&[LinkKind::Url]).url_must_have_scheme(false);
    let found: Vec<_> = finder
        .links(text)
        .filter(|found| is_host(found.as_str()) || found.as_str().contains("://"))
        .map(|found| found.start()..found.end())
        .collect();
    found.into_iter()
}

/// The end that linkify finds, unless the link continues after it, as in
/// `https://example.com"@evil.example`, or non-ASCII white space follows.
fn end_of(text: &str, start: usize, linkified: Option<usize>) -> usize {
    if let Some(end) = linkified {
        let link = text.get(start..end).unwrap_or_default();
        let link = link.split(is_end).next().unwrap_or_default();
        let rest = text.get(start + link.len()..).unwrap_or_default();
        let is_open = rest.starts_with(|one: char| one.is_whitespace() && !is_end(one));
        if is_over(rest) && !is_open {
            return start + link.trim_end().len();
        }
    }
    start + without_punctuation(to_end(text.get(start..).unwrap_or_default())).len()
}

/// Returns the rest of a link that continues through `tail`, the rest of its text, into `after`,
/// the answer after that text. `None` if the link ends before `after`.
pub(super) fn rest_behind<'a>(tail: &str, after: &'a str) -> Option<&'a str> {
    let is_over = tail.contains(is_end) || is_over(&format!("{tail}{}", start_of(after)));
    let rest = if is_over { "" } else { to_end(after) };
    (!rest.is_empty()).then_some(rest)
}

fn start_of(text: &str) -> &str {
    text.char_indices()
        .nth(LONGEST_CLOSING + 1)
        .map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

/// Up to white space, `rest` holds only closing punctuation and source numbers.
fn is_over(rest: &str) -> bool {
    let is_plain = |text: &str| {
        text.chars().all(|one| {
            one.is_whitespace()
                || CLOSING.contains(one)
                || (one.is_ascii_punctuation() && one != '@')
        })
    };
    let is_number = |text: &str| {
        let digits = text.strip_prefix('^').unwrap_or(text);
        (1..=3).contains(&digits.len()) && digits.bytes().all(|one| one.is_ascii_digit())
    };
    let length = rest.chars().take_while(|one| !is_end(*one)).take(LONGEST_CLOSING + 1);
    let (count, length) =
        length.fold((0, 0), |(count, length), one| (count + 1, length + one.len_utf8()));
    let mut pieces = rest.get(..length).unwrap_or_default().split('[');
    count <= LONGEST_CLOSING
        && pieces.next().is_none_or(is_plain)
        && pieces.all(|piece| match piece.split_once(']') {
            Some((number, after)) => is_number(number) && is_plain(after),
            None => is_plain(piece),
        })
}

fn to_end(text: &str) -> &str {
    text.split(is_end).next().unwrap_or_default()
}

/// Keeps a slash.
pub(super) fn without_punctuation(link: &str) -> &str {
    link.trim_end_matches(|one: char| {
        one.is_whitespace() || (one.is_ascii_punctuation() && one != '/')
    })
}

/// Includes any text between the scheme and the host.
fn host(link: &str) -> &str {
    after_scheme(link).split(HOST_ENDS).next().unwrap_or_default()
}

fn after_scheme(link: &str) -> &str {
    if is_host(link) {
        return link;
    }
    let slash = link.find(HOST_ENDS).unwrap_or_default();
    link.get(slash..).unwrap_or_default().trim_start_matches('/')
}
