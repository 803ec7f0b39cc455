//! Limits of requests and of their answers.

use std::{fmt, marker::PhantomData, time::Duration};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

use crate::http::HttpSettings;

/// A few times more than any model writes. The body may be longer, since each event of a stream has an
/// envelope.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// More than any model would make on purpose.
const MAX_ITEMS: usize = 1_000;

/// Returns the settings for services whose answers take long: 5 minutes per attempt, 10 minutes in total, 2
/// minutes without any byte, and 64 MiB per response.
pub fn http_settings() -> HttpSettings {
    let mut settings = HttpSettings::default()
        .with_total_timeout(Duration::from_secs(10 * 60))
        .with_max_body_bytes(64 * 1024 * 1024);
    settings.attempt_timeout = Duration::from_secs(5 * 60);
    settings.idle_timeout = Duration::from_secs(2 * 60);
    settings
}

/// Checks the length of an answer's texts and calls.
///
/// # Errors
/// Says that it is more than 4 MiB.
pub fn check_length(bytes: usize) -> Result<(), String> {
    if bytes <= MAX_ANSWER_BYTES {
        return Ok(());
    }
    Err(format!("its text and calls are longer than {MAX_ANSWER_BYTES} bytes"))
}

/// Reads a list of at most 1,000 items, or null, with `#[serde(deserialize_with = "bounded_list")]`: an
/// item may need a hundred times the memory of its JSON.
///
/// # Errors
/// Says that the list is longer.
pub fn bounded_list<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_any(BoundedList(PhantomData))
}

struct BoundedList<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of at most {MAX_ITEMS} items")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            if items.len() == MAX_ITEMS {
                return Err(A::Error::invalid_length(MAX_ITEMS + 1, &self));
            }
            items.push(item);
        }
        Ok(Some(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Answer {
        #[serde(deserialize_with = "bounded_list")]
        items: Option<Vec<u8>>,
    }

    fn items(list: &str) -> serde_json::Result<Option<Vec<u8>>> {
        serde_json::from_str(&format!(r#"{{"items":{list}}}"#)).map(|answer: Answer| answer.items)
    }

    #[test]
    fn a_list_has_at_most_a_thousand_items() {
        assert_eq!(items("null").unwrap(), None);
        assert_eq!(items("[1,2]").unwrap(), Some(vec![1, 2]));
        assert_eq!(items(&format!("[1{}]", ",1".repeat(999))).unwrap().unwrap().len(), 1_000);
        let error = items(&format!("[1{}]", ",1".repeat(1_000))).unwrap_err();
        assert!(error.to_string().contains("at most 1000 items"), "{error}");
    }
}
