//! What this project's HTTP servers share: connections and the check of origins. No part of the
//! public interface.

mod connections;
mod origins;
mod patient;

pub use self::{connections::serve, origins::Origins};
