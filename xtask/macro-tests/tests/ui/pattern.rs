//! Arguments have names.
#![allow(unused)]

use textsearch_kernel::kernel_function;

#[kernel_function]
fn sum((one, other): (i32, i32)) -> i32 {
    one + other
}

#[kernel_function]
fn ignore(_: i32) {}

fn main() {}
