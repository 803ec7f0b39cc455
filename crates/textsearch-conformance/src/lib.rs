#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(clippy::expect_used, clippy::panic, reason = "a panic of a test kit is a failed test")]

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(feature = "vector")]
pub mod vector;

mod capabilities;
#[doc(hidden)]
pub mod cases;
mod complexity;
mod contract;
mod depth;
mod document;
mod endpoint;
mod filter_table;
mod log_capture;
mod macros;
mod replay;
mod report;
mod request;
mod response;
mod runner;
mod secret;
mod server;
mod stalls;
mod subject;
mod undeclared;

pub use capabilities::{Capabilities, DeclaredFilter};
pub use complexity::assert_linear;
pub use contract::{search_cases, search_cases_without_http};
pub use depth::{nested, with_each_depth};
pub use document::Document;
pub use endpoint::Endpoint;
pub use filter_table::assert_filter_table;
pub use log_capture::LogCapture;
pub use replay::Replay;
pub use report::{Bullet, Case, Outcome, Report};
pub use request::RecordedRequest;
pub use response::Response;
#[doc(hidden)]
pub use runner::check;
pub use runner::run;
pub use server::{Action, Server};
pub use subject::{Answer, Subject};
#[doc(hidden)]
pub use undeclared::{print_undeclared, undeclared};

/// The core that connectors are written against.
pub use textsearch_core as core;
