//! All calls share one value.
#![allow(unused)]

use textsearch_kernel::kernel_plugin;

struct Tools;

#[kernel_plugin]
impl Tools {
    #[kernel_function]
    fn consumes(self) {}

    #[kernel_function]
    async fn changes(&mut self, number: u8) {}
}

fn main() {}
