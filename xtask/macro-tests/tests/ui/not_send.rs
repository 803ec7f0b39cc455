//! The error names what keeps the future from being `Send`.
#![allow(unused)]

use std::rc::Rc;

use textsearch_kernel::kernel_function;

#[kernel_function]
async fn search(query: String) -> String {
    let shared = Rc::new(query);
    std::future::ready(()).await;
    shared.to_string()
}

fn main() {}
