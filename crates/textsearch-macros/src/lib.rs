#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod attribute;
mod documentation;
mod errors;
mod kernel_function;
mod record;
mod schema;
mod search_record;
mod serde_names;

use proc_macro::TokenStream;

/// Makes a kernel function from an ordinary function, which stays unchanged.
///
/// For `fn forecast`, `forecast::kernel_function()` returns a `Result<KernelFunction>`. The
/// attribute adds a type with the function's name, so `use` imports both.
///
/// # Descriptions for the model
///
/// - Name: the function's name, or `#[kernel_function(name = "Forecast")]`.
/// - Description: the function's doc comment up to its first heading, or `description = "…"`.
/// - Parameters: the doc comment or `#[parameter(description = "…")]`, and the type's JSON schema.
/// - Answer: the type's schema, and `returns = "…"` or else the type's doc comment.
///
/// # Parameters
///
/// A parameter can have any type that is `Deserialize + JsonSchema`. `Option` makes it optional.
/// `&str` and `Option<&str>` borrow from the call's text; no other type may borrow.
/// `#[parameter(…)]` takes
///
/// - `name = "numDays"`: the name that the model sees;
/// - `description = "…"`: replaces the doc comment;
/// - `default = 5`: the value if a call omits the parameter. It is an expression of the parameter's
///   type, or a text for any type that a `&str` converts into; `default` alone means
///   `Default::default()`;
/// - `minimum = 1`, `maximum = 50`: bounds of a number, which the model sees and each call checks.
///
/// `#[serde(…)]` and `#[schemars(…)]` mean the same as on a field of a struct.
///
/// The kernel fills in a parameter whose type is called `Kernel`, `&Kernel`, `Invocation` or
/// `&Invocation`. The model doesn't see it.
///
/// # Results
///
/// The function returns a `T: Serialize + JsonSchema`, or a `Result<T, E>` whose `E` converts into
/// a boxed error. It may be `async` if its future is `Send`.
///
/// `crate = "path"` sets the path of `textsearch_kernel`, for crates that re-export it.
///
/// ```
/// use textsearch_kernel::{Kernel, KernelArguments, KernelPlugin, kernel_function};
///
/// /// Says how much later it is.
/// #[kernel_function(name = "Later")]
/// fn later(
///     /// The number of days to add.
///     #[parameter(default = 1, minimum = 0)]
///     days: u32,
/// ) -> String {
///     format!("{days} days later")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_kernel::Result<()> {
/// assert_eq!(later(2), "2 days later");
///
/// let mut kernel = Kernel::new();
/// kernel.add_plugin(KernelPlugin::new("Dates", "Dates.", [later::kernel_function()?])?)?;
/// let result = kernel.invoke("Dates", "Later", KernelArguments::new().with("days", 3)).await?;
/// assert_eq!(result.text(), "3 days later");
/// # Ok(())
/// # }
/// ```
#[proc_macro_attribute]
pub fn kernel_function(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel_function::expand_function(options.into(), item.into()).into()
}

/// Makes a plugin from the methods of an `impl` block that are marked `#[kernel_function]`.
///
/// The methods stay unchanged, and the type gets two more:
///
/// - `into_plugin(self, name) -> Result<KernelPlugin>`: the plugin, which owns the value;
/// - `kernel_functions(self: Arc<Self>) -> Result<Vec<KernelFunction>>`: the functions, to share
///   the value or combine them with others.
///
/// A marked method takes `&self` or `self: Arc<Self>`, so all calls share one value, or no `self`.
/// Calls can run at the same time, so put mutable state into a lock or an atomic. Otherwise see
/// [`macro@kernel_function`]. The mark needs no import.
///
/// The plugin's description is the doc comment of the `impl` block up to its first heading, or
/// `description = "…"`. `crate = "path"` sets the path of `textsearch_kernel`, for crates that
/// re-export it.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use textsearch_kernel::{Kernel, KernelArguments, kernel_plugin};
///
/// #[derive(Default)]
/// struct Counter {
///     count: AtomicU32,
/// }
///
/// /// Counts.
/// #[kernel_plugin]
/// impl Counter {
///     /// Adds to the count, and says what it is then.
///     #[kernel_function(name = "Add")]
///     async fn add(&self, number: u32) -> u32 {
///         self.count.fetch_add(number, Ordering::Relaxed) + number
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_kernel::Result<()> {
/// let mut kernel = Kernel::new();
/// kernel.add_plugin(Counter::default().into_plugin("Counter")?)?;
/// for expected in ["2", "4"] {
///     let result = kernel.invoke("Counter", "Add", KernelArguments::new().with("number", 2)).await?;
///     assert_eq!(result.text(), expected);
/// }
/// # Ok(())
/// # }
/// ```
#[proc_macro_attribute]
pub fn kernel_plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel_function::expand_plugin(options.into(), item.into()).into()
}

