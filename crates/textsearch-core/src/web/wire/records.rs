//! Records with many optional fields.

/// Declares records whose fields may be missing or mistyped in a response.
///
/// It starts with the case of names in responses, such as `"camelCase"`; written records have
/// `PascalCase`. Each struct derives `Debug`, `Clone`, `Default`, `PartialEq`, `Serialize`,
/// `Deserialize` and `JsonSchema`, and is `#[non_exhaustive]`. A field that has a doc comment only is
/// lenient:
/// - An `Option` is read by [`value_or_none`](super::value_or_none) or, with a `String`, by
///   [`text_or_none`](super::text_or_none). It is not written if it is `None`.
/// - A `Vec` is read by [`readable_values`](super::readable_values), and not written if it is empty.
/// - A `String` is read by [`value_or_default`](super::value_or_default).
///
/// Other fields, and fields with attributes, stay as they are.
///
/// ```
/// textsearch_core::web::records! {
///     "camelCase";
///
///     /// A page.
///     pub struct Page {
///         /// The address.
///         pub url: String,
///         /// The age in words.
///         pub page_age: Option<String>,
///         /// The authors.
///         pub authors: Vec<String>,
///         /// The size in bytes.
///         #[serde(rename(deserialize = "bytes"))]
///         pub size: u64,
///     }
/// }
///
/// # fn main() -> serde_json::Result<()> {
/// let page: Page = serde_json::from_str(r#"{ "url": null, "pageAge": 2, "authors": ["Ann", 7], "bytes": 1 }"#)?;
/// assert_eq!(serde_json::to_string(&page)?, r#"{"Url":"","Authors":["Ann"],"Size":1}"#);
/// assert!(serde_json::from_str::<Page>(r#"{ "url": 7 }"#).is_err());
/// # Ok(())
/// # }
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __records {
    ($case:literal; $($(#[$about:meta])* pub struct $name:ident { $($fields:tt)* })+) => {
        $($crate::__records!(@next {
            #[derive(
                Debug,
                Clone,
                Default,
                PartialEq,
                $crate::serde::Serialize,
                $crate::serde::Deserialize,
                $crate::schemars::JsonSchema,
            )]
            #[serde(
                crate = "::textsearch_core::serde",
                default,
                rename_all(serialize = "PascalCase", deserialize = $case)
            )]
            #[schemars(crate = "::textsearch_core::schemars")]
            #[non_exhaustive]
            $(#[$about])*
            pub struct $name
        } {} $($fields)*);)+
    };
    (@next { $($head:tt)* } { $($done:tt)* }) => {
        $($head)* { $($done)* }
    };
    // Any JSON is a `Value`.
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Option<Value>, $($rest:tt)*) => {
        $crate::__records!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<Value>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Option<String>, $($rest:tt)*) => {
        $crate::__records!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(
                deserialize_with = "::textsearch_core::web::text_or_none",
                skip_serializing_if = "Option::is_none"
            )]
            pub $field: Option<String>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Option<$type:ty>, $($rest:tt)*) => {
        $crate::__records!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(
                deserialize_with = "::textsearch_core::web::value_or_none",
                skip_serializing_if = "Option::is_none"
            )]
            pub $field: Option<$type>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: Vec<$type:ty>, $($rest:tt)*) => {
        $crate::__records!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(
                deserialize_with = "::textsearch_core::web::readable_values",
                skip_serializing_if = "Vec::is_empty"
            )]
            pub $field: Vec<$type>,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[doc = $doc:literal])* pub $field:ident: String, $($rest:tt)*) => {
        $crate::__records!(@add $head $done {
            $(#[doc = $doc])*
            #[serde(deserialize_with = "::textsearch_core::web::value_or_default")]
            pub $field: String,
        } $($rest)*);
    };
    (@next $head:tt $done:tt $(#[$about:meta])* $vis:vis $field:ident: $type:ty, $($rest:tt)*) => {
        $crate::__records!(@add $head $done { $(#[$about])* $vis $field: $type, } $($rest)*);
    };
    (@add $head:tt { $($done:tt)* } { $($field:tt)* } $($rest:tt)*) => {
        $crate::__records!(@next $head { $($done)* $($field)* } $($rest)*);
    };
}

pub use __records as records;
