//! Paths of a template, changed so that they find the same as in Handlebars.js.

use std::collections::HashMap;

use ::handlebars::{
    Path, PathSeg,
    template::{Parameter, Subexpression},
};
use serde_json::Value;

use super::{
    data::VARIABLES,
    names::{LENGTH, LENIENT, VARIABLE},
    source::dots_as_path,
};

/// A sub-expression with positional arguments.
pub(super) fn call_of(helper: &str, arguments: Vec<Parameter>) -> Subexpression {
    Subexpression::new(Parameter::Name(helper.to_owned()), arguments, HashMap::new())
}

pub(super) fn literal(value: impl Into<Value>) -> Parameter {
    Parameter::Literal(value.into())
}

/// The parameter that reads `path`.
pub(super) fn rewrite(path: Path, reads_set_variables: bool, is_lenient: bool) -> Parameter {
    let raw = raw(&path).to_owned();
    if let Some(path) = dots_as_path(&raw).and_then(|path| Path::parse(path).ok()) {
        return rewrite(path, reads_set_variables, is_lenient);
    }
    let of_length = raw.strip_suffix(".length").or_else(|| raw.strip_suffix("/length"));
    if let Some(whole) = of_length.and_then(|whole| Path::parse(whole).ok()) {
        let whole = rewrite(whole, reads_set_variables, is_lenient);
        return Parameter::Subexpression(call_of(LENGTH, vec![whole]));
    }
    let path = under_variables(path, &raw);
    let reference = Some(&path).filter(|_| reads_set_variables).and_then(Reference::of);
    let read = if is_lenient { lenient(&path) } else { Parameter::Path(path) };
    match reference {
        Some(reference) => reference.into_parameter(read),
        None => read,
    }
}

/// A call of the helper that reads a path without taking a member that a list does not have for an error.
fn lenient(path: &Path) -> Parameter {
    Parameter::Subexpression(call_of(LENIENT, vec![literal(raw(path))]))
}

/// `@root` is where the variables are.
fn under_variables(path: Path, raw: &str) -> Path {
    let Some((before, after)) = raw.split_once("@root") else {
        return path;
    };
    let is_root = matches!(before, "" | "this." | "this/" | "./")
        && (after.is_empty() || after.starts_with(['.', '/']));
    if !is_root {
        return path;
    }
    Path::parse(&format!("@root.{VARIABLES}{after}")).unwrap_or(path)
}

fn raw(path: &Path) -> &str {
    match path {
        Path::Relative((_, raw)) | Path::Local((_, _, raw)) => raw,
    }
}

/// What a path refers to, if it is a variable: its name, what is read of it, and the path of the object that it is in.
struct Reference {
    name: String,
    members: Vec<String>,
    scope: Option<String>,
}

impl Reference {
    fn of(path: &Path) -> Option<Self> {
        let Path::Relative((segments, raw)) = path else {
            return None;
        };
        let is_absolute = raw.starts_with("@root");
        let mut names = segments.iter().filter_map(|segment| match segment {
            PathSeg::Named(name) => Some(name.clone()),
            _ => None,
        });
        if is_absolute {
            names.next();
        }
        let name = names.next()?;
        let levels = segments.len() - segments.iter().filter(|one| is_named(one)).count();
        let scope = (!is_absolute).then(|| "../".repeat(levels) + "this");
        Some(Self { name, members: names.collect(), scope })
    }

    /// A call of the helper that knows what the template has set.
    fn into_parameter(self, read: Parameter) -> Parameter {
        let scope = self.scope.map_or(Value::Null, Value::String);
        let arguments = vec![read, literal(self.name), literal(self.members), literal(scope)];
        Parameter::Subexpression(call_of(VARIABLE, arguments))
    }
}

fn is_named(segment: &PathSeg) -> bool {
    matches!(segment, PathSeg::Named(_))
}
