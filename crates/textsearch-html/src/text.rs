//! Removes invisible characters and redundant white space from plain text.

/// Removes invisible and control characters, repeated empty lines and trailing white space.
pub fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut empty_lines = 0;
    for line in text.split(['\n', '\u{2028}', '\u{2029}']) {
        let line: String = visible(line).collect();
        let line = line.trim_end();
        if line.trim_start().is_empty() {
            empty_lines += 1;
            continue;
        }
        if !tidied.is_empty() {
            tidied.push_str(if empty_lines > 0 { "\n\n" } else { "\n" });
        }
        tidied.push_str(line);
        empty_lines = 0;
    }
    tidied
}

/// Joins a text into one line, with single spaces and without invisible characters.
pub fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| visible(word).collect());
    words.filter(|word: &String| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether `c` can hide a message to a model: control characters, direction marks, and characters
/// without width or ink.
///
/// Joiners (U+200C, U+200D) stay because Persian, Indic scripts and emoji need them. The emoji
/// selector U+FE0F stays too. [`visible`] drops repeats of them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        )
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}')
        || matches!(c, '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the visible characters of `text`, and tabs. Only the first of several consecutive
/// joiners and emoji selectors stays, because a sequence could encode bits.
pub fn visible(text: &str) -> impl Iterator<Item = char> + '_ {
    let is_mark = |c: char| matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0f}');
    let mut last = ' ';
    text.chars().filter(move |c| {
        let c = *c;
        // Family emoji have a selector before a joiner.
        let repeats = is_mark(c) && is_mark(last) && (last, c) != ('\u{fe0f}', '\u{200d}');
        let stays = c == '\t' || !(is_invisible(c) || repeats);
        if stays {
            last = c;
        }
        stays
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_trimmed_and_empty_lines_collapse() {
        assert_eq!(tidy("\n\n a \r\n\n\n\n b\n  c\t \n\n"), " a\n\n b\n  c");
        assert_eq!(tidy(" \n \n"), "");
    }

    #[test]
    fn invisible_characters_are_removed() {
        assert_eq!(tidy("a\u{0}\u{1b}[31mb\u{200b}\u{202e}\u{e0041}\u{85}c\tx"), "a[31mbc\tx");
        assert_eq!(one_line(" a\n\u{7}\n b\u{feff} "), "a b");
        assert_eq!(tidy("می\u{200c}خواهم"), "می\u{200c}خواهم");
    }

    #[test]
    fn hidden_alphabets_are_removed() {
        for c in
            ['\u{e0100}', '\u{e01ef}', '\u{fe00}', '\u{fe0e}', '\u{200e}', '\u{200f}', '\u{61c}']
        {
            assert_eq!(tidy(&format!("a{c}b")), "ab", "{c:?}");
        }
        for c in ['\u{34f}', '\u{180e}', '\u{3164}', '\u{115f}', '\u{2800}', '\u{ffa0}'] {
            assert_eq!(one_line(&format!("a{c}b")), "ab", "{c:?}");
        }
    }

    #[test]
    fn emoji_keep_selectors_and_joiners() {
        let text = "❤\u{fe0f}\u{200d}🔥 👩\u{200d}💻";
        assert_eq!(tidy(text), text);
    }

    #[test]
    fn consecutive_joiners_become_one() {
        assert_eq!(tidy("a\u{200c}\u{200d}\u{fe0f}\u{200c}b"), "a\u{200c}b");
    }
}
