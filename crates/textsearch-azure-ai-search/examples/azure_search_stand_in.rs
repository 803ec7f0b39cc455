//! Serves the tests' stand-in for Azure AI Search until it is killed, for `cargo xtask integration stores`.
//!
//! Needs: a client that talks to it.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for the terminal, which ends where something fails"
)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/it/service/mod.rs"]
mod service;

use service::Standin;

fn main() {
    let standin = Standin::start();
    println!("AZURE_SEARCH_ENDPOINT={}", standin.url());
    loop {
        std::thread::park();
    }
}
