//! Character references in attributes.

/// Decodes character references: numeric ones, with or without `;`, and named ones for the
/// punctuation of ASCII.
pub(crate) fn decode(value: &str) -> String {
    let mut decoded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let (c, length) = reference(after).unwrap_or(('&', 0));
        decoded.push(c);
        rest = after.get(length..).unwrap_or_default();
    }
    decoded.push_str(rest);
    decoded
}

/// Reads the reference after a `&`. Returns the character and the length of the reference in bytes.
fn reference(text: &str) -> Option<(char, usize)> {
    const NAMES: &[(&str, char)] = &[
        ("DiacriticalGrave;", '`'),
        ("Hat;", '^'),
        ("NewLine;", '\n'),
        ("Tab;", '\t'),
        ("UnderBar;", '_'),
        ("VerticalLine;", '|'),
        ("amp;", '&'),
        ("apos;", '\''),
        ("ast;", '*'),
        ("bsol;", '\\'),
        ("colon;", ':'),
        ("comma;", ','),
        ("commat;", '@'),
        ("dollar;", '$'),
        ("equals;", '='),
        ("excl;", '!'),
        ("grave;", '`'),
        ("gt;", '>'),
        ("lbrace;", '{'),
        ("lbrack;", '['),
        ("lcub;", '{'),
        ("lowbar;", '_'),
        ("lpar;", '('),
        ("lsqb;", '['),
        ("lt;", '<'),
        ("midast;", '*'),
        ("num;", '#'),
        ("percnt;", '%'),
        ("period;", '.'),
        ("plus;", '+'),
        ("quest;", '?'),
        ("quot;", '"'),
        ("rbrace;", '}'),
        ("rbrack;", ']'),
        ("rcub;", '}'),
        ("rpar;", ')'),
        ("rsqb;", ']'),
        ("semi;", ';'),
        ("sol;", '/'),
        ("verbar;", '|'),
        ("vert;", '|'),
    ];
    let Some(number) = text.strip_prefix('#') else {
        let named = NAMES.iter().find(|(name, _)| text.starts_with(name))?;
        return Some((named.1, named.0.len()));
    };
    let (digits, radix) =
        number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let code = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
    let end = usize::from(digits.get(length..)?.starts_with(';'));
    Some((char::from_u32(code)?, text.len() - digits.len() + length + end))
}
