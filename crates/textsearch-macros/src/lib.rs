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

/// Makes a kernel function of an ordinary function, which stays as it is.
///
/// `forecast::kernel_function()` returns a `Result<KernelFunction>`, in which `forecast` is the name of the function
/// that the attribute is on. The attribute puts a type of the function's name beside it, so `use` brings both.
///
/// # What a model reads
///
/// - The name: that of the function, or `#[kernel_function(name = "Forecast")]`.
/// - The description: the function's doc comment up to its first heading, or `description = "…"`.
/// - The parameters: each with its doc comment, or `#[parameter(description = "…")]`, and the JSON schema of its type.
/// - The answer: the schema of its type, and `returns = "…"` or else the type's own doc comment.
///
/// # Parameters
///
/// The type of a parameter is any that is `Deserialize + JsonSchema`. `Option` makes it optional. `&str` and
/// `Option<&str>` are lent from the call's text; nothing else may be borrowed. `#[parameter(…)]` takes
///
/// - `name = "numDays"`: the name that a model reads;
/// - `description = "…"`: in place of the doc comment;
/// - `default = 5`: the value where a call leaves the parameter out, an expression of the parameter's type or a text for
///   anything that a `&str` turns into; `default` alone stands for `Default::default()`;
/// - `minimum = 1`, `maximum = 50`: bounds of a number, which are told to the model and checked in each call.
///
/// The attributes `#[serde(…)]` and `#[schemars(…)]` on a parameter mean what they mean on a field of a struct.
///
/// A parameter whose type is called `Kernel`, `&Kernel`, `Invocation` or `&Invocation` is given by the kernel, and no
/// model sees it.
///
/// # Results
///
/// The function returns a `T` that is `Serialize + JsonSchema`, or a `Result<T, E>` whose `E` turns into a boxed error.
/// It may be `async`; its future then has to be `Send`.
///
/// `crate = "path"` says where `textsearch_kernel` is, for those who re-export it.
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

/// Makes a plugin of the methods of an `impl` block that are marked `#[kernel_function]`.
///
/// The methods stay as they are, and the type gets two more:
///
/// - `into_plugin(self, name) -> Result<KernelPlugin>`: the plugin, which owns the value;
/// - `kernel_functions(self: Arc<Self>) -> Result<Vec<KernelFunction>>`: the functions, to share the value with others or
///   to put them into a plugin with more.
///
/// A marked method takes `&self` or `self: Arc<Self>`, so all calls share one value, or no `self` at all. What else it
/// may take and return, and what the mark may say, is written at [`macro@kernel_function`]. The mark needs no import.
///
/// The plugin's description is the doc comment of the `impl` block up to its first heading, or `description = "…"`;
/// `crate = "path"` says where `textsearch_kernel` is, for those who re-export it.
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

/// Makes a type a record of vector stores: it says once what its fields are, and moves its vectors in and out.
///
/// The struct derives `Serialize` and `Deserialize` as well. `JsonSchema` comes with the derive. A store has the names for its fields that serde has
/// for them (`#[serde(rename = "…")]`, `#[serde(rename_all = "…")]`), and doc comments up to their first heading become
/// descriptions. A field that serde skips is no part of the record, unless it is a vector: that is stored all the same, and
/// serde may not read it in a way of its own (`#[serde(with = "…")]`). Nor may it write the struct as anything else
/// (`#[serde(transparent)]`, `into`, `from`, `try_from`).
///
/// # On a field
///
/// `#[record(…)]` takes
///
/// - `key`: what identifies a record: a `String`, an unsigned integer or a `uuid::Uuid`;
/// - `filterable`: filters may name it; `offered_to_model`: they are offered to a model by default, too;
/// - `without_text_order`: filters may not order its texts, which makes upserts to some stores faster; on the key, too;
/// - `full_text`, or `full_text = "en"` with the stemming and stop words of a language: its words are searched;
///   `full_text(language = "en", mean_length = 50, weight = 2)`, where either may be left out, also says how many terms its texts are
///   taken to have on average, by which all stores rank alike;
/// - `name`, `value`, `link`, `published`: what part of a `TextSearchResult` it is;
/// - `kind = "date_time"`: what it is written as, where its type does not tell: one of `string`, `integer`, `number`,
///   `boolean`, `date_time`, `strings`, `json`; of a key `string`, `integer` or `uuid`;
/// - `description = "…"`, in place of the doc comment;
/// - `vector(…)`: it is an embedding.
///
/// Texts, whole numbers, other numbers, booleans, `DateTime` of the core or of chrono, and lists of texts are known by
/// their types, inside of an `Option` as well. Anything else is stored as JSON.
///
/// # On a vector
///
/// A vector is a `Vec<f32>`, a `Box<[f32]>`, an `Arc<[f32]>` (which is moved without a copy), an `[f32; N]`, or an
/// `Option` of one. Serde and schemars know arrays of up to 32 elements: a longer one needs
/// `#[serde(skip, default = "…")]` with a function that makes one. Records come without their vectors unless
/// they are asked for: then the field is empty, `None`, or zeros in an array, and a field like that is stored as no
/// vector. No `#[serde(default)]` is needed. `vector(…)` takes
///
/// - `dimensions = 384`, unless it is an array;
/// - `distance = "dot_product"`, by the names of the core's `Distance`, or a path; cosine similarity if it is not said;
/// - `index = "hnsw"`, then with `connections`, `ef_construction`, `ef_search` if they are to be other than usual;
/// - `quantization = "scalar"`, `"binary"` or `"product"`, or a path; `on_disk`;
/// - `embedded_from(title, body)`: the fields whose text is embedded where a record comes without this vector.
///
/// # On the struct
///
/// `#[record(shards = 4, replication_factor = 2, write_consistency_factor = 1)]` says how records are spread over a
/// cluster; `crate = "path"` says where `textsearch_core` is, for those who re-export it. `without_schema` is for a type that
/// implements `JsonSchema` itself.
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

/// Makes a type a record of text searches: it reads as a text and as a result with name, value and link.
///
/// The struct derives `Serialize` as well. `JsonSchema` comes with the derive. `#[result(…)]` on a field says which part of the result it is:
///
/// - `value`, which is the record's text, too, and has to be there; `name`, `link`, `id`: a text in any form, a whole
///   number, or an `Option` of one;
/// - `published`: a `DateTime`, an RFC 3339 text, or an `Option` of one; a text that is no date counts as none;
/// - `score`: an `f64` or `f32`, or an `Option` of one;
/// - `metadata`, on any number of fields: a fact beside the result, under the name by which serde writes the field, unless
///   it is null; serde may not write it in a way of its own (`#[serde(with = "…")]`).
///
/// `#[result(crate = "path")]` on the struct says where `textsearch_core` is, for those who re-export it.
/// `#[result(without_schema)]` is for a type that implements `JsonSchema` itself.
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
