//! End-to-end tests of function calling over real HTTP: the kernel, `textsearch-openai`, and a
//! scripted model on loopback that validates each request against the API's schema.

mod cap;
mod dropped;
mod faults;
mod isolation;
mod isolation_web;
mod outcomes;
mod rag;
mod rewriting;
mod samples;
mod secrecy;
mod streaming;
mod support;
mod typed_answers;
