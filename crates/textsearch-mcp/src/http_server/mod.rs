//! What this project's HTTP servers share: connections, and the check of hosts, origins and tokens.
//! No part of the public interface.

mod connections;
mod headers;
mod origins;
mod patient;

pub use self::{
    connections::serve,
    headers::{bearer_token, host, is_allowed},
    origins::Origins,
};
