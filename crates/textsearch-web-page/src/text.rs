//! Plain text without what nobody can see: control characters, empty lines in a row, blanks at the ends of lines.

/// Cleans a text of several lines.
pub(crate) fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut empty_lines = 0;
    for line in text.split(['\n', '\u{2028}', '\u{2029}']) {
        let line: String = line.chars().filter(|c| *c == '\t' || !is_invisible(*c)).collect();
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

/// The text as one line, with single spaces.
pub(crate) fn one_line(text: &str) -> String {
    let words =
        text.split_whitespace().map(|word| word.chars().filter(|c| !is_invisible(*c)).collect());
    words.filter(|word: &String| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Control characters, marks of direction that can make a text read otherwise than it is written, and characters of
/// no width in which a message to a model can be hidden. Joiners stay, which Arabic, Persian, Indic scripts and emoji
/// need.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_trimmed_and_empty_ones_collapse() {
        assert_eq!(tidy("\n\n a \r\n\n\n\n b\n  c\t \n\n"), " a\n\n b\n  c");
        assert_eq!(tidy(" \n \n"), "");
    }

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        assert_eq!(tidy("a\u{0}\u{1b}[31mb\u{200b}\u{202e}\u{e0041}\u{85}c\tx"), "a[31mbc\tx");
        assert_eq!(one_line(" a\n\u{7}\n b\u{feff} "), "a b");
        assert_eq!(tidy("می\u{200c}خواهم"), "می\u{200c}خواهم");
    }
}
