#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod authentication;
mod call;
mod document;
mod encode;
mod form_data;
mod import;
mod limits;
mod name;
mod operation;
mod plugin;
mod request;
mod schema;
mod security;
mod server;
mod settings;

pub use authentication::{
    AuthenticationRequest, Credentials, KeyPlace, OpenApiAuthenticator, SecurityKind,
    SecurityScheme,
};
pub use plugin::{ImportedOperation, OpenApiOperation, OpenApiPlugin, RefusedOperation};
pub use settings::OpenApiSettings;

/// The name of this crate in errors.
const CONNECTOR: &str = "openapi";
