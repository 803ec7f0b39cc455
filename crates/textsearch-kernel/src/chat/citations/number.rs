//! Numbers in brackets: `[1]`, `[1, 2]`, `[1-3]`.

use std::ops::Range;

/// The longest text between brackets that is looked at: more than any list of numbers of use.
const LONGEST: usize = 200;

/// The most numbers of a range that are counted one by one, so that a short answer cannot cite without end.
const WIDEST: usize = 100;

/// One number in brackets.
pub(super) struct FoundNumber {
    pub(super) target: String,
    pub(super) range: Range<usize>,
    pub(super) source: Option<usize>,
    /// Whether it is written as the mark of a footnote, such as `[^1]`.
    pub(super) is_footnote: bool,
}

/// The numbers in brackets in `text`, where there are `sources` sources.
pub(super) fn numbers(text: &str, sources: usize) -> Vec<FoundNumber> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some((start, inner)) = next_brackets(text, position) {
        let end = start + inner.len() + 2;
        position = start + 1;
        let (is_footnote, list) = match inner.strip_prefix('^') {
            Some(list) => (true, list),
            None => (false, inner),
        };
        let items: Option<Vec<_>> =
            list.split([',', ';']).map(|item| read_item(item, sources)).collect();
        let items = items.into_iter().flatten().flatten();
        found.extend(items.map(|(target, source)| FoundNumber {
            target,
            range: start..end,
            source,
            is_footnote,
        }));
    }
    found
}

/// The next text between brackets that holds no brackets itself, and where its bracket is.
fn next_brackets(text: &str, from: usize) -> Option<(usize, &str)> {
    let mut rest = from;
    loop {
        let start = rest + text.get(rest..)?.find('[')?;
        let inner = text.get(start + 1..)?;
        let end = inner.find(['[', ']'])?;
        let inner = inner.get(..end)?;
        let closes = text.get(start + 1 + end..)?.starts_with(']');
        if closes && inner.len() <= LONGEST {
            return Some((start, inner));
        }
        rest = start + 1;
    }
}

/// The numbers of one item of a list; `None` where it is neither a number nor a range.
fn read_item(item: &str, sources: usize) -> Option<Vec<(String, Option<usize>)>> {
    let item = item.trim().trim_start_matches('^');
    let Some((first, last)) = item.split_once(['-', '–', '—']) else {
        let number = read_number(item)?;
        return Some(vec![(item.to_owned(), known(number, sources))]);
    };
    let (first, last) = (read_number(first)?, read_number(last)?);
    let end = last.min(sources);
    let is_countable = first > 0 && first <= last && end.saturating_sub(first) < WIDEST;
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

fn read_number(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // One that is too large to be read is too large to be a source.
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}

/// The source of the number that `text` spells.
pub(super) fn source_of(text: &str, sources: usize) -> Option<usize> {
    known(read_number(text)?, sources)
}

fn known(number: usize, sources: usize) -> Option<usize> {
    (1..=sources).contains(&number).then_some(number)
}
