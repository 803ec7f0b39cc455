//! Access tokens of an identity provider: the server as an OAuth 2.0 resource server.

mod authority;
mod claims;
mod config;
mod introspection;
mod jwt;
mod keys;
mod provider;
mod refusal;
mod resource;
mod rights;
mod signature;
mod tenant_filter;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use self::config::OAuthConfig;
use self::tenant_filter::TenantFilter;
pub(crate) use self::{
    authority::{Authority, Grant},
    resource::Resource,
};

/// For clocks that differ, in seconds.
const LEEWAY: u64 = 60;

/// For how long the provider isn't asked again for what it doesn't have, or after it failed.
const PAUSE: Duration = Duration::from_secs(5);

/// Returns the time, in seconds. If the clock is before 1970, every token has expired.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |time| time.as_secs())
}
