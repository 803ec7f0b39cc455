//! What goes over the wire, against a server in this process that records it; `tests/server` is about a real one.

mod errors;
mod nodes;
mod queries;
mod recorder;
mod upserts;
