//! Treats mistyped values as missing instead of losing a page of results.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use serde_json::Value;

/// Unreadable results before the rest of a list is read via a [`Value`]: serde_json counts the
/// lines before each error, so many errors would take quadratic time.
const MAX_DIRECT: usize = 32;

/// For `#[serde(deserialize_with = "…")]` with a default, on optional fields: null, a value of
/// another type, and an object with a mistyped field that is not lenient count as missing.
///
/// ```
/// use serde::Deserialize;
/// use textsearch_core::web::{readable_values, value_or_none};
///
/// #[derive(Deserialize, Default)]
/// #[serde(default)]
/// struct Page {
///     #[serde(deserialize_with = "value_or_none")]
///     age: Option<String>,
///     #[serde(deserialize_with = "value_or_none")]
///     width: Option<u32>,
///     #[serde(deserialize_with = "readable_values")]
///     authors: Vec<String>,
/// }
///
/// let page: Page = serde_json::from_str(r#"{ "age": { "days": 2 }, "width": 80, "authors": ["Ann", 7] }"#)?;
/// assert_eq!((page.age, page.width), (None, Some(80)));
/// assert_eq!(page.authors, ["Ann"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Returns the deserializer's errors if the input is malformed.
pub fn value_or_none<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_any(Lenient { direct: false, kind: PhantomData })
}

/// As [`value_or_none`], for a text: a blank one counts as missing.
///
/// # Errors
/// As [`value_or_none`].
pub fn text_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text: Option<String> = value_or_none(deserializer)?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// As [`value_or_none`], for a list: leaves out mistyped items, and reads anything but a list as an
/// empty one.
///
/// # Errors
/// As [`value_or_none`].
pub fn readable_values<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let values: Option<Readable<T>> = value_or_none(deserializer)?;
    Ok(values.map_or_else(Vec::new, |values| values.readable))
}

/// The results of a page without the unreadable ones. `null` is an empty list; anything else than a
/// list is an error.
///
/// ```
/// use serde::Deserialize;
/// use textsearch_core::web::ResultList;
///
/// #[derive(Deserialize)]
/// struct WebPage {
///     url: String,
/// }
///
/// let results: ResultList<WebPage> = serde_json::from_str(r#"[{ "url": "https://docs.rs" }, { "url": 7 }]"#)?;
/// assert_eq!(results.sent(), 2);
/// assert_eq!(results.into_readable("example").len(), 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ResultList<T>(Readable<T>);

impl<T> ResultList<T> {
    /// Returns the number of results in the response, readable or not.
    pub fn sent(&self) -> usize {
        self.0.readable.len() + self.0.unreadable
    }

    /// Returns the readable results. A warning event of `connector` counts the others.
    pub fn into_readable(self, connector: &str) -> Vec<T> {
        let Readable { readable, unreadable } = self.0;
        if unreadable > 0 {
            tracing::warn!(connector, unreadable, "left out results that cannot be read");
        }
        readable
    }
}

impl<T> Default for ResultList<T> {
    fn default() -> Self {
        Self(Readable::default())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ResultList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData)).map(Self)
    }
}

