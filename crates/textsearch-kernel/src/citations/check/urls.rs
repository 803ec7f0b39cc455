//! Finds bare links in text.

use std::ops::Range;

const STARTS: [&str; 3] = ["http://", "https://", "www."];

/// May end a sentence after a link.
const CLOSING: &str = ".,;:!?\"'*_~`”’»›…–—。，、；：！？）】》」』";

/// Returns the links in `text`: from a scheme or `www.` to white space or `<`, without the
/// punctuation and the source numbers that end a sentence.
pub(super) fn in_text(text: &str) -> Vec<Range<usize>> {
    let lower_case = text.to_ascii_lowercase();
    let matches = STARTS.iter().flat_map(|start| lower_case.match_indices(start));
    let mut starts: Vec<_> = matches.filter(|(start, _)| begins_word(text, *start)).collect();
    starts.sort_unstable();
    let mut ranges = Vec::new();
    let mut position = 0;
    for (start, prefix) in starts {
        if start < position {
            continue;
        }
        let (_, rest) = text.split_at(start);
        let whole = rest
            .split(|character: char| character.is_ascii_whitespace() || character == '<')
            .next();
        let link = without_closing(whole.unwrap_or_default());
        let after = link.get(prefix.len()..).unwrap_or_default();
        if after.contains(char::is_alphanumeric) {
            position = start + link.len();
            ranges.push(start..position);
        }
    }
    ranges
}

/// Whether a link without a scheme needs one to be a URL.
pub(super) fn is_host(link: &str) -> bool {
    link.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
}

/// A scheme begins a link anywhere, `www.` only at the start of a word.
fn begins_word(text: &str, start: usize) -> bool {
    let (before, after) = text.split_at(start);
    let is_inside =
        |character: char| character.is_alphanumeric() || matches!(character, '@' | '.' | '-' | '/');
    !is_host(after) || !before.ends_with(is_inside)
}

fn without_closing(link: &str) -> &str {
    let pairs = [('(', ')'), ('[', ']'), ('{', '}')];
    let unopened = pairs.map(|(open, close)| (!link.contains(open)).then_some(close));
    let is_closing =
        |character: char| CLOSING.contains(character) || unopened.contains(&Some(character));
    let mut link = link.trim_end_matches(is_closing);
    while let Some(shorter) = without_number(link) {
        link = shorter.trim_end_matches(is_closing);
    }
    link
}

/// Without a source number such as `[1]` or `[^1]`.
fn without_number(link: &str) -> Option<&str> {
    let (link, number) = link.strip_suffix(']')?.rsplit_once('[')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || b"^,-".contains(&byte));
    is_number.then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let ranges: Vec<_> = in_text(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(ranges, expected, "{text}");
    }

    #[test]
    fn a_link_ends_before_closing_punctuation_and_numbers() {
        for text in [
            "See https://a.example/b.",
            "(see https://a.example/b), so",
            "\"https://a.example/b\".",
            "https://a.example/b[1][2].",
            "https://a.example/b[^2]",
            "[https://a.example/b]",
            "“https://a.example/b”。",
            "https://a.example/b<br>",
        ] {
            check(text, &["https://a.example/b"]);
        }
        check("https://a.example/b_(c).", &["https://a.example/b_(c)"]);
        check("www.a.example and WWW.b.example", &["www.a.example", "WWW.b.example"]);
    }

    #[test]
    fn a_link_that_goes_on_after_punctuation_is_read_to_its_end() {
        for link in [
            "https://a.example\"@evil.example/x",
            "https://a.example[@evil.example",
            "https://a.example/1)?q=SECRET",
            "https://a.example\u{a0}@evil.example/x",
            "http://2130706433/x",
            "http://[::1]/x",
        ] {
            check(&format!("See {link}."), &[link]);
        }
    }

    #[test]
    fn a_prefix_alone_is_no_link() {
        for text in ["http://", "It begins with https:// or www.", "www...", "a@www.b"] {
            check(text, &[]);
        }
    }

    #[test]
    fn links_are_found_in_linear_time() {
        for piece in ["http://", "www.a[", "https://a\"", "https://a.example ", "www.a)", "[1]"] {
            textsearch_conformance::assert_linear(6_000, |size| {
                drop(in_text(&format!("https://{}", piece.repeat(size))));
            });
        }
    }
}
