//! Access tokens of an identity provider: the server as an OAuth 2.0 resource server.

mod authority;
mod config;
mod crypto;
mod introspection;
mod jwt;
mod keys;
mod provider;
mod refusal;
mod resource;
mod rights;
mod tenant_filter;

use std::time::Duration;

pub use self::config::{OAuthConfig, SigningAlgorithm};
use self::tenant_filter::TenantFilter;
pub(crate) use self::{
    authority::{Authority, Grant},
    resource::Resource,
};

/// For clocks that differ, in seconds.
const LEEWAY: u64 = 60;

/// For how long the provider isn't asked again for what it doesn't have, or after it failed.
const PAUSE: Duration = Duration::from_secs(5);
