//! Names are compared without case.
#![allow(unused)]

use textsearch_kernel::{kernel_function, kernel_plugin};

#[kernel_function]
fn search(query: String, #[parameter(name = "Query")] other: String) {}

struct Tools;

#[kernel_plugin]
impl Tools {
    #[kernel_function]
    fn search() {}

    #[kernel_function(name = "Search")]
    fn search_again() {}
}

fn main() {}
