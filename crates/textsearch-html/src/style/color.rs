//! Transparent colours.

use super::{
    limit::MIN_OPACITY,
    measure::{Measure, arguments, at_most, measured},
    value::{Part, has_variable, is_global},
};

/// The colours that pages use most.
const NAMES: &[&str] = &[
    "aqua",
    "beige",
    "black",
    "blue",
    "brown",
    "canvastext",
    "coral",
    "crimson",
    "currentcolor",
    "cyan",
    "darkblue",
    "darkgray",
    "darkgreen",
    "darkgrey",
    "darkorange",
    "darkred",
    "dimgray",
    "dodgerblue",
    "firebrick",
    "fuchsia",
    "gold",
    "gray",
    "green",
    "grey",
    "indigo",
    "lightblue",
    "lightgray",
    "lightgreen",
    "lightgrey",
    "lime",
    "linktext",
    "magenta",
    "maroon",
    "midnightblue",
    "navy",
    "olive",
    "orange",
    "orangered",
    "pink",
    "purple",
    "red",
    "royalblue",
    "salmon",
    "seagreen",
    "silver",
    "skyblue",
    "slategray",
    "steelblue",
    "tan",
    "teal",
    "tomato",
    "turquoise",
    "violet",
    "white",
    "whitesmoke",
    "windowtext",
    "yellow",
];

/// Returns `None` for an unknown colour.
pub(super) fn is_transparent(part: &Part) -> Option<bool> {
    match part {
        Part::Word(word) if word == "transparent" => Some(true),
        Part::Word(word) => (NAMES.contains(&word.as_str()) || is_global(word)).then_some(false),
        Part::Hash(digits) if digits.bytes().all(|one| one.is_ascii_hexdigit()) => {
            let alpha = match digits.len() {
                3 | 6 => return Some(false),
                4 => digits.get(3..)?.repeat(2),
                8 => digits.get(6..)?.to_owned(),
                _ => return None,
            };
            Some(f32::from(u8::from_str_radix(&alpha, 16).ok()?) / 255.0 <= MIN_OPACITY)
        }
        Part::Function(name, inside) => match name.as_str() {
            _ if has_variable(part) => None,
            "rgb" | "rgba" | "hsl" | "hsla" | "hwb" | "lab" | "lch" | "oklab" | "oklch"
            | "color" => has_no_alpha(inside),
            "color-mix" => {
                let colors =
                    arguments(inside).skip(1).map(|one| one.iter().find_map(is_transparent));
                Some(colors.flatten().all(|is_transparent| is_transparent))
            }
            "light-dark" => {
                let mut colors = arguments(inside).map(|one| one.iter().find_map(is_transparent));
                Some(colors.any(|color| color == Some(true)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn has_no_alpha(inside: &[Part]) -> Option<bool> {
    let after_slash = inside.iter().position(|part| part.is_sign('/')).map(|slash| slash + 1);
    let alpha = match after_slash {
        Some(start) => inside.get(start),
        None => arguments(inside).nth(3).and_then(<[Part]>::first),
    };
    Some(match alpha {
        None => inside.is_empty(),
        Some(Part::Word(word)) => word != "alpha",
        Some(alpha) => at_most(measured(alpha, Measure::Number)?, MIN_OPACITY),
    })
}

/// Whether an image is a gradient of transparent colours; `None` if it's unknown.
pub(super) fn is_transparent_image(part: &Part) -> Option<bool> {
    match part {
        Part::Word(word) => (word == "none" || is_global(word)).then_some(false),
        Part::Function(name, inside) if name.ends_with("-gradient") => {
            let colors: Vec<_> = inside.iter().filter_map(is_transparent).collect();
            (!colors.is_empty()).then(|| colors.iter().all(|is_transparent| *is_transparent))
        }
        _ => None,
    }
}
