//! Serves the tests' stand-in for Pinecone until it is killed, for `cargo xtask integration stores`.
//!
//! Needs: a client that talks to it.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for the terminal, which ends where something fails"
)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/it/stand_in/mod.rs"]
mod stand_in;

use stand_in::{Behavior, StandIn};

fn main() {
    let stand_in = StandIn::start(Behavior::default());
    println!("PINECONE_ENDPOINT={}", stand_in.endpoint());
    loop {
        std::thread::park();
    }
}
