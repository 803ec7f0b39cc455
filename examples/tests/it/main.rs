//! Function calling end to end over real HTTP: the kernel, `textsearch-openai`, and a scripted model on loopback that
//! checks each request against the schema of the API.

mod cap;
mod dropped;
mod faults;
mod isolation;
mod isolation_web;
mod outcomes;
mod samples;
mod secrecy;
mod streaming;
mod support;
