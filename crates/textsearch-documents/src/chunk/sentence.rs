//! Where sentences begin.

/// Where the first sentence begins that begins inside of `text`, in bytes.
pub(super) fn first_start(text: &str) -> Option<usize> {
    starts(text).next()
}

/// Where the last sentence begins that begins inside of `text`, in bytes.
pub(super) fn last_start(text: &str) -> Option<usize> {
    starts(text).last()
}

/// What has been read just before a character.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Words,
    /// The end of a sentence, if a space and no lower case follows: it may be an abbreviation.
    Stop,
    /// A stop and a space.
    StopAndSpace,
    /// The end of a sentence in a script that writes no spaces.
    FullWidthStop,
}

fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut before = Before::Words;
    text.char_indices().filter_map(move |(position, character)| {
        let is_start = match before {
            Before::StopAndSpace => !character.is_whitespace() && !character.is_lowercase(),
            Before::FullWidthStop => !is_closing(character) && !character.is_whitespace(),
            Before::Words | Before::Stop => false,
        };
        before = next(before, character);
        is_start.then_some(position)
    })
}

fn next(before: Before, character: char) -> Before {
    match (character, before) {
        ('.' | '!' | '?' | '…', _) => Before::Stop,
        ('。' | '！' | '？' | '｡', _) => Before::FullWidthStop,
        (space, Before::Stop | Before::StopAndSpace) if space.is_whitespace() => {
            Before::StopAndSpace
        }
        (other, Before::Stop | Before::FullWidthStop) if is_closing(other) => before,
        (space, Before::FullWidthStop) if space.is_whitespace() => before,
        _ => Before::Words,
    }
}

/// Whether the character closes what a sentence stands in.
fn is_closing(character: char) -> bool {
    matches!(
        character,
        '"' | '\'' | ')' | ']' | '*' | '_' | '”' | '’' | '»' | '」' | '』' | '）' | '】'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = starts(text).map(|start| &text[start..]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn a_sentence_begins_after_a_stop_and_a_space() {
        check("One. Two? \"Three!\" Four", &["Two? \"Three!\" Four", "\"Three!\" Four", "Four"]);
        check("One.\r\n\r\nTwo", &["Two"]);
    }

    #[test]
    fn a_number_a_name_and_an_abbreviation_are_not_ends() {
        check("Version 1.5 of config.toml, e.g. the size", &[]);
    }

    #[test]
    fn scripts_without_spaces_have_sentences_too() {
        check("第一。「第二！」第三", &["「第二！」第三", "第三"]);
    }
}
