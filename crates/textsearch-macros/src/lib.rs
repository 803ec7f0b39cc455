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

#[doc = include_str!("docs/kernel_function.md")]
#[proc_macro_attribute]
pub fn kernel_function(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel_function::expand_function(options.into(), item.into()).into()
}

#[doc = include_str!("docs/kernel_plugin.md")]
#[proc_macro_attribute]
pub fn kernel_plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel_function::expand_plugin(options.into(), item.into()).into()
}

#[doc = include_str!("docs/vector_record.md")]
#[proc_macro_derive(VectorRecord, attributes(record, schemars))]
pub fn vector_record(input: TokenStream) -> TokenStream {
    record::expand_vector_record(input.into()).into()
}

#[doc = include_str!("docs/text_search_record.md")]
#[proc_macro_derive(TextSearchRecord, attributes(result, schemars))]
pub fn text_search_record(input: TokenStream) -> TokenStream {
    search_record::expand(input.into()).into()
}
