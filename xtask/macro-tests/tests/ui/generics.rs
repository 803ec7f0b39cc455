//! A schema needs one type.
#![allow(unused)]

use textsearch_kernel::kernel_function;

#[kernel_function]
fn generic<T: ToString>(value: T) -> String {
    value.to_string()
}

#[kernel_function]
fn hidden(value: impl ToString) -> String {
    value.to_string()
}

fn main() {}