/// Makes a type a record of vector stores: it defines the fields and moves vectors in and out.
///
/// The struct must also derive `Serialize` and `Deserialize`, and serialize as an object of its
/// fields: `#[serde(transparent)]`, `into`, `from` and `try_from` are not allowed. This derive
/// includes `JsonSchema`.
///
/// Stores use serde's names for the fields (`rename`, `rename_all`). Doc comments up to their first
/// heading become descriptions. A field that serde skips isn't part of the record, unless it is a
/// vector. A vector that serde reads must not have a custom deserializer (`#[serde(with = "…")]`).
///
/// # On a field
///
/// `#[record(…)]` takes
///
/// - `key`: the record's identifier: a `String`, an unsigned integer or a `uuid::Uuid`;
/// - `filterable`: filters may use the field; `offered_to_model`: so may a model by default;
/// - `without_text_order`: filters may not order the field's texts, which makes upserts to some
///   stores faster; allowed on the key, too;
/// - `full_text`, or `full_text = "en"` with the stemming and stop words of a language: its words
///   are searched. `full_text(language = "en", mean_length = 50, weight = 2)`, each part optional,
///   also sets the field's weight, and the assumed mean number of terms, so that all stores rank
///   alike;
/// - `name`, `value`, `link`, `published`: the field's part in a `TextSearchResult`;
/// - `kind = "date_time"`: the stored kind, if the type doesn't determine it: one of `string`,
///   `integer`, `number`, `boolean`, `date_time`, `strings`, `json`; for a key `string`, `integer`
///   or `uuid`;
/// - `description = "…"`: replaces the doc comment;
/// - `vector(…)`: the field is an embedding.
///
/// The derive recognises texts, integers, other numbers, booleans, `DateTime` of the core or of
/// chrono, and lists of texts, also inside an `Option`. Any other type is stored as JSON.
///
/// # On a vector
///
/// A vector is a `Vec<f32>`, a `Box<[f32]>`, an `Arc<[f32]>` (moved without a copy), an `[f32; N]`,
/// or an `Option` of one. Serde and schemars support arrays of up to 32 elements. A longer one
/// needs `#[serde(skip, default = "…")]` with a function that makes one.
///
/// Stores return records without vectors unless the options request them. The field is then empty,
/// `None`, or zeros in an array. Such a value is stored as no vector. No `#[serde(default)]` is
/// needed. `vector(…)` takes
///
/// - `dimensions = 384`, unless the field is an array;
/// - `distance = "dot_product"`: a name from the core's `Distance`, or a path; the default is
///   cosine similarity;
/// - `index = "hnsw"`, optionally with `connections`, `ef_construction`, `ef_search`;
/// - `quantization = "scalar"`, `"binary"` or `"product"`, or a path; `on_disk`;
/// - `embedded_from(title, body)`: the fields to embed if a record has no such vector.
///
/// # On the struct
///
/// `#[record(shards = 4, replication_factor = 2, write_consistency_factor = 1)]` sets how records
/// are distributed over a cluster. `crate = "path"` sets the path of `textsearch_core`, for crates
/// that re-export it. `without_schema` is for a type that implements `JsonSchema` itself.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use textsearch_core::vector::VectorRecord;
///
/// #[derive(Serialize, Deserialize, VectorRecord)]
/// struct Page {
///     #[record(key)]
///     url: String,
///     /// What the page is called.
///     #[record(name, full_text = "en")]
///     title: String,
///     #[record(value, full_text = "en")]
///     body: String,
///     /// The year in which it was written.
///     #[record(filterable, offered_to_model)]
///     year: Option<u16>,
///     #[record(vector(dimensions = 384, embedded_from(title, body)))]
///     embedding: Vec<f32>,
/// }
///
/// let definition = Page::definition();
/// assert_eq!(definition.key.name, "url");
/// assert_eq!(definition.data[2].description, "The year in which it was written.");
/// assert_eq!(definition.vectors[0].embedded_from, ["title", "body"]);
/// ```
#[proc_macro_derive(VectorRecord, attributes(record, schemars))]
pub fn vector_record(input: TokenStream) -> TokenStream {
    record::expand_vector_record(input.into()).into()
}

/// Makes a type a record of text searches: a text, and a result with name, value and link.
///
/// The struct must also derive `Serialize`. This derive includes `JsonSchema`. `#[result(…)]` on a
/// field sets its part in the result:
///
/// - `value`: required, also the record's text; `name`, `link`, `id`. Each is any text type, an
///   integer, or an `Option` of one; a blank link is none;
/// - `published`: a `DateTime`, an RFC 3339 text, or an `Option` of one; a text that isn't a date
///   is ignored;
/// - `score`: an `f64` or `f32`, or an `Option` of one;
/// - `metadata`, on any number of fields: an extra value under serde's name for the field, unless
///   it is null. The field must not have a custom serializer (`#[serde(with = "…")]`).
///
/// On the struct, `#[result(crate = "path")]` sets the path of `textsearch_core`, for crates that
/// re-export it. `#[result(without_schema)]` is for a type that implements `JsonSchema` itself.
///
/// ```
/// use serde::Serialize;
/// use textsearch_core::TextSearchRecord;
///
/// #[derive(Serialize, TextSearchRecord)]
/// struct Page {
///     #[result(name)]
///     title: Option<String>,
///     #[result(value)]
///     snippet: String,
///     #[result(link)]
///     url: String,
///     #[result(metadata)]
///     language: Option<String>,
/// }
///
/// let page = Page { title: None, snippet: "What it says.".into(), url: "https://example.com/".into(), language: None };
/// assert_eq!(page.text(), "What it says.");
/// assert_eq!(page.into_result().link.as_deref(), Some("https://example.com/"));
/// ```
#[proc_macro_derive(TextSearchRecord, attributes(result, schemars))]
pub fn text_search_record(input: TokenStream) -> TokenStream {
    search_record::expand(input.into()).into()
}
