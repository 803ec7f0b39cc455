//! Calls on several threads share a plugin's value.
#![allow(unused)]

use std::cell::Cell;

use textsearch_kernel::kernel_plugin;

struct Counter {
    count: Cell<u32>,
}

#[kernel_plugin]
impl Counter {
    #[kernel_function]
    fn count(&self) -> u32 {
        self.count.get()
    }
}

fn main() {}
