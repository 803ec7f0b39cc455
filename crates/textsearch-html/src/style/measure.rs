//! Numbers, lengths and angles, also as results of arithmetic.
//!
//! Arithmetic that can't be evaluated is NaN, which [`at_most`] and [`at_least`] count as hiding.

use super::value::{Part, has_variable};

#[derive(Clone, Copy)]
pub(super) enum Measure {
    /// A number or a percentage of 1.
    Number,
    /// In pixels. Percentages refer to this length.
    Length(f32),
    /// In degrees.
    Angle,
}

use Measure::{Angle, Length, Number};

/// Not computed: their result is NaN.
const ARITHMETIC: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "atan2",
    "attr",
    "calc-size",
    "cos",
    "exp",
    "hypot",
    "if",
    "log",
    "mod",
    "pow",
    "progress",
    "random",
    "rem",
    "round",
    "sibling-count",
    "sibling-index",
    "sign",
    "sin",
    "sqrt",
    "tan",
];

/// Returns `None` if the part isn't of this measure.
pub(super) fn measured(part: &Part, measure: Measure) -> Option<f32> {
    match (part, measure) {
        // Without a unit, only zero is a length or an angle.
        (Part::Number(number, unit), Length(_) | Angle) if unit.is_empty() && *number != 0.0 => {
            None
        }
        _ if has_variable(part) => None,
        _ => atom(part, measure),
    }
}

pub(super) fn all_measured(parts: &[Part], measure: Measure) -> Option<Vec<f32>> {
    parts.iter().map(|part| measured(part, measure)).collect()
}

pub(super) fn at_most(value: f32, limit: f32) -> bool {
    value.is_nan() || value <= limit
}

pub(super) fn at_least(value: f32, limit: f32) -> bool {
    value.is_nan() || value >= limit
}

pub(super) fn arguments(parts: &[Part]) -> impl Iterator<Item = &[Part]> {
    parts.split(|part| part.is_sign(','))
}

fn atom(part: &Part, measure: Measure) -> Option<f32> {
    match part {
        Part::Number(number, unit) => Some(number * factor(unit, measure)?),
        Part::Word(word) => match word.as_str() {
            "e" => Some(std::f32::consts::E),
            "pi" => Some(std::f32::consts::PI),
            "infinity" => Some(f32::INFINITY),
            "-infinity" => Some(f32::NEG_INFINITY),
            "nan" => Some(f32::NAN),
            _ => None,
        },
        Part::Function(name, inside) => function(name, inside, measure),
        Part::Other => Some(f32::NAN),
        Part::Hash(_) | Part::Sign(_) => None,
    }
}

fn function(name: &str, inside: &[Part], measure: Measure) -> Option<f32> {
    let mut values = arguments(inside).map(|one| sum(one, measure));
    // Unlike `f32::min`, NaN stays.
    let pick = |picks: fn(f32, f32) -> bool| {
        move |one: f32, other: f32| if one.is_nan() || picks(one, other) { one } else { other }
    };
    match name {
        "" | "calc" => sum(inside, measure),
        "abs" => values.next()?.map(f32::abs),
        "min" => values.collect::<Option<Vec<_>>>()?.into_iter().reduce(pick(|a, b| a < b)),
        "max" => values.collect::<Option<Vec<_>>>()?.into_iter().reduce(pick(|a, b| a > b)),
        "clamp" => {
            let [low, value, high] = values.collect::<Option<Vec<_>>>()?.try_into().ok()?;
            let is_unknown = [low, value, high].iter().any(|one| one.is_nan());
            Some(if is_unknown { f32::NAN } else { low.max(value.min(high)) })
        }
        "env" => Some(0.0),
        _ => ARITHMETIC.contains(&name).then_some(f32::NAN),
    }
}

fn sum(parts: &[Part], measure: Measure) -> Option<f32> {
    let mut parts = parts.iter();
    let mut total = 0.0;
    let mut product = atom(parts.next()?, measure)?;
    while let Some(part) = parts.next() {
        let Part::Sign(sign) = part else { return None };
        let next = atom(parts.next()?, measure)?;
        match sign {
            '*' => product *= next,
            '/' => product /= next,
            '+' => (total, product) = (total + product, next),
            '-' => (total, product) = (total + product, -next),
            _ => return None,
        }
    }
    Some(total + product)
}

/// Returns one unit in pixels or degrees.
fn factor(unit: &str, measure: Measure) -> Option<f32> {
    Some(match (unit, measure) {
        ("", _) => 1.0,
        ("%", Number) => 0.01,
        ("%", Length(whole)) => whole / 100.0,
        ("px", Length(_)) => 1.0,
        ("pt", Length(_)) => 4.0 / 3.0,
        ("em" | "rem" | "pc" | "ic" | "ric", Length(_)) => 16.0,
        ("ch" | "rch" | "ex" | "rex", Length(_)) => 8.0,
        ("cap" | "rcap", Length(_)) => 11.0,
        ("lh" | "rlh", Length(_)) => 20.0,
        ("cm", Length(_)) => 37.8,
        ("mm", Length(_)) => 3.78,
        ("q", Length(_)) => 0.945,
        ("in", Length(_)) => 96.0,
        ("deg", Angle) => 1.0,
        ("grad", Angle) => 0.9,
        ("rad", Angle) => 180.0 / std::f32::consts::PI,
        ("turn", Angle) => 360.0,
        (unit, Length(_)) if is_of_screen(unit) => 10.0,
        _ => return None,
    })
}

/// Whether a unit is a percentage of the screen or a container.
fn is_of_screen(unit: &str) -> bool {
    if let Some(of_container) = unit.strip_prefix("cq") {
        return matches!(of_container, "w" | "h" | "i" | "b" | "min" | "max");
    }
    let unit = unit.strip_prefix(['s', 'l', 'd']).unwrap_or(unit);
    matches!(unit, "vw" | "vh" | "vi" | "vb" | "vmin" | "vmax")
}
