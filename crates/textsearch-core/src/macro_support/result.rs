//! The parts of a result, from a field.

use std::{borrow::Cow, rc::Rc, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use crate::{TextSearchResult, filter::DateTime};

/// A field that can be a text of a result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the text of a result",
    label = "a `String`, another text, a whole number, or an `Option` of one",
    note = "another type can be described by hand: implement `TextSearchRecord`"
)]
pub trait ResultText {
    /// Returns the text, if any.
    fn text(&self) -> Option<Cow<'_, str>>;

    /// Returns the text, if any, without a copy if possible.
    fn into_text(self) -> Option<String>
    where
        Self: Sized,
    {
        self.text().map(Cow::into_owned)
    }
}

impl ResultText for String {
    fn text(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(self))
    }

    fn into_text(self) -> Option<String> {
        Some(self)
    }
}

impl ResultText for str {
    fn text(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(self))
    }
}

impl<T: ResultText> ResultText for Option<T> {
    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_ref().and_then(ResultText::text)
    }

    fn into_text(self) -> Option<String> {
        self.and_then(ResultText::into_text)
    }
}

macro_rules! texts_inside {
    ($($kind:ty),*) => {$(
        impl<T: ResultText + ?Sized> ResultText for $kind {
            fn text(&self) -> Option<Cow<'_, str>> {
                (**self).text()
            }
        }
    )*};
}

texts_inside!(&'static T, Box<T>, Arc<T>, Rc<T>);

impl ResultText for Cow<'static, str> {
    fn text(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(self))
    }

    fn into_text(self) -> Option<String> {
        Some(self.into_owned())
    }
}

macro_rules! printed {
    ($($kind:ty),*) => {$(
        impl ResultText for $kind {
            fn text(&self) -> Option<Cow<'_, str>> {
                Some(Cow::Owned(self.to_string()))
            }
        }
    )*};
}

printed!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

#[cfg(feature = "vector")]
printed!(uuid::Uuid);

/// A field that can be the date of a result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the date of a result",
    label = "a `DateTime`, an RFC 3339 text, or an `Option` of one"
)]
pub trait ResultDate {
    /// Returns the date, if it is readable.
    fn date(&self) -> Option<DateTime>;
}

impl ResultDate for DateTime {
    fn date(&self) -> Option<DateTime> {
        Some(*self)
    }
}

impl ResultDate for String {
    fn date(&self) -> Option<DateTime> {
        DateTime::parse(self).ok()
    }
}

impl<T: ResultDate> ResultDate for Option<T> {
    fn date(&self) -> Option<DateTime> {
        self.as_ref().and_then(ResultDate::date)
    }
}

/// A field that can be the score of a result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the score of a result",
    label = "an `f64`, an `f32`, or an `Option` of one"
)]
pub trait ResultScore {
    /// Returns the score, if any.
    fn score(&self) -> Option<f64>;
}

impl ResultScore for f64 {
    fn score(&self) -> Option<f64> {
        Some(*self)
    }
}

impl ResultScore for f32 {
    fn score(&self) -> Option<f64> {
        Some(f64::from(*self))
    }
}

impl<T: ResultScore> ResultScore for Option<T> {
    fn score(&self) -> Option<f64> {
        self.as_ref().and_then(ResultScore::score)
    }
}

/// Adds a field to the result's metadata, unless it is null.
pub fn add_metadata(result: &mut TextSearchResult, name: &str, value: &(impl Serialize + ?Sized)) {
    match serde_json::to_value(value) {
        Ok(Value::Null) | Err(_) => {}
        Ok(value) => {
            result.metadata.insert(name.to_owned(), value);
        }
    }
}
