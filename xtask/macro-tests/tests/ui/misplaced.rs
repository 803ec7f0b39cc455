//! Each attribute has its place.
#![allow(unused)]

use textsearch_kernel::{Kernel, kernel_function, kernel_plugin};

#[kernel_function]
struct Search;

struct Tools;

impl Tools {
    #[kernel_function]
    fn search(&self) {}
}

#[kernel_plugin]
impl Clone for Tools {
    #[kernel_function]
    fn clone(&self) -> Self {
        Tools
    }
}

#[kernel_plugin]
impl Tools {
    fn nothing_is_marked() {}
}

#[kernel_function]
fn injected(#[parameter(description = "The kernel.")] kernel: &Kernel) {}

fn main() {}
