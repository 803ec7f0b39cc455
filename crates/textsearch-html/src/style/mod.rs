//! Detects inline styles that hide an element.

#[cfg(test)]
mod tests;

use cssparser::{Delimiter, ParseError, Parser, Token};
use cssparser_color::{Color, ColorFunction, Hsl, Hwb, Lab, Lch, Oklab, Oklch, RgbaLegacy};

/// Opacity up to which text is unreadable.
const MAX_HIDDEN_OPACITY: f32 = 0.05;

/// Size of letters up to which text is unreadable, in pixels.
const MAX_HIDDEN_LETTER: f32 = 2.0;

/// Size of a box up to which it shows nothing, in pixels.
const MAX_HIDDEN_BOX: f32 = 1.4;

/// Assumed width and height of the container, in pixels.
const CONTAINER: f32 = 1_000.0;

/// Assumed size of letters, in pixels.
const LETTER: f32 = 16.0;

/// Whether a style, without character references, hides an element.
///
/// A declaration that hides counts even if a later one reveals, so no order and no invalid value
/// can mask it.
pub(crate) fn is_hiding(style: &str) -> bool {
    let mut parser = Parser::new(style);
    let mut facts = Facts::default();
    while !parser.is_exhausted() {
        // Browsers skip a declaration that they can't parse.
        let _skipped =
            parser.parse_until_after(Delimiter::Semicolon, |declaration| facts.read(declaration));
    }
    facts.is_hidden()
}

/// What the declarations of a style say.
#[derive(Default)]
struct Facts {
    is_invisible: bool,
    /// Hides content beyond its box.
    clipped: bool,
    empty_box: bool,
    /// Its sides are distances.
    positioned: bool,
    is_off_page: bool,
    color: Option<Color>,
    background: Option<Color>,
}

impl Facts {
    fn is_hidden(&self) -> bool {
        self.is_invisible
            || (self.clipped && self.empty_box)
            || (self.positioned && self.is_off_page)
            || (self.color.is_some() && self.color == self.background)
    }

    fn read(&mut self, parser: &mut Parser<'_>) -> Result<(), ParseError<()>> {
        let property = parser.expect_ident()?.to_ascii_lowercase();
        parser.expect_colon()?;
        match property.as_str() {
            "display" => self.is_invisible |= word(parser)? == "none",
            "visibility" => {
                self.is_invisible |= matches!(word(parser)?.as_str(), "hidden" | "collapse");
            }
            "content-visibility" => self.is_invisible |= word(parser)? == "hidden",
            "opacity" => self.is_invisible |= number(parser)? <= MAX_HIDDEN_OPACITY,
            "font-size" => self.is_invisible |= length(parser, LETTER)? <= MAX_HIDDEN_LETTER,
            "font" => {
                self.is_invisible |= first_length(parser, LETTER)? <= MAX_HIDDEN_LETTER;
            }
            "text-indent" => self.is_invisible |= is_off_page("top", length(parser, CONTAINER)?),
            // Columns of layouts with floats have margins of -100 %.
            "margin-left" | "margin-top" => {
                self.is_invisible |= is_off_page("top", length(parser, CONTAINER / 2.0)?);
            }
            "overflow" | "overflow-x" | "overflow-y" => {
                self.clipped |=
                    matches!(word(parser)?.as_str(), "auto" | "clip" | "hidden" | "scroll");
            }
            "width" | "height" | "max-width" | "max-height" => {
                self.empty_box |= (0.0..=MAX_HIDDEN_BOX).contains(&length(parser, CONTAINER)?);
            }
            "position" => {
                self.positioned |=
                    matches!(word(parser)?.as_str(), "absolute" | "fixed" | "relative");
            }
            "left" | "right" | "top" | "bottom" => {
                self.is_off_page |= is_off_page(&property, length(parser, CONTAINER)?);
            }
            "color" | "-webkit-text-fill-color" => {
                let color = Color::parse(parser)?;
                self.is_invisible |= alpha(&color) <= MAX_HIDDEN_OPACITY;
                self.color = Some(color);
            }
            "background" | "background-color" => self.background = Some(Color::parse(parser)?),
            _ => {}
        }
        Ok(())
    }
}

/// Whether an element at this distance from a side of its container is off the page. Readers can
/// scroll down and a little to the right.
fn is_off_page(side: &str, pixels: f32) -> bool {
    match side {
        "left" => pixels <= -900.0 || pixels >= 5_000.0,
        "right" => pixels <= -5_000.0 || pixels >= 2_500.0,
        "bottom" => pixels >= 2_500.0,
        _ => pixels <= -900.0,
    }
}

fn word(parser: &mut Parser<'_>) -> Result<String, ParseError<()>> {
    Ok(parser.expect_ident()?.to_ascii_lowercase())
}

/// Parses a number or a percentage of 1.
fn number(parser: &mut Parser<'_>) -> Result<f32, ParseError<()>> {
    match parser.next()? {
        Token::Number { value, .. } => Ok(*value),
        Token::Percentage { unit_value, .. } => Ok(*unit_value),
        _ => Err(ParseError::unexpected_token()),
    }
}

/// Parses a length in pixels. Percentages refer to `whole`.
fn length(parser: &mut Parser<'_>, whole: f32) -> Result<f32, ParseError<()>> {
    match parser.next()? {
        Token::Number { value: 0.0, .. } => Ok(0.0),
        Token::Percentage { unit_value, .. } => Ok(unit_value * whole),
        Token::Dimension { value, unit, .. } => {
            let pixels = match unit.to_ascii_lowercase().as_str() {
                "px" => 1.0,
                "pt" => 4.0 / 3.0,
                "em" | "rem" => LETTER,
                "ch" | "ex" => LETTER / 2.0,
                "in" => 96.0,
                "cm" => 37.8,
                "mm" => 3.78,
                "vw" | "vh" => CONTAINER / 100.0,
                _ => return Err(ParseError::unexpected_token()),
            };
            Ok(value * pixels)
        }
        _ => Err(ParseError::unexpected_token()),
    }
}

/// Parses the first length of a value with other parts.
fn first_length(parser: &mut Parser<'_>, whole: f32) -> Result<f32, ParseError<()>> {
    loop {
        match parser.try_parse(|parser| length(parser, whole)) {
            Ok(length) => return Ok(length),
            Err(_) => drop(parser.next()?),
        }
    }
}

fn alpha(color: &Color) -> f32 {
    let alpha = match color {
        Color::CurrentColor => Some(1.0),
        Color::Rgba(RgbaLegacy { alpha, .. }) => Some(*alpha),
        Color::Hsl(Hsl { alpha, .. })
        | Color::Hwb(Hwb { alpha, .. })
        | Color::Lab(Lab { alpha, .. })
        | Color::Lch(Lch { alpha, .. })
        | Color::Oklab(Oklab { alpha, .. })
        | Color::Oklch(Oklch { alpha, .. })
        | Color::ColorFunction(ColorFunction { alpha, .. }) => *alpha,
    };
    // The keyword `none` means zero.
    alpha.unwrap_or_default()
}
