#![doc = include_str!("../README.md")]

mod attribute;
mod documentation;
mod errors;
mod kernel_function;

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
