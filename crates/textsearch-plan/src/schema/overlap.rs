//! Whether a value of one type can be a value of another.

use serde_json::Value;

use super::{Kinds, Type, Variant, Work, validate};

/// Deeper, the run finds out.
const MAX_DEPTH: usize = 24;
/// What an expansion of a type costs at least.
const EXPANSION: usize = 32;
/// Of a longer enumeration, the run compares the value.
const MAX_LISTED: usize = 1_000;

/// Returns false only if no value of `from` fits `to`, null aside. A function that may return null
/// still fits a parameter that takes none: the run finds out.
pub(crate) fn overlaps(from: &Type<'_>, to: &Type<'_>, work: &mut Work) -> bool {
    overlaps_at(0, from, to, work)
}

fn overlaps_at(depth: usize, from: &Type<'_>, to: &Type<'_>, work: &mut Work) -> bool {
    if matches!(from, Type::Any) || matches!(to, Type::Any) || depth > MAX_DEPTH {
        return true;
    }
    let (outputs, inputs) = (from.variants(), to.variants());
    if !work.spend(EXPANSION + outputs.len() + inputs.len()) {
        return true;
    }
    // A shared null is ignored, unless one of the types is null alone.
    let is_null =
        |all: &[Variant<'_>]| all.iter().all(|one| one.kinds().without(Kinds::NULL).is_empty());
    let ignored = if is_null(&outputs) || is_null(&inputs) { Kinds::NONE } else { Kinds::NULL };
    let finite = listed(&outputs).or_else(|| listed(&inputs));
    if let Some(values) = finite.filter(|values| values.len() <= MAX_LISTED) {
        let mut fits = |value, schema| validate(value, schema, work).is_ok() || work.is_spent();
        let mut values = values.into_iter().filter(|value| !Kinds::of(value).meets(ignored));
        return values.any(|value| fits(value, to) && fits(value, from));
    }
    outputs.iter().any(|one| {
        inputs.iter().any(|other| {
            let common = one.kinds().and(other.kinds()).without(ignored);
            !work.spend(1) || (!common.is_empty() && fits(depth, (one, other), common, work))
        })
    })
}

/// All values that the variants may have, if they list them.
fn listed<'a>(variants: &[Variant<'a>]) -> Option<Vec<&'a Value>> {
    let lists = variants.iter().map(Variant::listed).collect::<Option<Vec<_>>>()?;
    Some(lists.into_iter().flatten().take(MAX_LISTED + 1).collect())
}

fn fits(
    depth: usize,
    (from, to): (&Variant<'_>, &Variant<'_>),
    common: Kinds,
    work: &mut Work,
) -> bool {
    if common == Kinds::LIST {
        return match (from.item(None), to.item(None)) {
            // An empty list has no items, and fits.
            (Some(Type::OneOf(types)), _) | (_, Some(Type::OneOf(types))) if types.is_empty() => {
                true
            }
            (Some(from), Some(to)) => overlaps_at(depth + 1, &from, &to, work),
            _ => true,
        };
    }
    if common != Kinds::OBJECT || matches!(from, Variant::Any) || matches!(to, Variant::Any) {
        return true;
    }
    let schemas = from.views().len() + to.views().len();
    let has_required = to.required().all(|name| !work.spend(schemas) || from.field(name).is_some());
    has_required
        && to.field_names().all(|name| {
            if !work.spend(schemas) {
                return true;
            }
            match (from.field(name), to.field(name)) {
                (Some(from), Some(to)) => overlaps_at(depth + 1, &from, &to, work),
                _ => true,
            }
        })
}
