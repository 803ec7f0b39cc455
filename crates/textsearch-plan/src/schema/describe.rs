//! Types in words.

use std::collections::BTreeSet;

use super::{Kinds, Type, Variant};
use crate::text::{excerpt_of, listed};

const MAX_VARIANTS: usize = 6;
const MAX_VALUES: usize = 8;

impl Type<'_> {
    /// Such as "a text", or "an object with the fields `date`, `place`".
    pub(crate) fn describe(&self) -> String {
        self.describe_within(2)
    }

    fn describe_within(&self, depth: usize) -> String {
        let mut all: Vec<String> = Vec::new();
        for variant in self.variants().iter().take(MAX_VARIANTS) {
            let description = variant.describe(depth);
            if !all.contains(&description) {
                all.push(description);
            }
        }
        if all.is_empty() { "no value".to_owned() } else { all.join(" or ") }
    }
}

impl Variant<'_> {
    fn describe(&self, depth: usize) -> String {
        if let Some(values) = self.listed() {
            let names: Vec<String> = values.iter().take(MAX_VALUES).map(excerpt_of).collect();
            return match names.as_slice() {
                [name] => name.clone(),
                names => format!("one of {}", names.join(", ")),
            };
        }
        let kinds = self.kinds();
        if kinds == Kinds::LIST && depth > 0 {
            return match self.item(None) {
                Some(Type::Any) | None => "a list".to_owned(),
                Some(items) => format!("a list, each item {}", items.describe_within(depth - 1)),
            };
        }
        let fields: BTreeSet<&str> = self.field_names().collect();
        if kinds == Kinds::OBJECT && !fields.is_empty() {
            return format!("an object with the fields {}", listed(fields));
        }
        kinds.describe()
    }
}
