//! Expands references and combined schemas into variants that have neither.

use serde_json::Value;

use super::{Kinds, Type, View};
use crate::reference::is_name;

/// Bounds the work on schemas that grow when they are expanded. When it is used up, types accept
/// everything and values fit none: the check of a plan passes, and its run fails.
#[derive(Debug)]
pub(crate) struct Fuel {
    left: u32,
    depth: u32,
}

const DEEPEST: u32 = 24;
const FUEL: u32 = 20_000;
const FUEL_PER_BYTE: u32 = 4;
/// The number of values that a unit of fuel compares.
const COMPARISONS: usize = 32;
/// The number of comparisons that an alternative costs.
const ALTERNATIVE: usize = 4;
/// An enum of Rust with described variants has an alternative for each.
const MOST_VARIANTS: usize = 512;
/// The most schemas that apply to one variant. Others say nothing.
const MOST_SCHEMAS: usize = 64;
const LONGEST_CHAIN: usize = 32;

/// Values of one form: all of its schemas apply, and none has a `$ref` or alternatives.
#[derive(Debug, Clone)]
pub(crate) enum Variant<'a> {
    Any,
    Schemas(Vec<View<'a>>),
    List(Type<'a>),
    Literal(&'a Value),
}

impl Default for Fuel {
    fn default() -> Self {
        Self { left: FUEL, depth: 0 }
    }
}

impl Fuel {
    /// Suffices for a value of this size, about its length as JSON, if each part has a few
    /// alternatives.
    pub(crate) fn for_value(size: usize) -> Self {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        Self { left: size.saturating_mul(FUEL_PER_BYTE).saturating_add(FUEL), depth: 0 }
    }

    pub(crate) fn burn(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// Burns for comparisons with `values` values, which are quick.
    pub(super) fn burn_for(&mut self, values: usize) {
        let units = u32::try_from(values / COMPARISONS).unwrap_or(u32::MAX);
        self.left = self.left.saturating_sub(units);
    }

    pub(super) fn burn_for_alternatives(&mut self, count: usize) {
        self.burn_for(count.saturating_mul(ALTERNATIVE));
    }

    pub(crate) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Does `work` one level deeper, unless that is too deep: then types accept everything.
    pub(super) fn deeper(&mut self, work: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.depth >= DEEPEST || !self.burn() {
            return true;
        }
        self.depth += 1;
        let is_accepted = work(self);
        self.depth -= 1;
        is_accepted
    }
}

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
            vec![Variant::Schemas(views.clone())]
        }
        Type::Schemas(views) => {
            let mut all = vec![Vec::new()];
            for view in views {
                all = and(all, *view, 0, fuel);
            }
            match fuel.burn() {
                true if all.len() > MOST_VARIANTS => return None,
                true => all.into_iter().map(Variant::of_schemas).collect(),
                false => vec![Variant::Any],
            }
        }
    })
}

