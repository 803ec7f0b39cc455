//! Reading a text without the escapes of JSON, URLs and HTML, with the place of each byte in the text.

/// A text with its escapes read, and where each of its bytes comes from.
#[derive(Clone)]
pub(super) struct Unescaped {
    pub(super) bytes: Vec<u8>,
    /// The first byte of the text that each byte comes from, and one more entry: the length of the text.
    starts: Vec<usize>,
}

/// The names of character references that ASCII characters of keys have.
const NAMES: &[(&str, u8)] = &[
    ("amp", b'&'),
    ("AMP", b'&'),
    ("apos", b'\''),
    ("ast", b'*'),
    ("colon", b':'),
    ("comma", b','),
    ("commat", b'@'),
    ("dollar", b'$'),
    ("equals", b'='),
    ("excl", b'!'),
    ("gt", b'>'),
    ("GT", b'>'),
    ("lowbar", b'_'),
    ("lpar", b'('),
    ("lsqb", b'['),
    ("lt", b'<'),
    ("LT", b'<'),
    ("num", b'#'),
    ("percnt", b'%'),
    ("period", b'.'),
    ("plus", b'+'),
    ("quest", b'?'),
    ("quot", b'"'),
    ("QUOT", b'"'),
    ("rpar", b')'),
    ("rsqb", b']'),
    ("semi", b';'),
    ("sol", b'/'),
    ("bsol", b'\\'),
    ("vert", b'|'),
];

/// The longest escape that is read: `&#x0010FFFF;` and some zeros.
pub(super) const LONGEST_ESCAPE: usize = 16;

impl Unescaped {
    /// A text as it is.
    pub(super) fn of(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), starts: (0..=text.len()).collect() }
    }

    /// The same with one more layer of escapes read; `None` if there is none.
    pub(super) fn read(&self) -> Option<Self> {
        if !self.bytes.iter().any(|byte| starts_escape(*byte)) {
            return None;
        }
        let mut read = Self { bytes: Vec::with_capacity(self.bytes.len()), starts: Vec::new() };
        let mut position = 0;
        let mut is_changed = false;
        while let Some(rest) = self.bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let (character, length) = match escape(rest) {
                Some((character, length)) => {
                    is_changed = true;
                    (character, length)
                }
                None => {
                    read.push(rest.first().copied().unwrap_or_default(), self.start(position));
                    position += 1;
                    continue;
                }
            };
            let mut buffer = [0; 4];
            for byte in character.encode_utf8(&mut buffer).bytes() {
                read.push(byte, self.start(position));
            }
            position += length;
        }
        read.starts.push(self.start(self.bytes.len()));
        is_changed.then_some(read)
    }

    /// Where the byte at `position` begins in the text.
    pub(super) fn start(&self, position: usize) -> usize {
        self.starts.get(position).copied().unwrap_or_default()
    }

    fn push(&mut self, byte: u8, start: usize) {
        self.bytes.push(byte);
        self.starts.push(start);
    }
}

/// Whether an escape of any kind may begin with this byte.
pub(super) fn starts_escape(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'&')
}

/// The character that the escape at the beginning of `text` stands for, and its length in bytes.
fn escape(text: &[u8]) -> Option<(char, usize)> {
    let (first, rest) = text.split_first()?;
    match first {
        b'\\' => match rest.first()? {
            b'u' => Some((char::from_u32(hexadecimal(rest.get(1..5)?)?)?, 6)),
            b'x' => Some((char::from_u32(hexadecimal(rest.get(1..3)?)?)?, 4)),
            b'n' => Some(('\n', 2)),
            b'r' => Some(('\r', 2)),
            b't' => Some(('\t', 2)),
            punctuation if punctuation.is_ascii_punctuation() => {
                Some((char::from(*punctuation), 2))
            }
            _ => None,
        },
        // A byte of a longer character never equals one of ASCII, so it may be read as any.
        b'%' => Some((char::from_u32(hexadecimal(rest.get(..2)?)?)?, 3)),
        b'&' => reference(rest),
        _ => None,
    }
}

fn reference(rest: &[u8]) -> Option<(char, usize)> {
    let end = rest.iter().take(LONGEST_ESCAPE).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(rest.get(..end)?).ok()?;
    let character = match name.strip_prefix('#') {
        Some(number) => char::from_u32(match number.strip_prefix(['x', 'X']) {
            Some(digits) => hexadecimal(digits.as_bytes())?,
            None => number.parse().ok()?,
        })?,
        None => char::from(NAMES.iter().find(|(known, _)| *known == name)?.1),
    };
    Some((character, end + 2))
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let read = Unescaped::of(text).read()?;
        assert_eq!(read.starts.len(), read.bytes.len() + 1);
        String::from_utf8(read.bytes).ok()
    }

    #[test]
    fn escapes_of_json_urls_and_html_are_read() {
        for escaped in [r"a\/b", r"a\u002Fb", "a%2fb", "a%2Fb", "a&#47;b", "a&#x2F;b", "a&sol;b"] {
            assert_eq!(read(escaped).as_deref(), Some("a/b"), "{escaped}");
        }
        assert_eq!(read(r#"\"\\\n"#).as_deref(), Some("\"\\\n"));
        for text in ["a/b", "100 %", "a&b", "&unknown;", r"\q", r"\u00", "%2", "&#;", "&#x;"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn each_byte_knows_where_it_comes_from() {
        let read = Unescaped::of("a%2fb").read().unwrap();
        assert_eq!((0..4).map(|position| read.start(position)).collect::<Vec<_>>(), [0, 1, 4, 5]);
        let twice = Unescaped::of("%252f!").read().unwrap().read().unwrap();
        assert_eq!((twice.bytes.as_slice(), twice.start(1)), (&b"/!"[..], 5));
    }
}
