//! Detects inline styles that hide an element.

use std::collections::HashMap;

use cssparser::{Delimiter, ParseError, Parser, Token};

/// Distance beyond which an element is off the page: in pixels and similar units, in letter
/// heights, and in percent of its surroundings.
const FAR_PIXELS: f32 = -900.0;
const FAR_LETTERS: f32 = -50.0;
const FAR_PERCENT: f32 = -100.0;

/// Maximum opacity at which text is unreadable.
const MIN_OPACITY: f32 = 0.05;

/// Part of a value. Functions inside functions are ignored, which bounds the depth.
#[derive(Debug)]
enum Part {
    Word(String),
    /// A number and its unit in lower case: `%`, or empty without a unit.
    Number(f32, String),
    Hash(String),
    Function(String, Vec<Part>),
    Sign(char),
    Other,
}

/// Whether a style, with decoded character references, hides an element.
///
/// Of several declarations of a property, the last valid one counts, or the last important one.
/// Unknown values are ignored, so they can't mask one that hides.
pub(crate) fn is_hiding(style: &str) -> bool {
    let facts = facts(style);
    let holds = |names: &[&str]| {
        names.iter().any(|name| facts.get(*name).is_some_and(|(holds, _important)| *holds))
    };
    holds(&[
        "-webkit-text-fill-color",
        "clip",
        "clip-path",
        "color",
        "content-visibility",
        "display",
        "filter",
        "font-size",
        "opacity",
        "scale",
        "text-indent",
        "transform",
        "visibility",
    ]) || (holds(&["overflow", "overflow-x", "overflow-y"])
        && holds(&["height", "max-height", "width", "max-width"]))
        || (holds(&["position"]) && holds(&["left", "top", "right", "bottom", "inset"]))
}

/// Per relevant property, whether its value can hide and whether it's important.
fn facts(style: &str) -> HashMap<String, (bool, bool)> {
    let mut parser = Parser::new(style);
    let mut facts = HashMap::new();
    while !parser.is_exhausted() {
        let Ok((name, mut value)) = parser.parse_until_after(Delimiter::Semicolon, declaration)
        else {
            continue;
        };
        let is_important = matches!(
            value.as_slice(),
            [.., Part::Sign('!'), Part::Word(word)] if word == "important"
        );
        if is_important {
            value.truncate(value.len() - 2);
        }
        let Some(hides) = can_hide(&name, &value) else { continue };
        let name = if name == "font" { "font-size".to_owned() } else { name };
        let fact = facts.entry(name).or_insert((hides, is_important));
        if is_important || !fact.1 {
            *fact = (hides, is_important);
        }
    }
    facts
}

fn declaration(parser: &mut Parser<'_>) -> Result<(String, Vec<Part>), ParseError<()>> {
    let name = parser.expect_ident()?.to_ascii_lowercase();
    parser.expect_colon()?;
    let mut value = Vec::new();
    while let Ok(token) = parser.next() {
        let token = token.clone();
        value.push(match &token {
            Token::Function(name) => {
                Part::Function(name.to_ascii_lowercase(), parser.parse_nested_block(arguments)?)
            }
            token => part(token),
        });
    }
    Ok((name, value))
}

fn arguments(parser: &mut Parser<'_>) -> Result<Vec<Part>, ParseError<()>> {
    let mut arguments = Vec::new();
    while let Ok(token) = parser.next() {
        arguments.push(part(token));
    }
    Ok(arguments)
}

fn part(token: &Token<'_>) -> Part {
    match token {
        Token::Ident(word) => Part::Word(word.to_ascii_lowercase()),
        Token::Number { value, .. } => Part::Number(*value, String::new()),
        Token::Dimension { value, unit, .. } => Part::Number(*value, unit.to_ascii_lowercase()),
        Token::Percentage { unit_value, .. } => Part::Number(unit_value * 100.0, "%".to_owned()),
        Token::Hash(digits) | Token::IDHash(digits) => Part::Hash(digits.to_string()),
        Token::Delim(sign) => Part::Sign(*sign),
        _ => Part::Other,
    }
}

