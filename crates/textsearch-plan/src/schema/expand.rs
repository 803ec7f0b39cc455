//! Expands references and combined schemas into variants that have neither.

use serde_json::Value;

use super::{Kinds, Type, Variant, View};

/// That apply to one variant. Others say nothing.
const MAX_SCHEMAS: usize = 32;
/// Of a type, which otherwise accepts everything. An enum of Rust with described variants has an
/// alternative for each.
const MAX_VISITS: usize = 1_024;
const MAX_DEPTH: usize = 32;

/// Schemas that all apply.
type Conjunction<'a> = Vec<View<'a>>;

impl<'a> Type<'a> {
    pub(crate) fn variants(&self) -> Vec<Variant<'a>> {
        self.expand(&mut 0).unwrap_or_else(|| vec![Variant::Any])
    }

    /// Returns `None` if there are too many, or two choices.
    fn expand(&self, visits: &mut usize) -> Option<Vec<Variant<'a>>> {
        Some(match self {
            Self::Any => vec![Variant::Any],
            Self::List(items) => vec![Variant::List((**items).clone())],
            Self::Literal(value) => vec![Variant::Literal(value)],
            Self::OneOf(types) => {
                *visits += types.len();
                if *visits > MAX_VISITS {
                    return None;
                }
                let parts: Option<Vec<_>> = types.iter().map(|part| part.expand(visits)).collect();
                parts?.concat()
            }
            Self::Schemas(views) => {
                expand_all(views, 0, visits)?.into_iter().map(Variant::Schemas).collect()
            }
        })
    }

    pub(crate) fn kinds(&self) -> Kinds {
        self.variants().iter().fold(Kinds::NONE, |all, variant| all.or(variant.kinds()))
    }
}

/// Each alternative of schemas that all apply. `None` if there are too many, or two choices.
fn expand_all<'a>(
    views: &[View<'a>],
    depth: usize,
    visits: &mut usize,
) -> Option<Vec<Conjunction<'a>>> {
    views.iter().try_fold(vec![Vec::new()], |all, view| both(all, expand(*view, depth, visits)?))
}

fn expand<'a>(view: View<'a>, depth: usize, visits: &mut usize) -> Option<Vec<Conjunction<'a>>> {
    *visits += 1;
    if *visits > MAX_VISITS {
        return None;
    }
    let own = vec![vec![view]];
    if depth > MAX_DEPTH {
        return Some(own);
    }
    let reference = view.get("$ref").and_then(Value::as_str);
    let named = reference.and_then(|reference| view.referenced(reference));
    let parts = view.list("allOf").iter().map(|schema| view.at(schema));
    let parts: Vec<View<'a>> = named.into_iter().chain(parts).collect();
    let mut all = both(own, expand_all(&parts, depth + 1, visits)?)?;
    for keyword in ["anyOf", "oneOf"] {
        let mut alternatives = Vec::new();
        for schema in view.list(keyword) {
            alternatives.extend(expand(view.at(schema), depth + 1, visits)?);
        }
        if !alternatives.is_empty() {
            all = both(all, alternatives)?;
        }
    }
    Some(all)
}

/// Combines alternatives with alternatives. Returns `None` for two choices, because they would
/// multiply: the run checks the value. Ignoring one choice would make its fields unknown.
fn both<'a>(
    left: Vec<Conjunction<'a>>,
    right: Vec<Conjunction<'a>>,
) -> Option<Vec<Conjunction<'a>>> {
    if left.len() > 1 && right.len() > 1 {
        return None;
    }
    let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
    let schemas = pairs.map(|(left, right)| left.iter().chain(right).take(MAX_SCHEMAS).copied());
    Some(schemas.map(Iterator::collect).collect())
}
