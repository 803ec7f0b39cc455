//! The kernel must accept a name.
#![allow(unused)]

use textsearch_kernel::kernel_function;

#[kernel_function(name = "Plugin.Search")]
fn search(#[parameter(name = "the query")] query: String) {}

#[kernel_function]
fn größe() {}

fn main() {}
