//! Only texts may be borrowed.
#![allow(unused)]

use textsearch_kernel::kernel_function;

#[kernel_function]
async fn total(numbers: &[i64], text: &'static str, name: &str) -> i64 {
    numbers.iter().sum()
}

fn main() {}