/// Whether a value can hide. `None` if the property is irrelevant or the value is unknown.
fn can_hide(property: &str, value: &[Part]) -> Option<bool> {
    match property {
        "display" => word(value).map(|word| word == "none").or((value.len() > 1).then_some(false)),
        "visibility" => keyword(value, &["hidden", "collapse"], &["visible"]),
        "content-visibility" => keyword(value, &["hidden"], &["visible", "auto"]),
        "position" => keyword(value, &["absolute", "fixed", "relative"], &["static", "sticky"]),
        "overflow" | "overflow-x" | "overflow-y" => {
            let words = value.iter().filter_map(as_word);
            (!value.is_empty()).then(|| words.into_iter().any(|w| matches!(w, "hidden" | "clip")))
        }
        "opacity" => {
            let (number, unit) = number(value.first()?)?;
            Some(number <= if unit == "%" { MIN_OPACITY * 100.0 } else { MIN_OPACITY })
        }
        "font" => {
            let is_size = |index: usize| {
                let before = index.checked_sub(1).and_then(|before| value.get(before));
                !matches!(before, Some(Part::Sign('/')))
            };
            let mut parts = value.iter().enumerate();
            Some(parts.any(|(index, part)| is_size(index) && number(part).is_some_and(is_tiny)))
        }
        "font-size" | "height" | "max-height" | "width" | "max-width" => {
            length(value).map(|length| length.is_some_and(is_tiny))
        }
        "left" | "top" | "right" | "bottom" | "text-indent" => {
            length(value).map(|length| length.is_some_and(is_far))
        }
        "inset" => Some(value.iter().filter_map(number).any(is_far)),
        "color" | "-webkit-text-fill-color" => value.first().map(is_transparent),
        "scale" => Some(value.iter().filter_map(number).any(|(number, _)| number == 0.0)),
        "clip" | "clip-path" | "filter" | "transform" => Some(value.iter().any(is_hiding_function)),
        _ => None,
    }
}

/// Whether a function hides the whole element.
fn is_hiding_function(part: &Part) -> bool {
    let Part::Function(name, arguments) = part else { return false };
    let numbers: Vec<_> = arguments.iter().filter_map(number).collect();
    let zero = |(number, _): &(f32, &str)| *number == 0.0;
    match (name.as_str(), numbers.as_slice()) {
        ("rect", [top, right, bottom, left]) => bottom.0 - top.0 <= 1.0 || right.0 - left.0 <= 1.0,
        ("inset", [first, rest @ ..]) => {
            let right = rest.first().unwrap_or(first);
            let bottom = rest.get(1).unwrap_or(first);
            let left = rest.get(2).unwrap_or(right);
            let meet =
                |a: &(f32, &str), b: &(f32, &str)| a.1 == "%" && b.1 == "%" && a.0 + b.0 >= 100.0;
            meet(first, bottom) || meet(left, right)
        }
        ("circle" | "opacity", [first, ..]) => zero(first),
        ("ellipse", [first, second, ..]) => zero(first) || zero(second),
        ("scale" | "scalex" | "scaley", numbers) => numbers.iter().any(zero),
        _ => false,
    }
}

fn is_transparent(part: &Part) -> bool {
    match part {
        Part::Word(word) => word == "transparent",
        Part::Hash(digits) => match digits.len() {
            4 => digits.ends_with('0'),
            8 => digits.ends_with("00"),
            _ => false,
        },
        Part::Function(_, arguments) => {
            let numbers: Vec<_> = arguments.iter().filter_map(number).collect();
            matches!(numbers.as_slice(), [_, _, _, (alpha, _)] if *alpha <= 0.0)
        }
        _ => false,
    }
}

fn is_tiny((number, unit): (f32, &str)) -> bool {
    number == 0.0 || (number <= 1.0 && matches!(unit, "px" | "pt"))
}

fn is_far((number, unit): (f32, &str)) -> bool {
    number
        <= match unit {
            "em" | "rem" | "ch" | "ex" | "lh" | "rlh" | "ic" | "cm" | "in" | "pc" => FAR_LETTERS,
            "%" | "vw" | "vh" | "vmin" | "vmax" => FAR_PERCENT,
            _ => FAR_PIXELS,
        }
}

/// Returns the length at the start of a value, or `Some(None)` for a keyword instead of a length.
fn length(value: &[Part]) -> Option<Option<(f32, &str)>> {
    let first = value.first()?;
    number(first).map(Some).or_else(|| as_word(first).filter(|w| is_length_word(w)).map(|_| None))
}

fn is_length_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto",
        "fit-content",
        "inherit",
        "initial",
        "large",
        "larger",
        "max-content",
        "medium",
        "min-content",
        "none",
        "revert",
        "small",
        "smaller",
        "unset",
        "x-large",
        "x-small",
        "xx-large",
        "xx-small",
    ];
    WORDS.contains(&word)
}

