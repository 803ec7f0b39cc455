//! Types in words.

use std::collections::BTreeSet;

use super::{Fuel, Kinds, Type, Variant};
use crate::text::{excerpt_of, listed};

impl Type<'_> {
    /// Such as "a text", or "an object with the fields `date`, `place`".
    pub(crate) fn describe(&self, fuel: &mut Fuel) -> String {
        self.describe_within(2, fuel)
    }

    fn describe_within(&self, depth: usize, fuel: &mut Fuel) -> String {
        let mut all: Vec<String> = Vec::new();
        for variant in self.variants(fuel).iter().take(6) {
            let one = variant.describe(depth, fuel);
            if !all.contains(&one) {
                all.push(one);
            }
        }
        if all.is_empty() { "no value".to_owned() } else { all.join(" or ") }
    }
}

impl Variant<'_> {
    fn describe(&self, depth: usize, fuel: &mut Fuel) -> String {
        if let Self::Literal(value) = self {
            return excerpt_of(value);
        }
        if let Some(allowed) = self.allowed() {
            let values: Vec<String> = allowed.iter().take(8).map(excerpt_of).collect();
            return match values.as_slice() {
                [one] => one.clone(),
                values => format!("one of {}", values.join(", ")),
            };
        }
        let kinds = self.kinds();
        if kinds == Kinds::LIST && depth > 0 {
            return match self.item(None) {
                Some(Type::Any) | None => "a list".to_owned(),
                Some(items) => {
                    format!("a list, each item {}", items.describe_within(depth - 1, fuel))
                }
            };
        }
        if kinds != Kinds::OBJECT || !fuel.burn_for(self.breadth()) {
            return kinds.describe();
        }
        let fields: BTreeSet<&str> = self.field_names().collect();
        if !fields.is_empty() {
            return format!("an object with the fields {}", listed(fields));
        }
        kinds.describe()
    }
}
