//! Records with many optional fields.

/// Declares structs with fields that may be missing or mistyped in a response.
///
/// It adds serde attributes to each field that has a doc comment only:
/// - An `Option` is read by [`value_or_none`](super::value_or_none), and not written if it is
///   `None`.
/// - A `Vec` is read by [`readable_values`](super::readable_values), and not written if it is empty.
/// - A `String` is read by [`value_or_default`](super::value_or_default).
///
/// Other fields, and fields with attributes, stay as they are. A struct needs `#[serde(default)]`
/// and derives `Serialize` and `Deserialize`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use textsearch_core::web::lenient_fields;
///
/// lenient_fields! {
///     /// A page.
///     #[derive(Debug, Default, Serialize, Deserialize)]
///     #[serde(default)]
///     pub struct Page {
///         /// The address.
///         pub url: String,
///         /// The age in words.
///         pub age: Option<String>,
///         /// The authors.
///         pub authors: Vec<String>,
///         /// The size in bytes.
///         #[serde(rename = "bytes")]
///         size: u64,
///     }
/// }
///
/// let page: Page = serde_json::from_str(r#"{ "url": null, "age": 2, "authors": ["Ann", 7], "bytes": 1 }"#)?;
/// assert_eq!(serde_json::to_string(&page)?, r#"{"url":"","authors":["Ann"],"bytes":1}"#);
/// assert!(serde_json::from_str::<Page>(r#"{ "url": 7 }"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __lenient_fields {
    ($($(#[$about:meta])* pub struct $name:ident { $($fields:tt)* })+) => {
        $($crate::__lenient_fields!(@next { $(#[$about])* pub struct $name } {} $($fields)*);)+
    };
    (@next { $($head:tt)* } { $($done:tt)* }) => {
        $($head)* { $($done)* }
    };
    // Any JSON is a `Value`.
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Option<Value>, $($rest:tt)*) => {
        $crate::__lenient_fields!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<Value>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Option<$type:ty>, $($rest:tt)*) => {
        $crate::__lenient_fields!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(
                deserialize_with = "::textsearch_core::web::value_or_none",
                skip_serializing_if = "Option::is_none"
            )]
            pub $field: Option<$type>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Vec<$type:ty>, $($rest:tt)*) => {
        $crate::__lenient_fields!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(
                deserialize_with = "::textsearch_core::web::readable_values",
                skip_serializing_if = "Vec::is_empty"
            )]
            pub $field: Vec<$type>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: String, $($rest:tt)*) => {
        $crate::__lenient_fields!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(deserialize_with = "::textsearch_core::web::value_or_default")]
            pub $field: String,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[$about:meta])* $vis:vis $field:ident: $type:ty, $($rest:tt)*) => {
        $crate::__lenient_fields!(@add $head $done { $(#[$about])* $vis $field: $type, } $($rest)*);
    };
    (@add $head:tt { $($done:tt)* } { $($field:tt)* } $($rest:tt)*) => {
        $crate::__lenient_fields!(@next $head { $($done)* $($field)* } $($rest)*);
    };
}

pub use __lenient_fields as lenient_fields;
