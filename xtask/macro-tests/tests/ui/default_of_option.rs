//! A parameter with a default is never missing.
#![allow(unused)]

use textsearch_kernel::kernel_function;

#[kernel_function]
fn search(query: String, #[parameter(default = 5)] count: Option<u32>) {}

fn main() {}