struct Lenient<T> {
    /// Read objects without an intermediate [`Value`].
    direct: bool,
    kind: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Lenient<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($visit:ident: $kind:ty),*) => {$(
        fn $visit<E: Error>(self, value: $kind) -> Result<Option<T>, E> {
            Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
        }
    )*};
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Lenient<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    scalars!(
        visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str,
        visit_string: String
    );

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        value_or_none(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Option<T>, A::Error> {
        let value = Value::deserialize(SeqAccessDeserializer::new(items))?;
        Ok(T::deserialize(value).ok())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<T>, A::Error> {
        if !self.direct {
            let value = Value::deserialize(MapAccessDeserializer::new(fields))?;
            return Ok(T::deserialize(value).ok());
        }
        let value = T::deserialize(MapAccessDeserializer::new(&mut fields)).ok();
        // Read the rest of the object: it may turn out to be truncated.
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(value)
    }
}

#[derive(Debug, Clone)]
struct Readable<T> {
    readable: Vec<T>,
    unreadable: usize,
}

impl<T> Default for Readable<T> {
    fn default() -> Self {
        Self { readable: Vec::new(), unreadable: 0 }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Readable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Readable<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<Readable<T>, E> {
        Ok(Readable::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Readable<T>, A::Error> {
        let mut list = Readable::default();
        loop {
            let direct = list.unreadable < MAX_DIRECT;
            let seed = Lenient { direct, kind: PhantomData };
            let Some(value) = items.next_element_seed(seed)? else { break };
            match value {
                Some(value) => list.readable.push(value),
                None => list.unreadable += 1,
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Page {
        #[serde(deserialize_with = "value_or_none")]
        age: Option<String>,
        #[serde(deserialize_with = "value_or_none")]
        width: Option<u32>,
        #[serde(deserialize_with = "value_or_none")]
        score: Option<f64>,
        #[serde(deserialize_with = "value_or_none")]
        live: Option<bool>,
        #[serde(deserialize_with = "value_or_none")]
        image: Option<Box<Page>>,
        #[serde(deserialize_with = "readable_values")]
        names: Vec<String>,
        #[serde(deserialize_with = "readable_values")]
        pages: Vec<Page>,
        last: u32,
    }

    fn page(json: &Value) -> Page {
        let page: Page = serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!(serde_json::from_value::<Page>(json.clone()).unwrap(), page);
        page
    }

    #[test]
    fn right_values_are_read() {
        let whole = json!({
            "age": "2 \" days", "width": 80, "score": 1, "live": true, "names": ["a", "b"],
            "image": { "age": "old" }, "pages": [{ "width": 1 }, { "last": 2 }], "last": 3,
        });
        let image = Page { age: Some("old".to_owned()), ..Page::default() };
        let pages =
            vec![Page { width: Some(1), ..Page::default() }, Page { last: 2, ..Page::default() }];
        let expected = Page {
            age: Some("2 \" days".to_owned()),
            width: Some(80),
            score: Some(1.0),
            live: Some(true),
            image: Some(Box::new(image)),
            names: vec!["a".to_owned(), "b".to_owned()],
            pages,
            last: 3,
        };
        assert_eq!(page(&whole), expected);
    }

    #[test]
    fn a_mistyped_value_counts_as_missing() {
        let others = [
            json!(null),
            json!([]),
            json!([[1, { "a": [] }], "x"]),
            json!({ "a": { "b": [1] }, "c": null }),
            json!(-1),
            json!(-0.5),
            json!(1e300),
        ];
        for other in others {
            let names = ["age", "width", "live", "names"];
            let fields = names.map(|name| (name.to_owned(), other.clone()));
            let mut json = Value::Object(fields.into_iter().collect());
            json["last"] = json!(3);
            let read = Page { names: Vec::new(), ..page(&json) };
            assert_eq!(read, Page { last: 3, ..Page::default() }, "{other}");
        }
        let json = json!({ "score": "high", "image": "a.png", "pages": "none", "last": 3 });
        assert_eq!(page(&json), Page { last: 3, ..Page::default() });
    }

    #[test]
    fn mistyped_items_of_a_list_are_dropped() {
        let json = json!({ "names": ["a", 1, null, ["x"], { "y": 1 }, "b"], "pages": [1, { "width": 2 }] });
        let read = page(&json);
        assert_eq!(read.names, ["a", "b"]);
        assert_eq!(read.pages, [Page { width: Some(2), ..Page::default() }]);
    }

    #[test]
    fn results_that_cannot_be_read_are_counted_and_left_out() {
        let list = |text| serde_json::from_str::<ResultList<Page>>(text);
        let mixed = list(r#"[{ "last": 1 }, 7, { "last": "x" }, null, { "last": 2 }]"#).unwrap();
        assert_eq!(mixed.sent(), 5);
        let last: Vec<u32> = mixed.into_readable("example").iter().map(|page| page.last).collect();
        assert_eq!(last, [1, 2]);
        assert_eq!(list("null").unwrap().sent(), 0);
        assert!(list("{}").is_err() && list("\"none\"").is_err());
    }

    #[test]
    fn an_object_with_an_invalid_strict_field_is_missing() {
        for image in [
            json!({ "last": "x", "age": "y" }),
            json!({ "last": [1] }),
            json!({ "age": { "last": {} }, "last": {} }),
        ] {
            let read = page(&json!({ "image": image, "last": 1 }));
            assert_eq!(read, Page { last: 1, ..Page::default() });
        }
        let read = page(&json!({ "image": { "image": { "last": {} } }, "last": 1 }));
        assert_eq!(read.image, Some(Box::default()));
    }

    #[test]
    fn many_unreadable_results_leave_the_readable_ones() {
        let text = format!(r#"[{}{{"last":1}}]"#, r#"{"last":"x"},"#.repeat(3 * MAX_DIRECT));
        let list: ResultList<Page> = serde_json::from_str(&text).unwrap();
        assert_eq!(list.sent(), 3 * MAX_DIRECT + 1);
        assert_eq!(list.into_readable("example"), [Page { last: 1, ..Page::default() }]);
    }

    #[test]
    fn truncated_json_is_an_end_of_file_error() {
        let whole = r#"{"age":{"a":[1]},"names":["a",{"b":1}],"image":{"age":"x"}}"#;
        for end in 1..whole.len() {
            let error = serde_json::from_str::<Page>(&whole[..end]).unwrap_err();
            assert!(error.is_eof(), "{end}: {error}");
        }
    }
}
