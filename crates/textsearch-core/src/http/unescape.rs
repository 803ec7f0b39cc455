//! Decodes escapes of JSON, URLs and HTML.

#[derive(Clone)]
pub(super) struct Unescaped {
    pub(super) bytes: Vec<u8>,
    /// The place of each byte in the original text, and the length of the text.
    starts: Vec<usize>,
}

/// Names of character references for the ASCII characters of keys.
const NAMES: &[(&str, u8)] = &[
    ("amp", b'&'),
    ("AMP", b'&'),
    ("apos", b'\''),
    ("ast", b'*'),
    ("bsol", b'\\'),
    ("colon", b':'),
    ("comma", b','),
    ("commat", b'@'),
    ("DiacriticalGrave", b'`'),
    ("dollar", b'$'),
    ("equals", b'='),
    ("excl", b'!'),
    ("grave", b'`'),
    ("gt", b'>'),
    ("GT", b'>'),
    ("Hat", b'^'),
    ("lbrace", b'{'),
    ("lbrack", b'['),
    ("lcub", b'{'),
    ("lowbar", b'_'),
    ("lpar", b'('),
    ("lsqb", b'['),
    ("lt", b'<'),
    ("LT", b'<'),
    ("midast", b'*'),
    ("num", b'#'),
    ("percnt", b'%'),
    ("period", b'.'),
    ("plus", b'+'),
    ("quest", b'?'),
    ("quot", b'"'),
    ("QUOT", b'"'),
    ("rbrace", b'}'),
    ("rbrack", b']'),
    ("rcub", b'}'),
    ("rpar", b')'),
    ("rsqb", b']'),
    ("semi", b';'),
    ("sol", b'/'),
    ("UnderBar", b'_'),
    ("verbar", b'|'),
    ("vert", b'|'),
    ("VerticalLine", b'|'),
];

const WITHOUT_SEMICOLON: &[&str] = &["amp", "AMP", "gt", "GT", "lt", "LT", "quot", "QUOT"];

/// The longest escape that is read: `&#x0010FFFF;` and some zeros.
pub(super) const LONGEST_ESCAPE: usize = 16;

impl Unescaped {
    pub(super) fn of(text: &str) -> Self {
        let mut read = Self {
            bytes: Vec::with_capacity(text.len()),
            starts: Vec::with_capacity(text.len() + 1),
        };
        for (start, byte) in text.bytes().enumerate() {
            read.push(byte, start);
        }
        read.starts.push(text.len());
        read
    }

    /// Decodes one more layer of escapes; `None` if there is none.
    pub(super) fn read(&self) -> Option<Self> {
        if !self.bytes.iter().any(|byte| starts_escape(*byte)) {
            return None;
        }
        let mut read = Self { bytes: Vec::with_capacity(self.bytes.len()), starts: Vec::new() };
        let mut position = 0;
        let mut is_changed = false;
        while let Some(rest) = self.bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let start = self.start(position);
            let Some((escaped, length)) = escape(rest) else {
                read.push(rest.first().copied().unwrap_or_default(), start);
                position += 1;
                continue;
            };
            is_changed = true;
            position += length;
            match escaped {
                Escaped::Byte(byte) => read.push(byte, start),
                Escaped::Character(character) => {
                    let mut buffer = [0; 4];
                    for byte in character.encode_utf8(&mut buffer).bytes() {
                        read.push(byte, start);
                    }
                }
            }
        }
        read.starts.push(self.start(self.bytes.len()));
        is_changed.then_some(read)
    }

    pub(super) fn start(&self, position: usize) -> usize {
        self.starts.get(position).copied().unwrap_or_default()
    }

    /// Adds a byte, unless it is a control character or the second half of one.
    fn push(&mut self, byte: u8, start: usize) {
        if self.bytes.last() == Some(&0xC2) && matches!(byte, 0x80..=0x9F) {
            self.bytes.pop();
            self.starts.pop();
        } else if !byte.is_ascii_control() {
            self.bytes.push(byte);
            self.starts.push(start);
        }
    }
}

pub(super) fn starts_escape(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'&')
}

enum Escaped {
    Byte(u8),
    Character(char),
}

/// Returns the meaning of the escape at the beginning of `text` and its length in bytes.
fn escape(text: &[u8]) -> Option<(Escaped, usize)> {
    let (first, rest) = text.split_first()?;
    let character = |(character, length)| (Escaped::Character(character), length + 1);
    match first {
        b'\\' => backslashed(rest).map(character),
        b'%' if rest.starts_with(b"u") => {
            Some(character((char::from_u32(hexadecimal(rest.get(1..5)?)?)?, 5)))
        }
        b'%' => Some((Escaped::Byte(u8::try_from(hexadecimal(rest.get(..2)?)?).ok()?), 3)),
        b'&' => reference(rest).map(character),
        _ => None,
    }
}

