//! Transforms and filters that hide.

use super::{
    limit::{MIN_OPACITY, is_far},
    measure::{Measure, all_measured, arguments, at_least, at_most, measured},
    value::Part,
};

/// Percentages refer to the element: its assumed size in pixels.
const OWN_SIZE: Measure = Measure::Length(300.0);

pub(super) struct Transformed {
    /// Factor of its area.
    area: f32,
    moved: (f32, f32),
    /// Whether its back is shown.
    pub(super) is_turned: bool,
}

impl Transformed {
    pub(super) fn new() -> Self {
        Self { area: 1.0, moved: (0.0, 0.0), is_turned: false }
    }

    pub(super) fn is_hidden(&self) -> bool {
        at_most(self.area.abs(), MIN_OPACITY * MIN_OPACITY)
            || is_far(self.moved.0)
            || is_far(self.moved.1)
    }

    /// One tiny side is enough to hide.
    pub(super) fn scale(&mut self, x: f32, y: f32) {
        let is_flat = at_most(x.abs(), MIN_OPACITY) || at_most(y.abs(), MIN_OPACITY);
        self.area *= if is_flat { 0.0 } else { x * y };
    }

    pub(super) fn shift(&mut self, x: f32, y: f32) {
        self.moved = (self.moved.0 + x, self.moved.1 + y);
    }

    /// Turns the element around an axis in its plane, by degrees.
    pub(super) fn turn(&mut self, angle: f32) {
        let depth = angle.to_radians().cos();
        self.scale(depth.abs(), 1.0);
        self.is_turned ^= depth < 0.0;
    }
}

/// Returns `None` if a function is unknown.
pub(super) fn transformed(value: &[Part]) -> Option<Transformed> {
    let mut done = Transformed::new();
    for part in value {
        let Part::Function(name, inside) = part else { return None };
        apply(name, inside, &mut done)?;
    }
    Some(done)
}

fn apply(name: &str, inside: &[Part], done: &mut Transformed) -> Option<()> {
    let values = |measure: Measure| {
        let one = |one: &[Part]| if let [part] = one { measured(part, measure) } else { None };
        arguments(inside).map(one).collect::<Option<Vec<f32>>>()
    };
    match name {
        "scale" | "scalex" | "scaley" | "scale3d" => {
            match (name, values(Measure::Number)?.as_slice()) {
                ("scale", [both]) => done.scale(*both, *both),
                ("scale", [x, y]) | ("scale3d", [x, y, _]) => done.scale(*x, *y),
                ("scalex" | "scaley", [side]) => done.scale(*side, 1.0),
                _ => return None,
            }
        }
        "translate" | "translatex" | "translatey" | "translate3d" => {
            match (name, values(OWN_SIZE)?.as_slice()) {
                ("translate" | "translatex", [x]) => done.shift(*x, 0.0),
                ("translatey", [y]) => done.shift(0.0, *y),
                ("translate", [x, y]) | ("translate3d", [x, y, _]) => done.shift(*x, *y),
                _ => return None,
            }
        }
        "matrix" => {
            let [a, b, c, d, x, y] = values(Measure::Number)?.try_into().ok()?;
            done.area *= a * d - b * c;
            done.shift(x, y);
        }
        "matrix3d" => {
            let all: [f32; 16] = values(Measure::Number)?.try_into().ok()?;
            done.area *= all[0] * all[5] - all[1] * all[4];
            done.shift(all[12], all[13]);
        }
        "rotatex" | "rotatey" => done.turn(*values(Measure::Angle)?.first()?),
        "rotate3d" => {
            let angle = measured(inside.last()?, Measure::Angle)?;
            let z = measured(arguments(inside).nth(2)?.first()?, Measure::Number)?;
            if z == 0.0 {
                done.turn(angle);
            }
        }
        "skew" | "skewx" | "skewy" => {
            let angles = values(Measure::Angle)?;
            // This stretches letters to lines.
            let is_flat =
                angles.iter().any(|angle| at_most(angle.to_radians().cos().abs(), MIN_OPACITY));
            done.area *= if is_flat { 0.0 } else { 1.0 };
        }
        "rotate" | "rotatez" => drop(values(Measure::Angle)?),
        "translatez" | "scalez" | "perspective" => {}
        _ => return None,
    }
    Some(())
}

/// Parses an angle, with an axis or three numbers if given.
pub(super) fn rotated(value: &[Part]) -> Option<Transformed> {
    let mut done = Transformed::new();
    let is_angle = |part: &&Part| measured(part, Measure::Angle).is_some() && part.word().is_none();
    let angle = measured(value.iter().rev().find(is_angle)?, Measure::Angle)?;
    match value {
        [_] => {}
        [Part::Word(axis), _] | [_, Part::Word(axis)] => match axis.as_str() {
            "x" | "y" => done.turn(angle),
            "z" => {}
            _ => return None,
        },
        [_, _, z, _] if measured(z, Measure::Number) == Some(0.0) => done.turn(angle),
        [_, _, _, _] => {}
        _ => return None,
    }
    Some(done)
}

pub(super) fn scaled(value: &[Part]) -> Option<Transformed> {
    let mut done = Transformed::new();
    match all_measured(value, Measure::Number)?.as_slice() {
        [both] => done.scale(*both, *both),
        [x, y] | [x, y, _] => done.scale(*x, *y),
        _ => return None,
    }
    Some(done)
}

pub(super) fn translated(value: &[Part]) -> Option<Transformed> {
    let mut done = Transformed::new();
    match all_measured(value, OWN_SIZE)?.as_slice() {
        [x] => done.shift(*x, 0.0),
        [x, y] | [x, y, _] => done.shift(*x, *y),
        _ => return None,
    }
    Some(done)
}

/// Returns `None` if a filter is unknown.
pub(super) fn is_filtered_out(value: &[Part]) -> Option<bool> {
    const OTHERS: &[&str] = &[
        "brightness",
        "contrast",
        "drop-shadow",
        "grayscale",
        "hue-rotate",
        "invert",
        "saturate",
        "sepia",
    ];
    /// Letters are unreadable from this blur, in pixels.
    const MAX_BLUR: f32 = 10.0;
    let mut opacity = 1.0;
    let mut blur = 0.0;
    for part in value {
        let Part::Function(name, inside) = part else { return None };
        match (name.as_str(), inside.as_slice()) {
            ("opacity", [one]) => opacity *= measured(one, Measure::Number)?,
            ("blur", [one]) => blur += measured(one, Measure::Length(0.0))?,
            ("opacity" | "blur", []) => {}
            (other, _) if OTHERS.contains(&other) => {}
            _ => return None,
        }
    }
    Some(at_most(opacity, MIN_OPACITY) || at_least(blur, MAX_BLUR))
}
