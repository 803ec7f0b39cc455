//! Whether a value matches a type.

use std::rc::Rc;

use serde_json::{Number, Value};

use super::{
    Fuel, Kinds, Type, Variant,
    memo::{Alternatives, Memo},
};
use crate::text::{excerpt, excerpt_of};

const TOO_MUCH: &str = "is too large to check against its schema; use a smaller value";
const TOO_COMPLEX: &str = "can't be checked: its schema combines too many others, such as hundreds of alternatives; \
                           use a function with a simpler schema";

/// Returns the mistake, to follow the name of the value: "must be a text: found 5". Spent fuel is a
/// mistake too.
pub(crate) fn validate(value: &Value, against: &Type<'_>, fuel: &mut Fuel) -> Result<(), String> {
    fits(value, against, &mut Memo::default(), fuel)
}

fn fits<'a>(
    value: &Value,
    against: &Type<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), String> {
    if matches!(against, Type::Any) {
        return Ok(());
    }
    let alternatives = alternatives(against, memo, fuel)?;
    fits_one(value, against, &alternatives, memo, fuel)
}

fn alternatives<'a>(
    of: &Type<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<Rc<Alternatives<'a>>, String> {
    fuel.burn();
    let alternatives = memo.alternatives(of, fuel);
    if fuel.is_spent() {
        return Err(TOO_MUCH.to_owned());
    }
    alternatives.ok_or_else(|| TOO_COMPLEX.to_owned())
}

fn fits_one<'a>(
    value: &Value,
    against: &Type<'a>,
    alternatives: &Alternatives<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), String> {
    let is_only = alternatives.all.len() == 1;
    let candidates = alternatives.candidates(value, fuel);
    fuel.burn_for_alternatives(candidates.len());
    let mut own = None;
    for (variant, listed) in candidates {
        if fuel.is_spent() {
            break;
        }
        let has_kind = variant.kinds().meets(Kinds::of(value));
        let is_listed = listed.unwrap_or_else(|| {
            has_kind && variant.allowed().is_none_or(|allowed| allowed.lists(value, fuel))
        });
        // Most of many alternatives list another value, and their errors would be of no use.
        if !(is_only || has_kind && is_listed) {
            continue;
        }
        match check(value, variant, is_listed, memo, fuel) {
            Ok(()) => return Ok(()),
            // The alternative of the value's type gives the most useful error.
            Err(message) if own.is_none() && has_kind => {
                own = Some(message);
            }
            Err(_) => {}
        }
    }
    if fuel.is_spent() {
        return Err(TOO_MUCH.to_owned());
    }
    Err(own.unwrap_or_else(|| {
        format!("must be {}: found {}", against.describe(fuel), excerpt_of(value))
    }))
}

fn check<'a>(
    value: &Value,
    variant: &Variant<'a>,
    is_listed: bool,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), String> {
    fuel.burn_for(variant.views().len());
    let kinds = variant.kinds();
    if !kinds.meets(Kinds::of(value)) {
        return Err(format!("must be {}: found {}", kinds.describe(), excerpt_of(value)));
    }
    if let Some(allowed) = variant.allowed()
        && !is_listed
    {
        let names: Vec<String> = allowed.iter().take(20).map(excerpt_of).collect();
        return Err(format!("must be one of {}: found {}", names.join(", "), excerpt_of(value)));
    }
    match value {
        Value::Number(number) => check_bounds(number, variant),
        Value::Array(items) => check_items(items, variant, memo, fuel),
        Value::Object(fields) => {
            let lookups = fields.len().saturating_mul(variant.views().len());
            if !fuel.burn_for(lookups.saturating_add(variant.breadth())) {
                return Err(TOO_MUCH.to_owned());
            }
            if let Some(name) = variant.required().find(|name| !fields.contains_key(*name)) {
                return Err(format!("lacks the field `{}`", excerpt(name)));
            }
            let is_closed = variant.is_closed();
            for (name, value) in fields {
                match variant.field_of_object(name) {
                    Some(field) => fits(value, &field, memo, fuel)
                        .map_err(|message| format!("at `{}` {message}", excerpt(name)))?,
                    None if is_closed => {
                        return Err(format!("has the unknown field `{}`", excerpt(name)));
                    }
                    None => {}
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn check_bounds(number: &Number, variant: &Variant<'_>) -> Result<(), String> {
    let Some(value) = number.as_f64() else { return Ok(()) };
    let bound =
        |keyword| variant.views().iter().filter_map(move |view| view.get(keyword)?.as_f64());
    if let Some(least) = bound("minimum").find(|least| value < *least) {
        return Err(format!("must be at least {least}: found {number}"));
    }
    if let Some(most) = bound("maximum").find(|most| value > *most) {
        return Err(format!("must be at most {most}: found {number}"));
    }
    Ok(())
}

fn check_items<'a>(
    items: &[Value],
    variant: &Variant<'a>,
    memo: &mut Memo<'a>,
    fuel: &mut Fuel,
) -> Result<(), String> {
    let bound =
        |keyword| variant.views().iter().filter_map(move |view| view.get(keyword)?.as_u64());
    let count = items.len() as u64;
    if let Some(least) = bound("minItems").find(|least| count < *least) {
        return Err(format!("must have at least {least} items: found {count}"));
    }
    if let Some(most) = bound("maxItems").find(|most| count > *most) {
        return Err(format!("must have at most {most} items: found {count}"));
    }
    let at = |place: usize| move |message| format!("at [{place}] {message}");
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
            return Err(TOO_MUCH.to_owned());
        }
        fits_one(item, &schema, &alternatives, memo, fuel).map_err(at(place))
    })
}
