//! Access tokens of an identity provider: the server as an OAuth 2.0 resource server.

mod authority;
mod config;
mod crypto;
mod keys;
mod provider;
mod resource;
mod rights;
mod tenant_filter;

pub use self::config::{OAuthConfig, SigningAlgorithm};
pub(crate) use self::{
    authority::{Authority, Grant},
    resource::Resource,
    tenant_filter::TenantFilter,
};