fn backslashed(rest: &[u8]) -> Option<(char, usize)> {
    let number = |digits: &[u8]| char::from_u32(hexadecimal(digits)?);
    match rest.first()? {
        b'u' if rest.get(1) == Some(&b'{') => {
            let length = rest.iter().take(LONGEST_ESCAPE - 1).position(|byte| *byte == b'}')?;
            Some((number(rest.get(2..length)?)?, length + 1))
        }
        b'u' => {
            let first = hexadecimal(rest.get(1..5)?)?;
            if let Some(character) = char::from_u32(first) {
                return Some((character, 5));
            }
            let second = hexadecimal(rest.get(5..11)?.strip_prefix(b"\\u")?)?;
            let pair = [first, second].map(|unit| u16::try_from(unit).unwrap_or_default());
            Some((char::decode_utf16(pair).next()?.ok()?, 11))
        }
        b'U' => Some((number(rest.get(1..9)?)?, 9)),
        b'x' => Some((number(rest.get(1..3)?)?, 3)),
        b'0'..=b'7' => {
            let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (code, length) = digits.fold((0, 0), |(code, length), digit| {
                (code * 8 + u32::from(digit - b'0'), length + 1)
            });
            Some((char::from_u32(code)?, length))
        }
        b'b' => Some(('\u{8}', 1)),
        b'f' => Some(('\u{c}', 1)),
        b'n' => Some(('\n', 1)),
        b'r' => Some(('\r', 1)),
        b't' => Some(('\t', 1)),
        punctuation if punctuation.is_ascii_punctuation() => Some((char::from(*punctuation), 1)),
        _ => None,
    }
}

fn reference(rest: &[u8]) -> Option<(char, usize)> {
    let ends = |length: usize| usize::from(rest.get(length) == Some(&b';'));
    if let Some(number) = rest.strip_prefix(b"#") {
        let (digits, radix, before) = match number {
            [b'x' | b'X', digits @ ..] => (digits, 16, 2),
            _ => (number, 10, 1),
        };
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        let length = digits.iter().take(LONGEST_ESCAPE - 4).take_while(is_digit).count();
        let digits = std::str::from_utf8(digits.get(..length)?).ok()?;
        let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
        return Some((character, before + length + ends(before + length)));
    }
    let is_whole =
        |name: &str| rest.strip_prefix(name.as_bytes()).map(|after| after.first() == Some(&b';'));
    let named = |(name, _): &&(&str, u8)| {
        is_whole(name).is_some_and(|is_whole| is_whole || WITHOUT_SEMICOLON.contains(name))
    };
    let (name, character) = NAMES.iter().find(named)?;
    Some((char::from(*character), name.len() + ends(name.len())))
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
        assert_eq!(read(r#"\"\\\n"#).as_deref(), Some("\"\\"));
        for text in ["a/b", "100 %", "a&b", "&unknown;", r"\q", r"\u00", "%2", "&#;", "&#x;"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn rare_escapes_are_read_too() {
        for escaped in
            ["a&#47b", "a&#x2Fz", "a%u002fb", r"a\057b", r"a\u{2f}b", r"a\U0000002fb", r"a\x2fb"]
        {
            assert!(read(escaped).unwrap().starts_with("a/"), "{escaped}");
        }
        assert_eq!(read("&Hat;&amp&lbrace;&VerticalLine;").as_deref(), Some("^&{|"));
        for escaped in [r"\u{e9}", r"\u00e9", "%C3%A9", "&#233;", "&#xe9"] {
            assert_eq!(read(escaped).as_deref(), Some("é"), "{escaped}");
        }
        assert_eq!(read(r"\ud83d\ude00").as_deref(), Some("😀"));
        for text in
            [r"\ud83d", r"\ud83dabcdef", r"\u{}", r"\u{zz}", "%u00", r"\8", "&Hat", "&#x110000;"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn control_characters_are_left_out() {
        let text = Unescaped::of("a\0b\u{85}é\n%00c\u{7f}");
        assert_eq!(text.bytes, "abé%00c".as_bytes());
        assert_eq!(text.read().unwrap().bytes, "abéc".as_bytes());
    }

    #[test]
    fn each_byte_knows_where_it_comes_from() {
        let read = Unescaped::of("a%2fb").read().unwrap();
        assert_eq!((0..4).map(|position| read.start(position)).collect::<Vec<_>>(), [0, 1, 4, 5]);
        let twice = Unescaped::of("%252f!").read().unwrap().read().unwrap();
        assert_eq!((twice.bytes.as_slice(), twice.start(1)), (&b"/!"[..], 5));
    }
}
