//! Whether a value of one type can be a value of another.

use super::{Fuel, Kinds, Type, Variant};

/// Returns false only if no value of `from` fits `to`, null aside. A function that may return null
/// still fits a parameter that takes none: the run finds out.
pub(crate) fn overlaps(from: &Type<'_>, to: &Type<'_>, fuel: &mut Fuel) -> bool {
    if matches!(from, Type::Any) || matches!(to, Type::Any) {
        return true;
    }
    fuel.deeper(|fuel| {
        let (from, to) = (from.variants(fuel), to.variants(fuel));
        // A shared null is ignored, unless one of the types is null alone.
        let is_null =
            |all: &[Variant<'_>]| all.iter().all(|one| one.kinds().without(Kinds::NULL).is_empty());
        let ignored = if is_null(&from) || is_null(&to) { Kinds::NONE } else { Kinds::NULL };
        from.iter().any(|one| {
            fuel.burn_for_alternatives(to.len());
            to.iter().any(|other| {
                let common = one.kinds().and(other.kinds()).without(ignored);
                fuel.is_spent() || (!common.is_empty() && fits(one, other, common, fuel))
            })
        })
    })
}

/// Of two long enumerations, the run compares the value.
const MOST_PAIRS: usize = 10_000;

fn fits(from: &Variant<'_>, to: &Variant<'_>, common: Kinds, fuel: &mut Fuel) -> bool {
    if let (Some(one), Some(other)) = (from.allowed(), to.allowed())
        && one.len().saturating_mul(other.len()) <= MOST_PAIRS
    {
        return one.iter().any(|value| fuel.is_spent() || other.lists(value, fuel));
    }
    if common == Kinds::OBJECT {
        return fields_fit(from, to, fuel);
    }
    if common == Kinds::LIST {
        return match (from.item(None), to.item(None)) {
            // An empty list has no items, and fits.
            (Some(Type::OneOf(types)), _) | (_, Some(Type::OneOf(types))) if types.is_empty() => {
                true
            }
            (Some(from), Some(to)) => overlaps(&from, &to, fuel),
            _ => true,
        };
    }
    true
}

fn fields_fit(from: &Variant<'_>, to: &Variant<'_>, fuel: &mut Fuel) -> bool {
    if matches!(from, Variant::Any) || matches!(to, Variant::Any) {
        return true;
    }
    let lookups = to.breadth().saturating_mul(from.views().len().max(1));
    if !fuel.burn_for(lookups) {
        return true;
    }
    let has_required = to.required().all(|name| from.field_of_object(name).is_some());
    has_required
        && to.field_names().all(|name| {
            match (from.field_of_object(name), to.field_of_object(name)) {
                (Some(from), Some(to)) => overlaps(&from, &to, fuel),
                _ => true,
            }
        })
}
