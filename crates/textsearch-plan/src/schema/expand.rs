//! Expands references and combined schemas into variants that have neither.

use serde_json::Value;

use super::{Type, Variant, View};

/// Of a type, which otherwise accepts everything. An enum of Rust with described variants has an
/// alternative for each.
const MAX_VARIANTS: usize = 512;
/// Of a union, which otherwise accepts everything.
const MAX_TYPES: usize = 64;
/// That apply to one variant. Others say nothing.
const MAX_SCHEMAS: usize = 32;
/// Of one expansion, which otherwise accepts everything.
const MAX_VISITS: usize = 1_024;
const MAX_DEPTH: usize = 32;

/// Schemas that all apply.
type Conjunction<'a> = Vec<View<'a>>;

pub(super) fn variants<'a>(expanded: &Type<'a>) -> Vec<Variant<'a>> {
    let all: Vec<Variant<'a>> = match expanded {
        Type::Any => vec![Variant::Any],
        Type::List(items) => vec![Variant::List((**items).clone())],
        Type::Literal(value) => vec![Variant::Literal(value)],
        Type::OneOf(types) if types.len() > MAX_TYPES => vec![Variant::Any],
        Type::OneOf(types) => types.iter().flat_map(variants).take(MAX_VARIANTS + 1).collect(),
        Type::Schemas(views) => match expand_all(views) {
            Some(all) => all.into_iter().map(Variant::of).collect(),
            None => vec![Variant::Any],
        },
    };
    if all.len() > MAX_VARIANTS { vec![Variant::Any] } else { all }
}

fn expand_all<'a>(views: &[View<'a>]) -> Option<Vec<Conjunction<'a>>> {
    let mut visits = 0;
    views
        .iter()
        .try_fold(vec![Vec::new()], |all, view| product(all, expand(*view, 0, &mut visits)?))
}

/// Each alternative as the schemas that apply. `None` if there are too many.
fn expand<'a>(view: View<'a>, depth: usize, visits: &mut usize) -> Option<Vec<Conjunction<'a>>> {
    *visits += 1;
    if *visits > MAX_VISITS {
        return None;
    }
    let entries = match view.schema {
        Value::Object(entries) if depth <= MAX_DEPTH => entries,
        Value::Bool(false) => return Some(vec![vec![view]]),
        // Says nothing.
        _ => return Some(vec![Vec::new()]),
    };
    let mut all = vec![vec![view]];
    for (keyword, value) in entries {
        all = match (keyword.as_str(), value) {
            ("$ref", Value::String(reference)) => match view.referenced(reference) {
                Some(named) => product(all, expand(named, depth + 1, visits)?)?,
                None => all,
            },
            ("allOf", Value::Array(schemas)) => schemas.iter().try_fold(all, |all, schema| {
                product(all, expand(view.at(schema), depth + 1, visits)?)
            })?,
            ("anyOf" | "oneOf", Value::Array(schemas)) if !schemas.is_empty() => {
                let mut alternatives = Vec::new();
                for schema in schemas {
                    alternatives.extend(expand(view.at(schema), depth + 1, visits)?);
                }
                product(all, alternatives)?
            }
            _ => all,
        };
    }
    Some(all)
}

fn product<'a>(
    left: Vec<Conjunction<'a>>,
    right: Vec<Conjunction<'a>>,
) -> Option<Vec<Conjunction<'a>>> {
    if left.len().saturating_mul(right.len()) > MAX_VARIANTS {
        return None;
    }
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
    let both = pairs.map(|(one, other)| one.iter().chain(other).take(MAX_SCHEMAS).copied());
    Some(both.map(Iterator::collect).collect())
}
