//! Numbers in brackets: `[1]`, `[1, 2]`, `[1-3]`, `【1】`, `【1†source】`.

use std::ops::Range;

/// In bytes: longer than any useful list of numbers.
const LONGEST: usize = 200;

const OPENING: [char; 2] = ['[', '【'];

/// A wider range is unsupported as a whole: it bounds the citations that a short answer can produce.
const WIDEST: usize = 20;

pub(super) struct NumberMark {
    pub(super) target: String,
    pub(super) range: Range<usize>,
    pub(super) source: Option<usize>,
    /// Written as `[^1]`.
    pub(super) is_footnote: bool,
}

pub(super) fn numbers(text: &str, sources: usize) -> Vec<NumberMark> {
    let mut marks = Vec::new();
    let mut position = 0;
    while let Some(brackets) = next_brackets(text, position) {
        position = brackets.inside.start;
        let inner = text.get(brackets.inside.clone()).unwrap_or_default();
        let (is_footnote, list) = match inner.strip_prefix('^') {
            Some(list) => (true, list),
            None => (false, inner),
        };
        marks.extend(read_list(list, sources, brackets.open).into_iter().map(
            |(target, source)| NumberMark {
                target,
                range: brackets.range.clone(),
                source,
                is_footnote,
            },
        ));
    }
    marks
}

struct Brackets {
    open: char,
    inside: Range<usize>,
    range: Range<usize>,
}

fn next_brackets(text: &str, from: usize) -> Option<Brackets> {
    let mut position = from;
    loop {
        let start = position + text.get(position..)?.find(OPENING)?;
        let open = text.get(start..)?.chars().next()?;
        let close = if open == '[' { ']' } else { '】' };
        let begin = start + open.len_utf8();
        let length = text
            .get(begin..)?
            .find(|character| OPENING.contains(&character) || character == close)?;
        let end = begin + length;
        if length <= LONGEST && text.get(end..)?.starts_with(close) {
            return Some(Brackets {
                open,
                inside: begin..end,
                range: start..end + close.len_utf8(),
            });
        }
        position = begin;
    }
}

fn read_list(list: &str, sources: usize, open: char) -> Vec<(String, Option<usize>)> {
    // The rest gives the kind of source, or a position in it.
    let (numbers, is_marked) = match list.split_once('†') {
        Some((numbers, _)) => (numbers, true),
        None => (list, false),
    };
    let items: Option<Vec<_>> =
        numbers.split([',', ';']).map(|item| read_item(item, sources)).collect();
    match items {
        Some(items) => items.into_iter().flatten().collect(),
        // Still a citation, by another kind of number, such as `4:0`.
        None if is_marked && open == '【' => vec![(numbers.trim().to_owned(), None)],
        None => Vec::new(),
    }
}

fn read_item(item: &str, sources: usize) -> Option<Vec<(String, Option<usize>)>> {
    let item = item.trim().trim_start_matches('^');
    let Some((first, last)) = item.split_once(['-', '–', '—']) else {
        let number = read_number(item)?;
        return Some(vec![(item.to_owned(), known(number, sources))]);
    };
    let first = read_number(first)?;
    let last = read_number(last)?;
    let end = last.min(sources);
    let count = (end + 1).saturating_sub(first);
    let is_countable = first > 0 && first <= last && count <= WIDEST;
    let mut numbers: Vec<_> = if is_countable {
        (first..=end).map(|number| (number.to_string(), Some(number))).collect()
    } else {
        Vec::new()
    };
    if last > sources || !is_countable {
        numbers.push((item.to_owned(), None));
    }
    Some(numbers)
}

pub(super) fn read_number(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that overflows is larger than any source's.
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}

pub(super) fn known(number: usize, sources: usize) -> Option<usize> {
    (1..=sources).contains(&number).then_some(number)
}
