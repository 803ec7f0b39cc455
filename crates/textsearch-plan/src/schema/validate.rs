//! Whether a value matches a type.

use std::rc::Rc;

use serde_json::{Number, Value};

use super::{
    Fuel, Kinds, Type, Variant,
    memo::{Alternatives, Memo},
    mistake::Mistake,
    variants::Allowed,
};

/// How many listed values a mistake names.
const MOST_NAMED: usize = 20;

/// Returns the mistake, to follow the name of the value: "must be a text: found 5". Spent fuel is a
/// mistake too.
pub(crate) fn validate(value: &Value, against: &Type<'_>, fuel: &mut Fuel) -> Result<(), String> {
    let mut memo = Memo::default();
    fits(value, against, &mut memo, fuel).map_err(|mistake| mistake.describe())
}

fn fits<'a, 'v>(
    value: &'v Value,
    against: &Type<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), Mistake<'a, 'v>> {
    if matches!(against, Type::Any) {
        return Ok(());
    }
    let alternatives = alternatives(against, memo, fuel)?;
    fits_one(value, against, &alternatives, memo, fuel)
}

fn alternatives<'a, 'v>(
    of: &Type<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<Rc<Alternatives<'a>>, Mistake<'a, 'v>> {
    fuel.burn();
    let alternatives = memo.alternatives(of, fuel);
    if fuel.is_spent() {
        return Err(Mistake::TooMuch);
    }
    alternatives.ok_or(Mistake::TooComplex)
}

fn fits_one<'a, 'v>(
    value: &'v Value,
    against: &Type<'a>,
    alternatives: &Alternatives<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), Mistake<'a, 'v>> {
    let is_only = alternatives.all.len() == 1;
    let candidates = alternatives.candidates(value, fuel);
    fuel.burn_for_alternatives(candidates.len());
    let mut own = None;
    for (variant, listed) in candidates {
        if fuel.is_spent() {
            break;
        }
        // The alternative of the value's type gives the most useful error.
        if !variant.kinds().meets(Kinds::of(value)) {
            continue;
        }
        let is_unlisted =
            |allowed: &Allowed<'_, '_>| !listed.unwrap_or_else(|| allowed.lists(value, fuel));
        let checked = match variant.allowed().filter(is_unlisted) {
            None => check(value, variant, memo, fuel),
            Some(allowed) if is_only => {
                Err(Mistake::Unlisted(allowed.iter().take(MOST_NAMED).collect(), value))
            }
            // Most of many alternatives list another value, and their errors would be of no use.
            Some(_) => continue,
        };
        match checked {
            Ok(()) => return Ok(()),
            Err(mistake) => own = own.or(Some(mistake)),
        }
    }
    if fuel.is_spent() {
        return Err(Mistake::TooMuch);
    }
    Err(own.unwrap_or_else(|| Mistake::Type(against.clone(), value)))
}

fn check<'a, 'v>(
    value: &'v Value,
    variant: &Variant<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), Mistake<'a, 'v>> {
    fuel.burn_for(variant.views().len());
    match value {
        Value::Number(number) => check_bounds(number, variant),
        Value::Array(items) => check_items(items, variant, memo, fuel),
        Value::Object(fields) => {
            let names = fields.keys().map(|name| 1 + name.len() / 64);
            let lookups = names.sum::<usize>().saturating_mul(variant.views().len());
            if !fuel.burn_for(lookups.saturating_add(variant.breadth())) {
                return Err(Mistake::TooMuch);
            }
            if let Some(name) = variant.required().find(|name| !fields.contains_key(*name)) {
                return Err(Mistake::LacksField(name));
            }
            let is_closed = variant.is_closed();
            for (name, value) in fields {
                match variant.field_of_object(name) {
                    Some(field) => fits(value, &field, memo, fuel)
                        .map_err(|mistake| Mistake::InField(name, Box::new(mistake)))?,
                    None if is_closed => {
                        return Err(Mistake::UnknownField(name));
                    }
                    None => {}
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn check_bounds<'a, 'v>(number: &'v Number, variant: &Variant<'a>) -> Result<(), Mistake<'a, 'v>> {
    let Some(value) = number.as_f64() else { return Ok(()) };
    let bound =
        |keyword| variant.views().iter().filter_map(move |view| view.get(keyword)?.as_f64());
    if let Some(least) = bound("minimum").find(|least| value < *least) {
        return Err(Mistake::TooSmall(least, number));
    }
    if let Some(most) = bound("maximum").find(|most| value > *most) {
        return Err(Mistake::TooLarge(most, number));
    }
    Ok(())
}

fn check_items<'a, 'v>(
    items: &'v [Value],
    variant: &Variant<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), Mistake<'a, 'v>> {
    let bound =
        |keyword| variant.views().iter().filter_map(move |view| view.get(keyword)?.as_u64());
    let count = items.len() as u64;
    if let Some(least) = bound("minItems").find(|least| count < *least) {
        return Err(Mistake::TooFewItems(least, items.len()));
    }
    if let Some(most) = bound("maxItems").find(|most| count > *most) {
        return Err(Mistake::TooManyItems(most, items.len()));
    }
    let at = |place: usize| move |mistake| Mistake::InItem(place, Box::new(mistake));
    let own = variant.first_items().min(items.len());
    for (place, item) in items.iter().take(own).enumerate() {
        if let Some(schema) = variant.item(Some(place)) {
            fits(item, &schema, memo, fuel).map_err(at(place))?;
        }
    }
    if own == items.len() {
        return Ok(());
    }
    // All others have one schema.
    let schema = match variant.item(Some(own)) {
        Some(Type::Any) | None => return Ok(()),
        Some(schema) => schema,
    };
    let alternatives = alternatives(&schema, memo, fuel)?;
    items.iter().enumerate().skip(own).try_for_each(|(place, item)| {
        if !fuel.burn() {
            return Err(Mistake::TooMuch);
        }
        fits_one(item, &schema, &alternatives, memo, fuel).map_err(at(place))
    })
}
