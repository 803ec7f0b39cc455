//! The error lists known keys.
#![allow(unused)]

use textsearch_kernel::{kernel_function, kernel_plugin};

#[kernel_function(nmae = "Search")]
fn search() {}

#[kernel_function]
fn count(#[parameter(min = 1)] number: u32, #[parameter(default, default = 5)] other: u32) {}

struct Tools;

#[kernel_plugin(name = "Tools")]
impl Tools {
    #[kernel_function(crate = "kernel")]
    fn search() {}
}

struct More;

#[kernel_plugin]
impl More {
    #[kernel_function(crate = "kernel")]
    fn search() {}
}

fn main() {}
