//! What every request passes before it reaches an endpoint. There are few layers with much work,
//! because each layer of a router clones all layers inside it for each request.

mod admit;
mod enter;
mod observe;
mod origin;
mod panics;
mod query_key;
mod secure_headers;

pub(crate) use self::{
    admit::{Rules, admit},
    enter::enter,
    origin::cors,
    panics::panicked,
    query_key::{TokenInUrl, query_key},
};
