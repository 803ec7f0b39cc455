//! Finds the starts of sentences.

/// Returns the byte offset of the first sentence that begins inside `text`.
pub(super) fn first_start(text: &str) -> Option<usize> {
    starts(text).next()
}

pub(super) fn last_start(text: &str) -> Option<usize> {
    starts(text).last()
}

#[derive(Clone, Copy, PartialEq)]
enum Before {
    Words,
    /// The end of a sentence, if a space and no lower case follows: otherwise it may be an
    /// abbreviation.
    Stop,
    StopAndSpace,
    /// Ends a sentence in scripts without spaces.
    FullWidthStop,
}

struct Starts<'a> {
    text: &'a str,
    position: usize,
    before: Before,
}

fn starts(text: &str) -> Starts<'_> {
    Starts { text, position: 0, before: Before::Words }
}

impl Iterator for Starts<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if self.before == Before::Words {
                // No sentence begins before the next stop, and most of a text has no stop.
                let rest = self.text.as_bytes().get(self.position..)?;
                self.position += rest.iter().position(|byte| may_begin_stop(*byte))?;
            }
            let position = self.position;
            let character = self.text.get(position..)?.chars().next()?;
            self.position += character.len_utf8();
            let is_start = match self.before {
                Before::StopAndSpace => !character.is_whitespace() && !character.is_lowercase(),
                Before::FullWidthStop => !is_closing(character) && !character.is_whitespace(),
                Before::Words | Before::Stop => false,
            };
            self.before = next(self.before, character);
            if is_start {
                return Some(position);
            }
        }
    }
}

/// Whether a stop may begin with this byte.
fn may_begin_stop(byte: u8) -> bool {
    // The last three begin `…`, `。` and the others of full or half width.
    matches!(byte, b'.' | b'!' | b'?' | 0xe2 | 0xe3 | 0xef)
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
        let sentences: Vec<&str> = starts(text).map(|start| &text[start..]).collect();
        assert_eq!(sentences, expected, "{text:?}");
    }

    #[test]
    fn a_sentence_begins_after_a_stop_and_a_space() {
        check("One. Two? \"Three!\" Four", &["Two? \"Three!\" Four", "\"Three!\" Four", "Four"]);
        check("One.\r\n\r\nTwo", &["Two"]);
    }

    #[test]
    fn numbers_names_and_abbreviations_end_no_sentence() {
        check("Version 1.5 of config.toml, e.g. the size", &[]);
    }

    #[test]
    fn every_stop_is_recognized_by_its_first_byte() {
        let stops = ('\0'..=char::MAX).filter(|sign| next(Before::Words, *sign) != Before::Words);
        let mut bytes = [0; 4];
        let is_seen = |stop: char| may_begin_stop(stop.encode_utf8(&mut bytes).as_bytes()[0]);
        assert_eq!(stops.map(is_seen).collect::<Vec<_>>(), [true; 8]);
    }

    proptest::proptest! {
        #[test]
        fn fast_search_matches_character_by_character_search(text in "([a-zA-Z \\n.!?…。！？｡\"')」“é全]|\\PC){0,60}") {
            let mut before = Before::Words;
            let expected = text.char_indices().filter_map(|(position, character)| {
                let is_start = match before {
                    Before::StopAndSpace => !character.is_whitespace() && !character.is_lowercase(),
                    Before::FullWidthStop => !is_closing(character) && !character.is_whitespace(),
                    Before::Words | Before::Stop => false,
                };
                before = next(before, character);
                is_start.then_some(position)
            });
            assert_eq!(starts(&text).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn sentences_are_found_in_scripts_without_spaces() {
        check("第一。「第二！」第三", &["「第二！」第三", "第三"]);
    }
}