/// Each alternative as the list of schemas that apply.
fn expand<'a>(view: View<'a>, depth: usize, fuel: &mut Fuel) -> Vec<Vec<View<'a>>> {
    let Some(entries) = view.entries() else {
        // `true` says nothing, `false` is kept.
        return vec![if view.schema == false { vec![view] } else { Vec::new() }];
    };
    if depth > LONGEST_CHAIN || !fuel.burn() {
        return vec![Vec::new()];
    }
    let mut all = vec![vec![view]];
    for (keyword, value) in entries {
        if fuel.is_spent() {
            break;
        }
        match (keyword.as_str(), value) {
            ("$ref", Value::String(reference)) => {
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

    fn has_patterns(&self) -> bool {
        self.get("patternProperties").is_some()
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

impl<'a> Variant<'a> {
    fn of_schemas(views: Vec<View<'a>>) -> Self {
        if views.is_empty() { Self::Any } else { Self::Schemas(views) }
    }

    pub(super) fn views(&self) -> &[View<'a>] {
        match self {
            Self::Schemas(views) => views,
            _ => &[],
        }
    }

    pub(crate) fn kinds(&self) -> Kinds {
        match self {
            Self::Any => Kinds::ALL,
            Self::List(_) => Kinds::LIST,
            Self::Literal(value) => Kinds::of(value),
            Self::Schemas(views) => {
                views.iter().fold(Kinds::ALL, |all, view| all.and(kinds_of(*view)))
            }
        }
    }

    /// The values of `enum` or `const`, if there are any.
    pub(super) fn allowed(&self) -> Option<&'a [Value]> {
        match self {
            Self::Literal(value) => Some(std::slice::from_ref(*value)),
            Self::Schemas(views) => views.iter().find_map(|view| allowed_by(*view)),
            _ => None,
        }
    }

    /// Whether objects have no other fields than the listed ones.
    pub(crate) fn is_closed(&self) -> bool {
        let is_shut =
            |view: &View<'a>| view.get("additionalProperties").is_some_and(|extra| *extra == false);
        self.views().iter().any(|view| is_shut(view) && !view.has_patterns())
    }

    /// Returns how many items, from the first, have a schema each (`prefixItems`).
    pub(super) fn first_items(&self) -> usize {
        let lists = self.views().iter().filter_map(|view| view.get("prefixItems")?.as_array());
        lists.map(Vec::len).max().unwrap_or(0)
    }

    /// `None` if values have no such field. A schema that lists properties lists all of them, unless
    /// it says that there are others.
    pub(super) fn field(&self, name: &str) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::List(_) => None,
            Self::Literal(value) => value.get(name).map(Type::Literal),
            Self::Schemas(_) if !self.kinds().meets(Kinds::OBJECT) => None,
            Self::Schemas(views) => {
                let mut found = Vec::new();
                let (mut is_closed, mut is_open) = (false, false);
                for view in views {
                    let property = view.get("properties").and_then(|all| all.get(name));
                    match (property, view.get("additionalProperties")) {
                        (Some(schema), _) => found.push(view.at(schema)),
                        // `additionalProperties` ignores names that match a pattern.
                        (None, _) if view.has_patterns() => is_open = true,
                        (None, Some(Value::Bool(false))) => is_closed = true,
                        (None, Some(schema)) => found.push(view.at(schema)),
                        (None, None) => is_closed |= view.get("properties").is_some(),
                    }
                }
                match found.is_empty() {
                    false => Some(Type::Schemas(found)),
                    true if is_closed && !is_open => None,
                    true => Some(Type::Any),
                }
            }
        }
    }

    pub(super) fn any_field(&self) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::Schemas(_) if self.kinds().meets(Kinds::OBJECT) => {
                let names: Vec<&str> = self.field_names().collect();
                let is_open = self.views().iter().any(|view| {
                    view.get("additionalProperties").is_some_and(|extra| *extra != false)
                        || view.has_patterns()
                });
                if is_open || names.is_empty() {
                    return Some(Type::Any);
                }
                Some(Type::OneOf(names.into_iter().filter_map(|name| self.field(name)).collect()))
            }
            Self::Literal(Value::Object(fields)) => {
                Some(Type::OneOf(fields.values().map(Type::Literal).collect()))
            }
            _ => None,
        }
    }

    pub(super) fn item(&self, index: Option<usize>) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::List(items) => Some(items.clone()),
            Self::Literal(Value::Array(items)) => match index {
                Some(index) => items.get(index).map(Type::Literal),
                None => Some(Type::OneOf(items.iter().map(Type::Literal).collect())),
            },
            Self::Literal(_) => None,
            Self::Schemas(_) if !self.kinds().meets(Kinds::LIST) => None,
            Self::Schemas(views) => {
                let mut found = Vec::new();
                for view in views {
                    let first = view.get("prefixItems").and_then(Value::as_array);
                    let schema = match (first, index) {
                        (Some(first), Some(index)) if index < first.len() => first.get(index),
                        // Items differ: any.
                        (Some(_), None) => continue,
                        _ => view.get("items"),
                    };
                    found.extend(schema.map(|schema| view.at(schema)));
                }
                Some(if found.is_empty() { Type::Any } else { Type::Schemas(found) })
            }
        }
    }

    /// Declared fields, the short ones first that a reference can name with a dot.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        let declared = self.views().iter().filter_map(|view| view.get("properties")?.as_object());
        declared.flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// The declared fields that a reference can name with a dot, with their types.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'a str, Type<'a>)> + use<'a, '_> {
        let named = self.field_names().filter(|name| is_name(name));
        named.filter_map(|name| Some((name, self.field(name)?)))
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        let lists = self.views().iter().filter_map(|view| view.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str)
    }
}

impl<'a> Type<'a> {
    pub(crate) fn variants(&self, fuel: &mut Fuel) -> Vec<Variant<'a>> {
        variants(self, fuel)
    }

    pub(crate) fn kinds(&self, fuel: &mut Fuel) -> Kinds {
        self.variants(fuel).iter().fold(Kinds::NONE, |all, one| all.or(one.kinds()))
    }
}

fn kinds_of(view: View<'_>) -> Kinds {
    if view.schema == false {
        return Kinds::NONE;
    }
    let named = view.get("type").map_or(Kinds::ALL, Kinds::named);
    match allowed_by(view) {
        Some(values) => {
            named.and(values.iter().fold(Kinds::NONE, |all, one| all.or(Kinds::of(one))))
        }
        None => named,
    }
}

fn allowed_by<'a>(view: View<'a>) -> Option<&'a [Value]> {
    let constant = view.get("const").map(std::slice::from_ref);
    constant.or_else(|| view.get("enum")?.as_array().map(Vec::as_slice))
}
