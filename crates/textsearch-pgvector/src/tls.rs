//! Encrypted connections; nothing is installed for the process.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt as _;
use textsearch_core::{Error, ErrorKind, Result};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::CONNECTOR;

/// Uses the cryptography provider that the application installed, or *ring*, and the certificates
/// that the operating system trusts.
pub(crate) fn connector() -> Result<MakeRustlsConnect> {
    let installed = CryptoProvider::get_default().cloned();
    let provider = installed.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| {
        let message = "TLS can't be set up: the cryptography provider lacks TLS 1.2 and 1.3";
        Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
    })?;
    let verified = builder.clone().with_platform_verifier();
    let builder = verified.unwrap_or_else(|error| {
        // A server without encryption can still be reached.
        tracing::warn!(%error, "encrypted databases can't be reached: no root certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}
