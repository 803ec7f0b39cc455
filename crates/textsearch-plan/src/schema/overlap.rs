//! Whether a value of one type can be a value of another.

use serde_json::Value;

use super::{Kinds, Type, Variant, Work, validate};

/// Deeper, the run finds out.
const MAX_DEPTH: usize = 24;
/// What an expansion of a type costs at least.
const EXPANSION: usize = 128;
/// Of a longer enumeration, the run compares the value.
const MAX_LISTED: usize = 1_000;

/// Returns false only if no value of `from` fits `to`, null aside. A function that may return null
/// still fits a parameter that takes none: the run finds out.
pub(crate) fn overlaps(from: &Type<'_>, to: &Type<'_>, work: &mut Work) -> bool {
    overlaps_at(0, from, to, work)
}

fn overlaps_at(depth: usize, from: &Type<'_>, to: &Type<'_>, work: &mut Work) -> bool {
    if depth > MAX_DEPTH || !work.spend(EXPANSION) {
        return true;
    }
    let outputs = from.variants();
    let inputs = to.variants();
    let views = |variants: &[Variant<'_>]| -> usize {
        variants.iter().map(|variant| variant.views().len()).sum()
    };
    if !work.spend(views(&outputs).saturating_add(views(&inputs))) {
        return true;
    }
    // A shared null is ignored, unless one of the types is null alone.
    let is_null = |variants: &[Variant<'_>]| {
        variants.iter().all(|variant| variant.kinds().without(Kinds::NULL).is_empty())
    };
    let ignored = if is_null(&outputs) || is_null(&inputs) { Kinds::NONE } else { Kinds::NULL };
    let finite = listed(&outputs).or_else(|| listed(&inputs));
    if let Some(values) = finite.filter(|values| values.len() <= MAX_LISTED) {
        let mut fits = |value, schema| validate(value, schema, work).is_ok() || work.is_spent();
        let mut values =
            values.into_iter().filter(|value| !Kinds::from_value(value).meets(ignored));
        return values.any(|value| fits(value, to) && fits(value, from));
    }
    let mut pairs = outputs.iter().flat_map(|from| inputs.iter().map(move |to| (from, to)));
    pairs.any(|(from, to)| {
        let common = from.kinds().and(to.kinds()).without(ignored);
        let fields = to.required().count() + to.field_names().count();
        let schemas = from.views().len() + to.views().len();
        match common {
            _ if !work.spend((1 + fields).saturating_mul(1 + schemas)) => true,
            Kinds::LIST => match (from.item(None), to.item(None)) {
                // An empty list has no items, and fits.
                (Some(Type::OneOf(none)), _) | (_, Some(Type::OneOf(none))) if none.is_empty() => {
                    true
                }
                (Some(from), Some(to)) => overlaps_at(depth + 1, &from, &to, work),
                _ => true,
            },
            Kinds::OBJECT => {
                let lacks = |name| from.field(name).is_none();
                !to.required().any(lacks)
                    && to.field_names().all(|name| {
                        let fields = from.field(name).zip(to.field(name));
                        fields.is_none_or(|(from, to)| overlaps_at(depth + 1, &from, &to, work))
                    })
            }
            common => !common.is_empty(),
        }
    })
}

/// All values that the variants may have, if they list them.
fn listed<'a>(variants: &[Variant<'a>]) -> Option<Vec<&'a Value>> {
    let lists = variants.iter().map(Variant::listed).collect::<Option<Vec<_>>>()?;
    Some(lists.into_iter().flatten().take(MAX_LISTED + 1).collect())
}
