//! Whether a value matches a type.

use serde_json::{Map, Number, Value};

use super::{Kinds, Mistake, Type, View, Work};
use crate::order::is_same;

/// How many listed values a mistake names.
const MAX_NAMED: usize = 20;
/// Of schemas in each other, for one value and the values around it.
const MAX_DEPTH: usize = 400;
/// Comparing with so many listed values takes as long as visiting a schema.
const LISTED_PER_VISIT: usize = 8;

type Checked<'a, 'v> = Result<(), Mistake<'a, 'v>>;

/// Checks the value against each schema that applies.
pub(crate) fn validate<'a, 'v>(
    value: &'v Value,
    to: &Type<'a>,
    work: &mut Work,
) -> Checked<'a, 'v> {
    Validator { work, depth: 0 }.check_type(value, to)
}

struct Validator<'w> {
    work: &'w mut Work,
    depth: usize,
}

impl Validator<'_> {
    fn check_type<'a, 'v>(&mut self, value: &'v Value, to: &Type<'a>) -> Checked<'a, 'v> {
        let mistake = || Mistake::Type(to.clone(), value);
        match (to, value) {
            (Type::Any, _) => Ok(()),
            (Type::Schemas(views), _) => views.iter().try_for_each(|view| self.check(value, *view)),
            (Type::List(item), Value::Array(values)) => values
                .iter()
                .enumerate()
                .try_for_each(|(index, value)| self.check_type(value, item).map_err(at(index))),
            (Type::OneOf(types), _)
                if types.iter().any(|alternative| self.check_type(value, alternative).is_ok()) =>
            {
                Ok(())
            }
            (Type::Literal(literal), _) if is_same(literal, value) => Ok(()),
            _ => Err(mistake()),
        }
    }

    fn check<'a, 'v>(&mut self, value: &'v Value, view: View<'a>) -> Checked<'a, 'v> {
        if self.depth >= MAX_DEPTH || !self.work.spend(1) {
            return Err(Mistake::TooMuch);
        }
        self.depth += 1;
        let checked = self.check_own(value, view).and_then(|()| self.check_combined(value, view));
        self.depth -= 1;
        checked
    }

    fn check_own<'a, 'v>(&mut self, value: &'v Value, view: View<'a>) -> Checked<'a, 'v> {
        let named = view.get("type").map_or(Kinds::ALL, Kinds::named);
        if *view.schema == false || !named.meets(Kinds::from_value(value)) {
            return Err(Mistake::Type(Type::Schemas(vec![view]), value));
        }
        for list in view.lists() {
            if !self.work.spend(list.len().saturating_mul(breadth(value)) / LISTED_PER_VISIT) {
                return Err(Mistake::TooMuch);
            }
            if !list.iter().any(|listed| is_same(listed, value)) {
                return Err(Mistake::Unlisted(list.iter().take(MAX_NAMED).collect(), value));
            }
        }
        match value {
            Value::Number(number) => check_bounds(number, view),
            Value::Array(items) => self.check_items(items, view),
            Value::Object(fields) => self.check_fields(fields, view),
            _ => Ok(()),
        }
    }

    fn check_combined<'a, 'v>(&mut self, value: &'v Value, view: View<'a>) -> Checked<'a, 'v> {
        let reference = view.get("$ref").and_then(Value::as_str);
        if let Some(named) = reference.and_then(|reference| view.referenced(reference)) {
            self.check(value, named)?;
        }
        for schema in view.list("allOf") {
            self.check(value, view.at(schema))?;
        }
        for keyword in ["anyOf", "oneOf"] {
            self.check_alternatives(value, view, view.list(keyword))?;
        }
        Ok(())
    }

    fn check_alternatives<'a, 'v>(
        &mut self,
        value: &'v Value,
        view: View<'a>,
        schemas: &'a [Value],
    ) -> Checked<'a, 'v> {
        let mut inner = None;
        for schema in schemas {
            match self.check(value, view.at(schema)) {
                Ok(()) => return Ok(()),
                Err(Mistake::TooMuch) => return Err(Mistake::TooMuch),
                // Most alternatives are for other values, and their mistakes of no use.
                Err(Mistake::Type(..) | Mistake::Unlisted(..)) => {}
                // The first alternative for this kind of value gives the most useful one.
                Err(mistake) => inner = inner.or(Some(mistake)),
            }
        }
        if schemas.is_empty() {
            return Ok(());
        }
        Err(inner.unwrap_or_else(|| Mistake::Type(Type::Schemas(vec![view]), value)))
    }

    fn check_items<'a, 'v>(&mut self, items: &'v [Value], view: View<'a>) -> Checked<'a, 'v> {
        let bound = |keyword| view.get(keyword).and_then(Value::as_u64);
        let count = items.len() as u64;
        if let Some(min) = bound("minItems").filter(|min| count < *min) {
            return Err(Mistake::Bound(format!("must have at least {min} items: found {count}")));
        }
        if let Some(max) = bound("maxItems").filter(|max| count > *max) {
            return Err(Mistake::Bound(format!("must have at most {max} items: found {count}")));
        }
        let mut described = items.iter().enumerate().map_while(|(index, item)| {
            // Where one item has no schema, the next have none either.
            Some((index, item, view.item(Some(index))?))
        });
        described.try_for_each(|(index, item, schema)| self.check(item, schema).map_err(at(index)))
    }

    fn check_fields<'a, 'v>(
        &mut self,
        fields: &'v Map<String, Value>,
        view: View<'a>,
    ) -> Checked<'a, 'v> {
        let required = view.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        if !self.work.spend(required + fields.len()) {
            return Err(Mistake::TooMuch);
        }
        if let Some(name) = view.required().find(|name| !fields.contains_key(*name)) {
            return Err(Mistake::LacksField(name));
        }
        let properties = view.get("properties");
        let others = view.get("additionalProperties").filter(|_| !view.has_patterns());
        fields.iter().try_for_each(|(name, value)| {
            let declared = properties.and_then(|properties| properties.get(name));
            match declared.or(others) {
                Some(Value::Bool(false)) => Err(Mistake::UnknownField(name)),
                Some(schema) => self
                    .check(value, view.at(schema))
                    .map_err(|mistake| mistake.within(|inner| Mistake::InField(name, inner))),
                None => Ok(()),
            }
        })
    }
}

fn check_bounds<'a, 'v>(number: &'v Number, view: View<'a>) -> Checked<'a, 'v> {
    let Some(value) = number.as_f64() else { return Ok(()) };
    let bound = |keyword| view.get(keyword).and_then(Value::as_f64);
    if let Some(min) = bound("minimum").filter(|min| value < *min) {
        return Err(Mistake::Bound(format!("must be at least {min}: found {number}")));
    }
    if let Some(max) = bound("maximum").filter(|max| value > *max) {
        return Err(Mistake::Bound(format!("must be at most {max}: found {number}")));
    }
    Ok(())
}

fn at<'a, 'v>(index: usize) -> impl Fn(Mistake<'a, 'v>) -> Mistake<'a, 'v> {
    move |mistake| mistake.within(|inner| Mistake::InItem(index, inner))
}

/// What a comparison with the value costs.
fn breadth(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => 1 + items.len(),
        Value::Object(fields) => 1 + fields.len(),
        _ => 1,
    }
}
