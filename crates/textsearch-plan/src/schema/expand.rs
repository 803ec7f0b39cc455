//! Expands references and combined schemas into variants that have neither.

use serde_json::Value;

use super::{Fuel, Type, Variant, View};

/// An enum of Rust with described variants has an alternative for each.
const MOST_VARIANTS: usize = 512;
/// The most schemas that apply to one variant. Others say nothing.
const MOST_SCHEMAS: usize = 64;
const LONGEST_CHAIN: usize = 32;

pub(super) fn variants<'a>(of: &Type<'a>, fuel: &mut Fuel) -> Vec<Variant<'a>> {
    expanded(of, fuel).unwrap_or_else(|| vec![Variant::Any])
}

/// `None` if there are too many variants. Spent fuel gives a variant that accepts everything.
pub(super) fn expanded<'a>(of: &Type<'a>, fuel: &mut Fuel) -> Option<Vec<Variant<'a>>> {
    Some(match of {
        Type::Any => vec![Variant::Any],
        Type::List(items) => vec![Variant::List((**items).clone())],
        Type::Literal(value) => vec![Variant::Literal(value)],
        Type::OneOf(types) => types.iter().flat_map(|one| variants(one, fuel)).collect(),
        // Most schemas have nothing to expand.
        Type::Schemas(views) if views.iter().all(View::is_plain) => {
            vec![Variant::of(views.clone(), fuel)]
        }
        Type::Schemas(views) => {
            let mut all = vec![Vec::new()];
            for view in views {
                all = and(all, *view, 0, fuel);
            }
            match fuel.burn() {
                true if all.len() > MOST_VARIANTS => return None,
                true => all.into_iter().map(|views| Variant::of(views, fuel)).collect(),
                false => vec![Variant::Any],
            }
        }
    })
}

/// Each alternative as the list of schemas that apply.
fn expand<'a>(view: View<'a>, depth: usize, fuel: &mut Fuel) -> Vec<Vec<View<'a>>> {
    if depth > LONGEST_CHAIN || !fuel.burn() {
        return vec![Vec::new()];
    }
    let Some(entries) = view.entries() else {
        // `true` says nothing, `false` is kept.
        return vec![if view.schema == false { vec![view] } else { Vec::new() }];
    };
    fuel.burn_for(entries.len());
    let mut all = vec![vec![view]];
    for (keyword, value) in entries {
        if fuel.is_spent() {
            break;
        }
        match (keyword.as_str(), value) {
            ("$ref", Value::String(reference)) => {
                fuel.burn_for(reference.len() / 64);
                let named = referenced(view.document, reference);
                // An unknown place says nothing.
                if let Some(named) = named {
                    all = and(all, view.at(named), depth + 1, fuel);
                }
            }
            ("allOf", Value::Array(schemas)) => {
                for schema in schemas {
                    all = and(all, view.at(schema), depth + 1, fuel);
                    // Thousands of entries may follow.
                    if fuel.is_spent() {
                        break;
                    }
                }
            }
            ("anyOf" | "oneOf", Value::Array(schemas)) if !schemas.is_empty() => {
                let alternatives: Vec<Vec<View<'a>>> = schemas
                    .iter()
                    .flat_map(|schema| expand(view.at(schema), depth + 1, fuel))
                    .take(MOST_VARIANTS + 1)
                    .collect();
                all = product(all, alternatives, fuel);
            }
            _ => {}
        }
    }
    all
}

impl View<'_> {
    pub(super) fn is_plain(&self) -> bool {
        let expanded = ["$ref", "allOf", "anyOf", "oneOf"];
        self.entries().is_some_and(|entries| !expanded.iter().any(|one| entries.contains_key(*one)))
    }
}

fn and<'a>(
    all: Vec<Vec<View<'a>>>,
    view: View<'a>,
    depth: usize,
    fuel: &mut Fuel,
) -> Vec<Vec<View<'a>>> {
    let also = expand(view, depth, fuel);
    product(all, also, fuel)
}

/// More variants than the most are as good as any number. Each pair burns fuel. If one side has a
/// single alternative, nothing is copied, which burns less.
fn product<'a>(
    mut left: Vec<Vec<View<'a>>>,
    mut right: Vec<Vec<View<'a>>>,
    fuel: &mut Fuel,
) -> Vec<Vec<View<'a>>> {
    let fits = |one: &[View<'a>], other: &[View<'a>]| one.len() + other.len() <= MOST_SCHEMAS;
    if let [only] = right.as_slice() {
        if !only.is_empty() {
            fuel.burn_for_alternatives(left.len());
            left.iter_mut().filter(|one| fits(one, only)).for_each(|one| one.extend(only));
        }
        return left;
    }
    if let [only] = left.as_slice() {
        fuel.burn_for_alternatives(right.len());
        for other in &mut right {
            if !fits(only, other) {
                other.clear();
            }
            other.splice(0..0, only.iter().copied());
        }
        return right;
    }
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
    let both = |(one, other): (&Vec<View<'a>>, &Vec<View<'a>>)| match fits(one, other) {
        true => [one.as_slice(), other].concat(),
        false => one.clone(),
    };
    pairs.take(MOST_VARIANTS + 1).take_while(|_| fuel.burn()).map(both).collect()
}

fn referenced<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}
