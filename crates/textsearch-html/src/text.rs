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
/// [`visible`] decides about joiners (U+200C, U+200D) and the emoji selector U+FE0F.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        )
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}')
        || matches!(c, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(c, '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the visible characters of `text`, and tabs. Joiners and emoji selectors could encode
/// bits: they stay only after a character that uses them, and only the first of several. A joiner
/// may follow an emoji's selector.
pub fn visible(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut last = ' ';
    text.chars().filter(move |c| {
        let c = *c;
        let is_used = match c {
            '\u{200c}' => has_joiners(last),
            // Family emoji have a selector before a joiner.
            '\u{200d}' => has_joiners(last) || is_emoji(last) || last == '\u{fe0f}',
            '\u{fe0f}' => is_emoji(last),
            _ => true,
        };
        let stays = c == '\t' || (is_used && !is_invisible(c));
        if stays {
            last = c;
        }
        stays
    })
}

/// Whether the script of `c` has joiners in words: Arabic and its relatives, scripts of South and
/// Southeast Asia, and Mongolian.
fn has_joiners(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1700}'..='\u{1cff}')
        || matches!(c, '\u{a800}'..='\u{a8ff}' | '\u{a980}'..='\u{aaff}' | '\u{abc0}'..='\u{abff}')
        || matches!(c, '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// Whether `c` is a symbol that may be shown as an emoji, or the base of a keycap.
fn is_emoji(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}')
        || matches!(c, '\u{2100}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}')
        || matches!(c, '\u{1f000}'..='\u{1faff}')
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
        for c in ['\u{1d173}', '\u{1d17a}', '\u{1bca0}', '\u{1bca3}', '\u{fff0}', '\u{fff8}'] {
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
    fn joiners_stay_only_where_a_script_uses_them() {
        for mark in ['\u{200c}', '\u{200d}', '\u{fe0f}'] {
            assert_eq!(tidy(&format!("a{mark}b{mark} é{mark}漢{mark}")), "ab é漢", "{mark:?}");
        }
        for text in [
            "क\u{94d}\u{200d}ष",
            "র\u{200d}\u{9cd}য",
            "ක\u{dca}\u{200d}ර",
            "1\u{fe0f}\u{20e3}",
            "☎\u{fe0f}",
        ] {
            assert_eq!(tidy(text), text);
        }
    }

    #[test]
    fn consecutive_joiners_become_one() {
        assert_eq!(tidy("\u{915}\u{200c}\u{200d}\u{fe0f}\u{200c}b"), "\u{915}\u{200c}b");
    }
}
