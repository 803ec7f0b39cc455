//! TLS for this crate's clients; nothing is installed for the process.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::{TransportError, TransportErrorKind};

/// Uses the cryptography provider that the application installed, or *ring*, and the certificates
/// that the operating system trusts.
///
/// Without any certificates, as in a small container, only plain HTTP works.
pub(super) fn client_config() -> Result<ClientConfig, TransportError> {
    let installed = CryptoProvider::get_default().cloned();
    let provider = installed.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| TransportError::new(TransportErrorKind::Other, error))?;
    let verified = builder.clone().with_platform_verifier();
    let builder = verified.unwrap_or_else(|error| {
        tracing::warn!(%error, "https URLs can't be reached: no root certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(builder.with_no_client_auth())
}
