//! What every request passes before it reaches an endpoint.

mod access;
mod limits;
mod observe;
mod origin;
mod secure_headers;

pub(crate) use self::{
    access::{authenticate, require},
    limits::{Permit, limit_concurrency, limit_time, panicked},
    observe::observe,
    origin::{check_host_and_origin, cors},
    secure_headers::secure_headers,
};
