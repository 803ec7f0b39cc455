//! The fields of a struct in declaration order.

use serde::{
    de::{DeserializeOwned, Deserializer, Error as _, Visitor, value::Error},
    forward_to_deserialize_any,
};

/// Includes aliases. Returns an empty slice if serde does not list the fields, as for a struct with
/// flattened fields.
///
/// Serde passes the field names to a deserializer before it reads any value. `Listener` records
/// them, then returns an error.
pub(super) fn field_order<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    let _ = T::deserialize(Listener { fields: &mut fields });
    fields
}

struct Listener<'a> {
    fields: &'a mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.fields = fields;
        Err(Error::custom("heard"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "only the names of the fields matter")]
    struct Fields {
        query: String,
        count: u32,
        after: String,
    }

    #[test]
    fn fields_come_in_the_order_of_declaration() {
        assert_eq!(field_order::<Fields>(), ["query", "count", "after"]);
        assert!(field_order::<u32>().is_empty());
    }
}
