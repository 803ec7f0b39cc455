//! Character references of HTML.

/// ASCII characters only: recognizing a URL needs no others.
const NAMED: &[(&str, char)] = &[
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("quot", '"'),
    ("QUOT", '"'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("amp", '&'),
    ("AMP", '&'),
    ("apos", '\''),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("midast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("lt", '<'),
    ("LT", '<'),
    ("equals", '='),
    ("gt", '>'),
    ("GT", '>'),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("grave", '`'),
    ("DiacriticalGrave", '`'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("VerticalLine", '|'),
    ("rcub", '}'),
    ("rbrace", '}'),
];

/// Browsers also read these without a semicolon.
const WITHOUT_SEMICOLON: &[&str] = &["amp", "AMP", "lt", "LT", "gt", "GT", "quot", "QUOT"];

const LONGEST_NAME: usize = 16;

/// As browsers do: by number, with or without a semicolon, or by the name of an ASCII character.
///
/// Returns the character and the length of the reference in bytes, including `&`.
pub(super) fn character_reference(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix, before) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 3),
            None => (number, 10, 2),
        };
        let end = digits.find(|one: char| !one.is_digit(radix)).unwrap_or(digits.len());
        let significant = digits.get(..end)?.trim_start_matches('0');
        let character = u32::from_str_radix(significant, radix).ok().and_then(char::from_u32)?;
        let semicolon = usize::from(digits.get(end..)?.starts_with(';'));
        return Some((character, before + end + semicolon));
    }
    let is_name = |one: &u8| one.is_ascii_alphabetic();
    let length = body.bytes().take(LONGEST_NAME + 1).take_while(is_name).count();
    let name = body.get(..length)?;
    if body.get(length..)?.starts_with(';')
        && let Some((_, character)) = NAMED.iter().find(|(known, _)| *known == name)
    {
        return Some((*character, length + 2));
    }
    let short = WITHOUT_SEMICOLON.iter().find(|known| name.starts_with(**known))?;
    let (_, character) = NAMED.iter().find(|(known, _)| known == short)?;
    Some((*character, short.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_browsers_do() {
        for (text, expected) in [
            ("&sol;x", Some(('/', 5))),
            ("&#47;", Some(('/', 5))),
            ("&#0047x", Some(('/', 6))),
            ("&#x2F;", Some(('/', 6))),
            ("&#X2fz", Some(('/', 5))),
            ("&ampx", Some(('&', 4))),
            ("&VerticalLine;", Some(('|', 14))),
            ("&sol", None),
            ("&#;", None),
            ("&#xd800;", None),
            ("&", None),
            ("x", None),
        ] {
            assert_eq!(character_reference(text), expected, "{text}");
        }
    }
}
