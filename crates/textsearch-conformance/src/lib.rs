#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic of a test kit is a failed test"
)]

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(feature = "vector")]
pub mod vector;

mod capabilities;
mod case;
mod cases;
mod complexity;
mod contract;
mod depth;
mod document;
mod endpoint;
#[cfg(any(feature = "chat", feature = "vector"))]
mod failures;
mod filter_table;
mod json;
mod log_capture;
mod macros;
mod replay;
mod request;
mod response;
mod runner;
mod secret;
mod server;
mod stalls;
mod subject;
mod suite;
mod undeclared;
#[cfg(any(feature = "chat", feature = "vector"))]
mod words;

pub use capabilities::{Capabilities, DeclaredFilter};
pub use case::{Case, Outcome};
pub use complexity::assert_linear;
pub use contract::search_cases;
pub use depth::{nested, with_each_depth};
pub use document::Document;
pub use endpoint::Endpoint;
pub use filter_table::assert_filter_table;
pub use log_capture::{CapturedSpan, LogCapture};
pub use replay::Replay;
pub use request::RecordedRequest;
pub use response::Response;
pub use runner::run;
pub use server::{Action, Server};
pub use subject::{Answer, Subject};
#[doc(hidden)]
pub use suite::run_case;
#[doc(hidden)]
pub use undeclared::{print_undeclared, undeclared};

/// The core that connectors are written against.
pub use textsearch_core as core;
