//! Whether a value matches a type.

use serde_json::{Number, Value};

use super::{Fuel, Kinds, Type, Variant};
use crate::text::{excerpt, excerpt_of};

const TOO_MUCH: &str = "is too large to check against its schema; use a smaller value";

/// Returns the mistake, to follow the name of the value: "must be a text: found 5". Spent fuel is a
/// mistake too.
pub(crate) fn validate(value: &Value, against: &Type<'_>, fuel: &mut Fuel) -> Result<(), String> {
    if matches!(against, Type::Any) {
        return Ok(());
    }
    fuel.burn();
    let variants = against.variants(fuel);
    if fuel.is_spent() {
        return Err(TOO_MUCH.to_owned());
    }
    let mut own = None;
    for variant in &variants {
        match check(value, variant, fuel) {
            Ok(()) => return Ok(()),
            // The alternative of the value's type gives the most useful error.
            Err(message) if own.is_none() && variant.kinds().meets(Kinds::of(value)) => {
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

fn check(value: &Value, variant: &Variant<'_>, fuel: &mut Fuel) -> Result<(), String> {
    let allowed = variant.allowed();
    // Their kinds and values are compared.
    fuel.burn_for(allowed.map_or(0, <[Value]>::len));
    let kinds = variant.kinds();
    if !kinds.meets(Kinds::of(value)) {
        return Err(format!("must be {}: found {}", kinds.describe(), excerpt_of(value)));
    }
    if let Some(allowed) = allowed
        && !allowed.contains(value)
    {
        let names: Vec<String> = allowed.iter().take(20).map(excerpt_of).collect();
        return Err(format!("must be one of {}: found {}", names.join(", "), excerpt_of(value)));
    }
    match value {
        Value::Number(number) => check_bounds(number, variant),
        Value::Array(items) => check_items(items, variant, fuel),
        Value::Object(fields) => {
            if let Some(name) = variant.required().find(|name| !fields.contains_key(*name)) {
                return Err(format!("lacks the field `{}`", excerpt(name)));
            }
            let is_closed = variant
                .views()
                .iter()
                .any(|view| view.get("additionalProperties").is_some_and(|extra| *extra == false));
            for (name, value) in fields {
                match variant.field(name) {
                    Some(field) => validate(value, &field, fuel)
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

fn check_items(items: &[Value], variant: &Variant<'_>, fuel: &mut Fuel) -> Result<(), String> {
    let bound =
        |keyword| variant.views().iter().filter_map(move |view| view.get(keyword)?.as_u64());
    let count = items.len() as u64;
    if let Some(least) = bound("minItems").find(|least| count < *least) {
        return Err(format!("must have at least {least} items: found {count}"));
    }
    if let Some(most) = bound("maxItems").find(|most| count > *most) {
        return Err(format!("must have at most {most} items: found {count}"));
    }
    items.iter().enumerate().try_for_each(|(place, item)| match variant.item(Some(place)) {
        Some(schema) => {
            validate(item, &schema, fuel).map_err(|message| format!("at [{place}] {message}"))
        }
        None => Ok(()),
    })
}
