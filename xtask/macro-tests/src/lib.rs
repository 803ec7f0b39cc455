//! A published library with strict lints and a re-exported kernel. The test is that it compiles.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused,
    clippy::all,
    clippy::pedantic,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::impl_trait_in_params
)]

/// A facade over the kernel.
pub mod elsewhere {
    pub use textsearch_kernel as kernel;
}

use elsewhere::kernel::{kernel_function, kernel_plugin};

/// Adds.
#[kernel_function(crate = "crate::elsewhere::kernel")]
#[must_use]
pub fn add(one: i32, other: i32) -> i32 {
    one + other
}

/// Gives a text back.
///
/// # Errors
///
/// Never.
#[kernel_function(crate = "crate::elsewhere::kernel")]
#[deprecated(note = "it is old")]
pub async fn old(
    /// The text.
    #[parameter(default = "old")]
    text: String,
) -> Result<String, std::fmt::Error> {
    std::future::ready(Ok(text)).await
}

/// Left out with the generated code.
#[kernel_function(crate = "crate::elsewhere::kernel")]
#[cfg(any())]
pub fn left_out(no: SuchType) {}

#[kernel_function(crate = "crate::elsewhere::kernel")]
async fn private(flag: bool) -> bool {
    std::future::ready(flag).await
}

/// Makes the private one.
///
/// # Errors
///
/// Never.
pub fn functions() -> elsewhere::kernel::Result<[elsewhere::kernel::KernelFunction; 2]> {
    Ok([add::kernel_function()?, private::kernel_function()?])
}

/// Has functions.
#[derive(Debug)]
#[non_exhaustive]
pub struct Published;

#[kernel_plugin(crate = "crate::elsewhere::kernel")]
impl Published {
    /// Subtracts.
    #[kernel_function]
    #[must_use]
    pub fn subtract(from: i32, number: i32) -> i32 {
        from - number
    }
}

/// A facade over the core.
pub mod facade {
    pub use textsearch_core as core;
}

use facade::core::{TextSearchRecord, vector::VectorRecord};

/// A record of a store and of a search.
#[derive(Debug, serde::Serialize, serde::Deserialize, TextSearchRecord, VectorRecord)]
#[record(crate = "crate::facade::core")]
#[result(crate = "crate::facade::core")]
#[non_exhaustive]
pub struct Record {
    /// The key.
    #[record(key)]
    #[result(id)]
    pub id: String,
    /// The text.
    #[record(value, full_text)]
    #[result(value)]
    pub text: String,
    /// A deprecated field.
    #[deprecated(note = "it is old")]
    #[record(name)]
    #[result(name)]
    pub old: Option<String>,
    /// Its embedding.
    #[record(vector(dimensions = 3))]
    pub embedding: Vec<f32>,
}

macro_rules! documentation {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(
            #[doc = include_str!($path)]
            #[cfg(doctest)]
            pub mod $name {}
        )*
    };
}

documentation! {
    kernel_function: "../../../crates/textsearch-macros/src/docs/kernel_function.md",
    kernel_plugin: "../../../crates/textsearch-macros/src/docs/kernel_plugin.md",
    readme: "../../../crates/textsearch-macros/README.md",
    text_search_record: "../../../crates/textsearch-macros/src/docs/text_search_record.md",
    vector_record: "../../../crates/textsearch-macros/src/docs/vector_record.md",
}
