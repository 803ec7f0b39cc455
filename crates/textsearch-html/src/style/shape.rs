//! Clips that leave nothing of an element.

use super::{
    limit::is_tiny,
    measure::{Measure, all_measured, arguments, at_most, measured},
    value::{Part, is_global},
};

/// Assumed size of an element in pixels: a few lines.
const SIZE: f32 = 100.0;

/// Shorter sides are unreadable.
const MIN_VISIBLE: f32 = 0.05 * SIZE;

const OF_SIZE: Measure = Measure::Length(SIZE);

/// Whether `clip` leaves nothing; `None` for an unknown value.
pub(super) fn is_clipped(value: &[Part]) -> Option<bool> {
    match value {
        [Part::Word(word)] => (word == "auto" || is_global(word)).then_some(false),
        [Part::Function(name, inside)] if name == "rect" => {
            let sides: Vec<&Part> = inside.iter().filter(|part| !part.is_sign(',')).collect();
            let [top, right, bottom, left] = sides.try_into().ok()?;
            let side = |part: &Part, auto: f32| match part {
                Part::Word(word) if word == "auto" => Some(auto),
                part => measured(part, OF_SIZE),
            };
            let height = side(bottom, f32::INFINITY)? - side(top, 0.0)?;
            let width = side(right, f32::INFINITY)? - side(left, 0.0)?;
            Some(is_tiny(height) || is_tiny(width))
        }
        _ => None,
    }
}

/// Whether `clip-path` leaves nothing; `None` for an unknown value.
pub(super) fn is_clipped_by_path(value: &[Part]) -> Option<bool> {
    const WORDS: &[&str] = &[
        "none",
        "border-box",
        "content-box",
        "fill-box",
        "margin-box",
        "padding-box",
        "stroke-box",
        "view-box",
    ];
    let is_known = |word: &str| WORDS.contains(&word) || is_global(word);
    let mut is_clipped = (!value.is_empty()).then_some(false);
    for part in value {
        match part {
            Part::Word(word) if is_known(word) => {}
            Part::Function(name, inside) => is_clipped = Some(is_nothing(name, inside)?),
            _ => return None,
        }
    }
    is_clipped
}

fn is_nothing(name: &str, inside: &[Part]) -> Option<bool> {
    let is_end = |part: &Part| matches!(part.word(), Some("round" | "at"));
    let mut halves = inside.splitn(2, is_end);
    let (first, second) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
    let is_short = |length: f32| at_most(length, MIN_VISIBLE);
    match name {
        "inset" => {
            let sides = all_measured(first, OF_SIZE)?;
            let top = *sides.first()?;
            let right = sides.get(1).copied().unwrap_or(top);
            let bottom = sides.get(2).copied().unwrap_or(top);
            let left = sides.get(3).copied().unwrap_or(right);
            Some(is_short(SIZE - top - bottom) || is_short(SIZE - left - right))
        }
        "rect" => {
            let auto = |(index, part): (usize, &Part)| match part {
                Part::Word(word) if word == "auto" => {
                    Some(if matches!(index, 1 | 2) { SIZE } else { 0.0 })
                }
                part => measured(part, OF_SIZE),
            };
            let sides: Option<Vec<f32>> = first.iter().enumerate().map(auto).collect();
            let [top, right, bottom, left] = sides?.try_into().ok()?;
            Some(is_short(bottom - top) || is_short(right - left))
        }
        "xywh" => {
            let [x, y, width, height] = all_measured(first, OF_SIZE)?.try_into().ok()?;
            Some(is_short(width.min(x + width)) || is_short(height.min(y + height)))
        }
        "circle" | "ellipse" => is_round_nothing(first, second),
        "polygon" => is_polygon_nothing(inside),
        _ => None,
    }
}

/// Whether a circle or an ellipse is tiny, or lies left of or above the element.
fn is_round_nothing(radii: &[Part], center: &[Part]) -> Option<bool> {
    let is_word = |part: &Part| matches!(part.word(), Some("closest-side" | "farthest-side"));
    let radius = |part: &Part| if is_word(part) { Some(SIZE) } else { measured(part, OF_SIZE) };
    let radii: Vec<f32> = radii.iter().map(radius).collect::<Option<_>>()?;
    let largest = radii.iter().copied().reduce(f32::max).unwrap_or(SIZE);
    let is_away =
        |part: &Part| measured(part, OF_SIZE).is_some_and(|at| at_most(at + largest, 0.0));
    Some(radii.iter().any(|radius| is_tiny(*radius)) || center.iter().any(is_away))
}

/// Whether a polygon has no area, or lies left of or above the element.
fn is_polygon_nothing(inside: &[Part]) -> Option<bool> {
    let is_rule = |point: &&[Part]| matches!(point, [Part::Word(rule)] if rule.ends_with("zero") || rule == "evenodd");
    let point = |point: &[Part]| -> Option<(f32, f32)> {
        let [x, y] = all_measured(point, OF_SIZE)?.try_into().ok()?;
        Some((x, y))
    };
    let points: Vec<_> =
        arguments(inside).filter(|one| !is_rule(one)).map(point).collect::<Option<_>>()?;
    let next = points.iter().cycle().skip(1);
    let area: f32 =
        points.iter().zip(next).map(|(one, next)| one.0 * next.1 - next.0 * one.1).sum();
    let is_outside = |side: fn(&(f32, f32)) -> f32| points.iter().map(side).all(|at| at <= 0.0);
    let is_flat = at_most(area.abs() / 2.0, MIN_VISIBLE * MIN_VISIBLE);
    Some(is_flat || is_outside(|point| point.0) || is_outside(|point| point.1))
}
