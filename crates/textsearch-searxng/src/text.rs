//! Titles and texts without the highlights and entities that some engines leave in them.

/// What engines mark the words of the query with. Other tags are left alone: they may be what a page about HTML says.
const TAGS: [&str; 5] = ["b", "strong", "em", "mark", "span"];

const ENTITIES: [(&str, char); 6] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", ' ')];

pub(crate) fn plain(text: &str) -> String {
    let text = without_highlights(text);
    without_entities(&text).trim().to_owned()
}

fn without_highlights(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        match after.split_once('>').filter(|(tag, _)| is_highlight(tag)) {
            Some((_, after_tag)) => rest = after_tag,
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    // Some providers mark with characters for private use instead.
    plain.retain(|letter| !('\u{e000}'..='\u{f8ff}').contains(&letter));
    plain
}

fn is_highlight(tag: &str) -> bool {
    let tag = tag.trim_start_matches('/');
    let name = tag.split(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
    TAGS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn without_entities(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        match after.split_once(';').and_then(|(name, after)| Some((entity(name)?, after))) {
            Some((letter, after_entity)) => {
                plain.push(letter);
                rest = after_entity;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|letter| !letter.is_control());
    }
    let found = ENTITIES.iter().find(|(known, _)| *known == name);
    found.map(|(_, letter)| *letter)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn highlights_and_entities_go() {
        let marked =
            " <b>Rust</b> &amp; <span class=\"highlight\">C&#43;&#x2b;</span> \u{e000}fast\u{e001}";
        assert_eq!(plain(marked), "Rust & C++ fast");
    }

    #[test]
    fn what_only_looks_like_markup_stays() {
        for text in
            ["Vec<String> & Option<T>", "a < b && b > a", "AT&T; 1 &foo; 2", "&#0; &#x110000;"]
        {
            assert_eq!(plain(text), text);
        }
    }
}