fn number(part: &Part) -> Option<(f32, &str)> {
    match part {
        Part::Number(number, unit) => Some((*number, unit)),
        Part::Function(name, arguments) if matches!(name.as_str(), "calc" | "min" | "max") => {
            match arguments.as_slice() {
                [Part::Number(number, unit)] => Some((*number, unit)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn as_word(part: &Part) -> Option<&str> {
    if let Part::Word(word) = part { Some(word) } else { None }
}

/// A `display` value that browsers know.
fn word(value: &[Part]) -> Option<&str> {
    const WORDS: &[&str] = &[
        "block",
        "contents",
        "flex",
        "flow-root",
        "grid",
        "inherit",
        "initial",
        "inline",
        "inline-block",
        "inline-flex",
        "inline-grid",
        "inline-table",
        "list-item",
        "none",
        "revert",
        "table",
        "table-cell",
        "table-row",
        "unset",
    ];
    let [Part::Word(word)] = value else { return None };
    WORDS.contains(&word.as_str()).then_some(word)
}

fn keyword(value: &[Part], hiding: &[&str], seen: &[&str]) -> Option<bool> {
    let [Part::Word(word)] = value else { return None };
    let is_seen = seen.iter().chain(&["inherit", "initial", "revert", "unset"]).any(|w| w == word);
    let hides = hiding.contains(&word.as_str());
    (hides || is_seen).then_some(hides)
}

/// Decodes character references: numeric ones, with or without `;`, and named ones for the
/// punctuation of styles.
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
        ("NewLine;", '\n'),
        ("Tab;", '\t'),
        ("amp;", '&'),
        ("apos;", '\''),
        ("ast;", '*'),
        ("bsol;", '\\'),
        ("colon;", ':'),
        ("comma;", ','),
        ("excl;", '!'),
        ("lowbar;", '_'),
        ("lpar;", '('),
        ("num;", '#'),
        ("percnt;", '%'),
        ("period;", '.'),
        ("plus;", '+'),
        ("quot;", '"'),
        ("rpar;", ')'),
        ("semi;", ';'),
        ("sol;", '/'),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hiding_styles_are_detected_in_every_spelling() {
        for style in [
            "display:none",
            "color: red; DISPLAY : None !important",
            "visibility: hidden;",
            "visibility:collapse",
            "d\\69splay:none",
            "display:/**/none",
            "display:none! important",
            "display:none!important;display:block",
            "display:none;display:bogus",
            "}:x;display:none",
            "opacity:0",
            "opacity:0.0",
            "opacity:0%",
            "opacity:.01",
            "font-size: 0",
            "font-size:0px",
            "font-size: 0.0em",
            "font:0/0 a",
            "color:transparent",
            "color:rgba(0,0,0,0)",
            "color:hsla(0 0% 0% / 0)",
            "color:#12345600",
            "color:#1230",
            "height:0;overflow:hidden",
            "max-height:0;overflow:clip",
            "width:0px;overflow-x:hidden",
            "position:absolute;left:-9999px",
            "position:fixed;top:-100em",
            "text-indent:-900px",
            "clip: rect(0 0 0 0)",
            "clip:rect(1px,1px,1px,1px)",
            "clip-path:inset(50%)",
            "clip-path:inset(100%)",
            "clip-path:circle(0)",
            "transform:scale(0)",
            "transform: rotate(3deg) scaleX(0)",
            "transform:scaleY(0)",
            "content-visibility:hidden",
        ] {
            assert!(is_hiding(style), "{style}");
        }
    }

    #[test]
    fn harmless_styles_are_visible() {
        for style in [
            "",
            "none",
            "visibility",
            "display: block",
            "display:none;display:block",
            "font-size: 0.9em",
            "font-size: 10px",
            "font:12px/0 a",
            "opacity:0.5",
            "opacity:50%",
            "height:0",
            "overflow:hidden",
            "height:10px;overflow:hidden",
            "left:-5px",
            "position:absolute;left:-5px",
            "left:-9999px",
            "color:#000",
            "color:#00000080",
            "color:rgb(0,0,0)",
            "color:rgba(0,0,0,0.5)",
            "text-indent:-20px",
            "text-indent:-2em",
            "clip-path:inset(10%)",
            "clip:rect(0,90px,90px,0)",
            "transform:scale(1)",
            "--x:'display:none'",
            "/* display:none */",
            "background:url(display:none)",
        ] {
            assert!(!is_hiding(style), "{style}");
        }
    }

    #[test]
    fn character_references_are_decoded() {
        assert_eq!(decode("display&colon;&#110;on&#x65"), "display:none");
        assert_eq!(decode("a & b &; &#; &#xffffffff; &é"), "a & b &; &#; &#xffffffff; &é");
    }

    #[test]
    fn styles_are_parsed_in_linear_time() {
        textsearch_conformance::assert_linear(10_000, |parts| {
            let parts = ["a:b(c;d:e", "a:((", "a:b{c};", "a:}];", "&#", "color:red;"]
                .map(|part| part.repeat(parts));
            let style = parts.iter().rev().map(String::as_str).collect::<String>();
            assert!(!is_hiding(&decode(&style)));
        });
    }
}
